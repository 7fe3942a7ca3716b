"""Break the memory's files in every known way and go on working: `python -m benchmarks.damage [--quick] [--rows N]`.

A memory is filled by the real command; it is copied for each case, and broken there. Then two pastes go through the pipe, one that is
stored and one with other names, as a user would go on. They must be answered (IDENTICAL, SIMILAR) with one plain line about the damage and
no traceback; `memory rebuild` or the program by itself makes it whole, and the fixes are counted. Ledger cases have three fixes that came
after the backup was made.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from benchmarks.damage_cases import MARKED, Case, index_cases, ledger_cases
from benchmarks.damage_disks import disk_rows
from benchmarks.programs import Program, program
from benchmarks.report import headed
from benchmarks.sessions import MAIN, environment, exported
from memory import chroma_store, index_content
from memory.index import FOLDER_NAME
from memory.index_folder import IndexFolder
from memory.ledger import LEDGER_NAME, Ledger
from wiring import vector_index

ROWS, QUICK_ROWS = 5_200, 130
"""More than 5,000: then Chroma keeps its graph in files of its own. The short form lowers that threshold."""
NEWER = 3
LIMIT_S = 300.0
_SAYS = ("vector index of the memory", "The memory")


@dataclass(frozen=True)
class Outcome:
    """What a user met: the answers to both pastes, lines about the damage, fixes that are back, seconds of the pastes and of mending."""

    name: str
    answers: tuple[str, ...]
    said: tuple[str, ...]
    exit_code: int
    back: int
    of: int
    paste_s: float
    mend_s: float
    holds: bool

    def row(self) -> str:
        """For the table."""
        said = f"{len(self.said)}" if len(self.said) != 1 else "1"
        cells = (self.name, ", ".join(self.answers), said, f"{self.back:,} of {self.of:,}", f"{self.paste_s:.1f}", f"{self.mend_s:.1f}")
        return f"| {' | '.join(cells)} | {'yes' if self.holds else '**no**'} |"


def main() -> int:
    """Print the tables; 1 when a case did not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small memory, and one case of each kind")
    parser.add_argument("--rows", type=int, help="fixes in the memory")
    parser.add_argument("--only", default="", help="cases with this in their names")
    given = parser.parse_args()
    rows = given.rows or (QUICK_ROWS if given.quick else ROWS)
    with tempfile.TemporaryDirectory(prefix="codemind-damage-") as folder:
        template = Path(folder) / "home"
        fill(template, rows)
        print(f"{headed('damage')}\n\n{HEAD}", flush=True)
        done = [_told(each) for each in outcomes(template, Path(folder), rows, given.only, is_short=given.quick)]
        done += [_told(Outcome(*each)) for each in disk_rows(template, Path(folder), rows + NEWER) if given.only in each[0]]
    print(f"\n{sum(each.holds for each in done)} of {len(done)} cases hold.", flush=True)
    return 0 if all(each.holds for each in done) else 1


HEAD = "| broken | both pastes | lines about it | fixes that are back | pastes s | mending s | holds |\n|---|---|---|---|---|---|---|"


def _told(outcome: Outcome) -> Outcome:
    print(outcome.row(), flush=True)
    return outcome


def bugs(numbers: range) -> list[Program]:
    """Made-up programs in Python only: one language, so that its graph is large enough to be kept in files."""
    found = (each for each in map(program, count()) if each.language == "python")
    return list(islice(found, numbers.start, numbers.stop))


def fill(home: Path, rows: int) -> None:
    """Seed by the command, which makes the backup and the index; then three more, which are no reason for a new backup."""
    home.mkdir()
    seed(home, range(rows))
    seed(home, range(rows, rows + NEWER))
    if rows <= index_content.SMALL_ROWS:
        index_content.SMALL_ROWS, chroma_store.FLUSH_ROWS = rows - 1, 100
        vector_index(Ledger(home / LEDGER_NAME)).rebuild()
    if len(exported(home)) != rows + NEWER:
        raise RuntimeError("the memory was not filled")


def seed(home: Path, numbers: range) -> None:
    """Learn these bugs."""
    seeds = home.parent / "seeds.jsonl"
    lines = (
        {"language": "python", "code": each.written(), "fixed_code": each.written(fixed=True), "explanation": MARKED.format(number)}
        for number, each in zip(numbers, bugs(numbers), strict=True)
    )
    seeds.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [*MAIN, "memory", "seed", "--jsonl", str(seeds)]
    subprocess.run(command, env=environment(home), check=True, capture_output=True, timeout=1200)


