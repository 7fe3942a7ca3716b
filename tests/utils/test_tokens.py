"""Token streams: what counts, what doesn't, and that no text breaks the lexers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.directives import OBEYED, is_directive
from utils.language_names import CODE
from utils.names import renamed_stream, roles
from utils.tokens import exact_stream, scan, tokenize

TEXTS = st.text(alphabet="ab1 ():{}[]\n\t#'\"`=+-/*\\$.,;<>@!?rfu\xa0é", max_size=60) | st.text(max_size=30)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from([*CODE, "yaml", "no such language"]))
def test_no_text_breaks_a_lexer(text: str, language: str) -> None:
    """Tokens are slices of the text, in order, and never overlap; every other character is a blank."""
    end = 0
    for token in scan(text, language):
        assert token.text == text[token.start : token.end]
        assert token.start >= end
        end = token.end
    assert len(roles(text, language)) == len(tokenize(text, language))
    assert len(renamed_stream(text, language)) == len(exact_stream(text, language))


@pytest.mark.parametrize("language", CODE)
@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 3_000 + ")" * 3_000,
        "x = " + "+".join(["1"] * 20_000),
        "a" * 100_000,
        "'" * 50_000,
        "\n" * 50_000,
        "    x\n" * 10_000,
        "f'{" * 5_000,
    ],
    ids=["nesting", "additions", "one name", "quotes", "line ends", "lines", "templates"],
)
def test_long_and_deep_texts_are_read_without_recursion(text: str, language: str) -> None:
    """Depth and length are no reason to fail; the lexers take linear time."""
    assert tokenize(text, language) or text.isspace()
    assert len(renamed_stream(text, language)) == len(tokenize(text, language))


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("python", "def f(a):\n    # why\n    return (a +\n        1)\n", "def f( a ):\n\n\treturn (a+1)   # sum"),
        ("python", "if x:\n\ty = 1\n", "if x:\n  y = 1\n"),
        ("python", "    x = 1\n    y = 2\n", "x = 1\ny = 2"),
        ("python", 'def f():\n    """Says what."""\n    return 1\n', "def f():\n    return 1\n"),
        ("python", "x = a + \\\n    b\n", "x = a + b\n"),
        ("python", 'x = f"{ a }{b!r:>{w}}"\n', 'x = f"{a}{b!r:>{w}}"  # same'),
        ("javascript", "if (a) {\n  b();\n}\n", "if(a)\n{ b( ); } // done"),
        ("java", "List<List<Integer>> x;", "List<List<Integer> > x; /* y */"),
        ("c", "#define A  1\nint x = a-1;", "#define A 1 // one\nint x = a - 1;"),
        ("go", "x := []int{\n1, // one\n}\n", "x := []int{1,\n\n}"),
        ("rust", "/* a /* b */ c */ fn f() {}", "fn f() { }"),
        ("csharp", 'var x = $"{a}"; // c', 'var x  =  $"{ a }";'),
        ("php", "if ($a) { // why\n  b($c); # c\n}", "if($a)\n{ b( $c ); /* d */ }"),
        ("sql", "SELECT a\nFROM b -- c\nWHERE d = 1;", "select a from b where d=1 ;"),
        ("kotlin", "fun f(a: Int): Int {\n  val b = a +\n    1\n  return b\n}", "fun f( a : Int ) : Int\n{ val b = a + 1\n\n return b }"),
        ("kotlin", "a.map { x -> x }\n  .first()", "a.map { x ->\n  x\n}.first() // one"),
        ("swift", "if a {\n  b()\n} else {\n  c(1, d)\n}", "if a { b() }\nelse\n{\n  c(1,\n    d)\n}"),
        ("ruby", "x = foo(a,\n  b)\ny.map { |z|\n  z\n}\n", "x = foo(a, b) # why\n\ny.map { |z| z }"),
        ("ruby", "a\n  .b\n", "a.b"),
        ("bash", "for a in b; do\n  c $a\ndone", "for a in b;   do c $a\n\n  # why\ndone\n"),
        ("bash", "f() {\n  ((a+1)) && b >c | d\n}", "f () {\n(( a + 1 )) && b > c |\n  d\n}"),
    ],
)
def test_layout_and_prose_do_not_count(language: str, one: str, two: str) -> None:
    """Two texts that a program can't tell apart have one stream."""
    assert exact_stream(one, language) == exact_stream(two, language)


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("python", "if x:\n    a()\n    b()\n", "if x:\n    a()\nb()\n"),
        ("python", "if x:\n\ta()\n        b()\n", "if x:\n\ta()\n\tb()\n"),
        ("python", "x = 'a  b'\n", "x = 'a b'\n"),
        ("python", "f('''\n  a''')\n", "f('''\na''')\n"),
        ("python", "x = 1\xa0\n", "x = 1\n"),
        ("python", 'foo(\n    """text"""\n)\n', "foo(\n)\n"),
        ("python", '"""Usage: a"""\nrun(__doc__)\n', '"""Usage: b"""\nrun(__doc__)\n'),
        ("python", '"""\n>>> f()\n1\n"""\nimport doctest\n', '"""\n>>> f()\n2\n"""\nimport doctest\n'),
        ("javascript", "return\nx;", "return x;"),
        ("javascript", "a\n++b", "a++\nb"),
        ("javascript", "x = `a  ${b}`", "x = `a ${b}`"),
        ("javascript", 'x = /"/; y = "a  b"', 'x = /"/; y = "a b"'),
        ("go", "return\nx", "return x"),
        ("c", "x = a+ +b;", "x = a++ b;"),
        ("c", "#define F(x) x", "#define F (x) x"),
        ("c", '#define S "a  b"', '#define S "a b"'),
        ("bash", "a=b", "a = b"),
        ("bash", "echo do\nls", "echo do ls"),
        ("bash", "echo a b", "echo ab"),
        ("bash", "a 2>b", "a 2 >b"),
        ("bash", "a\nb", "a b"),
        ("ruby", "f [1]", "f[1]"),
        ("ruby", "f -1", "f - 1"),
        ("ruby", "return\nx", "return x"),
        ("ruby", "f\n(x)", "f(x)"),
        ("kotlin", "return\nx", "return x"),
        ("kotlin", "val a = b\n-c", "val a = b - c"),
        ("kotlin", "return@f x", "return @f x"),
        ("swift", "let a = b\n-c", "let a = b - c"),
        ("php", "<?php a(); ?>\n  <b>", "<?php a(); ?> <b>"),
        ("php", "a('b  c');", "a('b c');"),
        ("sql", "SELECT 'a  b'", "SELECT 'a b'"),
        ("no such language", "if x\n  y", "if x\ny"),
        ("python", "# only\n", "# comments\n"),
    ],
)
def test_what_a_program_sees_counts(language: str, one: str, two: str) -> None:
    """Blocks, strings, line ends that end a statement, and blanks that no lexer skips."""
    assert exact_stream(one, language) != exact_stream(two, language)


