"""What a command that may be killed leaves in a home: how it ended, what the memory holds then, and what is left over."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.sessions import MAIN, environment
from memory.index import FOLDER_NAME
from memory.index_state import look, read_state
from memory.ledger import LEDGER_NAME

LIMIT_S = 300.0
LINGERING_S = 5.0
"""So long after a killed command one of its child processes may still be there."""
_TABLES = ("experiences", "alternatives", "keys", "parts", "scopes", "streams", "tombstones", "vectors")
_CHANGES_EACH_TIME = ("created_at", "known_since")
_NUMBERS = re.compile(r"\d{8}T\d{6}Z(-\d+)?|\d+")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status (None: killed), its seconds, what it wrote."""

    status: int | None
    seconds: float
    out: str
    err: str


@dataclass(frozen=True)
class Outcome:
    """What a home holds: fixes as JSON lines, rows of each table, the index, and the names of its files (numbers as #)."""

    fixes: frozenset[str]
    rows: tuple[int, ...]
    index: tuple[str, int]
    files: Counter[str] = field(hash=False)


def run_for(home: Path, temporary: Path, arguments: Sequence[str], given: str, limit_s: float) -> Ended:
    """Run a command with a terminal as its standard error, where progress is told at once, and kill it after `limit_s`."""
    ours, theirs = pty.openpty()
    with (temporary.parent / "out").open("w+b") as out:
        started = time.perf_counter()
        process = subprocess.Popen(
            [*MAIN, *arguments], stdin=subprocess.PIPE, stdout=out, stderr=theirs, env={**environment(home), "TMPDIR": str(temporary)}
        )
        os.close(theirs)
        heard = bytearray()
        listener = threading.Thread(target=_listen, args=(ours, heard))
        listener.start()
        with suppress(subprocess.TimeoutExpired, BrokenPipeError):
            process.communicate(given.encode(), timeout=limit_s)
        status = process.poll()
        seconds = time.perf_counter() - started
        if status is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        listener.join(LINGERING_S)
        out.seek(0)
        return Ended(status, seconds, out.read().decode("utf-8", "replace"), bytes(heard).decode("utf-8", "replace"))


def _listen(descriptor: int, heard: bytearray) -> None:
    with suppress(OSError):  # the other end is closed
        while chunk := os.read(descriptor, 65_536):
            heard += chunk
    os.close(descriptor)


def reported(told: str) -> int:
    """How many new fixes the command had called safe by its last line of progress."""
    found = re.findall(r"(\d+) new\b", told)
    return int(found[-1]) if found else 0


def fixes_of(home: Path) -> Counter[str]:
    """The code and the fix of each alternative in a ledger of any schema; empty for one that can't be read."""
    found: Counter[str] = Counter()
    with suppress(sqlite3.Error), closing(sqlite3.connect(home / LEDGER_NAME)) as connection:
        found.update(f"{code}\0{fixed}" for code, fixed in connection.execute("SELECT code, fixed_code FROM alternatives"))
    return found


def key_of(record: dict[str, Any]) -> str:
    """As `fixes_of` names an alternative."""
    return f"{record['code']}\0{record['fixed_code']}"


def unsoundness(ledger: Path) -> str:
    """What SQLite finds wrong with a file; empty when nothing is."""
    with closing(sqlite3.connect(ledger)) as connection:
        answer = str(connection.execute("PRAGMA integrity_check").fetchone()[0])
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    return answer if answer != "ok" else f"{len(broken)} dangling rows" if broken else ""


def outcome(home: Path) -> Outcome:
    """Read a home that is at rest. Raises RuntimeError when it does not open."""
    told = run_for(home, home.parent / "tmp", ("memory", "export"), "", LIMIT_S)
    if told.status != 0:
        raise RuntimeError(f"the memory does not open: {told.err.strip()}")
    records = [json.loads(line) for line in told.out.splitlines()]
    fixes = frozenset(json.dumps({name: value for name, value in each.items() if name not in _CHANGES_EACH_TIME}) for each in records)
    with closing(sqlite3.connect(home / LEDGER_NAME)) as connection:
        rows = tuple(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _TABLES)  # noqa: S608 - our own names
    state = read_state(home / FOLDER_NAME)
    held = sum(extent.rows for extent in state.extents.values()) if state else 0
    return Outcome(fixes, rows, (look(home / FOLDER_NAME), held), Counter(_NUMBERS.sub("#", name) for name in names_in(home)))


def names_in(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def difference(wanted: object, found: object) -> str:
    """What is missing and what is too much, shortly."""
    if isinstance(wanted, frozenset) and isinstance(found, frozenset):
        return f"{len(wanted - found)} missing, {len(found - wanted)} too many; such as {str(next(iter(wanted ^ found)))[:400]}"
    return f"{wanted} became {found}"


def still_running(home: Path) -> list[str]:
    """Processes that were started for this home and did not end with their parent."""
    until = time.monotonic() + LINGERING_S
    while (found := _running(home)) and time.monotonic() < until:
        time.sleep(0.1)
    return [f"process {name}" for name in found]


def _running(home: Path) -> list[str]:
    mark = f"CODEMIND_HOME={home}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


def files_with(home: Path, word: bytes) -> list[str]:
    """Files that hold a word."""
    return [str(path.relative_to(home)) for path in sorted(home.rglob("*")) if path.is_file() and word in path.read_bytes()]
