"""The damage benchmark itself: it breaks what it says, and a case that does not hold is seen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks import damage
from benchmarks.damage_cases import Case, index_cases, ledger_cases
from memory import chroma_store, index_content

ROWS = 110


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small memory, with an index that keeps its graph in files."""
    home = tmp_path_factory.mktemp("damage") / "home"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index_content, "SMALL_ROWS", index_content.SMALL_ROWS)
        patched.setattr(chroma_store, "FLUSH_ROWS", chroma_store.FLUSH_ROWS)
        damage.fill(home, ROWS)
    return home


def _files(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_every_case_breaks_something(template: Path, tmp_path: Path) -> None:
    """No case is left out for want of the file, and each changes what is there."""
    before = _files(template)
    for case in (*index_cases(), *ledger_cases()):
        home = tmp_path / "home"
        shutil.copytree(template, home)
        case.damage(home)
        assert _files(home) != before or case.name == "its write-ahead log deleted", case.name
        shutil.rmtree(home)


def test_a_broken_page_and_an_overwritten_index_hold(template: Path, tmp_path: Path) -> None:
    """Through the real program: both pastes answered, one line, everything back."""
    found = [each for name in ("broken page", "zeros from byte 100") for each in damage.outcomes(template, tmp_path, ROWS, name)]

    assert [(each.answers, len(each.said), each.back, each.holds) for each in found] == [
        (("IDENTICAL", "SIMILAR"), 1, ROWS + damage.NEWER, True)
    ] * 2


def test_a_memory_that_lost_fixes_does_not_hold(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the backup more is missing than came after it."""

    def lose(home: Path) -> None:
        (home / "ledger.backup-auto.sqlite3").unlink()
        (home / "ledger.sqlite3").write_bytes((home / "ledger.sqlite3").read_bytes()[:200_000])

    monkeypatch.setattr(damage, "ledger_cases", lambda: [Case("cut, no backup", lose, "backup")])

    (found,) = damage.outcomes(template, tmp_path, ROWS, "cut, no backup")

    assert found.back < ROWS
    assert not found.holds
    assert json.dumps(found.row()).count("|") == 8
