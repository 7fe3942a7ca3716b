"""Laws of fix transfer, on random programs and edits."""

from __future__ import annotations

import ast

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.keys import exact_key, renamed_key
from memory.transfer import transfer
from tests.memory.programs import NAMES, OTHER_NAMES, Look, Statement, bodies, edited, statements, written
from utils.tokens import scan

LANGUAGES = st.sampled_from(["python", "javascript"])
EDITS = st.sampled_from(["replace", "insert", "wrap", "delete"])
PLACES = st.integers(0, 40)
LOOKS = st.builds(
    Look,
    names=st.sampled_from([NAMES, OTHER_NAMES]),
    unit=st.sampled_from(["  ", "    ", "\t", "   "]),
    commented=st.booleans(),
    blank_lines=st.booleans(),
    spaced=st.booleans(),
    brace_below=st.booleans(),
)
Body = tuple[Statement, ...]


@settings(deadline=None)
@given(LANGUAGES, bodies(), PLACES, EDITS, statements(), st.booleans())
def test_transfer_after_a_rename_is_the_rename_of_the_fix(
    language: str, body: Body, place: int, edit: str, new: Statement, commented: bool
) -> None:
    """transfer(buggy, fixed, rename(buggy)) == rename(fixed), byte for byte, comments and layout included."""
    fixed = edited(body, place, edit, new)
    assume(fixed != body)
    plain, renamed = Look(commented=commented), Look(OTHER_NAMES, commented=commented)

    carried = transfer(written(body, language, plain), written(fixed, language, plain), written(body, language, renamed), language)

    assert carried.code == written(fixed, language, renamed)


@settings(deadline=None)
@given(LANGUAGES, bodies(), PLACES, EDITS, statements(), LOOKS)
def test_transfer_into_another_layout_is_the_fixed_code(
    language: str, body: Body, place: int, edit: str, new: Statement, look: Look
) -> None:
    """Whatever the paste's layout and comments: the result parses and is the fixed code, in the paste's names."""
    fixed = edited(body, place, edit, new)

    carried = transfer(written(body, language, Look()), written(fixed, language, Look()), written(body, language, look), language)

    assert carried.code is not None, carried.why_not
    assert exact_key(carried.code, language) == exact_key(written(fixed, language, look), language)
    if language == "python":
        ast.parse(carried.code)


@settings(deadline=None)
@given(LANGUAGES, bodies(), PLACES, EDITS, statements(), LOOKS)
def test_the_comments_of_the_paste_survive(language: str, body: Body, place: int, edit: str, new: Statement, look: Look) -> None:
    """No comment is lost or doubled; only a deleted line takes along the comment that it ends with."""
    fixed = edited(body, place, edit, new)
    paste = written(body, language, look)

    code = transfer(written(body, language, Look()), written(fixed, language, Look()), paste, language).code or ""

    before, after = _comments(paste, language), _comments(code, language)
    lost = [comment for comment in before if comment not in after]
    assert sorted(after) == sorted(comment for comment in before if comment not in lost)
    assert all(edit == "delete" and "beside" in comment for comment in lost)


def _comments(text: str, language: str) -> list[str]:
    return [token.text for token in scan(text, language) if token.kind == "comment"]


@settings(deadline=None)
@given(LANGUAGES, bodies(), PLACES, statements(), LOOKS)
def test_lines_that_the_fix_leaves_alone_stay_as_they_are(language: str, body: Body, place: int, new: Statement, look: Look) -> None:
    """An insertion leaves every line of the paste where it was, byte for byte."""
    fixed = edited(body, place, "insert", new)
    paste = written(body, language, look)

    code = transfer(written(body, language, Look()), written(fixed, language, Look()), paste, language).code or ""

    remaining = iter(code.split("\n"))
    assert all(line in remaining for line in paste.split("\n") if line)


@given(LANGUAGES, bodies(), LOOKS)
def test_keys_do_not_depend_on_layout(language: str, body: Body, look: Look) -> None:
    """Comments, blank lines and steps of indentation are not in the exact key; nor the names in the renamed key."""
    text, other = written(body, language, Look()), written(body, language, look)

    assert renamed_key(other, language) == renamed_key(text, language)
    assert (exact_key(other, language) == exact_key(text, language)) == (look.names == NAMES)


@given(LANGUAGES, bodies(), PLACES, EDITS, statements())
def test_another_program_has_another_key(language: str, body: Body, place: int, edit: str, new: Statement) -> None:
    """An edit shows in both keys."""
    fixed = edited(body, place, edit, new)
    text, other = written(body, language, Look()), written(fixed, language, Look())
    assume(text != other)

    assert exact_key(text, language) != exact_key(other, language)


@given(bodies(), st.text(alphabet="ab \\'\"#{}", max_size=6), st.text(alphabet="ab \\'\"#{}", max_size=6))
def test_string_contents_are_in_the_key(body: Body, one: str, two: str) -> None:
    """Two programs that differ in a string are two programs."""
    assume(one != two)
    text = written(body, "python", Look())

    assert exact_key(text + f"x = {one!r}\n", "python") != exact_key(text + f"x = {two!r}\n", "python")
