"""What is kept of an unexpected error: the places in the code, no message, no value and no source line.

The text of an exception may quote the pasted code, so only its class is written. Places are named from the program's folder
or a library's, never from the user's.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path, PurePath

from cli.console import Console
from cli.version import VERSION
from errors import CodeMindError, ToolMissingError

MOST_CRASHES = 20
"""Files that are kept; the oldest go."""
MOST_FRAMES = 60
PATTERN = "crash-*.txt"
_PROGRAM = Path(__file__).resolve().parent.parent
_LIBRARIES = frozenset({"site-packages", "dist-packages"})


def crashed(error: BaseException, console: Console, *, save: bool = True) -> CodeMindError:
    """The line for an unexpected error: its class, and the file that says where it happened. Without `save` none is written.

    A library that is not installed is no error of ours: most often another Python than that of `.venv` was started.
    """
    if isinstance(error, ModuleNotFoundError) and (missing := _library(error)):
        return ToolMissingError(
            f"This Python has no {missing}: start with `make run`, or with `.venv/bin/python main.py ...` once that ran."
        )
    path = _recorded(error, log_folder(console)) if save else None
    where = f"; where it happened (no code) is in {path}" if path else f"; it happened in {_innermost(error)}"
    return CodeMindError(f"an error in CodeMind itself ({type(error).__name__}){where}")


def _library(error: ModuleNotFoundError) -> str:
    """The library that is not there; empty when only a part of one, or of CodeMind, is missing."""
    name = (error.name or "").partition(".")[0]
    return name if name and find_spec(name) is None else ""


def _recorded(error: BaseException, folder: Path) -> Path | None:
    """Write the file, and a line in the log; what fails there must not hide the error itself."""
    path = write_crash(error, folder)
    with suppress(Exception):
        from wiring_log import log_crash

        log_crash(folder, f"{type(error).__qualname__} in {_innermost(error)}, {path.name if path else 'no crash file'}")
    return path


def write_crash(error: BaseException, folder: Path) -> Path | None:
    """Write `crash-<time>-<pid>.txt` into `folder`; None when that is not possible."""
    stem = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = next(path for path in _names(folder, stem) if not path.exists())
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(crash_text(error))
        for old in crash_files(folder)[:-MOST_CRASHES]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def _names(folder: Path, stem: str) -> Iterator[Path]:
    """Names for one more file: several errors may come within a second."""
    yield folder / f"{stem}.txt"
    for number in range(2, 10_000):
        yield folder / f"{stem}-{number}.txt"


def crash_files(folder: Path) -> list[Path]:
    """All of them, the newest last. Raises OSError."""
    return sorted(folder.glob(PATTERN), key=lambda path: (path.stat().st_mtime_ns, path.name))


def log_folder(console: Console) -> Path:
    """`log` in the home that the environment names: settings may be what failed."""
    from settings import default_home

    home = console.environment.get("CODEMIND_HOME", "").strip()
    return (Path(home).expanduser() if home else default_home()) / "log"


def crash_text(error: BaseException) -> str:
    """Version, classes and frames, the causes included, the oldest first."""
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    blocks = [_frames(part) for whole in reversed(chain) for part in _parts(whole)]
    return f"codemind {VERSION}\n" + "\n".join(blocks)


def _parts(error: BaseException) -> list[BaseException]:
    """An error, and those that a group holds, before it."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [part for inner in error.exceptions for part in _parts(inner)] + [error]


def _frames(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-MOST_FRAMES)
    lines = [f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([type(error).__qualname__, *lines]) + "\n"


def _innermost(error: BaseException) -> str:
    """The last place in our own code, else the last one."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [(_place(frame.filename), frame.lineno) for frame in frames]
    own = [place for place in places if not place[0].startswith("<")]
    file, line = (own or places or [("<unknown>", 0)])[-1]
    return f"{file}:{line}"


def _place(filename: str) -> str:
    """`cli/desk.py`, `<library>/langgraph/types.py`, `<python>/asyncio/runners.py`; of anything else only that it is elsewhere."""
    path = PurePath(filename)
    parts = path.parts
    library = next((number for number, part in enumerate(parts) if part in _LIBRARIES), None)
    if library is not None:
        return "/".join(["<library>", *parts[library + 1 :]])
    if path.is_relative_to(_PROGRAM):
        return path.relative_to(_PROGRAM).as_posix()
    standard = PurePath(os.__file__).parent
    return f"<python>/{path.relative_to(standard).as_posix()}" if path.is_relative_to(standard) else "<elsewhere>"
