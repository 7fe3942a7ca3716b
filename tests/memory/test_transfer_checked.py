"""No transferred fix reaches the user unchecked, whichever tier it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.fixer import StaticFixer
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.fix import Verification
from schema.match import Tier
from schema.ports import FixOutcome, FixRequest, Recalled
from schema.source import Source
from tests.fakes import FakeInspector, FakeVerifier, a_task

BUGGY = """\
def total_price(items, rate, currency):
    total = 0
    for item in items:
        if item.currency != currency:
            raise ValueError(item)
        total += item.price * rate
    return round(total / len(items), 2)
"""
FIXED = BUGGY.replace("    total = 0\n", "    if not items:\n        return 0\n    total = 0\n")
RENAMED = BUGGY.replace("items", "rows").replace("rate", "tax")
BESIDE = "def other(key):\n    return {key: None}\n\n\n" + RENAMED + "\n\nprint(other(1))\n"
PASTES: dict[str, tuple[Tier, str]] = {
    "another layout": ("exact", BUGGY.replace("    ", "\t").replace("total = 0", "total = 0  # so far")),
    "renamed": ("renamed", RENAMED),
    "a region": ("renamed", BESIDE),
    "near": ("near", RENAMED.replace("    total = 0\n", "    log(rows)\n    total = 0\n")),
    "near, in a part": ("near", BESIDE.replace("    total = 0\n", "    log(rows)\n    total = 0\n")),
}
every_paste = pytest.mark.parametrize(("tier", "paste"), PASTES.values(), ids=list(PASTES))


def recalled_with(home: Path, verifier: FakeVerifier, paste: str) -> Recalled:
    """What a memory that holds the one fix answers."""
    ledger = Ledger(home / "ledger.sqlite3")
    made = prepare(Experience("python", BUGGY, FIXED, "an empty list has no mean", Provenance("jsonl", "notes/1")))
    assert made is not None
    ledger.store([made])
    return LongTermMemory(ledger, verifier).recall(Source(paste, "python"))


async def offered(verifier: FakeVerifier, paste: str, recalled: Recalled) -> FixOutcome:
    """What the fixer makes of the answer."""
    request = FixRequest(a_task(paste), (), recalled.match, recalled.fix, recalled.example, "")
    return await StaticFixer(FakeInspector(), verifier).fix(request)


@every_paste
async def test_a_transferred_fix_is_offered_once_it_is_checked(tmp_path: Path, tier: Tier, paste: str) -> None:
    """Each tier carries the fix over, and the verifier sees exactly what is offered."""
    verifier = FakeVerifier()

    recalled = recalled_with(tmp_path, verifier, paste)
    fix = (await offered(verifier, paste, recalled)).fix

    assert recalled.match.tier == tier
    assert fix is not None
    assert "return 0\n" in fix.code
    assert (paste, fix.code) in [(before, after) for before, after, _ in verifier.asked]
    assert fix.verification.accepted


@every_paste
async def test_a_transferred_fix_that_the_checks_refuse_is_not_offered(tmp_path: Path, tier: Tier, paste: str) -> None:
    """Whatever the tier: no fix, and the reason is told."""
    verifier = FakeVerifier(lambda *_: Verification("none", refused="a function is gone"))

    recalled = recalled_with(tmp_path, verifier, paste)
    outcome = await offered(verifier, paste, recalled)

    assert recalled.match.tier == tier
    assert verifier.asked
    assert outcome.fix is None
    reasons = [*outcome.notes, *(region.why_not for region in recalled.match.regions)]
    assert any("a function is gone" in reason for reason in reasons)
