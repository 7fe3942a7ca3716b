"""kill -9 at random moments: is anything lost that was reported as saved? `python -m benchmarks.kill [--quick]`

A session answers one paste, gets a second and is killed at a random moment of it. Then the memory must open and hold
everything that was reported as saved, and `resume` must finish the second paste, unless it had been finished (it stands in
the memory) or the process had not taken it in yet (its name stands in no checkpoint).
"""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import count as numbers
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.programs import program
from benchmarks.report import Measured, show
from benchmarks.sessions import PipedSession, exported, run

KILLS, QUICK_KILLS = 200, 10
MOST_PASTES = 2 * KILLS
FEWEST_LINES = 12
"""Shorter functions are soon alike."""
LONGEST_WAIT_S = 0.12
"""The moment of the kill is drawn between nothing and this, about the length of a task."""


@dataclass
class Tally:
    """What became of the pastes."""

    reported: set[str] = field(default_factory=set)
    unsaved: int = 0
    """Answers of which nothing was saved: with many of them the benchmark would show nothing."""
    ends: Counter[str] = field(default_factory=Counter)


@cache
def bodies(count: int) -> tuple[str, ...]:
    """The first lines and the bodies of so many made-up functions in Python, no two alike."""
    found = (source.written() for source in map(program, numbers()) if source.language == "python" and len(source.lines) >= FEWEST_LINES)
    return tuple(islice(found, count))


def paste(number: int) -> str:
    """A bug in a function whose name nobody else has, and whose body is like no other: else memory would answer, and nothing be saved."""
    head, _, body = bodies(MOST_PASTES)[number].partition("\n")
    arguments = head[head.index("(") + 1 : head.rindex(")")]
    return f"def keep_n{number}_({arguments}, seen=[]):\n    seen.append({arguments.split(',')[0]})\n{body}"


def kill_once(home: Path, number: int, moment: random.Random, tally: Tally) -> bool:
    """One session, killed in its second task; True when the second paste was not answered."""
    with PipedSession(home) as session:
        answers = [session.ask(paste(2 * number))[0]]
        session.paste(paste(2 * number + 1))
        time.sleep(moment.uniform(0, LONGEST_WAIT_S))
        session.process.send_signal(signal.SIGKILL)
        session.process.wait()
        answers += session.remaining_answers()
    saved = {answer["saved"]["id"] for answer in answers if answer["saved"]["status"] == "added"}
    tally.reported |= saved
    tally.unsaved += len(answers) - len(saved)
    return len(answers) == 1


def in_checkpoint(home: Path, name: str) -> bool:
    """The paste was taken in: it stands in what was committed. Bytes of a write that the kill cut short are no promise."""
    with closing(sqlite3.connect(home / "sessions.sqlite3")) as connection:
        kept = connection.execute("SELECT checkpoint FROM checkpoints UNION ALL SELECT value FROM writes").fetchall()
    return any(name.encode() in value for (value,) in kept)


def resumed(home: Path) -> list[dict[str, Any]]:
    """The records of what `resume` finishes."""
    done = run(home, ["resume", "--json"])
    if "Traceback" in done.stderr or done.returncode not in {0, 1}:
        raise RuntimeError(f"resume failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def fate(home: Path, number: int) -> str:
    """What became of a paste that got no answer."""
    name = f"keep_n{2 * number + 1}_"
    stored = any(name in entry["code"] for entry in exported(home))
    taken_in = in_checkpoint(home, name)
    if any(name in json.dumps(record["findings"]) for record in resumed(home)):
        return "offered again"
    if stored:
        return "finished, not yet reported"
    return "lost" if taken_in else "not yet taken in"


def main() -> int:
    """Run it and print the table; 1 when something was lost."""
    kills = QUICK_KILLS if "--quick" in sys.argv else KILLS
    moment, tally = random.Random(7), Tally()  # noqa: S311 - moments of a kill, not a secret
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number in range(kills):
            unanswered = kill_once(home, number, moment, tally)
            tally.ends[fate(home, number) if unanswered else "answered"] += 1
        missing = tally.reported - {str(entry["id"]) for entry in exported(home)}
    rows = [
        Measured("kills; the memory opened after each", kills, "kills"),
        Measured("answered before the kill, and not reported as saved", tally.unsaved, "pastes", kills // 20),
        Measured("reported as saved", len(tally.reported), "experiences"),
        Measured("of these not in the memory at the end", len(missing), "experiences", 0),
        Measured("taken in, and neither finished nor offered again", tally.ends["lost"], "pastes", 0),
    ]
    return show("kill", rows, [f"The paste that the kill hit: {dict(tally.ends)}."])


if __name__ == "__main__":
    sys.exit(main())