def outcomes(template: Path, folder: Path, rows: int, only: str = "", *, is_short: bool = False) -> Iterator[Outcome]:
    """Each case on a copy of its own."""
    for kind, cases in (("index", index_cases()), ("ledger", ledger_cases())):
        for case in cases:
            name = f"{kind}: {case.name}"
            if only not in name or (is_short and not case.is_short):
                continue
            home = folder / "broken"
            shutil.copytree(template, home)
            try:
                case.damage(home)
                yield _outcome(home, case, name, rows + NEWER, is_index=kind == "index")
            except LookupError as missing:
                print(f"| {name} | not made: there is no {missing.args[0]} | | | | | |", flush=True)
            finally:
                shutil.rmtree(home)


def _outcome(home: Path, case: Case, name: str, fixes: int, *, is_index: bool) -> Outcome:
    answers, said, exit_code, paste_s = pasted(home)
    started = time.perf_counter()
    mended = run_for(home, ["memory", "rebuild" if is_index else "recover"])
    mend_s = time.perf_counter() - started
    if case.code:
        return Outcome(name, answers, said, exit_code, 0, fixes, paste_s, mend_s, set(answers) == {case.code} and _is_untouched(home))
    back = _count(home)
    is_found = not is_index or (mended.returncode == 0 and _finds_all(home, fixes))
    holds = (
        answers == ("IDENTICAL", "SIMILAR")
        and exit_code == 0
        and len(said) == (0 if _is_not_met(said, back, fixes) else 1)
        and mended.returncode == 0
        and "Traceback" not in mended.stderr
        and is_found
        and back >= {"all": fixes, "backup": fixes - NEWER, "some": 1}[case.survives]
    )
    return Outcome(name, answers, said, exit_code, back, fixes, paste_s, mend_s, holds)


def _count(home: Path) -> int:
    """How many fixes there are; 0 when the memory does not open."""
    try:
        return len({str(entry["id"]) for entry in exported(home)})
    except RuntimeError:
        return 0


def _is_not_met(said: tuple[str, ...], back: int, fixes: int) -> bool:
    """Damage in a place that no question has read yet: nothing can be said of it, and nothing is lost by it."""
    return not said and back == fixes


def pasted(home: Path) -> tuple[tuple[str, ...], tuple[str, ...], int, float]:
    """A stored paste and a renamed one: how each was answered (or its error), lines about the memory, exit status, seconds."""
    first, second = bugs(range(7, 9))
    given = f"{first.written()}\nEOF\n{second.written(names=1)}\nEOF\n"
    started = time.perf_counter()
    done = run_for(home, ["--json"], given)
    paste_s = time.perf_counter() - started
    if "Traceback" in done.stderr or done.returncode < 0:
        return (f"died: {done.returncode}",), (), done.returncode, paste_s
    records = [json.loads(line) for line in done.stdout.splitlines()]
    answers = tuple(record["error"]["code"] if record["error"] else record["match"]["status"] for record in records)
    notes = [note for record in records for note in record["notes"]]
    return answers, tuple(note for note in notes if any(sign in note for sign in _SAYS)), done.returncode, paste_s


def run_for(home: Path, arguments: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
    """One command from start to end; it may take its time."""
    return subprocess.run(
        [*MAIN, *arguments], input=given, capture_output=True, text=True, check=False, env=environment(home), timeout=LIMIT_S
    )


def _finds_all(home: Path, fixes: int) -> bool:
    """Every stored vector is its own neighbour in the index that was made again."""
    ledger = Ledger(home / LEDGER_NAME)
    with ledger.reading() as connection:
        stored = connection.execute("SELECT hash, vector FROM vectors WHERE language = 'python'").fetchall()
    step = max(1, len(stored) // 500)
    content = index_content.IndexContent(ledger, IndexFolder(home / FOLDER_NAME, ledger.clock))
    found = content.query("python", [vector for _, vector in stored[::step]], 10)
    is_there = all(
        key in {each.hash for each in near} or near[0].distance < 1e-4 for (key, _), near in zip(stored[::step], found, strict=True)
    )
    return is_there and len(stored) >= fixes


def _is_untouched(home: Path) -> bool:
    return (home / LEDGER_NAME).exists() and not list(home.glob("ledger.damaged*"))


if __name__ == "__main__":
    sys.exit(main())
