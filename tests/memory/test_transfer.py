"""Fix transfer: the paste's own names, layout and comments, and when nothing is handed out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.keys import exact_key
from memory.transfer import NOT_THE_SAME, transfer

BUGGY = """\
def build(name, rules=[], *, strict=False):
    rules.append(name)
    return rules if strict else list(rules)
"""
FIXED = """\
def build(name, rules=None, *, strict=False):
    if rules is None:
        rules = []
    rules.append(name)
    return rules if strict else list(rules)
"""
MEAN = """\
def mean(numbers):
    total = 0
    for n in numbers:
        total = total + n
    return total / len(numbers)
"""
GUARDED = MEAN.replace("    total = 0\n", "    if not numbers:\n        return 0\n    total = 0\n")


def carried(buggy: str, fixed: str, paste: str, language: str = "python") -> str:
    """The fixed paste; fails with the reason when there is none."""
    found = transfer(buggy, fixed, paste, language)
    assert found.code is not None, found.why_not
    return found.code


def test_the_same_bytes_give_the_stored_fix_as_it_is() -> None:
    """Not even its blanks are touched."""
    assert carried(MEAN, "def  mean( x ) : pass", MEAN) == "def  mean( x ) : pass"


def test_other_code_gets_nothing() -> None:
    """Another literal is other code."""
    assert transfer(MEAN, GUARDED, MEAN.replace("total = 0", "total = 1"), "python").why_not == NOT_THE_SAME


def test_comments_in_the_lines_that_change_stay_beside_the_same_thing() -> None:
    """All of them, those within the brackets too; a docstring stays the first statement."""
    paste = """\
def make(
\ttag,
\t# order matters: first match wins
\tacc=[],  # default: none
\t*,
\texact=False  # see the ticket
):
\t'''Says what
    it makes.'''
\t# start from a copy
\tacc.append(tag)  # add

\treturn acc if exact else list(acc)"""
    fixed = """\
def make(
\ttag,
\t# order matters: first match wins
\tacc=None,  # default: none
\t*,
\texact=False  # see the ticket
):
\t'''Says what
    it makes.'''
\tif acc is None:
\t\tacc = []
\t# start from a copy
\tacc.append(tag)  # add

\treturn acc if exact else list(acc)"""
    assert carried(BUGGY, FIXED, paste) == fixed


def test_lines_that_go_into_a_block_take_their_comments_and_continuations_along() -> None:
    """Strings of several lines are never touched."""
    buggy = "def f(a):\n    b = g(a, '''x\n  y''')\n    return b\n"
    fixed = "def f(a):\n    if a:\n        b = g(a, '''x\n  y''')\n    return b\n"
    paste = "def f(k):\n  # why\n  v = g(k,\n        '''x\n  y''') # beside\n  return v\n"
    assert carried(buggy, fixed, paste) == "def f(k):\n  if k:\n    # why\n    v = g(k,\n          '''x\n  y''') # beside\n  return v\n"


def test_a_name_that_the_fix_brings_along_never_hides_one_of_the_paste() -> None:
    """It gets a number where the paste has that name."""
    fixed = MEAN.replace("    return total / len(numbers)", "    size = len(numbers)\n    return total / size if size else 0")
    paste = MEAN.replace("total", "size").replace("numbers", "size_1")
    assert "size_2 = len(size_1)\n    return size / size_2 if size_2 else 0\n" in carried(MEAN, fixed, paste)


def test_a_member_of_the_paste_takes_no_name_away() -> None:
    """`x.size` is no variable: the fix's `size` keeps its name."""
    code = "def f(x):\n    return x.size / 2\n"
    fixed = "def f(x):\n    size = x.size or 2\n    return size / 2\n"
    assert carried(code, fixed, code.replace("x", "y")) == fixed.replace("x", "y")


def test_a_fix_that_needs_a_name_with_another_meaning_here_is_refused() -> None:
    """`max` is a local of the paste, and the fix calls the built-in one."""
    fixed = MEAN.replace("len(numbers)", "max(1, len(numbers))")
    found = transfer(MEAN, fixed, MEAN.replace("total", "max"), "python")
    assert found.code is None
    assert "`max`" in found.why_not


