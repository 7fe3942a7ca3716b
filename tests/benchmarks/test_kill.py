"""The pastes of the benchmark of killed sessions: each is a bug of its own, which memory does not know from another."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.kill import MOST_PASTES, bodies, paste
from memory.ledger import LEDGER_NAME, Ledger
from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.source import Source
from tests.memory.rows import prepared

STORED, ASKED = 40, 8


def test_memory_takes_no_paste_for_another(tmp_path: Path) -> None:
    """Else nothing would be saved after the first, and nothing could be lost."""
    ledger = Ledger(tmp_path / LEDGER_NAME)
    stored = [paste(number) for number in range(STORED)]
    ledger.store([prepared(Experience("python", code, code.replace("seen=[]", "seen=()"), "", Provenance("session"))) for code in stored])
    memory = LongTermMemory(ledger)

    asked = [memory.recall(Source(paste(number), "python")).match.status for number in range(STORED, STORED + ASKED)]

    assert asked == ["NONE"] * ASKED


def test_there_is_a_paste_for_each_kill() -> None:
    """All are Python, with a name by which they are found again."""
    assert len(set(bodies(MOST_PASTES))) == MOST_PASTES
    for number in (0, 1, MOST_PASTES - 1):
        (function,) = ast.parse(paste(number)).body
        assert isinstance(function, ast.FunctionDef)
        assert function.name == f"keep_n{number}_"
