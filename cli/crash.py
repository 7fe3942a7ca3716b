"""What is kept of an unexpected error: the places in our own code, no message, no value and no source line.

The text of an exception may quote the pasted code, so only its class is written.
"""

from __future__ import annotations

import os
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

from cli.console import Console
from cli.version import VERSION
from errors import CodeMindError, ToolMissingError


def crashed(error: BaseException, console: Console) -> CodeMindError:
    """The line for an unexpected error: its class, and the file that says where it happened.

    A library that is not installed is no error of ours: most often another Python than that of `.venv` was started.
    """
    if isinstance(error, ModuleNotFoundError) and (missing := _library(error)):
        return ToolMissingError(
            f"This Python has no {missing}: start with `make run`, or with `.venv/bin/python main.py ...` once that ran."
        )
    path = write_crash(error, _log_folder(console))
    where = f"; where it happened (no code) is in {path}" if path else ""
    return CodeMindError(f"an error in CodeMind itself ({type(error).__name__}){where}")


def _library(error: ModuleNotFoundError) -> str:
    """The library that is not there; empty when only a part of one, or of CodeMind, is missing."""
    name = (error.name or "").partition(".")[0]
    return name if name and find_spec(name) is None else ""


def write_crash(error: BaseException, folder: Path) -> Path | None:
    """Write `crash-<time>-<pid>.txt` into `folder`; None when that is not possible."""
    path = folder / f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(crash_text(error), encoding="utf-8")
    except OSError:
        return None
    return path


def _log_folder(console: Console) -> Path:
    """`log` in the home that the environment names: settings may be what failed."""
    from settings import default_home

    home = console.environment.get("CODEMIND_HOME", "").strip()
    return (Path(home) if home else default_home()) / "log"


def crash_text(error: BaseException) -> str:
    """Version, classes and frames, the causes included, the oldest first."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    blocks = [_frames(part) for part in reversed(chain)]
    return f"codemind {VERSION}\n" + "\n".join(blocks)


def _frames(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-60)
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([type(error).__qualname__, *lines]) + "\n"
