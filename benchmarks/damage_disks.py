"""Disks of the damage benchmark: full, and read-only. On Linux as root a small disk in memory is made; elsewhere a file size limit."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.sessions import MAIN, environment, exported

Row = tuple[str, tuple[str, ...], tuple[str, ...], int, int, int, float, float, bool]
NEW = "def fresh(x, seen=[]):\n    seen.append(x)\n    return seen\nEOF\n"
LIMIT_BYTES = 20_000
"""Less than a save writes into the log of the ledger."""


def disk_rows(template: Path, folder: Path, fixes: int) -> Iterator[Row]:
    """A paste that is to be saved where nothing can be: the review is there, the save is one error, and nothing stored is lost."""
    home = folder / "full"
    shutil.copytree(template, home)
    yield _row("disk: file size limit", home, fixes, limit=LIMIT_BYTES)
    shutil.rmtree(home)
    size = sum(path.stat().st_size for path in template.rglob("*") if path.is_file())
    with _mounted(folder / "disk", size + 2_000_000) as disk:
        if disk is None:
            return
        home = disk / "home"
        shutil.copytree(template, home)
        _fill_up(disk)
        yield _row("disk: full", home, fixes)
        (disk / "filler").unlink()
        _remount(disk, "ro")
        yield _row("disk: read-only", home, fixes)
        _remount(disk, "rw")


def _row(name: str, home: Path, fixes: int, limit: int = 0) -> Row:
    """Both answers are of the same paste: what is reviewed, and what a stored one gets."""
    started = time.perf_counter()
    done = subprocess.run(
        [*MAIN, "--json"],
        input=NEW,
        capture_output=True,
        text=True,
        check=False,
        env=environment(home),
        timeout=300,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)) if limit else None,
    )
    took_s = time.perf_counter() - started
    records = [json.loads(line) for line in done.stdout.splitlines()]
    answers = tuple(record["error"]["code"] if record["error"] else record["saved"]["status"] for record in records)
    back = len({str(entry["id"]) for entry in exported(home)})
    reviewed = bool(records) and bool(records[0]["findings"])
    holds = reviewed and answers == ("storage_failed",) and done.returncode == 3 and "Traceback" not in done.stderr and back == fixes
    return (name, answers, tuple(answers), done.returncode, back, fixes, took_s, 0.0, holds)


@contextmanager
def _mounted(place: Path, size: int) -> Iterator[Path | None]:
    """A disk of that size in memory; None where none can be made."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    made = (
        os.geteuid() == 0
        and shutil.which("mount") is not None
        and subprocess.run(command, check=False, capture_output=True).returncode == 0
    )
    try:
        yield place if made else None
    finally:
        if made:
            subprocess.run(["umount", str(place)], check=True)


def _remount(place: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(place)], check=True)


def _fill_up(disk: Path) -> None:
    """Leave nothing."""
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(65_536)):
                pass
        except OSError:
            return
