"""What the poisoning benchmark plants and asks: hostile experiences, honest ones that look like them, five hundred good ones, pastes.

The hostile ones stand in `tests/memory/hostile`: `blind.jsonl` was written without sight of the filter, `own.jsonl` before its present
form. All are harmless as they lie there: text that is never run, addresses that belong to nobody.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.programs import program
from memory.starter import classic_bugs
from memory.variants import edited, renamed

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "memory" / "hostile"
GOOD = 500
TEAMS = 25
"""Sources that the good ones come from."""
FLOOD = 1_000
FLOODED = "python"
"""The flood imitates the first good one of this language."""
_PLACE = "@@"


@dataclass(frozen=True)
class Case:
    """One experience as it comes in, and the code of whoever meets it. `line` is its line of a seed file."""

    id: str
    kind: str
    language: str
    buggy: str
    fixed: str
    explanation: str
    line: bytes
    paste: str

    def pastes(self) -> Iterator[tuple[str, str]]:
        """What a victim might paste: the code itself, with other names, with small edits, amid other functions."""
        yield "exact", self.buggy
        yield "renamed", renamed(self.buggy, self.language)
        if self.paste != self.buggy:
            yield "near", self.paste
        elif changed := edited(self.buggy, self.fixed, self.language):
            yield "near", changed
        yield "inside", f"{_around(self.language, 1)}\n\n{self.buggy.rstrip()}\n\n\n{_around(self.language, 2)}"


def hostile(name: str) -> list[Case]:
    """The cases of one file: `blind` or `own`; `benign` are the honest ones that look alike."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_case(_grown(json.loads(line))) for line in lines]


def good() -> list[Case]:
    """Five hundred honest fixes: the classic bugs of the starter pack with its names and with others, and made-up programs."""
    classics = list(classic_bugs())
    rows = [
        *((bug.language, bug.buggy, bug.fixed, f"{bug.title}. {bug.explanation}") for bug in classics),
        *((bug.language, renamed(bug.buggy, bug.language), renamed(bug.fixed, bug.language), bug.explanation) for bug in classics),
    ]
    for number in range(GOOD - len(rows)):
        made = program(number)
        rows.append((made.language, made.written(), made.written(fixed=True), "A comparison was off by one."))
    return [_good(number, *row) for number, row in enumerate(rows)]


def flood(target: Case) -> list[bytes]:
    """A thousand look-alikes of one good experience, all from one file, each with another fix."""
    return [_line(target.language, *_alike(target, number), "Faster.", "flood") for number in range(FLOOD)]


def _alike(target: Case, number: int) -> tuple[str, str]:
    """The same bug beside one statement of its own."""
    head, _, rest = target.buggy.partition("\n")
    fixed_head, _, fixed_rest = target.fixed.partition("\n")
    indent = rest[: len(rest) - len(rest.lstrip(" "))]
    return f"{head}\n{indent}mark = {number}\n{rest}", f"{fixed_head}\n{indent}mark = {number}\n{fixed_rest}\n# {number}\nlast = {number}\n"


def _good(number: int, language: str, buggy: str, fixed: str, explanation: str) -> Case:
    line = _line(language, buggy, fixed, explanation, f"team-{number % TEAMS}#{number}")
    return Case(f"good-{number}", "good", language, buggy, fixed, explanation, line, buggy)


def _case(row: Mapping[str, Any]) -> Case:
    line = _line(row["language"], row["buggy"], row["fixed"], row["explanation"], row["source"], **row.get("extra", {}))
    return Case(row["id"], row["kind"], row["language"], row["buggy"], row["fixed"], row["explanation"], line, row["paste"])


def _line(language: str, buggy: str, fixed: str, explanation: str, source: str, **more: Any) -> bytes:
    row = {"language": language, "code": buggy, "fixed_code": fixed, "explanation": explanation, "source": source}
    return json.dumps({**row, **more}).encode() + b"\n"


def _grown(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its oversized field: what is long by repetition is kept short in the file."""
    grow = row.get("grow", {})
    times = grow.get("times", 0)
    return {name: said.replace(_PLACE, grow[name] * times) if name in grow else said for name, said in row.items()}


def _around(language: str, number: int) -> str:
    """Something else that stands in the same file."""
    if language == "php":
        return ""
    for seed in range(number, 400, 7):
        made = program(seed)
        if made.language == language:
            return made.written()
    return ""