def test_a_comment_goes_only_with_the_line_that_it_ends() -> None:
    """Comments on lines of their own stay."""
    buggy = "def f(a):\n    b = 1\n    print(a)\n    return a\n"
    fixed = "def f(a):\n    b = 1\n    return a\n"
    paste = "def f(a):\n    b = 1  # one\n    # out\n    print(a)  # noisy\n    return a  # back\n"
    assert carried(buggy, fixed, paste) == "def f(a):\n    b = 1  # one\n    # out\n    return a  # back\n"


def test_comments_that_both_texts_share_follow_the_fix() -> None:
    """The fix dropped one and added one."""
    buggy = "def f(a):\n    # broken\n    return a\n"
    fixed = "def f(a):\n    # works for None, too\n    return a or 0\n"
    assert carried(buggy, fixed, "def f(b):\n  # broken\n  return b\n") == "def f(b):\n  # works for None, too\n  return b or 0\n"
    assert carried(buggy, fixed, "def f(b):\n  # mine\n  return b\n") == "def f(b):\n  # works for None, too\n  # mine\n  return b or 0\n"


def test_braces_below_and_tabs_stay_in_a_brace_language() -> None:
    """The fix's lines take the paste's steps, not its own."""
    buggy = "function f(a, b) {\n  const t = a + b;\n  return t / b;\n}\n"
    fixed = "function f(a, b) {\n  if (b === 0) {\n    return 0;\n  }\n  const t = a + b;\n  return t / b;\n}\n"
    paste = "function g(x, y)\n{\n\t// sum\n\tconst t = x +\n\t\ty; /* both */\n\treturn t / y; // out\n}\n"
    guard = "\tif (y === 0) {\n\t\treturn 0;\n\t}\n"
    expected = paste.replace("\t// sum", guard + "\t// sum")
    assert carried(buggy, fixed, paste, "javascript") == expected


def test_members_and_keywords_of_a_new_line_keep_their_names() -> None:
    """Only variables are written in the paste's words."""
    buggy = "def f(total):\n    return total\n"
    fixed = "def f(total):\n    log.info('total', total=total.total)\n    return total\n"
    assert carried(buggy, fixed, "def g(x):\n    return x\n") == "def g(x):\n    log.info('total', total=x.total)\n    return x\n"


def test_a_shorthand_keeps_its_key() -> None:
    """`{a}` is a key, too: with another variable it must be written out."""
    buggy = "function f(a) {\n  return a;\n}\n"
    fixed = "function f(a) {\n  return {a, b: 1};\n}\n"
    assert carried(buggy, fixed, buggy.replace("a", "x"), "javascript") == "function f(x) {\n  return {a:x, b: 1};\n}\n"


def test_a_comment_that_tools_obey_follows_the_fix() -> None:
    """It is code: the fix may change it; the paste's prose beside it is not lost."""
    buggy = "def run(cmd):\n    return call(cmd, shell=True)  # noqa: S602\n"
    fixed = "def run(cmd):\n    return call(['sh', '-c', cmd])  # noqa: S603\n"
    paste = "def run(line):\n  # why\n  return call(line, shell=True) # noqa: S602\n"
    assert carried(buggy, fixed, paste) == "def run(line):\n  # why\n  return call(['sh', '-c', line])  # noqa: S603\n"


def test_interpolated_names_are_carried_over() -> None:
    """In f-strings of the fix, too."""
    buggy = "def f(a):\n    return a\n"
    fixed = "def f(a):\n    raise E(f'{a!r} a')\n"
    assert carried(buggy, fixed, "def g(x):\n    return x\n") == "def g(x):\n    raise E(f'{x!r} a')\n"


@pytest.mark.parametrize(
    "paste", ["\n\n" + MEAN, "# top\n" + MEAN + "# end", MEAN.rstrip("\n"), "    " + MEAN.replace("\n", "\n    ").rstrip(" ")]
)
def test_what_stands_around_the_code_stays(paste: str) -> None:
    """Blank lines above, comments, a missing last line end, an indentation of all lines."""
    code = carried(MEAN, GUARDED, paste)
    assert exact_key(code, "python") == exact_key(GUARDED, "python")
    assert code.startswith(paste[: paste.index("total")].rstrip())
    assert code.endswith(paste[paste.index("return") :])


def test_a_fix_in_a_piece_that_begins_within_blocks_is_carried_over() -> None:
    """The first line is deeper than those that follow."""
    buggy = "        x = 1\n    else:\n        x = 2\n"
    fixed = "        x = 1\n    else:\n        y = 2\n        x = y\n"
    assert carried(buggy, fixed, "      x = 1 # one\n  else:\n      x = 2\n") == "      x = 1 # one\n  else:\n      y = 2\n      x = y\n"


