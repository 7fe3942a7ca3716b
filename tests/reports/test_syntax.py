"""Which characters of a code have which colour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.style import Style
from reports.syntax import LONGEST_LINE, MOST_LINES, MOST_LINES_FOREIGN, kinds_at, kinds_of, paint_code, printed
from tests.reports.pictures import SGR

COLOUR = Style(colour=True, terminal=True)


def test_each_kind_has_its_letter() -> None:
    """Keywords, numbers, strings and comments; names and operators are plain."""
    assert kinds_of('if x == 10:  # "no"\n    y = "yes"\n', "python") == ["kk      nn   cccccc", "        sssss", ""]


def test_a_string_goes_on_over_lines() -> None:
    """What stands in a text of several lines is no code, whatever it looks like."""
    assert kinds_of('x = """if\nreturn 1\n"""\nreturn', "python") == ["    sssss", "ssssssss", "sss", "kkkkkk"]


@pytest.mark.parametrize(
    ("language", "code", "kinds"),
    [
        ("javascript", "const a = `x${b}`; // c", "kkkkk     ss    s  cccc"),
        ("go", 'func f() { return "s" }', "kkkk       kkkkkk sss  "),
        ("ruby", "def f; 'a' end # c", "kkk    sss kkk ccc"),
        ("bash", "if true; then echo 'a'; fi # c", "kk       kkkk      sss  kk ccc"),
    ],
)
def test_languages_are_known(language: str, code: str, kinds: str) -> None:
    """By our own lexers or by Pygments."""
    assert kinds_of(code, language) == [kinds]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "x = 1\n" * (MOST_LINES + 1)),
        ("ruby", "x = 1\n" * (MOST_LINES_FOREIGN + 1)),
        ("javascript", "var a=1;" * LONGEST_LINE),
        ("unknown", "if x"),
        ("", "if x"),
    ],
)
def test_some_code_stays_plain(language: str, code: str) -> None:
    """Long code, minified code, and what is no code at all."""
    assert kinds_of(code, language) == []


def test_a_language_that_nobody_knows_is_plain() -> None:
    """No error, no colour."""
    assert kinds_of("if x", "no-such-language") == ["    "]


@given(
    st.text(alphabet="ab \"'#\n\t\\/*`${}()é数\u202e\x1b\r\u2028", max_size=60),
    st.sampled_from(["python", "javascript", "rust", "php", "bash", "x"]),
)
def test_every_character_that_is_printed_has_a_letter(code: str, language: str) -> None:
    """Line by line, for any text: a colour can't slip beside its character."""
    lines = kinds_of(code, language)
    assert [len(kinds) for kinds in lines] == [len(printed(line)) for line in code.split("\n")]
    painted = [paint_code(printed(line), kinds, COLOUR) for line, kinds in zip(code.split("\n"), lines, strict=True)]
    assert [SGR.sub("", line) for line in painted] == [printed(line) for line in code.split("\n")]
    assert "\x1b" not in SGR.sub("", "".join(painted))


def test_without_colours_nothing_is_painted() -> None:
    """The text as it is."""
    assert paint_code("if x", "kk  ", Style(), "added") == "if x"


def test_letters_belong_to_one_text_only() -> None:
    """Those of another line are not used."""
    assert kinds_at(["kk", "ss"], 2, "ab") == "ss"
    assert [kinds_at(["kk"], number, text) for number, text in ((2, "ab"), (0, "ab"), (None, "ab"), (1, "abc"))] == ["", "", "", ""]
