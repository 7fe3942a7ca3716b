"""Long code: what a model sees of it, and how its answer goes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parts import MAX_WHOLE_LINES, Shown, moved, spans_to_show

SEPARATOR = "@@@@ next part 1 @@@@"
FUNCTIONS = [f"def f{number}(a):\n    b = a\n    return b + {number}\n" for number in range(80)]
LONG = "import os\nimport sys\n\n" + "\n".join(FUNCTIONS) + "\nlimit = 3\n"
"""f0 stands on the lines 4 to 6, f1 on 8 to 10, and so on."""


def test_short_code_is_shown_whole() -> None:
    """Up to two hundred lines, whatever the findings are."""
    assert spans_to_show("x = 1\n" * (MAX_WHOLE_LINES - 1), "python", [(3, 3)]) == ()


def test_long_code_is_shown_by_the_functions_around_the_findings() -> None:
    """With the imports, because a fix may need one; neighbours are not shown."""
    spans = spans_to_show(LONG, "python", [(9, 9), (90, 90)])

    assert spans == ((1, 2), (8, 10), (88, 90))
    text = Shown(LONG, spans, SEPARATOR).text
    assert text.split(f"\n{SEPARATOR}\n") == ["import os\nimport sys", FUNCTIONS[1].rstrip("\n"), FUNCTIONS[21].rstrip("\n")]


def test_a_block_of_imports_is_shown_to_its_end() -> None:
    """Go's brackets, and Python's."""
    go = 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\n' + "".join(
        f"func f{number}() int {{\n\treturn {number}\n}}\n\n" for number in range(60)
    )
    python = "from os import (\n    path,\n    sep,\n)\n\n" + "\n".join(FUNCTIONS)
    assert spans_to_show(go, "go", [(101, 101)])[0] == (1, 6)
    assert spans_to_show(python, "python", [(101, 101)])[0] == (1, 4)


def test_a_finding_outside_of_functions_has_the_lines_around_it() -> None:
    """Up to the next function."""
    assert spans_to_show(LONG, "python", [(324, 324)])[-1] == (323, 325)


def test_a_method_is_shown_alone_not_its_class() -> None:
    """The class may be the whole file."""
    code = "class A:\n" + "".join(f"    def m{number}(self):\n        return {number}\n" for number in range(120))
    assert spans_to_show(code, "python", [(101, 101)]) == ((100, 101),)


def test_the_answer_goes_back_into_its_places() -> None:
    """Longer and shorter parts; the rest is byte for byte as it was."""
    shown = Shown(LONG, ((1, 2), (8, 10), (88, 90)), SEPARATOR)
    mended = ["import os\nimport re\nimport sys", "def f1(a):\n    return a + 1", "def f21(a):\n    b = a\n    c = b\n    return c + 21"]

    after = shown.put_back(f"\n{SEPARATOR}\n".join(mended))

    expected = (
        LONG.replace("import os\nimport sys", mended[0]).replace(FUNCTIONS[1], mended[1] + "\n").replace(FUNCTIONS[21], mended[2] + "\n")
    )
    assert after == expected


def test_a_method_that_comes_back_without_its_indentation_gets_it_again() -> None:
    """Models do that."""
    code = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n"
    assert Shown(code, ((2, 3),)).put_back("def m(self):\n    return 3\n") == code.replace("return 1", "return 3")


@pytest.mark.parametrize("answer", ["def f1(a):\n    return 1", f"a\n{SEPARATOR}\nb\n{SEPARATOR}\nc\n{SEPARATOR}\nd"])
def test_too_few_or_too_many_parts_are_refused(answer: str) -> None:
    """The sentence says how many there must be."""
    with pytest.raises(ValueError, match="3 parts"):
        Shown(LONG, ((1, 2), (8, 10), (88, 90)), SEPARATOR).put_back(answer)


def test_blank_ends_are_those_of_the_code() -> None:
    """A model trims them or adds some."""
    assert Shown("\nx = 1\n\n").put_back("x = 2") == "\nx = 2\n\n"
    assert Shown("x = 1").put_back("\nx = 2\n") == "x = 2"


def test_lines_are_found_again_in_the_mended_text() -> None:
    """Kept lines move, changed ones become what stands there now."""
    assert moved([(1, 1), (2, 2), (3, 3)], "a\nb\nc\n", "new\na\nB\nc\n") == [(2, 2), (3, 3), (4, 4)]
    assert moved([(1, 3)], "a\nb\nc\n", "a\nc\n") == [(1, 2)]


@given(st.lists(st.sampled_from(["a = 1", "", "  b = 2", "c"]), min_size=1, max_size=30), st.data())
def test_what_is_shown_and_returned_unchanged_changes_nothing(lines: list[str], data: st.DataObject) -> None:
    """The law, for any spans."""
    code = "\n".join(lines)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=6)))
    spans = tuple(zip(cuts[::2], cuts[1::2], strict=False))
    assert Shown(code, spans, SEPARATOR).put_back(Shown(code, spans, SEPARATOR).text) == code
