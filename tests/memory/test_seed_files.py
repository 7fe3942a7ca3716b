"""Seed files that come in unusual ways: through a pipe, too long, stopped, with progress, in pairs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from errors import InputInvalidError
from memory import admin
from memory.ledger import Ledger
from memory.seed_files import MAX_LINE_BYTES
from memory.seed_pair import Side, seed_pair
from memory.seed_report import LISTED, SeedReport
from memory.seeding import SLICE_ROWS, seed_file, seed_jsonl, seed_stream
from tests.memory.rows import MEAN, MEAN_FIXED, Clock, numbered


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", lock_timeout_s=2, clock=Clock())


def line(code: str = MEAN, fixed: str = MEAN_FIXED, **more: object) -> bytes:
    """One seed line."""
    return json.dumps({"code": code, "fixed_code": fixed, "language": "python", **more}).encode() + b"\n"


def lines(count: int) -> list[bytes]:
    """Different past fixes."""
    return [line(row.code, row.fixed_code) for row in map(numbered, range(count))]


def test_the_file_stands_in_for_a_source_that_is_not_named(ledger: Ledger, tmp_path: Path) -> None:
    """Its name, never its folder; a line that names its source keeps it."""
    path = tmp_path / "team.jsonl"
    path.write_bytes(line() + line("x = 1\n", "x = 2\n", source="notes#4"))

    seed_file(ledger, path)

    assert [each.best.provenance.ref for each in admin.list_experiences(ledger)] == ["notes#4", "team.jsonl"]


def test_what_comes_through_a_pipe_is_a_seed(ledger: Ledger, tmp_path: Path) -> None:
    """A named pipe can be read once only: it is checked, hashed and stored like a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(line() + b"{\n"))
    writer.start()

    report = seed_file(ledger, pipe)

    writer.join()
    assert (report.added, report.bad, report.bad_lines[0].line) == (1, 1, 2)


def test_standard_input_is_checked_as_a_whole(ledger: Ledger) -> None:
    """Cut anywhere, also within a character; binary input stores nothing."""
    text = line(explanation="Größe")
    assert seed_stream(ledger, [text[:7], text[7:]]).added == 1
    with pytest.raises(InputInvalidError, match="standard input is binary"):
        seed_stream(ledger, [line("a = 1\n", "a = 2\n"), b"\x00"])
    with pytest.raises(InputInvalidError, match="standard input is empty"):
        seed_stream(ledger, [])
    assert admin.count(ledger) == 1


def test_a_line_that_is_not_utf8_is_named_and_the_others_are_taken(ledger: Ledger, tmp_path: Path) -> None:
    """One broken byte costs its own line, through a pipe too; a file in another encoding is bad line by line."""
    content = line() + line(explanation="Größe").replace(b"\\u00f6", b"\xf6") + line("a = 1\n", "a = 2\n") + b"\xe9"
    path = tmp_path / "latin.jsonl"
    path.write_bytes(content)

    report = seed_file(ledger, path)

    assert (report.added, [(each.line, each.reason) for each in report.bad_lines]) == (2, [(2, "not UTF-8"), (4, "not UTF-8")])
    assert seed_stream(ledger, [content[:100], content[100:]]).duplicate == 2


