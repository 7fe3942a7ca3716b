"""checks.kept: a fix that drops, hollows out, hides or slips in something is refused; an honest one is not."""

from __future__ import annotations

import pytest

from checks.kept import why_not_kept

THREE = "def first(xs):\n    return xs[0]\n\ndef last_index(xs):\n    return len(xs)\n\ndef middle(xs):\n    return xs[len(xs) // 2]\n"
LAST = [(5, 5)]
"""The lines of the finding in last_index."""


def kept(after: str, before: str = THREE, about: list[tuple[int, int]] | None = LAST, language: str = "python") -> str:
    """Why it is refused."""
    return why_not_kept(before, after, language, about)


def test_a_change_in_the_findings_function_is_kept() -> None:
    """Also when it takes more lines, and an import is added above."""
    assert kept(THREE.replace("return len(xs)\n", "return len(xs) - 1\n")) == ""
    assert kept("import math\n\n" + THREE.replace("return len(xs)\n", "if not xs:\n        return -1\n    return len(xs) - 1\n")) == ""


def test_an_elided_answer_is_refused() -> None:
    """A placeholder stands where two functions were."""
    assert "placeholder" in kept("# ... rest unchanged\ndef last_index(xs):\n    return len(xs) - 1\n")


@pytest.mark.parametrize(
    "line",
    [
        "# ... existing code ...",
        "# rest of the code remains the same",
        "# (unchanged)",
        "...",
        "# …",
        "# other methods unchanged",
        "[rest of the file unchanged]",
        "# your code here",
        "# remaining implementation here",
    ],
)
def test_placeholders_of_all_kinds_are_seen(line: str) -> None:
    """Words and dots that models leave instead of code."""
    assert "placeholder" in kept(THREE.replace("    return len(xs)\n", f"    {line}\n    return len(xs) - 1\n"))


def test_a_placeholder_that_the_paste_has_is_no_elision() -> None:
    """`...` bodies and such comments of the author stay."""
    before = "class P:\n    def a(self): ...\n    def b(self):\n        ...\n\n" + THREE
    after = before.replace("return len(xs)\n", "return len(xs) - 1\n")

    assert kept(after, before, [(10, 10)]) == ""


def test_ordinary_comments_are_no_placeholders() -> None:
    """Words alone, within a sentence, say nothing."""
    body = "    # the rest of the list is unchanged by this, so len - 1 is the last\n    return len(xs) - 1\n"
    assert kept(THREE.replace("    return len(xs)\n", body)) == ""


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (THREE.replace("def first(xs):\n    return xs[0]\n\n", ""), "first is gone"),
        (THREE.replace("def middle", "def center"), "middle is gone"),
        (THREE.replace("last_index(xs)", "last_index(xs, ys)"), "parameters of last_index changed"),
        (THREE.replace("last_index(xs)", "last_index(xs=())"), "head of last_index changed"),
        (THREE.replace("    return len(xs)\n", "    pass\n"), "body of last_index is gone"),
        (THREE.replace("    return len(xs)\n", "    raise NotImplementedError\n"), "body of last_index is gone"),
        (THREE.replace("    return len(xs)\n", '    """Returns the last index."""\n'), "body of last_index is gone"),
        (THREE.replace("xs[0]", "xs[1]"), "line 2 is changed"),
        (THREE + "\nimport os\nos.system('x')\n", "is changed and no finding is about it"),
        (THREE.replace("return len(xs)\n", "return len(xs) - 1\nprint('hi')\n"), "is changed and no finding is about it"),
        (THREE.replace("return len(xs)\n", "return len(xs) - 1\n\ndef extra():\n    return 1\n"), "it adds extra"),
        (THREE.replace("return len(xs)", "return len(xs)  # noqa"), "silences"),
        (THREE, "changes nothing"),
        (THREE + "\n\n", "changes nothing"),
        ("", "gone"),
    ],
)
def test_what_a_fix_has_no_business_with_is_refused(after: str, told: str) -> None:
    """Each with its reason."""
    assert told in kept(after)


def test_a_long_body_that_becomes_a_constant_is_refused() -> None:
    """Thrown away, not mended; a short one may become a constant."""
    before = "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total / len(xs)\n"

    assert "body of f is gone" in kept("def f(xs):\n    return 0\n", before, [(5, 5)])
    assert "body of f is gone" in kept("def f(xs):\n    return 0\n", "def f(xs):\n    return sum(xs) / len(xs)\n", [(2, 2)])
    assert kept("def f(xs):\n    return 1\n", "def f(xs):\n    return xs or 1\n", [(2, 2)]) == ""


def test_a_default_may_change_where_the_finding_stands() -> None:
    """The mutable default's own line, in a head of many lines too."""
    before = "def f(\n    a,\n    b=[],\n):\n    b.append(a)\n    return b\n"
    after = before.replace("b=[]", "b=None").replace("):\n", "):\n    if b is None:\n        b = []\n")

    assert kept(after, before, [(3, 3)]) == ""
    assert "head of f" in kept(after, before, [(6, 6)])
    assert kept(after, before, None) == ""


