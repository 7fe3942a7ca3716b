"""The vector index on a real Chroma: derived, disposable, and never the reason for another answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from integrations.child import run_child
from memory import admin
from memory.index import MISSING_NOTE, REBUILT_NOTE, SLOW_NOTE, SUSPECT_NOTE, VectorIndex, _within
from memory.index_state import look, read_state, state_path
from memory.ledger import Ledger
from memory.locking import write_lock
from memory.recall import LongTermMemory
from memory.vectors import fingerprint
from schema.ports import ChildRun
from schema.source import Source
from tests.memory.rows import Clock, numbered, prepared
from tests.test_architecture import ROOT

ROWS = 30
PASTE = Source("def part7(values):\n    extra = 1\n    print(extra)\n    return sum(values) / len(values) + 7\n", "python")
ANSWER = ("SIMILAR", "near", prepared(numbered(7)).id)

SEED = """
import sys
from pathlib import Path
from integrations.child import run_child
from memory.index import VectorIndex
from memory.ledger import Ledger
from tests.memory.rows import numbered, prepared
ledger, first = Ledger(Path(sys.argv[1])), int(sys.argv[2])
index = VectorIndex(ledger, Path(sys.argv[1]).with_name("chroma"), run_child, lock_timeout_s=60)
for number in range(first, first + 20, 5):
    ledger.store([prepared(numbered(each)) for each in range(number, number + 5)])
    index.refresh()
"""

Damage = Callable[[Path], None]


class Children:
    """Runs children really, or says that one was killed; remembers what was asked."""

    def __init__(self, exit_code: int | None = 0, *, really: bool = True) -> None:
        self.asked: list[str] = []
        self._exit_code, self._really = exit_code, really

    def __call__(self, module: str, arguments: Sequence[str], timeout_s: float) -> ChildRun:
        """As `run_child`."""
        self.asked.append(module)
        return run_child(module, arguments, timeout_s) if self._really else ChildRun(self._exit_code, "")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Thirty experiences."""
    made = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    made.store([prepared(numbered(number)) for number in range(ROWS)])
    return made


def _index(ledger: Ledger, children: Children | None = None) -> VectorIndex:
    return VectorIndex(ledger, ledger.path.with_name("chroma"), children or Children(), lock_timeout_s=0.3)


def _ask(ledger: Ledger, index: VectorIndex | None) -> tuple[tuple[str, str | None, str | None], tuple[str, ...]]:
    recalled = LongTermMemory(ledger, index=index, index_from_rows=0).recall(PASTE)
    return (recalled.match.status, recalled.match.tier, recalled.match.experience_id), recalled.notes


def test_index_holds_keys_and_vectors_and_no_code(ledger: Ledger, tmp_path: Path) -> None:
    """One collection for embedder and language, cosine; no file under it holds a word of the stored code."""
    assert _index(ledger).refresh().rows == ROWS

    from memory import chroma_store

    with chroma_store.opened(tmp_path / "chroma") as client:
        (name,) = [collection.name for collection in client.list_collections()]
        collection = client.get_collection(name, embedding_function=None)
        assert name == f"historical_bug_fixes-{fingerprint()[:8]}-python"
        assert collection.count() == ROWS
        assert collection.configuration_json["hnsw"]["space"] == "cosine"
    content = b"".join(path.read_bytes() for path in (tmp_path / "chroma").rglob("*") if path.is_file())
    assert b"len(values)" not in content
    assert b"part7" not in content


def test_index_and_scan_give_one_answer_also_after_writes(ledger: Ledger, tmp_path: Path) -> None:
    """What was remembered and forgotten since is caught up with in the look-up itself."""
    index = _index(ledger)
    index.refresh()
    assert _ask(ledger, index) == _ask(ledger, None) == (ANSWER, ())

    ledger.store([prepared(numbered(number)) for number in range(ROWS, ROWS + 5)])
    admin.forget(ledger, prepared(numbered(7)).id)

    assert _ask(ledger, index) == _ask(ledger, None)
    state = read_state(tmp_path / "chroma")
    assert state is not None
    assert state.extents["python"].rows == ROWS + 4


