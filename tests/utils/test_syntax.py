"""utils.syntax: parse errors, blocks, signatures, and texts that would end a recursive parser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from utils.syntax import OUTLINED, PARSED, blocks, enclosing, functions, parse_errors, top_level

PYTHON = """\
#!/usr/bin/env python3
import os

# counts what is there
@decorated
async def count(a, /, b: int = 2, *args, k=1, **rest) -> int:
    def inner(x):
        return x

    return inner(a)


class Store:
    \"\"\"Keeps things.\"\"\"

    def get(self, key: str) -> bytes: ...
"""


def test_a_right_program_has_no_parse_errors() -> None:
    """Zero is zero, for every construct of the sample."""
    assert parse_errors(PYTHON, "python") == 0
    assert parse_errors("\n# only a comment\n", "python") == 0
    assert parse_errors("return 1\n", "python") == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("def f(:\n  pass\n", "python"),
        ("def f():\n", "python"),
        ("x = (1,\n", "python"),
        ("if x:\n    y\nelse:\n", "python"),
        ("function f(){ return 1", "javascript"),
        ("let x = ;", "typescript"),
        ("void f() { return 1 }", "java"),
        ("fn f( {}", "rust"),
        ("int main() { return 0 }", "c"),
    ],
)
def test_what_is_missing_or_misplaced_counts(text: str, language: str) -> None:
    """An absent bracket, name or body counts like a piece that can't be placed."""
    assert parse_errors(text, language) > 0


def test_an_unknown_language_has_no_errors_and_no_blocks() -> None:
    """ast-grep panics on a name that it doesn't know: it is never asked."""
    assert parse_errors("((((", "cobol") == 0
    assert blocks("((((", "cobol") == ()
    assert OUTLINED < PARSED


@pytest.mark.parametrize("text", ["x = '\ud800'\n", "a\x00b\n", "\ufeffx = 1\n", "x = 1\r\n", ""])
@pytest.mark.parametrize("language", ["python", "javascript", "go", "php"])
def test_odd_characters_do_no_harm(text: str, language: str) -> None:
    """Lone surrogates, NUL, a byte order mark, CR and nothing at all are answered."""
    assert parse_errors(text, language) >= 0
    assert blocks(text, language) == ()


def test_a_block_says_where_it_stands_and_what_it_takes() -> None:
    """Decorators and attached comments belong to it; the signature has names and kinds only."""
    count, store = top_level(PYTHON, "python")

    assert (count.name, count.kind, count.start_line, count.header_line, count.end_line) == ("count", "function", 4, 6, 10)
    assert count.signature == "(a, /, b, *args, k, **rest)"
    assert count.header == "async def count(a, /, b: int = 2, *args, k=1, **rest) -> int:"
    assert count.body_lines == (7, 10)
    assert PYTHON[slice(*count.body_span)].startswith("def inner")
    assert (store.name, store.kind, store.end_line) == ("Store", "class", 16)


def test_functions_are_found_at_every_depth_with_their_scope() -> None:
    """Methods and nested functions are there, named by what encloses them."""
    assert [(f.qualname, f.depth) for f in functions(PYTHON, "python")] == [("count", 0), ("count.inner", 1), ("Store.get", 1)]
    assert functions(PYTHON, "python")[2].scope == "Store"


def test_enclosing_is_the_innermost_block_of_a_line() -> None:
    """A line of a nested function belongs to that one; a line outside of all to none."""
    found = blocks(PYTHON, "python")

    assert enclosing(found, 8) == found[1]
    assert enclosing(found, 10) == found[0]
    assert enclosing(found, 2) is None


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("javascript", "export const f = async (a, b = 1, ...c) => { x };\n", [("f", "(a, b, ...c)")]),
        ("javascript", "class A { m(a, {b, c}) { } }\n", [("A", ""), ("A.m", "(a, {b, c})")]),
        ("typescript", "function f<T>(a: string, b?: number, c = 1): void {}\n", [("f", "(a, b, c)")]),
        ("java", "class A { int f(int a, String b) { return 1; } }\n", [("A", ""), ("A.f", "(a, b)")]),
        ("go", "func (r *T) F(a, b int, c ...string) error { return nil }\n", [("T.F", "(a, b, ...c)")]),
        ("c", "static int *f(int a, char *b) { return 0; }\n", [("f", "(a, *b)")]),
        ("cpp", "namespace n { void q(const int y = 1) {} }\n", [("n", ""), ("n.q", "(y)")]),
        ("rust", "impl A for B { fn f(&self, mut a: i32) {} }\n", [("A for B", ""), ("A for B.f", "(&self, a)")]),
        ("csharp", 'class A { int F(int a, string b = "x") => 1; }\n', [("A", ""), ("A.F", "(a, b)")]),
        ("ruby", "class A\n  def f(a, b = 1)\n    1\n  end\nend\n", [("A", ""), ("A.f", "(a, b)")]),
        ("php", "function f(int $a, ...$b) { return 1; }\n", [("f", "($a, ...$b)")]),
        ("bash", "f() { echo 1; }\n", [("f", "")]),
        ("kotlin", "class A { fun f(a: Int): Int { return 1 } }\n", [("A", ""), ("A.f", "(a: Int)")]),
        ("swift", "class A { init(x: Int) {} }\n", [("A", ""), ("A.init", "(x)")]),
    ],
)
def test_each_language_names_its_functions_and_parameters(language: str, text: str, expected: list[tuple[str, str]]) -> None:
    """Names, owners and parameter names, whatever the grammar calls them."""
    assert [(block.qualname, block.signature) for block in blocks(text, language)] == expected


def test_an_exported_constant_function_takes_its_whole_statement() -> None:
    """`export const f = ...` begins at `export` and ends at the semicolon, the comment above included."""
    text = "let a = 1;\n\n/** doubles\n * a number */\nexport const twice = (n) => {\n  return 2 * n;\n};\n"

    (twice,) = top_level(text, "javascript")

    assert (twice.start_line, twice.end_line) == (3, 7)


def test_a_pasted_php_function_keeps_its_positions() -> None:
    """Without `<?php` the text is still read as code, and the body is where it was."""
    text = "function f($a) {\n    return 1;\n}\n"

    (block,) = blocks(text, "php")

    assert text[slice(*block.body_span)] == "{\n    return 1;\n}"


HOSTILE = """
import sys
from utils.syntax import blocks, parse_errors
texts = [
    "x = " + "(" * 3000 + "1" + ")" * 3000,
    "y = 1" + " + 1" * 60000,
    "z = [" + "f(a, b)," * 37500 + "]",
    "(" * 100000,
    "function f(a){return a};" * 12000,
    "function f(){" * 5000 + "}" * 5000,
]
for text in texts:
    for language in ("python", "javascript"):
        parse_errors(text, language)
        blocks(text, language)
print("alive")
"""


def test_hostile_nesting_and_length_end_in_an_answer() -> None:
    """3,000 brackets, 60,000 additions, 300 kB in a line: the process lives and says so within seconds."""
    root = Path(__file__).resolve().parents[2]

    ran = subprocess.run([sys.executable, "-c", HOSTILE], cwd=root, capture_output=True, text=True, timeout=60, check=False)

    assert ran.stdout == "alive\n", ran.stderr
