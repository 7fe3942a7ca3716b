"""Made-up programs: the same for the same number, different for others, and each kind of paste is what it says."""

from __future__ import annotations

from benchmarks.programs import FEWEST_LINES, MOST_LINES, STYLES, asked, program
from memory.keys import exact_key, renamed_key
from utils.syntax import parse_errors

COUNT = 120


def test_programs_are_many_and_always_the_same() -> None:
    """No two share a renamed key; all languages and sizes occur."""
    programs = [program(number) for number in range(COUNT)]
    written = [each.written() for each in programs]

    assert [program(number).written() for number in range(COUNT)] == written
    assert len({renamed_key(text, each.language) for text, each in zip(written, programs, strict=True)}) == COUNT
    assert {each.language for each in programs} == set(STYLES)
    lines = sorted(text.count("\n") for text in written)
    assert lines[0] <= FEWEST_LINES + 2
    assert MOST_LINES - 10 <= lines[-1] <= MOST_LINES + 30


def test_programs_parse_and_their_fix_changes_one_place() -> None:
    """A made-up program must be read as code, not as an error."""
    for number in range(COUNT):
        source = program(number)
        buggy, fixed = source.written().split("\n"), source.written(fixed=True).split("\n")
        assert parse_errors(source.written(), source.language) == 0
        assert sum(old != new for old, new in zip(buggy, fixed, strict=True)) == 1


def test_each_kind_of_paste_is_what_it_says() -> None:
    """exact keeps the exact key, renamed only the renamed one, near and unrelated neither."""
    for number in range(COUNT):
        stored, language = program(number).written(), program(number).language
        pastes = {kind: asked(number, kind, COUNT)[0] for kind in ("exact", "renamed", "near")}

        assert pastes["exact"] != stored
        assert exact_key(pastes["exact"], language) == exact_key(stored, language)
        assert exact_key(pastes["renamed"], language) != exact_key(stored, language)
        assert renamed_key(pastes["renamed"], language) == renamed_key(stored, language)
        assert renamed_key(pastes["near"], language) != renamed_key(stored, language)
        assert asked(number, "unrelated", COUNT)[0] == program(COUNT + number).written()
