"""The record in which fixes travel: what is in it, how much of it is believed of whom, and that nothing is lost on the way."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from errors import InputInvalidError
from memory import admin
from memory.exchange import experience_of
from memory.export import export_jsonl
from memory.export_record import FORMAT
from memory.importing import ImportReport, ImportRequest, import_stream
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.records import OFFERED
from schema.experience import Experience, Kind, Provenance
from schema.finding import Finding, SuggestedFix, TextEdit
from schema.fix import LEVELS, Check, Verification
from schema.match import Trust
from schema.usage import Usage
from tests.memory.rows import MEAN, MEAN_FIXED, MEAN_OTHER_FIX, Clock, an_experience, prepared

BACKUP = ImportRequest("p-1", restore=True)
LANGUAGES = (
    "python", "javascript", "typescript", "go", "java", "rust", "c", "cpp", "csharp", "bash", "ruby", "php", "kotlin", "swift", "scala",
)  # fmt: skip
ODD = (
    "\ufeff",
    "\r\n",
    "\r",
    "\n",
    "\x00",
    "\t",
    "\x0c",
    "\u2028",
    "é",
    "變數",
    "😀",
    '"',
    "\\",
    "x = 1",
    "y",
    "def f(a):\n    return a",
    "{",
    "}",
    " ",
)
CODES = st.lists(st.sampled_from(ODD), min_size=1, max_size=8).map("".join)
TWO_PARTS = "def one(a):\n    return a[1]\n\n\ndef two(b):\n    return b[2]\n"
TIMES = st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "+00:00")
TRUSTS: st.SearchStrategy[Trust] = st.sampled_from(("proved", "plausible", "quarantined", "rejected"))
KINDS: st.SearchStrategy[Kind] = st.sampled_from(("session", "git", "jsonl", "pair", "peer"))
COUNTS = st.integers(0, 2**40)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", lock_timeout_s=2, clock=Clock())


def lines_of(ledger: Ledger) -> list[str]:
    """Its export with tombstones."""
    return list(export_jsonl(ledger, with_tombstones=True))


def taken(ledger: Ledger, lines: Sequence[str], request: ImportRequest = BACKUP) -> ImportReport:
    """Import lines as a file has them."""
    return import_stream(ledger, ["".join(f"{line}\n" for line in lines).encode()], request)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """With any text, and mostly with edits."""
    edits = tuple(TextEdit(1, 1, 2, 9, text) for text in draw(st.lists(CODES, max_size=2)))
    fix = SuggestedFix(edits, draw(st.sampled_from(("safe", "unsafe", "display")))) if edits else None
    said = [draw(CODES) for _ in range(4)]
    return Finding("paste", 1, 3, 1, 7, "high", "bug", "ruff/B006", said[0], said[1], said[2], 0.25, said[3], fix)


@st.composite
def experiences(draw: st.DrawFn) -> Experience:
    """Any language, any text; often a whole with two parts, or the same code again with another fix."""
    pair = draw(st.one_of(st.tuples(CODES, CODES), st.just((TWO_PARTS, TWO_PARTS.replace("[1]", "[0]").replace("[2]", "[1]")))))
    pair = draw(st.sampled_from([pair, (MEAN, MEAN_FIXED), (MEAN, MEAN_OTHER_FIX)]))
    trust, level = draw(TRUSTS), draw(st.sampled_from(LEVELS))
    return Experience(
        language=draw(st.sampled_from(LANGUAGES)),
        code=pair[0],
        fixed_code=pair[1],
        explanation=draw(CODES),
        provenance=Provenance(
            draw(st.sampled_from(("session", "git", "jsonl", "pair", "peer"))), draw(CODES).replace("\x00", ""), "Ada", "ab12", "MIT"
        ),
        findings=tuple(draw(st.lists(findings(), max_size=2))),
        verification=Verification(level, (Check("tests", True, "passes"),) if level == "tested" else (), "", "basis-1"),
        trust=trust,
        trust_reason=draw(CODES),
        scope=draw(st.sampled_from(("", "p-1", "shop-12"))),
        cost=draw(st.sampled_from((Usage(), Usage(2, 30, 4, 0.25), Usage(1, 5, 6, None)))),
    )


@st.composite
def counters(draw: st.DrawFn) -> dict[str, Any]:
    """As the columns of an alternative."""
    times = {"created_at": draw(TIMES), "last_used_at": draw(st.one_of(st.none(), TIMES))}
    pinned = {"pinned": draw(st.integers(0, 1)), "kept_in": draw(st.sampled_from(("", "shop@1a2b3c")))}
    return {**times, **pinned, **{name: draw(COUNTS) for name in ("uses", "accepted", "rejected", "corrected")}}


def filled(path: Path, rows: Sequence[tuple[Experience, dict[str, Any]]]) -> Ledger:
    """A ledger in which all that was made, used, judged and pinned; one entry was forgotten."""
    ledger = Ledger(path, clock=Clock())
    for experience, columns in rows:
        made = prepare(experience)
        saved = ledger.store([made])[0] if made is not None else None
        if saved is not None and saved.alternative_id is not None:
            names = ", ".join(f"{name} = ?" for name in columns)
            with ledger.writing() as connection:
                update = f"UPDATE alternatives SET {names} WHERE seq = ?"  # noqa: S608 - names of columns
                connection.execute(update, (*columns.values(), saved.alternative_id))
                connection.execute("INSERT OR IGNORE INTO scopes VALUES (?, 'elsewhere-3')", (saved.alternative_id,))
    ledger.store([prepared(an_experience("gone = 1\n", "gone = 2\n"))])
    admin.forget(ledger, next(each.id for each in admin.list_experiences(ledger) if each.best.code == "gone = 1\n"))
    return ledger


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(experiences(), counters()), min_size=1, max_size=5))
def test_a_backup_comes_back_as_it_was(rows: list[tuple[Experience, dict[str, Any]]]) -> None:
    """Export, restore into an empty home, export: byte for byte the same, tombstones too; and restoring it again changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        first = filled(Path(folder) / "a" / "ledger.sqlite3", rows)
        lines = lines_of(first)
        second = Ledger(Path(folder) / "b" / "ledger.sqlite3", clock=Clock())

        report = taken(second, lines)

        assert report.bad_lines == []
        assert lines_of(second) == lines
        again = taken(second, lines)
        assert (again.added, again.updated, again.bad) == (0, 0, 0)
        assert lines_of(second) == lines


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(experiences(), counters()), min_size=1, max_size=5))
def test_a_file_of_anybody_keeps_ids_and_texts_and_has_no_authority(rows: list[tuple[Experience, dict[str, Any]]]) -> None:
    """The same ids, keys and bytes come out, but for what is documented; nothing is proved, verified, pinned or counted."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for line in lines_of(filled(Path(folder) / "a" / "ledger.sqlite3", rows)) if "tombstone" not in json.loads(line)]
        second = Ledger(Path(folder) / "b" / "ledger.sqlite3", clock=Clock())
        assume(lines)

        report = taken(second, lines, ImportRequest("p-1"))

        usable = [line for line in map(json.loads, lines) if is_usable(line)]
        assert [kept(json.loads(line)) for line in export_jsonl(second)] == [kept(line) for line in usable]
        assert report.bad == len(lines) - len(usable)
        for line in map(json.loads, export_jsonl(second)):
            assert line["trust"] != "proved"
            assert (line["verification"]["level"], line["scopes"]) == ("none", ["p-1"])
            assert set(line["counters"].values()) <= {0, None, ""}


def is_usable(line: dict[str, Any]) -> bool:
    """Blank code is nobody's past fix, and a NUL in what is read is no text."""
    said = [finding[name] for finding in line["findings"] for name in ("message", "suggestion", "evidence", "source")]
    reason = "" if line["trust"] in OFFERED else line["trust_reason"]
    is_text = "\x00" not in "".join([line["code"], line["fixed_code"], line["explanation"], reason, *said])
    return is_text and bool(line["code"].strip() and line["fixed_code"].strip())


