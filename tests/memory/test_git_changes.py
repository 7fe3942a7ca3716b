"""Functions before and after a commit: exactly their lines, paired by their names."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.git_changes import FileSplit, split_change
from memory.git_paths import kind_of


def split(before: str, after: str, language: str = "python") -> FileSplit:
    """A change of one file."""
    return split_change(before, after, language, "a.py")


CLASS = '''import os


class Store:
    limit = 3

    @property
    def size(self):
        """How many."""
        return len(self.items)

    def get(self, key):
        def inner():
            return key
        return self.items[inner()]


def top(x):
    return x
'''


def test_a_method_is_cut_out_with_its_decorators_and_its_indentation() -> None:
    """The lines of the file, as they stand there."""
    done = split(CLASS, CLASS.replace("len(self.items)", "len(self.items) - 1"))
    assert [(pair.name, pair.start_line, pair.kind) for pair in done.pairs] == [("Store.size", 7, "changed")]
    assert done.pairs[0].before == '    @property\n    def size(self):\n        """How many."""\n        return len(self.items)\n'
    assert done.pairs[0].after == done.pairs[0].before.replace("items)", "items) - 1")


def test_what_is_nested_belongs_to_its_function() -> None:
    """One pair, not two."""
    done = split(CLASS, CLASS.replace("return key\n", "return key or 0\n"))
    assert [pair.name for pair in done.pairs] == ["Store.get"]


def test_line_ends_stay() -> None:
    """CRLF, a missing last line end, and a form feed within a line."""
    before = "def f():\r\n    return 1\r\n\r\ndef g():\r\n    return '\x0c'\r\n\r\ndef h():\r\n    return 3"
    after = before.replace("return 1", "return 10").replace("return 3", "return 30")
    pairs = {pair.name: (pair.before, pair.after) for pair in split(before, after).pairs}
    assert pairs == {
        "f": ("def f():\r\n    return 1\r\n", "def f():\r\n    return 10\r\n"),
        "h": ("def h():\r\n    return 3", "def h():\r\n    return 30"),
    }


def test_layout_comments_docstrings_and_quotes_change_nothing() -> None:
    """For Python also what a formatter does to quotes and brackets."""
    before = 'def f(a):\n    """Doc."""\n    return ("x", a)\n'
    after = "def f(\n    a,\n):\n    '''Another.'''\n    # why\n    return 'x', a\n"
    assert [pair.kind for pair in split(before, after.replace("'''Another.'''", '"""Doc."""')).pairs] == ["layout"]


def test_types_alone_change_nothing() -> None:
    """A sweep that annotates mends no bug; a changed default does."""
    before = "def f(a, b=1):\n    return a\n"
    assert [pair.kind for pair in split(before, "def f(a: int, b: int = 1) -> int:\n    return a\n").pairs] == ["layout"]
    assert [pair.kind for pair in split(before, "def f(a: int, b: int = 2) -> int:\n    return a\n").pairs] == ["changed"]


def test_a_renaming_is_told_from_another_name() -> None:
    """One for one, and the new name was not there before."""
    assert [pair.kind for pair in split("def f(a, b):\n    return a\n", "def f(c, b):\n    return c\n").pairs] == ["renames"]
    assert [pair.kind for pair in split("def f(a, b):\n    return a\n", "def f(a, b):\n    return b\n").pairs] == ["changed"]


def test_a_renaming_tells_its_places() -> None:
    """Each with the old name and the new one."""
    (pair,) = split("def f(a):\n    return a.floor(a)\n", "def f(a):\n    return a.ceil(a)\n").pairs
    assert (pair.kind, pair.exchanged) == ("renames", (("floor", "ceil"),))
    (pair,) = split("def f(a, b):\n    return a\n", "def f(c, b):\n    return c\n").pairs
    assert pair.exchanged == (("a", "c"), ("a", "c"))


def test_new_gone_and_renamed_functions_have_no_pair() -> None:
    """What only looks alike is never made a pair."""
    done = split("def f():\n    return 1\n\ndef g():\n    return 2\n", "def f():\n    return 1\n\ndef h():\n    return 3\n")
    assert (done.pairs, done.gone, done.new) == ((), ("def g():\n    return 2\n",), ("def h():\n    return 3\n",))


def test_functions_of_the_same_name_are_paired_in_order_or_not_at_all() -> None:
    """Overloads: by their place where there are as many, else nothing is guessed."""
    before = "def f():\n    return 1\n\ndef f():\n    return 2\n"
    assert [(pair.before[-2:], pair.after[-2:]) for pair in split(before, before.replace("return 2", "return 5")).pairs] == [("2\n", "5\n")]
    assert split(before, before + "\ndef f():\n    return 3\n").pairs == ()


def test_code_outside_of_functions_is_counted() -> None:
    """Constants and imports."""
    assert split("A = 1\n\ndef f():\n    return A\n", "A = 2\n\ndef f():\n    return A\n").outside_lines == 2


def test_a_function_that_broken_syntax_has_torn_is_no_pair() -> None:
    """Whatever the parser makes of it: a piece of a function is never stored for the whole."""
    for broken in ("x = (", "y = )", "if", "class", "return return", '"', "else:", "@", "\\"):
        before = f"def f():\n    a = 1\n    {broken}\n    b = 2\n    return a\n\n\ndef g():\n    return 3\n"
        for pair in split(before, before.replace("a = 1", "a = 5")).pairs:
            assert "return a" in pair.before, (broken, pair)


def test_other_languages_are_split_too() -> None:
    """Methods of classes in JavaScript, functions in Go."""
    script = "class A {\n  get(x) {\n    return x == 1;\n  }\n}\n"
    assert [pair.name for pair in split(script, script.replace("==", "==="), "javascript").pairs] == ["A.get"]
    go = "package a\n\nfunc f(x int) int {\n\treturn x\n}\n"
    assert [pair.name for pair in split(go, go.replace("return x", "return x + 1"), "go").pairs] == ["f"]
    assert kind_of("a.go") == "product"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("fghkm"), st.integers(0, 3)), max_size=6), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_both_sides_stand_in_their_files(shape: list[tuple[str, int]], values: list[int]) -> None:
    """Whatever the functions are called and wherever they stand: before is a piece of the old file, after of the new one, of one name."""

    def text(numbers: list[int]) -> str:
        return "\n".join(f"def {name}():\n    return {n + extra}\n" for (name, extra), n in zip(shape, numbers, strict=False))

    before, after = text([0] * 6), text(values)
    for pair in split(before, after).pairs:
        assert pair.before in before
        assert pair.after in after
        assert pair.before.split("(")[0] == pair.after.split("(")[0] == f"def {pair.name}"
        assert pair.before != pair.after
