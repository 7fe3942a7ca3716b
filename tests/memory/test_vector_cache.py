"""The matrix of vectors that a session holds: always what the ledger has, and read from it once."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import admin
from memory.ledger import Ledger
from memory.near import CANDIDATES
from memory.neighbours import Neighbours
from memory.recall import LongTermMemory
from memory.records import Vector
from memory.vector_cache import VectorCache, VectorMatrix
from memory.vectors import DIMENSIONS, embed, fingerprint
from schema.source import Source
from tests.memory.rows import Clock, an_experience, numbered, prepared

ASKED = embed(numbered(3).code, "python")


def _ledger(path: Path, count: int) -> Ledger:
    ledger = Ledger(path / "ledger.sqlite3", clock=Clock())
    ledger.store([prepared(numbered(number)) for number in range(count)])
    return ledger


def _nearest(cache: VectorCache, ledger: Ledger, statements: list[str] | None = None, language: str = "python") -> list[str]:
    with ledger.reading() as connection:
        connection.set_trace_callback(statements.append if statements is not None else None)
        matrix = cache.matrix(connection, fingerprint(), language)
        connection.set_trace_callback(None)
    return [neighbour.hash for neighbour in matrix.nearest([ASKED])[0]]


def _reads(statements: list[str]) -> list[str]:
    return [statement for statement in statements if "vector FROM vectors" in statement]


def test_vectors_are_read_once(tmp_path: Path) -> None:
    """The second question reads no vector; the answer is the same."""
    ledger, cache = _ledger(tmp_path, 5), VectorCache()
    statements: list[str] = []
    first = _nearest(cache, ledger)

    assert _nearest(cache, ledger, statements) == first
    assert first[0] == prepared(numbered(3)).id
    assert len(first) == 5
    assert _reads(statements) == []


def test_after_a_write_only_the_new_rows_are_read(tmp_path: Path) -> None:
    """The held ones stay, and the answer is that of a cache which has just been made."""
    ledger, cache = _ledger(tmp_path, 5), VectorCache()
    statements: list[str] = []
    _nearest(cache, ledger)
    ledger.store([prepared(numbered(7)), prepared(numbered(8))])

    found = _nearest(cache, ledger, statements)

    assert found == _nearest(VectorCache(), ledger)
    assert len(found) == 7
    assert [statement.split("seq > ")[1].split()[0] for statement in _reads(statements)] == ["5"]


def test_what_is_forgotten_is_gone_at_once(tmp_path: Path) -> None:
    """Also when something else was stored since, so that there are as many rows as before."""
    ledger, cache = _ledger(tmp_path, 5), VectorCache()
    _nearest(cache, ledger)
    admin.forget(ledger, prepared(numbered(3)).id)
    assert prepared(numbered(3)).id not in _nearest(cache, ledger)
    admin.forget(ledger, prepared(numbered(1)).id)
    ledger.store([prepared(numbered(9))])

    found = _nearest(cache, ledger)

    assert found == _nearest(VectorCache(), ledger)
    assert prepared(numbered(9)).id in found


def test_another_file_in_the_same_place_is_read_anew(tmp_path: Path) -> None:
    """A copy that was put back, with another content under the same generation and as many rows."""
    ledger, cache = _ledger(tmp_path / "one", 0), VectorCache()
    ledger.store([prepared(numbered(1))])
    ledger.compact()
    copy = Ledger(tmp_path / "two" / "ledger.sqlite3", clock=Clock())
    copy.path.parent.mkdir()
    shutil.copyfile(ledger.path, copy.path)
    ledger.store([prepared(numbered(2))])
    copy.store([prepared(numbered(3))])
    assert ledger.generation() == copy.generation()
    assert prepared(numbered(2)).id in _nearest(cache, ledger)
    copy.compact()
    ledger.compact()
    copy.path.replace(ledger.path)

    assert set(_nearest(cache, ledger)) == {prepared(numbered(1)).id, prepared(numbered(3)).id}


def test_languages_that_were_asked_for_long_ago_go_first(tmp_path: Path) -> None:
    """Where there is no room for two, each is read again when it is asked for; no answer changes."""
    ledger = _ledger(tmp_path, 3)
    script = prepared(an_experience("function f(a) { return a[1]; }\n", "function f(a) { return a[0]; }\n", language="javascript"))
    ledger.store([script])
    small, large = VectorCache(most_bytes=1), VectorCache()
    statements: list[str] = []
    others: list[str] = []

    for cache, said in ((small, statements), (large, others)):
        for language in ("python", "javascript", "python"):
            found = _nearest(cache, ledger, said, language)
            assert found == ([script.id] if language == "javascript" else _nearest(VectorCache(), ledger))

    assert (len(_reads(statements)), len(_reads(others))) == (3, 2)


def test_vectors_of_another_size_are_left_out(tmp_path: Path) -> None:
    """They can't be compared; their rows count all the same, so that nothing is read twice."""
    ledger, cache = _ledger(tmp_path, 3), VectorCache()
    statements: list[str] = []
    with ledger.writing() as connection:
        connection.execute("INSERT INTO vectors (hash, embedder, language, vector) VALUES ('odd', ?, 'python', x'00')", (fingerprint(),))

    assert len(_nearest(cache, ledger)) == 3
    assert len(_nearest(cache, ledger, statements)) == 3
    assert _reads(statements) == []


