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
from pathlib import Path
from typing import Any

from benchmarks.report import Measured, show
from benchmarks.sessions import PipedSession, exported, run

LONGEST_WAIT_S = 0.12
"""The moment of the kill is drawn between nothing and this, about the length of a task."""


@dataclass
class Tally:
    """What became of the pastes."""

    reported: set[str] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)


def paste(number: int) -> str:
    """A bug whose names nobody else has."""
    return f"def keep_n{number}_(x, seen=[]):\n    seen.append(x)\n    return seen + [{number}]\n"


def kill_once(home: Path, number: int, moment: random.Random, tally: Tally) -> bool:
    """One session, killed in its second task; True when the second paste was not answered."""
    with PipedSession(home) as session:
        answers = [session.ask(paste(2 * number))[0]]
        session.paste(paste(2 * number + 1))
        time.sleep(moment.uniform(0, LONGEST_WAIT_S))
        session.process.send_signal(signal.SIGKILL)
        session.process.wait()
        answers += session.remaining_answers()
    tally.reported |= {answer["saved"]["id"] for answer in answers if answer["saved"]["status"] == "added"}
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
    kills = 10 if "--quick" in sys.argv else 200
    moment, tally = random.Random(7), Tally()  # noqa: S311 - moments of a kill, not a secret
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number in range(kills):
            unanswered = kill_once(home, number, moment, tally)
            tally.ends[fate(home, number) if unanswered else "answered"] += 1
        missing = tally.reported - {str(entry["id"]) for entry in exported(home)}
    rows = [
        Measured("kills; the memory opened after each", kills, "kills"),
        Measured("reported as saved", len(tally.reported), "experiences"),
        Measured("of these not in the memory at the end", len(missing), "experiences", 0),
        Measured("taken in, and neither finished nor offered again", tally.ends["lost"], "pastes", 0),
    ]
    return show("kill", rows, [f"The paste that the kill hit: {dict(tally.ends)}."])


if __name__ == "__main__":
    sys.exit(main())
