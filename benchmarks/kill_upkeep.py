"""kill -9 at random moments of the commands that care for the memory.

    python -m benchmarks.kill_upkeep [--quick] [--kills N] [--only NAME]

Each command runs undisturbed first. Then it is killed at moments spread over that time, twice in a row in the same home. After each kill
the memory must open, be sound, and hold what it held before and what was reported meanwhile; then the command is repeated and must end
in what the undisturbed run ended in: the same fixes, keys, vectors and files, and no process, temporary file or copy left over.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.kill_homes import Chore, Workshop
from benchmarks.kill_outcome import (
    LIMIT_S,
    Ended,
    Outcome,
    difference,
    files_with,
    fixes_of,
    key_of,
    names_in,
    outcome,
    reported,
    run_for,
    still_running,
    unsoundness,
)
from benchmarks.report import Measured, show
from memory.ledger import LEDGER_NAME

ROWS, QUICK_ROWS = 1_000, 60
KILLS, QUICK_KILLS = 100, 10
IN_A_ROW = 2
"""Kills of one home before the command may end."""
DAMAGED = 3
EXPORT = ("memory", "export")
ONE_EACH = frozenset(
    {"chroma", "chroma.json", "chroma.damaged-#", "ledger.backup-auto.sqlite#", "log"}
    | {f"{each}.lock{end}" for each in ("ledger", "ledger.backup", "chroma") for end in ("", ".holder")}
)
"""Names (digits as #) that any command may leave: there is never more than one of each."""


@dataclass
class Tally:
    """What became of the kills of one chore. All but the first four must stay 0."""

    seconds: float = 0.0
    kills: int = 0
    late: int = 0
    """The command had ended before the kill."""
    reported: int = 0
    lost: int = 0
    closed: int = 0
    unsound: int = 0
    different: int = 0
    stray: int = 0
    notes: list[str] = field(default_factory=list)


class Trial:
    """One chore in a folder of its own."""

    def __init__(self, name: str, chore: Chore, folder: Path) -> None:
        self.name, self.chore, self.folder = name, chore, folder
        self.home, self.temporary = folder / "home", folder / "tmp"
        self.tally = Tally()
        self.wanted = self._undisturbed()

    def round(self, moments: Sequence[float]) -> None:
        """Kill it at these shares (0-1) of its time, one after the other in one home, then let it end."""
        self._start()
        held = fixes_of(self.chore.home)
        for share in moments:
            ended = self._run(share * self.tally.seconds)
            self.tally.kills += 1
            self.tally.late += ended.status is not None
            self._judge(ended)
            held = self._look(ended, held)
        self._judge(self._run(LIMIT_S))
        self._compare(self._outcome())

    def _judge(self, ended: Ended) -> None:
        """A command that was not killed must end as one that ends well."""
        if ended.status is not None and (ended.status not in self.chore.again or "Traceback" in ended.err):
            self._fail("different", f"repeated it ends with {ended.status}: {ended.err.strip()[-300:]}")

    def _undisturbed(self) -> Outcome:
        self._start()
        ended = self._run(LIMIT_S)
        if ended.status != 0:
            raise RuntimeError(f"{self.name} fails undisturbed ({ended.status}): {ended.err.strip()[-500:]}")
        self.tally.seconds = ended.seconds
        return self._outcome()

    def _outcome(self) -> Outcome:
        if self.chore.then:
            run_for(self.home, self.temporary, self.chore.then, "", LIMIT_S)
        return outcome(self.home)

    def _start(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.chore.home, self.home)
        self.temporary.mkdir()

    def _run(self, limit_s: float) -> Ended:
        return run_for(self.home, self.temporary, self.chore.command, self.chore.given, limit_s)

    def _look(self, ended: Ended, before: Counter[str]) -> Counter[str]:
        """What a user finds after the kill, looked at in a copy, since looking may mend; the fixes that are there."""
        copy = self.folder / "copy"
        shutil.copytree(self.home, copy)
        opened = run_for(copy, self.temporary, EXPORT, "", LIMIT_S)
        if self.chore.may_refuse and opened.status == DAMAGED and "has been mended" in opened.err:
            opened = run_for(copy, self.temporary, EXPORT, "", LIMIT_S)
        refused = self.chore.may_refuse and opened.status == DAMAGED and "memory recover" in opened.err
        held = before
        if not refused and (opened.status != 0 or "Traceback" in opened.err):
            self._fail("closed", f"after a kill: {opened.status} {opened.err.strip()[-300:]}")
        elif not refused:
            held = fixes_of(copy)
            self._count_lost(reported(ended.err), before, held)
            if problem := unsoundness(copy / LEDGER_NAME):
                self._fail("unsound", problem)
        shutil.rmtree(copy)
        return held

    def _count_lost(self, said: int, before: Counter[str], held: Counter[str]) -> None:
        self.tally.reported += said
        stays = Counter(key_of(json.loads(line)) for line in self.wanted.fixes)
        if missing := lost(before, held, stays, said):
            self._fail("lost", f"{missing} lost; {said} were reported")

    def _compare(self, found: Outcome) -> None:
        for name in ("fixes", "rows", "index"):
            if getattr(found, name) != getattr(self.wanted, name):
                self._fail("different", f"{name}: {difference(getattr(self.wanted, name), getattr(found, name))}")
        strays = [
            *(name for name in (found.files - self.wanted.files).elements() if name not in ONE_EACH),
            *names_in(self.temporary),
            *still_running(self.home),
        ]
        if self.chore.gone:
            strays += files_with(self.home, self.chore.gone.encode())
        if strays:
            self._fail("stray", f"left over: {', '.join(strays)}")

    def _fail(self, what: str, note: str) -> None:
        setattr(self.tally, what, getattr(self.tally, what) + 1)
        self.tally.notes.append(f"{self.name}: {what}: {note}")


def lost(before: Counter[str], held: Counter[str], stays: Counter[str], said: int) -> int:
    """How many fixes are missing: of those from before that the command is to leave (`stays`), and of as many new ones as were reported."""
    return ((before & stays) - held).total() + (max(0, before.total() + said - held.total()) if said else 0)


def moments(kills: int, chance: random.Random) -> list[float]:
    """Shares (0-1) of a command's time, spread evenly with chance inside each part, in random order."""
    found = [(number + chance.random()) / kills for number in range(kills)]
    chance.shuffle(found)
    return found


def tried(name: str, chore: Chore, folder: Path, kills: int) -> Tally:
    """All kills of a chore; told on standard error when they are over, as all of them take long. What fails undisturbed counts, too."""
    shares = moments(kills, random.Random(name))  # noqa: S311 - moments of a kill, not a secret
    tally = Tally()
    try:
        trial = Trial(name, chore, folder)
        tally = trial.tally
        for start in range(0, kills, IN_A_ROW):
            trial.round(shares[start : start + IN_A_ROW])
    except RuntimeError as error:
        tally.different += 1
        tally.notes.append(f"{name}: {error}")
    sys.stderr.write("\n".join([row(name, tally), *tally.notes]) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    return tally


def shared_out(names: Sequence[str], kills: int) -> list[tuple[str, int]]:
    """How many kills each gets; the first ones get what does not divide."""
    each, rest = divmod(kills, len(names))
    return [(name, each + (number < rest)) for number, name in enumerate(names) if each + (number < rest)]


def table(tallies: dict[str, Tally]) -> str:
    """One line a command."""
    lines = [
        "| command | undisturbed | kills | of these too late | reported before | lost | not opened | unsound | other end | left over |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(row(name, each) for name, each in tallies.items())])


def row(name: str, each: Tally) -> str:
    """Its line."""
    bad = (each.lost, each.closed, each.unsound, each.different, each.stray)
    return f"| {name} | {each.seconds:.1f} s | {each.kills} | {each.late} | {each.reported} | " + " | ".join(map(str, bad)) + " |"


def main() -> int:
    """Run it and print the tables; 1 when something was lost, did not open, or was left over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="ten kills in small memories")
    parser.add_argument("--kills", type=int, help="kills in all")
    parser.add_argument("--only", default="", metavar="NAME", help="only commands with this in their name")
    given = parser.parse_args()
    kills = given.kills or (QUICK_KILLS if given.quick else KILLS)
    with tempfile.TemporaryDirectory(prefix="codemind-kill-") as folder:
        tallies = killed(Path(folder), kills, given.only, quick=given.quick)
    notes = [note for each in tallies.values() for note in each.notes]
    return show("kill_upkeep", _summary(list(tallies.values())), [table(tallies), *notes])


def killed(folder: Path, kills: int, only: str, *, quick: bool) -> dict[str, Tally]:
    """Kill the commands with `only` in their name, by name what became of each; in a short run two at a time."""
    homes = folder / "homes"
    homes.mkdir()
    makers = Workshop(homes, QUICK_ROWS if quick else ROWS).makers()
    shares = dict(shared_out([name for name in makers if only in name], kills))
    chores = {name: makers[name]() for name in shares}
    with ThreadPoolExecutor(2 if quick else 1) as pool:
        running = {
            name: pool.submit(tried, name, chore, folder / f"trial{number}", shares[name])
            for number, (name, chore) in enumerate(chores.items())
        }
        return {name: each.result() for name, each in running.items()}


def _summary(tallies: Sequence[Tally]) -> list[Measured]:
    def total(name: str) -> int:
        return sum(getattr(each, name) for each in tallies)

    return [
        Measured("kills", total("kills"), "kills"),
        Measured("fixes reported as learnt before a kill", total("reported"), "fixes"),
        Measured("kills after which something was lost", total("lost"), "kills", 0),
        Measured("kills after which the memory did not open", total("closed"), "kills", 0),
        Measured("kills after which SQLite found a fault", total("unsound"), "kills", 0),
        Measured("repeated: another end than undisturbed", total("different"), "runs", 0),
        Measured("repeated: files, processes or forgotten text left over", total("stray"), "runs", 0),
    ]


if __name__ == "__main__":
    sys.exit(main())
