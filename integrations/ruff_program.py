"""Which ruff there is: its place and its version, without running it. Importing this is cheap: a look-up in the memory needs it."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


def ruff_name(executable: str | None = None) -> str:
    """`ruff 0.17.6`, or `ruff missing` when it is not installed."""
    program = executable or find_ruff()
    return "ruff missing" if program is None else f"ruff {_version_of(program)}"


def find_ruff() -> str | None:
    """The executable beside the running Python, else in the installed package's environment, else on PATH."""
    return _find_ruff(sys.executable, os.environ.get("PATH", ""))


@lru_cache(maxsize=4)
def _find_ruff(python: str, path: str) -> str | None:
    name = "ruff.exe" if os.name == "nt" else "ruff"
    beside = Path(python).parent / name
    if beside.is_file():
        return str(beside)
    spec = find_spec("ruff")
    if spec is not None and spec.origin is not None:
        for parent in Path(spec.origin).parents[:6]:
            if (parent / "bin" / name).is_file():
                return str(parent / "bin" / name)
    import shutil  # late: most find it at once

    return shutil.which(name, path=path)


@lru_cache(maxsize=4)
def _version_of(executable: str) -> str:
    """From the installed package's folder name (importlib.metadata costs 20 ms); a foreign ruff is asked, once."""
    spec = find_spec("ruff")
    if spec is not None and spec.origin is not None:
        installed = sorted(Path(spec.origin).parents[1].glob("ruff-*.dist-info"))
        if len(installed) == 1 and Path(executable).parent == Path(sys.executable).parent:
            return installed[0].name.removeprefix("ruff-").removesuffix(".dist-info")
    import subprocess  # late: only a foreign ruff has to be asked

    try:
        answer = subprocess.run([executable, "--version"], capture_output=True, timeout=10, check=False, env=bare_environment())
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    return answer.stdout.decode("utf-8", "replace").strip().removeprefix("ruff ") or "of unknown version"


def bare_environment() -> dict[str, str]:
    """No RUFF_* variable and no PATH: only what Windows needs to start a program."""
    kept = ("SYSTEMROOT", "TEMP", "TMP")
    return {"NO_COLOR": "1", **{name: os.environ[name] for name in kept if name in os.environ}}
