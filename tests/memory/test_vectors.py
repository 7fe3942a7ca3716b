"""Structural vectors: the same everywhere, blind for names, kept in the ledger with what they stand for."""

from __future__ import annotations

import hashlib
import math
import sqlite3
import struct
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory import admin
from memory.ledger import Ledger
from memory.locking import write_lock
from memory.recall import LongTermMemory
from memory.revector import complete_or_lend, complete_vectors
from memory.schema_sql import FIRST_SCHEMA, MIGRATIONS
from memory.vector_cache import VectorCache
from memory.vector_rows import is_complete, missing
from memory.vectors import VECTOR_BYTES, checksums, embed, fingerprint, mix, place_of, runs
from schema.source import Source
from tests.memory.old_ledgers import back_to_first_schema
from tests.memory.rows import MEAN, MEAN_FIXED, Clock, an_experience, numbered, prepared
from tests.test_architecture import ROOT

RENAMED = MEAN.replace("values", "numbers").replace("mean", "average")
OTHER = "def slug(title):\n    return title.strip().lower().replace(' ', '-')\n"
TWO_FUNCTIONS = f"{MEAN}\n\ndef last(items):\n    return items[-1]\n"


def _cosine(first: bytes, second: bytes) -> float:
    pairs = zip(struct.unpack("<256f", first), struct.unpack("<256f", second), strict=True)
    return math.fsum(one * other for one, other in pairs)


def test_vector_does_not_know_what_locals_are_called() -> None:
    """A rename changes nothing, layout neither; another function points elsewhere; all have length 1."""
    vector = embed(MEAN, "python")

    assert vector == embed(RENAMED, "python") == embed("# why\n" + MEAN.replace("    ", "\t"), "python")
    assert len(vector) == VECTOR_BYTES
    assert math.isclose(_cosine(vector, vector), 1, abs_tol=1e-5)
    assert _cosine(vector, embed(OTHER, "python")) < 0.5


def test_vector_is_the_same_in_every_process() -> None:
    """Nothing depends on Python's own hash, which differs from run to run."""
    code = "from memory.vectors import embed; import hashlib, sys; print(hashlib.sha256(embed(sys.argv[1], 'python')).hexdigest())"
    made = {
        subprocess.run(
            [sys.executable, "-c", code, MEAN], cwd=ROOT, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout.strip()
        for seed in ("1", "2")
    }

    assert made == {hashlib.sha256(embed(MEAN, "python")).hexdigest()}


@given(st.lists(st.text(max_size=3), max_size=12))
def test_runs_are_counted_by_their_checksums(words: list[str]) -> None:
    """Without putting a run together, and with what the table of weights is made by."""
    assert Counter(map(mix, checksums(words).elements())) == Counter(map(place_of, runs(words).elements()))


def test_texts_without_tokens_and_of_any_language_have_a_vector() -> None:
    """Nothing raises: an empty text points nowhere, comments and unknown languages are taken as lines."""
    assert embed("", "python") == bytes(VECTOR_BYTES)
    assert len(embed("# only a comment\n", "python")) == len(embed("\x00\ud800 (((", "cobol")) == VECTOR_BYTES


def test_embedding_needs_no_numpy(tmp_path: Path) -> None:
    """Remembering a fix imports neither numpy nor an index."""
    code = (
        "import sys; from pathlib import Path; from memory.ledger import Ledger; from tests.memory.rows import an_experience, prepared\n"
        "Ledger(Path(sys.argv[1])).store([prepared(an_experience())]); print(sorted({'numpy', 'chromadb'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "ledger.sqlite3")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def _hashes(ledger: Ledger) -> list[str]:
    with ledger.reading() as connection:
        return [key for (key,) in connection.execute("SELECT hash FROM vectors ORDER BY seq")]


def test_whole_and_changed_functions_have_vectors_and_lose_them_when_forgotten(tmp_path: Path) -> None:
    """The vector of a key lives as long as the key: forgetting, undoing and rejecting all leave nothing behind."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    two = prepared(an_experience(TWO_FUNCTIONS, TWO_FUNCTIONS.replace(MEAN, MEAN_FIXED)))
    (saved,) = ledger.store([two])

    assert _hashes(ledger) == [two.id, *(vector.hash for vector in two.vectors[1:])]
    assert len(two.vectors) == 2
    admin.forget(ledger, saved.id or "")
    assert _hashes(ledger) == []


def test_a_shared_function_keeps_its_vector_until_the_last_one_goes(tmp_path: Path) -> None:
    """Two experiences with the same text, one as a whole and one as a part, share a vector."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    whole, part = ledger.store([prepared(an_experience()), prepared(an_experience(TWO_FUNCTIONS, TWO_FUNCTIONS.replace(MEAN, MEAN_FIXED)))])
    assert len(_hashes(ledger)) == 2

    admin.forget(ledger, whole.id or "")
    assert len(_hashes(ledger)) == 2
    admin.forget(ledger, part.id or "")
    assert _hashes(ledger) == []


def _old_ledger(path: Path) -> Ledger:
    """A ledger of the first schema with three experiences and no vectors."""
    ledger = Ledger(path, clock=Clock())
    ledger.store([prepared(numbered(number)) for number in range(3)])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        back_to_first_schema(connection)
    return Ledger(path, lock_timeout_s=0.2, clock=Clock())


def test_an_older_ledger_gets_its_vectors_when_they_are_first_needed(tmp_path: Path) -> None:
    """The migration leaves a backup and adds none; the first near look-up embeds what is there, once."""
    assert MIGRATIONS[0] == FIRST_SCHEMA
    ledger = _old_ledger(tmp_path / "ledger.sqlite3")
    assert _hashes(ledger) == []
    assert len(list(tmp_path.glob("ledger.backup-v1-*.sqlite3"))) == 1

    complete_vectors(ledger)
    generation = ledger.generation()
    complete_vectors(ledger)

    assert len(_hashes(ledger)) == 3
    assert ledger.generation() == generation
    with ledger.reading() as connection:
        assert is_complete(connection, fingerprint())


def test_missing_vectors_are_lent_where_the_ledger_can_not_be_written(tmp_path: Path) -> None:
    """Another writer holds the lock: the near tier works with vectors made for this look-up."""
    ledger = _old_ledger(tmp_path / "ledger.sqlite3")
    admin.stats(ledger)

    with write_lock(ledger.lock_path, 1, Clock()):
        lent = complete_or_lend(ledger, "python")
        with ledger.reading() as connection:
            matrix = VectorCache().matrix(connection, fingerprint(), "python").with_lent(lent)
            first = next(matrix.nearest([embed(numbered(1).code, "python")])[0])

    assert len(lent) == 3
    assert first.hash == prepared(numbered(1)).id


def test_a_writer_with_another_embedder_is_noticed(tmp_path: Path) -> None:
    """What it stores has no vector of today's: the ledger is no longer complete, and says which texts are missing."""
    from dataclasses import replace

    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    ledger.store([prepared(numbered(0))])
    ledger.store([replace(prepared(numbered(1)), embedder="another")])

    with ledger.reading() as connection:
        assert not is_complete(connection, fingerprint())
        assert [text.code for text in missing(connection, fingerprint())] == [numbered(1).code]
    assert LongTermMemory(ledger).recall(_near(numbered(1).code)).match.tier == "near"
    with ledger.reading() as connection:
        assert is_complete(connection, fingerprint())


def _near(code: str) -> Source:
    return Source(code.replace(":\n", ":\n    extra = 1\n", 1), "python")
