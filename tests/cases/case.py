"""A case as its fixture file says it: what goes in, what must come out.

`input` holds the lines that are piped in (`make` names one of `inputs.MADE` instead). Every key of an expectation is a
function of `expectations`; an unknown key is an error, so a misspelt one never passes for a check.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cases.inputs import MADE

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Step:
    """One run of `codemind --json`. `paste_last_fix` pipes in the fix of the step before it."""

    given: bytes
    expect: Mapping[str, Any]
    fresh_home: bool = False
    paste_last_fix: bool = False


@dataclass(frozen=True)
class Case:
    """`seed` entries are learnt first; `test` is Python that passes on right code and fails on the paste."""

    id: str
    steps: tuple[Step, ...]
    seed: tuple[Mapping[str, str], ...]
    seed_twice: bool
    garbage: tuple[str, ...]
    unset: tuple[str, ...]
    ledger_count: int | None
    text_lacks: tuple[str, ...]
    text_line_limit: int | None
    evidence_is_source: bool
    first_line: int
    """The line of the input that line 1 of the paste stands on."""
    test: str


def load_cases() -> list[Case]:
    """Every fixture, by name."""
    return [read_case(path) for path in sorted(FIXTURES.glob("*.json"))]


def read_case(path: Path) -> Case:
    """One fixture. Raises KeyError for a key that means nothing."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    first = Step(read_input(plain), plain.pop("expect"))
    case = Case(
        id=plain.pop("id"),
        steps=(first, *(read_step(step) for step in plain.pop("then", ()))),
        seed=tuple(plain.pop("seed", ())),
        seed_twice=plain.pop("seed_twice", False),
        garbage=tuple(plain.pop("garbage", ())),
        unset=tuple(plain.pop("unset", ())),
        ledger_count=plain.pop("ledger_count", None),
        text_lacks=tuple(plain.pop("text_lacks", ())),
        text_line_limit=plain.pop("text_line_limit", None),
        evidence_is_source=plain.pop("evidence_is_source", True),
        first_line=plain.pop("first_line", 1),
        test="\n".join(plain.pop("solution", {}).get("test", ())),
    )
    if set(plain) - {"title", "input", "make", "line_end"} or case.id != path.stem:
        raise KeyError(f"{path.name}: {sorted(plain)}")
    return case


def read_step(plain: Mapping[str, Any]) -> Step:
    """A later step of a case."""
    given = b"" if plain.get("paste_last_fix") else read_input(plain)
    return Step(given, plain["expect"], plain.get("fresh_home", False), plain.get("paste_last_fix", False))


def read_input(plain: Mapping[str, Any]) -> bytes:
    """What is piped in."""
    if "make" in plain:
        return MADE[plain["make"]]()
    end = str(plain.get("line_end", "\n"))
    return "".join(line + end for line in plain["input"]).encode()
