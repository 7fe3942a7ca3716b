"""Run one of our own modules in a process of its own: what may crash or hang there leaves this one alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from schema.ports import ChildRun

_PROGRAM = "import sys; sys.path.insert(0, {root!r}); from {module} import main; sys.exit(main(sys.argv[1:]))"
_OUTPUT_CHARACTERS = 2000


def run_child(module: str, arguments: Sequence[str], timeout_s: float) -> ChildRun:
    """`main(arguments)` of a module; it is killed after `timeout_s` seconds. Never raises for what happens in there."""
    program = _PROGRAM.format(root=str(Path(__file__).resolve().parent.parent), module=module)
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ChildRun(None, "")
    except OSError as error:
        return ChildRun(1, (error.strerror or "no process could be started").lower())
    return ChildRun(done.returncode, done.stdout[:_OUTPUT_CHARACTERS])
