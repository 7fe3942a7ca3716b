"""Stored token streams: equal to what reading the text gives, gone with it, and never needed for an answer."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import admin
from memory.ledger import Ledger
from memory.lookup import find_offered
from memory.recall import LongTermMemory
from memory.records import KeyHit, PairStreams
from memory.revector import complete_streams
from memory.signature import read_signature
from memory.streams import READER, buggy_signature, fixed_signature, pack, unpack
from schema.source import Source
from tests.memory.rows import MEAN, MEAN_FIXED, Clock, an_experience, numbered, prepared

LANGUAGES = ("python", "javascript", "java", "go", "cpp", "rust", "ruby", "sql", "cobol")
TWO_FUNCTIONS = f"{MEAN}\n\ndef last(items):\n    return items[-1]\n"
EXAMPLES = {
    "python": "def f(x):\n    s = '<STR>' + f'{x!r:>{x}}'\n    return [s for s in x if s != \"é\"]\n",
    "javascript": "const f = (a) => `${a} <ID>`; // why\nreturn\n",
    "rust": "fn f<'a>(x: &'a str) -> usize { r#\"raw\"#.len() + x.len() }\n",
    "go": "func f(xs []int) (n int) {\n\tfor _, x := range xs {\n\t\tn += x\n\t}\n\treturn\n}\n",
    "cobol": "DISPLAY '<STR>'.\n<STR>\n<ID>\n",
}


@pytest.mark.parametrize(("language", "text"), EXAMPLES.items())
def test_unpacking_gives_back_what_was_packed(language: str, text: str) -> None:
    """Strings, locals and everything else, also where a token looks like one of our marks."""
    signature = read_signature(text, language)

    assert unpack(pack(signature)) == signature


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_any_text_survives_packing(text: str, language: str) -> None:
    """Lone surrogates and control characters included."""
    signature = read_signature(text, language)

    assert unpack(pack(signature)) == signature


def _rows(ledger: Ledger) -> list[tuple[int, int, str]]:
    with ledger.reading() as connection:
        return connection.execute("SELECT alternative, part, reader FROM streams ORDER BY alternative, part").fetchall()


def test_whole_and_changed_functions_have_streams_and_lose_them_when_forgotten(tmp_path: Path) -> None:
    """Nothing of a forgotten text stays behind."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    (saved,) = ledger.store([prepared(an_experience(TWO_FUNCTIONS, TWO_FUNCTIONS.replace(MEAN, MEAN_FIXED)))])
    seq = saved.alternative_id

    assert _rows(ledger) == [(seq, 0, READER), (seq, 1, READER)]
    admin.forget(ledger, saved.id or "")
    assert _rows(ledger) == []


def _hit(ledger: Ledger, key: str) -> KeyHit:
    with ledger.reading() as connection:
        return find_offered(connection, [key])[key]


def test_a_hit_brings_its_streams(tmp_path: Path) -> None:
    """Both sides, of the whole and of the part that was asked for, equal to what reading the text gives."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    two = prepared(an_experience(TWO_FUNCTIONS, TWO_FUNCTIONS.replace(MEAN, MEAN_FIXED)))
    ledger.store([two])

    for vector in two.vectors:
        hit = _hit(ledger, vector.hash)
        assert hit.streams is not None
        unread = replace(hit, streams=None)
        assert buggy_signature(hit, "python") == buggy_signature(unread, "python") == read_signature(hit.code, "python")
        assert fixed_signature(hit, "python") == fixed_signature(unread, "python") == read_signature(hit.fixed_code, "python")


@pytest.mark.parametrize(
    "streams", [PairStreams("other rules", pack(read_signature("x = 1\n", "python")), b""), PairStreams(READER, b"?", b"")]
)
def test_streams_that_can_not_be_used_are_read_from_the_text(tmp_path: Path, streams: PairStreams) -> None:
    """Those of other rules, and damaged ones."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    one = prepared(numbered(1))
    ledger.store([one])
    hit = replace(_hit(ledger, one.id), streams=streams)

    assert buggy_signature(hit, "python") == read_signature(hit.code, "python")
    assert fixed_signature(hit, "python") == read_signature(hit.fixed_code, "python")


def test_no_answer_depends_on_stored_streams(tmp_path: Path) -> None:
    """A memory without any answers the same."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    ledger.store([prepared(numbered(number)) for number in range(15)])
    pastes = [Source(numbered(number).code.replace(":\n", ":\n    extra = 1\n", 1), "python") for number in range(15)]
    before = [LongTermMemory(ledger).recall(paste) for paste in pastes]
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM streams")

    assert [LongTermMemory(ledger).recall(paste) for paste in pastes] == before
    assert before[0].match.tier == "near"


def test_missing_streams_are_made_again_once(tmp_path: Path) -> None:
    """Those of an older program and those of other rules; what is there is left alone."""
    ledger = Ledger(tmp_path / "ledger.sqlite3", clock=Clock())
    ledger.store([prepared(numbered(1)), prepared(an_experience(TWO_FUNCTIONS, TWO_FUNCTIONS.replace(MEAN, MEAN_FIXED)))])
    written = _rows(ledger)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM streams WHERE part = 1")
        connection.execute("UPDATE streams SET reader = 'other rules', buggy = x'00' WHERE alternative = 1")

    complete_streams(ledger)
    generation = ledger.generation()
    complete_streams(ledger)

    assert _rows(ledger) == written
    assert ledger.generation() == generation
    hit = _hit(ledger, prepared(numbered(1)).id)
    assert hit.streams is not None
    assert unpack(hit.streams.buggy) == read_signature(hit.code, "python")
