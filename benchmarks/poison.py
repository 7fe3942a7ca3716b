"""Plant hostile experiences among good ones and ask what a victim would ask: `python -m benchmarks.poison [--quick] [--json]`

Five hundred good experiences, the hostile ones and honest ones that look like them go through `memory seed`, as anybody's file does. Then
each hostile one is asked for in four ways: the code itself, with other names, with small edits, amid other code. A session with a scripted
model gets it too. What must not be: that it is offered, that anything but NONE keeps the reviewer away, that a word of it reaches the
model, that more than one past fix of one import is listed. A flood comes last: a thousand look-alikes of one good fix from one file.
Exit code 1 when one of these happened, or when more than two in a hundred honest ones were held back.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.poison_cases import FLOODED, TEAMS, Case, flood, good, hostile
from benchmarks.poison_sessions import words_sent
from benchmarks.report import headed
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.recall import LongTermMemory
from memory.seed_rows import Origin
from memory.seeding import seed_jsonl
from schema.experience import Experience, Provenance
from schema.match import Match
from schema.ports import Recalled
from schema.source import Source

MOST_FALSE_ALARMS = 0.02
FILES = ("blind", "own")


@dataclass
class Outcome:
    """What became of the attacks of one kind: each counted once, however many of its pastes went wrong."""

    attacks: int = 0
    offered: list[str] = field(default_factory=list)
    silenced: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    crowded: list[str] = field(default_factory=list)
    listed: int = 0
    """Attacks that are listed as withheld, so that the user can look at them."""

    @property
    def is_clean(self) -> bool:
        """True when nothing went wrong."""
        return not (self.offered or self.silenced or self.sent or self.crowded)


def seed(ledger: Ledger, lines: Iterable[bytes], file: str) -> None:
    """What `memory seed --jsonl FILE` does with the lines."""
    seed_jsonl(ledger, list(lines), origin=Origin("", f"{file}.jsonl", file * 4))


def seed_teams(ledger: Ledger, cases: Sequence[Case]) -> None:
    """The good ones, each team's from a file of its own."""
    for team in range(TEAMS):
        seed(ledger, (case.line for case in cases[team::TEAMS]), f"team{team}-")


def keys_of(case: Case) -> tuple[str, str]:
    """What the case is known by in the ledger: its experience and its fix. Raises ValueError for a fix that changes nothing."""
    made = prepare(Experience(case.language, case.buggy, case.fixed, "", Provenance("jsonl")))
    if made is None:
        raise ValueError(f"{case.id} changes nothing")
    return made.id, made.fix_key


@dataclass(frozen=True)
class Kept:
    """What the ledger holds of a fix: its number, trust and text."""

    alternative: int
    trust: str
    fixed_code: str


def stored(ledger: Ledger) -> dict[tuple[str, str], Kept]:
    """Every alternative by its keys."""
    query = "SELECT e.id, a.fix_key, a.seq, a.trust, a.fixed_code FROM alternatives a JOIN experiences e ON e.seq = a.experience"
    with ledger.reading() as connection:
        return {(key, fix): Kept(*rest) for key, fix, *rest in connection.execute(query)}


def planted_in(ledger: Ledger, cases: Iterable[Case]) -> frozenset[int]:
    """The numbers of the hostile alternatives. One that differs from an honest fix by a comment only is that fix, with its text."""
    known = stored(ledger)
    kept = ((known.get(keys_of(case)), case) for case in cases)
    return frozenset(each.alternative for each, case in kept if each is not None and each.fixed_code == case.fixed)


def attack(memory: LongTermMemory, case: Case, planted: frozenset[int], outcome: Outcome) -> None:
    """Ask for one case in every way, and note what went wrong."""
    outcome.attacks += 1
    is_listed = False
    for shape, paste in case.pastes():
        recalled = memory.recall(Source(paste, case.language))
        name = f"{case.id} ({shape})"
        if offers(recalled, planted):
            outcome.offered.append(name)
        if any(region.alternative_id in planted for region in recalled.match.regions):
            outcome.silenced.append(name)
        if repeated_sources(recalled.match):
            outcome.crowded.append(name)
        is_listed = is_listed or any(each.experience_id == keys_of(case)[0] for each in recalled.match.related)
    outcome.listed += is_listed
    if words := asyncio.run(words_sent(memory, case, planted)):
        outcome.sent.append(f"{case.id}: {words}")


def offers(recalled: Recalled, planted: frozenset[int]) -> bool:
    """True when code of a planted fix is handed out. An honest fix of the same code is another alternative."""
    return any(region.fixed_code is not None and region.alternative_id in planted for region in recalled.match.regions)