def test_methods_are_names_too() -> None:
    """A method, a property's setter and an overload are counted."""
    before = (
        "class A:\n    @property\n    def x(self):\n        return self._x\n\n    @x.setter\n    def x(self, v):\n        self._x = v\n\n"
        "    def go(self):\n        return self.x == None\n"
    )

    assert kept(before.replace("== None", "is None"), before, [(11, 11)]) == ""
    without = before.replace("    @x.setter\n    def x(self, v):\n        self._x = v\n\n", "")
    assert "A.x is gone" in kept(without.replace("== None", "is None"), before, [(11, 11)])


def test_a_lost_decorator_is_refused() -> None:
    """A fix must not take the login check off."""
    before = "@login_required\n@cached\ndef page(r):\n    return r.x == None\n"
    after = "@cached\ndef page(r):\n    return r.x is None\n"

    assert "lost its @login_required" in kept(after, before, [(4, 4)])
    assert "lost its @login_required" in kept(after, before, None)


def test_a_fix_from_memory_may_change_any_function_but_nothing_else() -> None:
    """When it is not known what the fix is for."""
    before = "LIMIT = 3\n\n" + THREE

    assert kept(before.replace("xs[0]", "xs[0] if xs else None"), before, None) == ""
    assert "LIMIT is gone" in kept(before.replace("LIMIT = 3\n\n", ""), before, None)
    assert "is changed" in kept(before.replace("xs[0]\n", "xs[0]\n\nfetch('http://x')\n"), before, None)


def test_nothing_is_slipped_in_before_a_class() -> None:
    """Code between the imports and a class would run on import; the class's own attributes are another matter."""
    before = "import db\n\nclass A:\n    x = 1\n\n    def f(self):\n        return self.x == None\n"
    after = before.replace("== None", "is None")

    assert "db.y = 2" in kept(after.replace("class A", "db.y = 2\n\nclass A"), before, None)
    assert "x = 1" in kept(after.replace("x = 1", "x = 2"), before, [(7, 7)])
    assert kept(after, before, [(7, 7)]) == ""


def test_a_script_without_functions_may_change_where_its_code_is() -> None:
    """Module code between two definitions is one place, like a function's body."""
    before = "import sys\n\nf = open(sys.argv[1])\nprint(f.read())\nf.close()\n"
    after = "import sys\n\nwith open(sys.argv[1]) as f:\n    print(f.read())\n"

    assert kept(after, before, [(3, 3)]) == ""
    assert kept(after, before, None) == ""


def test_an_import_may_grow_and_must_not_vanish() -> None:
    """`from a import b` may become `from a import b, c`."""
    before = "from a import b\nimport os\n\ndef f(x):\n    return b(x) == None\n"
    after = before.replace("== None", "is None")

    assert kept(after.replace("import b\n", "import b, c\n"), before, [(5, 5)]) == ""
    assert "import os" in kept(after.replace("import os\n", ""), before, [(5, 5)])
    assert kept(after.replace("import os\n", ""), before, [(5, 5), (2, 2)]) == ""


@pytest.mark.parametrize(
    ("language", "before", "good", "bad"),
    [
        (
            "javascript",
            "function a(x) {\n  return x.length;\n}\n\nconst b = (y) => {\n  return y;\n};\n",
            ("return x.length", "return x.length - 1"),
            ("function a(x) {\n  return x.length;\n}\n", "// ... existing code\n"),
        ),
        (
            "go",
            "package m\n\nfunc A(xs []int) int {\n\treturn len(xs)\n}\n\nfunc B() {}\n",
            ("return len(xs)", "return len(xs) - 1"),
            ("func B() {}\n", ""),
        ),
        (
            "java",
            "class A {\n  int a(String x) {\n    return x.length();\n  }\n}\n",
            ("x.length();", "x.length() - 1;"),
            ("return x.length();", "throw new UnsupportedOperationException();"),
        ),
        ("rust", "fn a(x: &str) -> usize {\n    x.len()\n}\n", ("x.len()", "x.len() - 1"), ("x.len()", "todo!()")),
    ],
)
def test_other_languages_are_judged_alike(language: str, before: str, good: tuple[str, str], bad: tuple[str, str]) -> None:
    """Names, bodies and places through the grammar of each."""
    assert why_not_kept(before, before.replace(*good), language, None) == ""
    assert why_not_kept(before, before.replace(*bad), language, None) != ""


def test_a_language_without_an_outline_keeps_half_of_its_lines() -> None:
    """Only the text can be compared."""
    before = "select a\nfrom t\nwhere b = 1\nand c = 2\n"

    assert why_not_kept(before, before.replace("b = 1", "b = 2"), "sql", None) == ""
    assert "lines are gone" in why_not_kept(before, "select 1\n", "sql", None)


def test_a_text_that_did_not_parse_may_gain_names() -> None:
    """The function appears by mending its head."""
    before = "def f(x)\uff1a\n    return x\n"

    assert kept(before.replace("\uff1a", ":"), before, [(1, 1)]) == ""
