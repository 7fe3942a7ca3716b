"""Laws of grafts, on random programs: the paste has statements of its own besides other names and another layout.

e puts statements before some of the program's own, on both sides alike; r and l are those of `test_transfer_laws`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given

from memory.graft import graft
from memory.transfer import transfer
from tests.memory.program_writers import LANGUAGES, PLAIN, own_text, written
from tests.memory.programs import MAKERS, Maker, Name, Naming, Program, Statement, edited, touched, walk, with_before
from tests.memory.test_transfer_laws import law, renaming, with_free_name
from utils.layout_tokens import DEDENT, INDENT, NEWLINE
from utils.tokens import exact_stream

_NOTE = Statement("note", Name(0), ("901",))
_LOOP = Statement("while", Name(2), ("903",), (replace(_NOTE, expression=("904",)),))
OWN = (_NOTE, _LOOP, Statement("note", Name(1), ("902", "+", Name(0))))
"""What the paste has of its own: nothing that a stored program has."""
every_language = pytest.mark.parametrize("language", LANGUAGES)


def with_own(make: Maker, program: Program, fixed: Program, functions: set[int]) -> tuple[Program, Program]:
    """e of both sides: up to two statements put before statements of these functions which both sides have once."""
    after = [statement.comment for body in fixed for statement in walk(body)]
    places = [statement.comment for number in sorted(functions) for statement in walk(program[number])]
    places = [comment for comment in places if after.count(comment) == 1]
    assume(places)
    for comment in make.random.sample(places, min(len(places), 2)):
        own = make.random.choice(OWN)
        program, fixed = (with_before(each, comment, own) for each in (program, fixed))
    return program, fixed


@every_language
@law
@given(MAKERS)
def test_own_statements_elsewhere_change_nothing_about_the_fix(language: str, make: Maker) -> None:
    """graft(buggy, fixed, l(r(e(buggy)))) has the token stream of r(e(fixed)), when e leaves the functions alone that the fix is in."""
    program, changes = make.program(), make.edits()
    fixed = edited(program, changes)
    others = set(range(len(program))) - touched(program, changes)
    assume(others and fixed != program)
    mine, wanted = with_own(make, program, fixed, others)
    naming = renaming(make.variables(), language)
    paste = written(mine, language, make.look(), naming)

    carried = graft(written(program, language), written(fixed, language), paste, language)

    assert carried.code is not None, carried.why_not
    assert exact_stream(carried.code, language) == exact_stream(written(wanted, language, PLAIN, with_free_name(naming, paste)), language)


@every_language
@law
@given(MAKERS)
def test_own_statements_beside_the_fix_never_bring_it_to_a_wrong_place(language: str, make: Maker) -> None:
    """With e anywhere: refused with a reason, or r(fixed) with each own statement in the block in which it was.

    Before or behind a new line beside it: nobody can tell which is right.
    """
    program, changes = make.program(), make.edits()
    fixed = edited(program, changes)
    assume(fixed != program)
    mine, wanted = with_own(make, program, fixed, set(range(len(program))))
    naming = renaming(make.variables(), language)
    paste = written(mine, language, make.look(), naming)

    carried = graft(written(program, language), written(fixed, language), paste, language)

    assert carried.code is not None or carried.why_not
    if carried.code is not None:
        fresh = with_free_name(naming, paste)
        assert without_own(carried.code, language, naming) == without_own(written(fixed, language, PLAIN, fresh), language, naming)
        depths = [own_depths(text, language) for text in (carried.code, paste, written(wanted, language))]
        assert all(where in (here, there) for where, here, there in zip(*depths, strict=True))


def without_own(text: str, language: str, naming: Naming) -> list[str]:
    """The token stream without the statements of e."""
    stream = closed_stream(text, language)
    for own in OWN:
        said = closed_stream(own_text(own, language, naming), language)
        places = [at for at in range(len(stream)) if stream[at : at + len(said)] == said]
        for at in reversed(places):
            del stream[at : at + len(said)]
    return stream


def closed_stream(text: str, language: str) -> list[str]:
    """The token stream without line ends, of which each statement of e has one, and with all blocks closed that are open at its end."""
    stream = [word for word in exact_stream(text, language) if word != NEWLINE]
    return stream + [DEDENT] * (stream.count(INDENT) - stream.count(DEDENT))


def own_depths(text: str, language: str) -> list[int]:
    """For each statement of e how many blocks are open around it."""
    depth, found = 0, []
    for word in exact_stream(text, language):
        depth += (word in {"{", INDENT}) - (word in {"}", DEDENT})
        found += [depth] if word in {"901", "902", "903"} else []
    return found


@every_language
@law
@given(MAKERS)
def test_a_graft_on_the_same_code_is_the_transfer(language: str, make: Maker) -> None:
    """Where nothing differs but names and layout, the alignment finds what the equal streams say."""
    program = make.program()
    fixed, naming = edited(program, make.edits()), renaming(make.variables(), language)
    texts = (written(program, language), written(fixed, language), written(program, language, make.look(), naming))

    assert graft(*texts, language).code == transfer(*texts, language).code