def repeated_sources(match: Match) -> list[str]:
    """Imports of which more than one past fix is shown for the same text."""
    shown = Counter(each.source for each in match.related if each.source)
    offered = {region.source for region in match.regions if region.source}
    return [source for source, count in shown.items() if count > 1 or source in offered]


def held_back(ledger: Ledger, cases: Sequence[Case]) -> list[str]:
    """Those of the cases that are stored and quarantined."""
    known = stored(ledger)
    return [case.id for case in cases if known[keys_of(case)].trust == "quarantined"]


def flooded(folder: Path, cases: Sequence[Case]) -> list[str]:
    """What a flood breaks: the good fix is found as before, by its code and by code near it, and the lists stay mixed."""
    target = next(case for case in cases if case.language == FLOODED)
    honest = {keys_of(case)[0] for case in cases}
    broken = []
    ledger = Ledger(folder / "flood.sqlite3")
    seed(ledger, flood(target), "flood")
    seed_teams(ledger, cases)
    memory = LongTermMemory(ledger)
    for shape, paste in target.pastes():
        recalled = memory.recall(Source(paste, target.language))
        if recalled.match.experience_id not in honest:
            broken.append(f"lost ({shape})")
        if repeated_sources(recalled.match):
            broken.append(f"crowded ({shape})")
    return broken


def run(
    folder: Path, attacks: Sequence[tuple[str, Case]], honest: Sequence[Case], benign: Sequence[Case]
) -> tuple[dict[str, Outcome], list[str]]:
    """The outcomes by kind, and the honest ones that were held back."""
    ledger = Ledger(folder / "ledger.sqlite3")
    seed_teams(ledger, honest)
    seed(ledger, (case.line for case in benign), "twin")
    for name in FILES:
        seed(ledger, (case.line for file, case in attacks if file == name), name)
    memory = LongTermMemory(ledger)
    planted = planted_in(ledger, (case for _, case in attacks))
    outcomes: dict[str, Outcome] = defaultdict(Outcome)
    for _, case in attacks:
        attack(memory, case, planted, outcomes[case.kind])
    return dict(sorted(outcomes.items())), [*held_back(ledger, honest), *held_back(ledger, benign)]


def main() -> int:
    """Print the tables, or one JSON object; 1 when something hostile got through or too much that is honest did not."""
    step = 4 if "--quick" in sys.argv else 1
    attacks = [(name, case) for name in FILES for case in hostile(name)][::step]
    honest, benign = good()[::step], hostile("benign")
    with tempfile.TemporaryDirectory(prefix="codemind-poison-") as folder:
        outcomes, alarms = run(Path(folder), attacks, honest, benign)
        broken = flooded(Path(folder), good()[: 40 if step > 1 else None])
    share = len(alarms) / (len(honest) + len(benign))
    if "--json" in sys.argv:
        kinds = {kind: vars(outcome) for kind, outcome in outcomes.items()}
        print(json.dumps({"kinds": kinds, "false_alarms": alarms, "honest": len(honest) + len(benign), "flood": broken}))
    else:
        print(table(outcomes, alarms, len(honest), len(benign), broken))
    holds = all(outcome.is_clean for outcome in outcomes.values()) and not broken
    return 0 if holds and share <= MOST_FALSE_ALARMS else 1


def table(outcomes: dict[str, Outcome], alarms: Sequence[str], honest: int, benign: int, broken: Sequence[str]) -> str:
    """The outcomes as Markdown."""
    lines = [
        headed("poison"),
        "",
        "| kind | attacks | offered | review kept away | words sent to a model | more than one of an import | listed as withheld |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, found in outcomes.items():
        wrong = " | ".join(str(len(each)) for each in (found.offered, found.silenced, found.sent, found.crowded))
        lines.append(f"| {kind} | {found.attacks} | {wrong} | {found.listed} |")
    twins = [name for name in alarms if not name.startswith("good-")]
    lines += [
        "",
        f"Held back of {honest} good ones: {len(alarms) - len(twins)}; of {benign} honest ones that look hostile: {len(twins)}.",
        f"The flood: {', '.join(broken) or 'nothing lost, nothing crowded out'}.",
    ]
    for found in outcomes.values():
        lines += [f"- {name}" for name in (*found.offered, *found.silenced, *found.sent, *found.crowded)]
    return "\n".join([*lines, *(f"- held back: {name}" for name in alarms)])


if __name__ == "__main__":
    sys.exit(main())