@given(st.lists(st.integers(0, 3), min_size=1, max_size=150), st.integers(1, 4))
def test_all_are_given_nearest_first_and_ties_by_age(kinds: list[int], blocks: int) -> None:
    """However the rows are split into blocks, and also beyond those that are sorted at first."""
    rows = np.eye(4, DIMENSIONS, dtype="<f4")[kinds]
    matrix = VectorMatrix([str(number) for number in range(len(kinds))], tuple(np.array_split(rows, min(blocks, len(kinds)))))
    asked = np.arange(DIMENSIONS, dtype="<f4")
    asked /= np.linalg.norm(asked)

    found = list(matrix.nearest([rows[0].tobytes(), asked.tobytes()])[1])

    distances = (1 - rows @ asked).round(6)
    assert [int(each.hash) for each in found] == sorted(range(len(kinds)), key=lambda row: (distances[row], row))
    assert [each.distance for each in found] == pytest.approx(sorted(distances.tolist()))


def test_lent_vectors_stand_behind_the_others(tmp_path: Path) -> None:
    """They are found, and are not held."""
    ledger, cache = _ledger(tmp_path, 2), VectorCache()
    with ledger.reading() as connection:
        matrix = cache.matrix(connection, fingerprint(), "python")

        assert next(matrix.with_lent([Vector("lent", ASKED)]).nearest([ASKED])[0]).hash == "lent"
        assert cache.matrix(connection, fingerprint(), "python") is matrix


def test_candidates_reach_past_what_may_not_be_offered(tmp_path: Path) -> None:
    """Twenty quarantined ones are nearer: ten that may be offered are found behind them."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    planted = [an_experience(numbered(n).code, numbered(n).fixed_code, trust="quarantined") for n in range(20)]
    offered = [
        an_experience(f"def other{n}(rows):\n    for row in rows:\n        yield row[{n}]\n", f"def other{n}(rows):\n    yield {n}\n")
        for n in range(12)
    ]
    ledger.store([prepared(each) for each in (*planted, *offered)])

    with ledger.reading() as connection:
        (found,) = Neighbours(connection, "python").fetch([numbered(3).code])

    assert len(found) == CANDIDATES
    assert {hit.alternative.trust for hit, _ in found} == {"plausible"}
    assert [distance for _, distance in found] == sorted(distance for _, distance in found)


def test_a_session_sees_what_another_process_has_just_stored(tmp_path: Path) -> None:
    """The same memory object, asked before and after."""
    ledger = _ledger(tmp_path, 3)
    memory = LongTermMemory(ledger)
    body = "    found = {}\n    for row in rows:\n        found.setdefault(row.key, []).append(row)\n    return found[None]\n"
    paste = Source(f"def group(rows):\n    print(rows)\n{body}", "python")
    assert memory.recall(paste).match.status == "NONE"

    other = Ledger(ledger.path, clock=Clock())
    other.store([prepared(an_experience(f"def group(rows):\n{body}", f"def group(rows):\n{body.replace('found[None]', 'found')}"))])

    assert memory.recall(paste).match.tier == "near"


def test_an_empty_memory_has_no_neighbours() -> None:
    """Neither rows nor an error."""
    with sqlite3.connect(":memory:") as connection:
        connection.executescript("CREATE TABLE vectors (seq INTEGER PRIMARY KEY AUTOINCREMENT, hash, embedder, language, vector)")
        connection.executescript("CREATE TABLE meta (name, value)")
        matrix = VectorCache().matrix(connection, fingerprint(), "python")

    assert [list(each) for each in matrix.nearest([ASKED])] == [[]]
