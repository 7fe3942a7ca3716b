"""Carrying an edit over to code that is only like the stored one."""

from __future__ import annotations

import pytest

from memory.fitting import NO_CONTEXT, NOT_THERE
from memory.graft import graft
from memory.transfer import transfer

BUGGY = """def total(items, rate):
    \"\"\"Sum.\"\"\"
    result = 0
    for item in items:
        result += item * rate
    limit = 7
    return result / len(items)
"""
FIXED = BUGGY.replace("    return result / len(items)\n", "    if not items:\n        return 0\n    return result / len(items)\n")


def _carried(buggy: str, fixed: str, paste: str, language: str = "python") -> str:
    done = graft(buggy, fixed, paste, language)
    assert done.code is not None, done.why_not
    return done.code


def test_statements_of_the_paste_stay_and_the_edit_comes_in_its_names() -> None:
    """More at the top, in the middle and at the end of blocks; tabs; comments: all of it is the paste's own."""
    paste = (
        "START = 1\ndef compute(rows, tax):\n\t# mine\n\tprint(rows)\n\tacc = 0\n\tfor row in rows:\n\t\tacc += row * tax  # add\n"
        "\t\tlog(row)\n\ttop = 7\n\treturn acc / len(rows)\n"
    )
    assert _carried(BUGGY, FIXED, paste) == paste.replace(
        "\treturn acc / len(rows)", "\tif not rows:\n\t\treturn 0\n\treturn acc / len(rows)"
    )


def test_other_values_of_the_paste_stay() -> None:
    """A literal that the fix does not touch is the paste's."""
    paste = BUGGY.replace("limit = 7", "limit = 9").replace("result = 0", "result = 100")

    assert _carried(BUGGY, FIXED, paste) == FIXED.replace("limit = 7", "limit = 9").replace("result = 0", "result = 100")


def test_a_statement_that_the_paste_lacks_is_not_brought_back() -> None:
    """What the user left out is left out."""
    buggy, fixed = (text.replace("    result = 0\n", "    result = 0\n    print(items)\n") for text in (BUGGY, FIXED))

    assert _carried(buggy, fixed, BUGGY) == FIXED


def test_paste_that_lies_deeper_gets_the_edit_deeper() -> None:
    """The stored function in a block of the paste: new lines stand where their neighbours do."""
    body = BUGGY.split("\n", 1)[1]
    paste = "def total(items, rate):\n    with lock:\n" + "".join(f"    {line}\n" for line in body.splitlines()[1:])

    assert "        if not items:\n            return 0\n        return result / len(items)\n" in _carried(BUGGY, FIXED, paste)


def test_an_edit_whose_old_code_is_not_there_has_no_place() -> None:
    """Replaced code must be the same up to names, strings and numbers included."""
    fixed = BUGGY.replace("limit = 7", "limit = 8")

    done = graft(BUGGY, fixed, BUGGY.replace("limit = 7", "limit = 9").replace("items", "rows"), "python")

    assert (done.code, done.why_not) == (None, NOT_THERE)


def test_an_edit_with_other_neighbours_has_no_place() -> None:
    """Half of a line alike is no context."""
    done = graft(
        BUGGY, FIXED, BUGGY.replace("return result / len(items)", "yield from run(items, 4)").replace("limit = 7", "go()"), "python"
    )

    assert (done.code, done.why_not) == (None, NO_CONTEXT)


def test_a_local_without_counterpart_is_refused() -> None:
    """The fix speaks of a variable that this code does not have."""
    fixed = BUGGY.replace("len(items)", "len(items) * limit")

    done = graft(BUGGY, fixed, BUGGY.replace("    limit = 7\n", "").replace("rate", "tax"), "python")

    assert done.code is None
    assert "`limit`" in done.why_not


def test_a_value_that_the_fix_repeats_must_be_the_value_here() -> None:
    """The stored fix tests against the stored bound; the paste has another one."""
    buggy = "def clamp(x):\n    top = 255\n    low = x\n    y = low + 1\n    z = y\n    return z\n"
    fixed = buggy.replace("    return z\n", "    if z > 255:\n        z = 255\n    return z\n")

    done = graft(buggy, fixed, buggy.replace("255", "1023"), "python")

    assert done.code is None
    assert "`255`" in done.why_not


@pytest.mark.parametrize(
    ("language", "buggy", "fixed", "paste", "expected"),
    [
        (
            "javascript",
            "function last(xs) {\n  const n = xs.length;\n  return xs[n];\n}\n",
            "function last(xs) {\n  const n = xs.length;\n  return xs[n - 1];\n}\n",
            "function tail(list) {\n    console.log(list);\n    const size = list.length;\n    return list[size];\n}\n",
            "function tail(list) {\n    console.log(list);\n    const size = list.length;\n    return list[size - 1];\n}\n",
        ),
        (
            "go",
            "func last(xs []int) int {\n\tn := len(xs)\n\treturn xs[n]\n}\n",
            "func last(xs []int) int {\n\tn := len(xs)\n\tif n == 0 {\n\t\treturn 0\n\t}\n\treturn xs[n-1]\n}\n",
            'func tail(list []int) int {\n\tfmt.Println("tail")\n\tsize := len(list)\n\treturn list[size]\n}\n',
            'func tail(list []int) int {\n\tfmt.Println("tail")\n\tsize := len(list)\n\tif size == 0 {\n\t\treturn 0\n\t}\n'
            "\treturn list[size-1]\n}\n",
        ),
        (
            "java",
            "int last(int[] xs) {\n    int n = xs.length;\n    return xs[n];\n}\n",
            "int last(int[] xs) {\n    int n = xs.length;\n    return xs[n - 1];\n}\n",
            "int tail(int[] list) {\n  int unused = 3;\n  int size = list.length;\n  return list[size];\n}\n",
            "int tail(int[] list) {\n  int unused = 3;\n  int size = list.length;\n  return list[size - 1];\n}\n",
        ),
    ],
)
def test_other_languages(language: str, buggy: str, fixed: str, paste: str, expected: str) -> None:
    """The same with brackets, and where line ends count."""
    assert _carried(buggy, fixed, paste, language) == expected


def test_same_code_up_to_names_gives_what_the_transfer_gives() -> None:
    """A graft on code that needs none is the transfer."""
    paste = BUGGY.replace("items", "rows").replace("result", "acc")

    assert graft(BUGGY, FIXED, paste, "python").code == transfer(BUGGY, FIXED, paste, "python").code


@pytest.mark.parametrize("paste", ["", "\n", "# nothing\n", "def f(:\n  ((", "\x00"])
def test_hopeless_texts_are_refused_in_a_sentence(paste: str) -> None:
    """Never an exception, never a fix."""
    done = graft(BUGGY, FIXED, paste, "python")

    assert done.code is None
    assert done.why_not