def kept(line: dict[str, Any]) -> dict[str, Any]:
    """What a file of anybody may say: all but trust, evidence, counters, scopes, costs, edits of findings, and times that are not past."""
    names = ("format", "id", "fix_key", "normaliser", "language", "code", "fixed_code", "explanation", "license")
    found = [{name: value for name, value in each.items() if name not in ("fix", "fingerprint")} for each in line["findings"]]
    return {**{name: line[name] for name in names}, "findings": found, "author": line["provenance"]["author"]}


def test_a_record_says_everything(ledger: Ledger) -> None:
    """Old fields keep their meaning (a session's fix is a peer's for others); the new ones stand beside them."""
    finding = Finding(
        "paste", 1, 1, 1, 4, "high", "bug", "ruff/B006", "m", "s", "e", 0.5, "ruff:B006", SuggestedFix((TextEdit(1, 1, 1, 2, "x"),), "safe")
    )
    verification = Verification("tested", (Check("tests", True, "passes"),), "", "rules-7")
    own = replace(an_experience(kind="session", trust="proved", verification=verification, scope="p-1"), findings=(finding,))
    ledger.store([prepared(own)])

    record = json.loads(next(export_jsonl(ledger)))

    assert list(record)[:4] == ["format", "id", "fix_key", "normaliser"]
    assert (record["format"], record["code"], record["fixed_code"]) == (FORMAT, MEAN, MEAN_FIXED)
    assert (record["provenance"]["kind"], record["provenance"]["stored_as"], record["source"]) == ("peer", "session", "team-notes")
    assert (record["trust"], record["verification"]["level"], record["scopes"]) == ("proved", "tested", ["p-1"])
    assert record["findings"][0]["fix"]["edits"][0]["text"] == "x"
    assert record["counters"] == {
        "uses": 0, "accepted": 0, "rejected": 0, "pinned": False, "last_used_at": None, "corrected": 0, "kept_in": "",
    }  # fmt: skip