def test_a_line_of_many_megabytes_is_bad_and_says_so(ledger: Ledger, tmp_path: Path) -> None:
    """Its rest is not taken for lines of their own."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"code": "' + b"x" * (MAX_LINE_BYTES + 5) + b'"}\n' + line())

    report = seed_file(ledger, path)

    assert (report.lines, report.added, dict(report.bad_why)) == (2, 1, {"longer than 8 MB": 1})


def test_skipped_lines_are_counted_by_their_reason(ledger: Ledger) -> None:
    """Nothing changed, forgotten, rejected: a user sees which."""
    forgotten, refused = line("a = 1\n", "a = 2\n"), line("b = 1\n", "b = eval('2')\n")
    seed_jsonl(ledger, [forgotten, refused])
    for each in admin.list_experiences(ledger):
        (admin.forget if each.best.code.startswith("a") else admin.reject)(ledger, each.id)

    report = seed_jsonl(ledger, [forgotten, refused, line("c = 1\n", "c = 1  # one\n"), line(), line()])

    assert dict(report.skipped_why) == {"forgotten": 1, "rejected": 1, "no_change": 1}
    assert (report.skipped, report.added, report.duplicate, report.quarantined) == (3, 1, 1, 0)


def test_reasons_are_counted_without_what_they_quote(ledger: Ledger) -> None:
    """Two files that run different programs have one reason."""
    report = seed_jsonl(ledger, [line("a = 1\n", "import os\nos.system('x')\n"), line("b = 1\n", "import os\nos.popen('y')\n")])
    assert (report.quarantined, dict(report.quarantined_why)) == (2, {"its fix adds running programs": 2})


def test_many_bad_lines_are_counted_and_the_first_are_named(ledger: Ledger) -> None:
    """A file of another format does not fill the memory of the process."""
    report = seed_jsonl(ledger, (b"{\n" for _ in range(LISTED + 50)))
    assert (report.bad, len(report.bad_lines), dict(report.bad_why)) == (LISTED + 50, LISTED, {"not JSON": LISTED + 50})


def test_progress_knows_how_much_is_left(ledger: Ledger, tmp_path: Path) -> None:
    """Bytes read of bytes in all, told with each slice and at the end."""
    path = tmp_path / "seed.jsonl"
    path.write_bytes(b"".join(lines(SLICE_ROWS + 10)))
    told: list[tuple[int, int]] = []

    def progress(report: SeedReport) -> None:
        told.append((report.read_bytes, report.total_bytes))

    seed_file(ledger, path, progress=progress)

    size = path.stat().st_size
    assert len(told) == 2
    assert 0 < told[0][0] < size
    assert told[1] == (size, size)


def test_an_interrupt_keeps_what_was_told_and_the_rest_is_added_later(ledger: Ledger) -> None:
    """Ctrl-C between two lines: the slices before are stored, the same lines again add the others."""
    told: list[int] = []
    wanted = lines(SLICE_ROWS + 50)

    def until_interrupted() -> Iterator[bytes]:
        yield from wanted[: SLICE_ROWS + 20]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seed_jsonl(ledger, until_interrupted(), progress=lambda report: told.append(report.stored))

    assert told == [SLICE_ROWS]
    assert admin.count(ledger) == SLICE_ROWS
    again = seed_jsonl(ledger, wanted)
    assert (again.duplicate, again.added) == (SLICE_ROWS, 50)


def test_a_pair_is_learnt_with_its_source_and_language(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path below the present folder; the language by the file's name; the evidence is judged as for any import."""
    monkeypatch.chdir(tmp_path)
    buggy, fixed = Side("old/mean.py", MEAN, MEAN.encode()), Side("new/mean.py", MEAN_FIXED, MEAN_FIXED.encode())

    report = seed_pair(ledger, buggy, fixed, explanation="An empty list.")

    (stored,) = admin.list_experiences(ledger)
    assert report.added == 1
    assert (stored.language, stored.best.explanation, stored.best.trust) == ("python", "An empty list.", "plausible")
    assert (stored.best.provenance.kind, stored.best.provenance.ref) == ("pair", "old/mean.py")


def test_a_pair_outside_of_the_folder_is_known_by_its_name(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export must not tell where a user's files lie."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    seed_pair(ledger, Side(str(tmp_path / "mean.py"), MEAN, b"1"), Side("b.py", MEAN_FIXED, b"2"))

    assert admin.list_experiences(ledger)[0].best.provenance.ref == "mean.py"


@pytest.mark.parametrize(
    ("fixed", "words"), [(MEAN + "# fine\n", "the same code"), ("x" * 600_000, "`fixed_code` is longer"), (" \n", "no fixed code")]
)
def test_a_pair_that_teaches_nothing_says_why(ledger: Ledger, fixed: str, words: str) -> None:
    """One sentence, and no ledger is made."""
    with pytest.raises(InputInvalidError, match=words):
        seed_pair(ledger, Side("a.py", MEAN, b""), Side("b.py", fixed, b""))
    assert not ledger.path.exists()


def test_a_pair_that_was_rejected_or_forgotten_is_not_learnt_again(ledger: Ledger) -> None:
    """The user's word stands."""
    evil = Side("b.py", "import os\nos.system('x')\n", b"")
    seed_pair(ledger, Side("a.py", MEAN, b""), evil)
    (stored,) = admin.list_experiences(ledger)
    admin.reject(ledger, stored.id)
    with pytest.raises(InputInvalidError, match="You rejected this fix"):
        seed_pair(ledger, Side("a.py", MEAN, b""), evil)
    admin.forget(ledger, stored.id)
    with pytest.raises(InputInvalidError, match="forget this code"):
        seed_pair(ledger, Side("a.py", MEAN, b""), evil)
