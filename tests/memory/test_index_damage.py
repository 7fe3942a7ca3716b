"""Damage to the files in which Chroma keeps a large graph: some of it kills who opens them, so nobody does who matters."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from integrations.child import run_child
from memory import chroma_store, index_content
from memory.index import REBUILT_NOTE, SUSPECT_NOTE, VectorIndex
from memory.index_content import IndexContent
from memory.index_folder import IndexFolder
from memory.index_state import has_torn_graph, is_intact, look, read_state, state_path
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from schema.ports import ChildRun
from schema.source import Source
from tests.memory.rows import Clock, numbered, prepared

ROWS = 220
PASTE = Source("def part7(values):\n    extra = 1\n    print(extra)\n    return sum(values) / len(values) + 7\n", "python")
ANSWER = ("SIMILAR", "near", prepared(numbered(7)).id)
FILES = {"data_level0.bin", "header.bin", "index_metadata.pickle", "length.bin", "link_lists.bin"}
Damage = Callable[[Path], object]


@dataclass
class Children:
    """Runs children really and keeps how they ended: a negative number is the signal that killed one."""

    ended: list[int | None] = field(default_factory=list)

    def __call__(self, module: str, arguments: Sequence[str], timeout_s: float) -> ChildRun:
        """As `run_child`."""
        done = run_child(module, arguments, timeout_s)
        self.ended.append(done.exit_code)
        return done


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose index keeps its graph in files, as one of over 5,000 vectors does."""
    home = tmp_path_factory.mktemp("made")
    ledger = Ledger(home / "ledger.sqlite3", clock=Clock())
    ledger.store([prepared(numbered(number)) for number in range(ROWS)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index_content, "SMALL_ROWS", 100)
        patched.setattr(chroma_store, "FLUSH_ROWS", 100)
        VectorIndex(ledger, home / "chroma", run_child).refresh()
    assert {path.name for path in (home / "chroma").rglob("*") if path.is_file()} >= FILES
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy to be broken: times differ from the original's, content does not."""
    place = tmp_path / "home"
    shutil.copytree(made, place)
    return place


def _index(home: Path, children: Children | None = None) -> VectorIndex:
    return VectorIndex(Ledger(home / "ledger.sqlite3", clock=Clock()), home / "chroma", children or Children(), lock_timeout_s=5)


def _ask(home: Path, index: VectorIndex) -> tuple[tuple[str, str | None, str | None], tuple[str, ...]]:
    recalled = LongTermMemory(Ledger(home / "ledger.sqlite3", clock=Clock()), index=index, index_from_rows=0).recall(PASTE)
    return (recalled.match.status, recalled.match.tier, recalled.match.experience_id), recalled.notes


def _file(home: Path, name: str) -> Path:
    return next((home / "chroma").rglob(name))


def _graph_folder(home: Path) -> Path:
    return _file(home, "header.bin").parent


def _random(path: Path) -> None:
    """Repeatable: the same bytes each time."""
    path.write_bytes(random.Random(7).randbytes(path.stat().st_size))  # noqa: S311 - damage, not a secret


def _a_few_bytes(path: Path) -> None:
    """Between the samples that a glance takes."""
    content = bytearray(path.read_bytes())
    place = len(content) // 14
    content[place : place + 500] = random.Random(7).randbytes(500)  # noqa: S311
    path.write_bytes(content)


def _wild_links(path: Path) -> None:
    """Each vector's neighbours are numbers that no vector has: following them ends the process (SIGSEGV)."""
    content, chance = bytearray(path.read_bytes()), random.Random(7)  # noqa: S311
    step = len(content) // ROWS
    for start in range(0, len(content), step):
        content[start : start + 260] = (64).to_bytes(4, "little") + chance.randbytes(256)
    path.write_bytes(content)


def _without_files(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.with_name("data_level0.bin").stat().st_size * 2)


DAMAGES: dict[str, Damage] = {
    "graph folder deleted": lambda home: shutil.rmtree(_graph_folder(home)),
    "graph folder emptied": lambda home: _without_files(_graph_folder(home)),
    "pickle deleted": lambda home: _file(home, "index_metadata.pickle").unlink(),
    "pickle cut": lambda home: _half(_file(home, "index_metadata.pickle")),
    "vectors cut": lambda home: _half(_file(home, "data_level0.bin")),
    "vectors emptied": lambda home: _emptied(_file(home, "data_level0.bin")),
    "vectors random": lambda home: _random(_file(home, "data_level0.bin")),
    "links random": lambda home: _wild_links(_file(home, "data_level0.bin")),
    "500 random bytes in the vectors": lambda home: _a_few_bytes(_file(home, "data_level0.bin")),
    "header emptied": lambda home: _emptied(_file(home, "header.bin")),
    "header random": lambda home: _random(_file(home, "header.bin")),
    "length cut": lambda home: _half(_file(home, "length.bin")),
    "lists of neighbours random": lambda home: _file(home, "link_lists.bin").write_bytes(random.Random(7).randbytes(4096)),  # noqa: S311
    "lists of neighbours huge": lambda home: _huge(_file(home, "link_lists.bin")),
    "500 random bytes in the database": lambda home: _a_few_bytes(_file(home, "chroma.sqlite3")),
    "database a text": lambda home: _file(home, "chroma.sqlite3").write_text("text\n" * 100, encoding="ascii"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_changes_no_answer_and_is_opened_by_nobody(home: Path, damage: str) -> None:
    """Changed from outside: the same answer with one line, the index made again, every vector found; no child was even asked."""
    DAMAGES[damage](home)
    children = Children()

    answer, notes = _ask(home, _index(home, children))

    assert (answer, notes) == (ANSWER, (REBUILT_NOTE,))
    assert children.ended == []
    assert look(home / "chroma") == "sound"
    assert _finds_all(home)


def _finds_all(home: Path) -> bool:
    """Every key is in it, and nearly every vector finds itself: among texts so much alike an approximate search misses some."""
    ledger = Ledger(home / "ledger.sqlite3", clock=Clock())
    with ledger.reading() as connection:
        stored = connection.execute("SELECT hash, vector FROM vectors").fetchall()
    found = IndexContent(ledger, IndexFolder(home / "chroma", ledger.clock)).query("python", [vector for _, vector in stored], 10)
    with chroma_store.opened(home / "chroma") as client:
        (collection,) = client.list_collections()
        held = set(client.get_collection(collection.name, embedding_function=None).get(include=[])["ids"])
    return held == {key for key, _ in stored} and sum(near[0].distance < 1e-4 for near in found) > 0.95 * ROWS


@pytest.mark.parametrize(
    "damage", ["links random", "vectors random", "header random", "pickle cut", "database a text", "lists of neighbours huge"]
)
def test_what_a_killed_process_left_is_opened_by_a_child_first(home: Path, damage: str) -> None:
    """The child may be ended by a signal; this process goes on, and the index is made again."""
    DAMAGES[damage](home)
    path = state_path(home / "chroma")
    path.write_text(json.dumps({**json.loads(path.read_text()), "opened_by": 2**22 + 1}))
    children = Children()

    done = _index(home, children).refresh()

    assert done.aside is not None
    assert done.rows == ROWS
    if damage == "lists of neighbours huge":
        assert children.ended == []  # told by its size
    else:
        (ended,) = children.ended
        assert ended is None or ended != 0
        assert damage != "links random" or ended is None or ended < 0  # a signal
    assert _finds_all(home)


def test_a_copy_elsewhere_is_the_same_index(home: Path) -> None:
    """Other times, same content: it is used as it is."""
    state = read_state(home / "chroma")
    assert state is not None
    assert is_intact(home / "chroma", state.files)
    for path in (home / "chroma").rglob("*"):
        path.touch()
    assert look(home / "chroma") == "sound"
    assert _index(home).refresh().aside is None


def test_bytes_that_changed_without_a_trace_are_found_before_the_first_opening(home: Path) -> None:
    """A failing disk changes no time and may miss the samples: all files are read once, and the index is skipped, then made again."""
    path = _file(home, "data_level0.bin")
    before = path.stat()
    _a_few_bytes(path)
    state = read_state(home / "chroma")
    assert state is not None
    written = state.files[path.relative_to(home / "chroma").as_posix()].written
    os.utime(path, ns=(before.st_atime_ns, written))
    assert look(home / "chroma") == "sound"

    assert _ask(home, _index(home)) == (ANSWER, (SUSPECT_NOTE,))
    assert "damaged: moved to" in _index(home).rebuild().said
    assert _finds_all(home)


def test_a_torn_graph_is_told_by_its_size(home: Path) -> None:
    """It would grow without bound as soon as something is written."""
    assert not has_torn_graph(home / "chroma")
    _huge(_file(home, "link_lists.bin"))
    assert has_torn_graph(home / "chroma")