def test_small_memories_are_scanned(ledger: Ledger, tmp_path: Path) -> None:
    """Without the option the index is asked for large memories only: no Chroma is opened here."""
    index = _index(ledger)
    index.refresh()
    before = state_path(tmp_path / "chroma").read_bytes()

    assert LongTermMemory(ledger, index=index).recall(PASTE).match.tier == "near"
    assert state_path(tmp_path / "chroma").read_bytes() == before


def _zeroed(folder: Path) -> None:
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        path.write_bytes(content[:100] + bytes(max(0, len(content) - 100)))


def _halved(folder: Path) -> None:
    for path in sorted(path for path in folder.rglob("*") if path.is_file())[::2]:
        path.unlink()


def _removed(folder: Path) -> None:
    shutil.rmtree(folder)


def _emptied(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(b"")


def _without_state(folder: Path) -> None:
    state_path(folder).unlink()


@pytest.mark.parametrize("damage", [_zeroed, _halved, _removed, _emptied, _without_state], ids=lambda each: each.__name__.strip("_"))
def test_damage_changes_no_answer_and_the_index_is_made_again(ledger: Ledger, tmp_path: Path, damage: Damage) -> None:
    """In the middle of a session: the same answer, one line, a whole index afterwards; what was damaged lies aside."""
    index = _index(ledger)
    index.refresh()
    assert _ask(ledger, index) == (ANSWER, ())
    damage(tmp_path / "chroma")

    assert _ask(ledger, index) == (ANSWER, (REBUILT_NOTE,))

    assert look(tmp_path / "chroma") == "sound"
    assert _ask(ledger, index) == (ANSWER, ())
    assert bool(list(tmp_path.glob("chroma.damaged-*"))) == (damage is not _removed)


@pytest.mark.parametrize("exit_code", [-11, -6, None], ids=["segfault", "abort", "hang"])
def test_index_that_kills_who_opens_it_is_opened_by_a_child_only(ledger: Ledger, tmp_path: Path, exit_code: int | None) -> None:
    """Not closed cleanly, and the child that looks dies or hangs: moved aside, made again, said so."""
    _index(ledger).refresh()
    _leave_open(tmp_path)
    children = Children(exit_code, really=False)

    done = _index(ledger, children).refresh()

    assert children.asked == ["memory.index_probe"]
    assert done.aside is not None
    assert (done.rows, done.said, done.aside.exists()) == (ROWS, f"damaged: moved to {done.aside} and made again", True)
    assert _ask(ledger, _index(ledger)) == (ANSWER, ())


def _leave_open(home: Path) -> None:
    """As after `kill -9`: the note that a process has it open, and no such process."""
    path = state_path(home / "chroma")
    path.write_text(json.dumps({**json.loads(path.read_text()), "opened_by": 2**22 + 1}))


def test_index_that_was_not_closed_but_is_sound_is_used_again(ledger: Ledger, tmp_path: Path) -> None:
    """A real child looks at it; nothing is moved."""
    _index(ledger).refresh()
    _leave_open(tmp_path)
    children = Children()

    assert _index(ledger, children).refresh().aside is None
    assert children.asked == ["memory.index_probe"]
    assert _ask(ledger, _index(ledger)) == (ANSWER, ())
    assert not list(tmp_path.glob("chroma.damaged-*"))


def test_known_code_is_answered_without_the_index_and_damage_is_still_told(ledger: Ledger, tmp_path: Path) -> None:
    """An exact hit never opens it: a glance at the files is enough for the line, which comes once."""
    _index(ledger).refresh()
    _zeroed(tmp_path / "chroma")
    memory = LongTermMemory(ledger, index=_index(ledger))
    known = Source(numbered(3).code, "python")

    first, second = memory.recall(known), memory.recall(known)

    assert (first.match.status, first.notes) == ("IDENTICAL", (SUSPECT_NOTE,))
    assert second.notes == ()
    shutil.rmtree(tmp_path / "chroma")
    assert LongTermMemory(ledger, index=_index(ledger)).recall(known).notes == (MISSING_NOTE,)


def test_large_damaged_index_is_skipped_and_named(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it again would take too long for a look-up: the ledger is scanned, one line says what to run, and that mends it."""
    monkeypatch.setattr("memory.index.AT_ONCE_ROWS", ROWS - 1)
    index = _index(ledger)
    index.refresh()
    _zeroed(tmp_path / "chroma")

    assert _ask(ledger, index) == (ANSWER, (SUSPECT_NOTE,))
    assert _ask(ledger, index) == (ANSWER, ())
    assert "damaged: moved to" in index.rebuild().said
    assert look(tmp_path / "chroma") == "sound"


def test_locked_index_is_not_waited_for(ledger: Ledger, tmp_path: Path) -> None:
    """Another process builds it: the ledger is scanned, and nothing is said, as nothing is wrong."""
    index = _index(ledger)
    index.refresh()

    with write_lock(tmp_path / "chroma.lock", 1, Clock()):
        assert _ask(ledger, index) == (ANSWER, ())


def test_slow_index_is_left_behind() -> None:
    """Work that does not end in time is a TimeoutError, and its own errors come through."""
    import threading

    never = threading.Event()
    with pytest.raises(TimeoutError):
        _within(0.05, lambda: None if never.wait(30) else [])
    never.set()
    with pytest.raises(ZeroDivisionError):
        _within(5, lambda: [[]] * (1 // len("")))
    assert "it is skipped" in SLOW_NOTE


def test_four_seeding_processes_lose_no_vector(tmp_path: Path) -> None:
    """Each opens and closes its own client inside the lock: all 80 are there, and each finds itself."""
    path = tmp_path / "ledger.sqlite3"
    started = [subprocess.Popen([sys.executable, "-c", SEED, str(path), str(20 * number)], cwd=ROOT) for number in range(4)]
    assert [process.wait(timeout=300) for process in started] == [0] * 4

    ledger = Ledger(path, clock=Clock())
    index = _index(ledger)
    assert index.refresh().rows == 80
    vectors = [(row.vectors[0].hash, row.vectors[0].vector) for row in (prepared(numbered(number)) for number in range(80))]
    found = index.search("python", [vector for _, vector in vectors], 10)
    assert found is not None
    assert [key for (key, _), near in zip(vectors, found, strict=True) if key not in {each.hash for each in near}] == []


def test_rebuild_embeds_nothing_and_sweeps_up(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`memory rebuild` reads vectors from the ledger only, and removes what killed builds left."""
    (tmp_path / "chroma.new-1").mkdir()
    monkeypatch.setattr("memory.revector.embed", lambda *_: pytest.fail("embedded anew"))

    done = _index(ledger).rebuild()

    assert (done.rows, done.said, done.aside) == (ROWS, "made", None)
    assert not list(tmp_path.glob("chroma.new-*"))
    assert os.listdir(tmp_path / "chroma")  # noqa: PTH208 - any file will do


def test_forgetting_takes_the_vector_out_at_once(ledger: Ledger, tmp_path: Path) -> None:
    """No file of the index holds its key or its vector any more; the others are found as before."""
    index = _index(ledger)
    index.refresh()
    gone = prepared(numbered(3))
    assert _holds(tmp_path, gone.vectors[0].hash.encode())
    admin.forget(ledger, gone.id)

    assert index.forget() == "made again"

    assert not _holds(tmp_path, gone.vectors[0].hash.encode())
    assert not _holds(tmp_path, gone.vectors[0].vector)
    assert _ask(ledger, index) == (ANSWER, ())


def _holds(home: Path, content: bytes) -> bool:
    return any(content in path.read_bytes() for path in (home / "chroma").rglob("*") if path.is_file())


def test_forgetting_waits_for_no_locked_index_and_says_so(ledger: Ledger, tmp_path: Path) -> None:
    """What was forgotten is gone from the memory; the index is behind until it is free."""
    index = _index(ledger)
    index.refresh()

    with write_lock(tmp_path / "chroma.lock", 1, Clock()):
        assert index.forget().startswith("not up to date: ")


def test_forgetting_without_an_index_imports_no_chroma(tmp_path: Path) -> None:
    """A small memory has none: importing it would take a second and a half."""
    program = (
        "import sys; from pathlib import Path; from dataclasses import replace; from settings import Settings;"
        "from wiring_memory import open_care;"
        "from tests.memory.rows import numbered, prepared;"
        "care = open_care(replace(Settings(), codemind_home=Path(sys.argv[1])));"
        "care.ledger.store([prepared(numbered(1))]);"
        "assert care.forget(prepared(numbered(1)).id)['index'] == '';"
        "assert not [name for name in sys.modules if name.startswith(('chromadb', 'langchain'))]"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=False, capture_output=True, timeout=60)

    assert (done.returncode, done.stderr) == (0, b"")