@pytest.mark.parametrize(
    ("language", "comment"),
    [
        ("python", "# noqa: S602"),
        ("python", "#type: ignore[arg-type]"),
        ("python", "# pragma: no cover"),
        ("python", "# nosec"),
        ("python", "# pylint: disable=all"),
        ("python", "# pyright: basic"),
        ("python", "# mypy: ignore-errors"),
        ("python", "# fmt: off"),
        ("python", "# -*- coding: latin-1 -*-"),
        ("go", "//go:build linux"),
        ("go", "// +build linux"),
        ("go", "//nolint:errcheck"),
        ("javascript", "// eslint-disable-next-line"),
        ("javascript", "/* eslint no-var: 0 */"),
        ("typescript", "// @ts-expect-error later"),
        ("javascript", "// prettier-ignore"),
        ("cpp", "// NOLINTNEXTLINE(x)"),
        ("ruby", "# rubocop:disable Style/For"),
    ],
)
def test_comments_that_tools_obey_count(language: str, comment: str) -> None:
    """With and without the comment are two programs; the same words in prose or in a string are not obeyed."""
    marker = comment[:2] if comment.startswith(("//", "/*")) else "#"
    assert exact_stream(f"x\n{comment}\ny\n", language) != exact_stream("x\ny\n", language)
    assert is_directive(comment, language)
    assert not is_directive(f"{marker} see the words {comment.lstrip('#/* ')}", language)
    assert not any(token.kind == "directive" for token in tokenize(f'x = "{comment}"\n', language))


def test_a_shebang_counts_at_the_start_only() -> None:
    """Elsewhere the kernel does not look."""
    assert tokenize("#!/usr/bin/env python3\nx\n", "python")[0].kind == "directive"
    assert exact_stream("x\n#!/usr/bin/env python3\n", "python") == exact_stream("x\n", "python")


def test_every_row_of_the_table_names_who_obeys() -> None:
    """The table is documentation, too."""
    assert all(obeyed_by for _, _, obeyed_by in OBEYED)