SNIPPETS = st.text(alphabet="ab ():\n\t#'\"{}=+-*/,;\\", max_size=40)


@settings(deadline=None, max_examples=300)
@given(SNIPPETS, SNIPPETS, SNIPPETS, st.sampled_from(["python", "javascript", "java", "go", "no such language"]))
def test_no_texts_break_the_transfer(buggy: str, fixed: str, comment: str, language: str) -> None:
    """Whatever the texts: a fix whose stream is the fixed one, or a reason."""
    paste = buggy + "\n# " + comment.replace("\n", " ")
    found = transfer(buggy, fixed, paste, language)
    assert (found.code is None) == bool(found.why_not)


@pytest.mark.parametrize(
    "docstring", ['    """Says what."""\n', '    """Says what.\n\n    And why.\n    """\n', "    # why\n    'Says what.'\n"]
)
def test_a_docstring_on_one_side_only_changes_nothing(docstring: str) -> None:
    """It is no code: the stored text may have one that the paste has not, and the other way round."""
    documented, fixed = (text.replace("):\n", f"):\n{docstring}", 1) for text in (MEAN, GUARDED))
    assert carried(documented, fixed, MEAN.replace("numbers", "rows")) == GUARDED.replace("numbers", "rows")
    assert carried(MEAN, GUARDED, documented) == fixed


def test_the_first_statement_behind_a_docstring_may_be_replaced() -> None:
    """It begins a line, whether the docstring is there or not."""
    fixed = MEAN.replace("    total = 0\n", '    """Adds."""\n    total = 0.0\n')
    buggy = MEAN.replace("    total = 0\n", '    """Adds."""\n    total = 0\n')
    assert carried(buggy, fixed, MEAN) == MEAN.replace("total = 0\n", "total = 0.0\n")


def test_lines_with_any_mix_of_tabs_and_blanks_stay_as_they_are() -> None:
    """What the fix leaves alone is not laid out anew, however it is laid out."""
    body = "\t    int s = 0;\n\t    for (int i = 0; i < n; i++) {\n\t\ts += i;\n\t    }\n\t    return s;\n"
    buggy = f"class A {{\n\tint f(int n) {{\n{body}\t}}\n}}\n"
    paste = buggy.replace("class A {\n", "class A\n{\n").replace("\t\ts", "          s").replace("return s;", "return s; // sum")
    assert carried(buggy, buggy.replace("i < n", "i <= n"), paste, "java") == paste.replace("i < n", "i <= n")


def test_a_piece_that_begins_deep_inside_is_no_measure_of_a_step() -> None:
    """Its first line's indentation is not one step."""
    buggy = "                name=route.name,\n            )\n        return 1\n"
    fixed = "                name=route.name,\n            )\n        elsewhere = 2\n        return elsewhere\n"
    paste = "\t\t\t\tname=route.name,\n\t\t\t)\n\t\treturn 1\n"
    assert carried(buggy, fixed, paste) == paste.replace("return 1", "elsewhere = 2\n\t\treturn elsewhere")


def test_one_line_in_the_place_of_several_keeps_one_comment() -> None:
    """They never pile up behind it."""
    buggy = "def f(a):\n    b = a\n    b = b + 1\n    b = b + 2\n    return b\n"
    paste = "def f(a):\n    b = a  # one\n    b = b + 1  # two\n    b = b + 2  # three\n    return b  # four\n"
    code = carried(buggy, "def f(a):\n    b = g(a, 7, a)\n    return b\n", paste)
    assert code.count("#") == 2
    assert code.endswith("    return b  # four\n")


def test_a_comment_goes_with_the_line_that_the_fix_moves() -> None:
    """Above it and beside it."""
    buggy = "def f(a):\n    close(a)\n    b = read(a)\n    return b\n"
    fixed = "def f(a):\n    b = read(a)\n    close(a)\n    return b\n"
    paste = "def f(x):\n    # no longer needed\n    close(x)  # the file\n    y = read(x)  # all\n    return y\n"
    assert carried(buggy, fixed, paste) == (
        "def f(x):\n    y = read(x)  # all\n    # no longer needed\n    close(x)  # the file\n    return y\n"
    )
