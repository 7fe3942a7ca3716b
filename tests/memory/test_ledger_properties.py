"""Laws of the ledger over arbitrary input."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory import admin
from memory.export import export_jsonl
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from memory.records import to_lf
from memory.seeding import seed_jsonl
from schema.source import Source
from tests.memory.rows import Clock, an_experience

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4)
CODES = st.sampled_from(["a = 1\n", "b = a + 2\n", "def f(x):\n    return x\n", "while a:\n    a -= 1\n"])


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_export_and_seed_are_inverse_for_any_text(pairs: list[tuple[str, str, str]]) -> None:
    """Whatever was seeded, its export makes the same export in a new home, and a second import changes nothing."""
    lines = [json.dumps({"code": a, "fixed_code": b, "explanation": c, "language": "python"}).encode() for a, b, c in pairs]
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        first, second = (Ledger(Path(folder) / name / "ledger.sqlite3", clock=clock) for name in ("a", "b"))
        seed_jsonl(first, lines)
        exported = list(export_jsonl(first))

        seed_jsonl(second, [line.encode() for line in exported])
        again = seed_jsonl(second, [line.encode() for line in exported])

        assert list(export_jsonl(second)) == exported
        assert (again.added, again.updated) == (0, 0)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(CODES, CODES), min_size=1, max_size=8))
def test_every_order_of_saves_keeps_each_code_once_and_each_fix_once(pairs: list[tuple[str, str]]) -> None:
    """Experiences are the different buggy codes, alternatives the different pairs, and each code is IDENTICAL afterwards, but where
    fixes go round in a circle: there one text is the right one."""
    with tempfile.TemporaryDirectory() as folder:
        memory = LongTermMemory(Ledger(Path(folder) / "ledger.sqlite3", clock=Clock()))
        for code, fixed in pairs:
            memory.remember(an_experience(code, fixed))

        wanted = {(code, fixed) for code, fixed in pairs if code != fixed}
        stats = admin.stats(memory.ledger)
        assert (stats.experiences, stats.alternatives) == (len({code for code, _ in wanted}), len(wanted))
        for code, _ in wanted:
            recalled = memory.recall(Source(to_lf(code), "python"))
            if recalled.match.already_fixed:
                assert code in {fixed for _, fixed in wanted}
                continue
            assert recalled.match.status == "IDENTICAL"
            assert recalled.fix is not None
            assert (code, recalled.fix.code) in wanted