def record(**changes: Any) -> dict[str, Any]:
    """A record that its writer calls proved, tested, pinned and much used."""
    plain: dict[str, Any] = {
        "format": FORMAT,
        "language": "python",
        "code": MEAN,
        "fixed_code": MEAN_FIXED,
        "explanation": "An empty list.",
        "source": "team#1",
        "provenance": {"kind": "session", "stored_as": "session", "author": "Ada"},
        "trust": "proved",
        "verification": {"level": "tested", "checks": [], "refused": "", "basis": "b"},
        "counters": {"uses": 9, "accepted": 9, "pinned": True},
        "created_at": "2999-01-01T00:00:00+00:00",
    }
    return {**plain, **changes}


def test_a_peer_has_an_author_and_no_authority() -> None:
    """Plausible at most, nothing verified, nothing spent; its own words are judged as those of any import."""
    found = experience_of(record(), as_peer=True)
    assert (found.provenance.kind, found.provenance.author, found.provenance.ref) == ("peer", "Ada", "team#1")
    assert (found.trust, found.verification.level, found.scope, found.cost) == ("plausible", "none", "", Usage())
    evil = experience_of(record(fixed_code="import os\nos.system('x')\n" + MEAN_FIXED), as_peer=True)
    assert evil.trust == "quarantined"
    assert "running programs" in evil.trust_reason


def test_what_a_peer_withdrew_is_quarantined_and_no_verdict_of_this_user() -> None:
    """A colleague can't keep a fix from being learnt here by rejecting it."""
    found = experience_of(record(trust="rejected", trust_reason="no good"), as_peer=True)
    assert (found.trust, found.trust_reason) == ("quarantined", "rejected by whoever shares it")
    assert experience_of(record(trust="quarantined", trust_reason="odd"), as_peer=True).trust_reason == "odd"


def test_one_s_own_record_is_believed() -> None:
    """Kind, trust and evidence are those of the record."""
    found = experience_of(record(), as_peer=False)
    assert (found.provenance.kind, found.trust, found.verification.level) == ("session", "proved", "tested")


def test_no_secret_comes_with_a_record() -> None:
    """A placeholder stands in its place, in one's own as in a peer's."""
    secret = "ghp_" + "a1B2" * 9
    for as_peer in (True, False):
        assert secret not in repr(experience_of(record(explanation=f"token {secret}", code=f"t = '{secret}'\n"), as_peer=as_peer))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "0" * 32}, "damaged: its `id` is not that of its code"),
        ({"fix_key": "0" * 32}, "damaged: its `fix_key`"),
        ({"format": FORMAT + 1}, rf"written by a newer CodeMind \(format {FORMAT + 1}; this one reads up to {FORMAT}\)"),
        ({"format": "two"}, "no number of a format"),
        ({"code": 7}, "`code` is not text"),
        ({"code": "x" * 600_000}, "`code` is longer than"),
        ({"code": "a\x00b"}, "NUL"),
        ({"code": "\ud800"}, "lone surrogate"),
        ({"fixed_code": " "}, "no fixed code"),
        ({"language": "../etc"}, "no name of a language"),
        ({"findings": [{}]}, "incomplete finding"),
        ({"findings": 3}, "not a list"),
        ({"provenance": "git"}, "`provenance` is not an object"),
        ({"source": ["a"]}, "`source` is not text"),
    ],
)
def test_what_a_peer_sends_is_checked(changes: dict[str, Any], words: str) -> None:
    """One sentence each; nothing of the record stands in it."""
    with pytest.raises(InputInvalidError, match=words):
        experience_of(record(**changes), as_peer=True)


FINDING = {
    **{name: "p" for name in ("path", "message", "suggestion", "evidence", "source", "rule_id")},
    **{name: 1 for name in ("start_line", "end_line", "start_column", "end_column")},
    **{"severity": "low", "category": "bug"},
}


@pytest.mark.parametrize(
    "changes",
    [
        {"trust": "trusted"},
        {"trust": ["proved"]},
        {"verification": {"level": "sure"}},
        {"verification": {"level": "clean", "checks": [{}]}},
        {"verification": {"level": ["clean"]}},
        {"counters": {"uses": -1}},
        {"counters": {"uses": True}},
        {"counters": {"pinned": 1}},
        {"counters": []},
        {"scopes": "p-1"},
        {"cost": {"calls": 1, "cost_usd": float("nan")}},
        {"findings": [{**FINDING, "category": []}]},
        {"findings": [{**FINDING, "fix": {"edits": [{"text": "x"}], "applicability": "safe"}}]},
        {"findings": [{**FINDING, "fix": {"edits": [], "applicability": {}}}]},
        {"findings": [{**FINDING, "start_line": True}]},
    ],
)
def test_a_damaged_backup_is_checked_as_strictly(changes: dict[str, Any]) -> None:
    """What is believed must at least be what it should be."""
    with pytest.raises(InputInvalidError, match=r"This record can't be used"):
        experience_of(record(**changes), as_peer=False)


def test_keys_of_another_reader_of_code_are_made_anew() -> None:
    """An id that was made by other rules says nothing of damage."""
    assert experience_of(record(id="0" * 32, fix_key="1" * 32, normaliser="tokens/1"), as_peer=True).code == MEAN
