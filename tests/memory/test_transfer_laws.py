"""Laws of fix transfer, on random programs, edits, names and layouts, in six languages.

`buggy` and `fixed` are a stored pair; r names everything anew, l lays out anew, with comments; e changes the paste where the fix
does not. What comes out is compared with the fixed program, written in those names and that layout by other means.
"""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.keys import exact_key, renamed_key
from memory.transfer import transfer
from tests.memory.program_writers import LANGUAGES, PLAIN, written
from tests.memory.programs import (
    FRESH,
    FUNCTIONS,
    MAKERS,
    NAMES,
    OTHER_FUNCTIONS,
    OTHER_NAMES,
    Edit,
    Look,
    Maker,
    Naming,
    edited,
)
from utils.tokens import exact_stream, scan

OTHERS = Naming(OTHER_FUNCTIONS, (*OTHER_NAMES, FRESH))
every_language = pytest.mark.parametrize("language", LANGUAGES)
law = settings(deadline=None, derandomize=True, max_examples=40)


def renaming(variables: list[str], language: str) -> Naming:
    """r. A class's methods are called by their names elsewhere, too."""
    return Naming(FUNCTIONS if language == "java" else OTHER_FUNCTIONS, (*variables, FRESH))


def with_free_name(naming: Naming, paste: str) -> Naming:
    """r as it must name the fixed program: what the fix brings along gets a number where the paste has that name."""
    words = set(re.findall(r"\w+", paste))
    free = next(name for name in (FRESH, f"{FRESH}_1", f"{FRESH}_2") if name not in words)
    return Naming(naming.functions, (*naming.variables[: len(NAMES)], free))


@every_language
@law
@given(MAKERS)
def test_transfer_after_a_rename_and_a_relayout_is_the_renamed_fix(language: str, make: Maker) -> None:
    """transfer(buggy, fixed, l(r(buggy))) has the token stream of r(fixed)."""
    program = make.program()
    fixed, naming = edited(program, make.edits()), renaming(make.variables(), language)
    paste = written(program, language, make.look(), naming)

    carried = transfer(written(program, language), written(fixed, language), paste, language)

    assert carried.code is not None, carried.why_not
    wanted = written(fixed, language, PLAIN, with_free_name(naming, paste))
    assert exact_stream(carried.code, language) == exact_stream(wanted, language)
    if language == "python":
        ast.parse(carried.code)


@every_language
@law
@given(MAKERS, st.booleans())
def test_in_the_same_layout_it_is_the_renamed_fix_to_the_byte(language: str, make: Maker, commented: bool) -> None:
    """transfer(buggy, fixed, r(buggy)) == r(fixed), comments and layout included."""
    program = make.program()
    fixed = edited(program, make.edits())
    assume(fixed != program)
    look, naming = Look(commented=commented), renaming(list(OTHER_NAMES), language)

    carried = transfer(written(program, language, look), written(fixed, language, look), written(program, language, look, naming), language)

    assert carried.code == written(fixed, language, look, naming)


@every_language
@law
@given(MAKERS)
def test_the_comments_of_the_paste_survive(language: str, make: Maker) -> None:
    """No comment is lost or doubled; only a deleted line takes along the comment that it ends with."""
    program, changes = make.program(), make.edits()
    fixed = edited(program, changes)
    paste = written(program, language, make.look(), OTHERS)

    code = transfer(written(program, language), written(fixed, language), paste, language).code or ""

    before, after = comments(paste, language), comments(code, language)
    lost = [comment for comment in before if comment not in after]
    assert sorted(after) == sorted(comment for comment in before if comment not in lost)
    assert all("beside" in comment for comment in lost)
    assert not lost or any(change.kind == "delete" for change in changes) or _moves_and_more(changes)


def _moves_and_more(changes: tuple[Edit, ...]) -> bool:
    """A line that is moved and changed, too, is one deleted line and one new one."""
    return len(changes) > 1 and any(change.kind == "move" for change in changes)


def comments(text: str, language: str) -> list[str]:
    """All of them, in order."""
    return [token.text for token in scan(text, language) if token.kind == "comment"]


@every_language
@law
@given(MAKERS)
def test_lines_that_the_fix_leaves_alone_stay_as_they_are(language: str, make: Maker) -> None:
    """An insertion leaves every line of the paste where it was, byte for byte."""
    program = make.program()
    fixed = edited(program, make.edits(["insert"]))
    paste = written(program, language, make.look(), OTHERS)

    code = transfer(written(program, language), written(fixed, language), paste, language).code or ""

    remaining = iter(code.split("\n"))
    assert all(line in remaining for line in paste.split("\n") if line)


@every_language
@law
@given(MAKERS, st.booleans())
def test_keys_do_not_depend_on_layout(language: str, make: Maker, is_renamed: bool) -> None:
    """Comments, blank lines and steps of indentation are not in the exact key; nor the names in the renamed key."""
    program, look = make.program(), make.look()
    naming = renaming(list(OTHER_NAMES), language) if is_renamed else Naming()
    text, other = written(program, language), written(program, language, look, naming)

    assert renamed_key(other, language) == renamed_key(text, language)
    assert (exact_key(other, language) == exact_key(text, language)) == (not is_renamed)


@every_language
@law
@given(MAKERS)
def test_another_program_has_another_key(language: str, make: Maker) -> None:
    """An edit shows in the key."""
    program = make.program()
    text, other = written(program, language), written(edited(program, make.edits()), language)
    assume(text != other)

    assert exact_key(text, language) != exact_key(other, language)


@law
@given(MAKERS, st.text(alphabet="ab \\'\"#{}", max_size=6), st.text(alphabet="ab \\'\"#{}", max_size=6))
def test_string_contents_are_in_the_key(make: Maker, one: str, two: str) -> None:
    """Two programs that differ in a string are two programs."""
    assume(one != two)
    text = written(make.program(), "python")

    assert exact_key(text + f"x = {one!r}\n", "python") != exact_key(text + f"x = {two!r}\n", "python")
