"""The language of a paste: from the user, from names and first lines, from the text."""

from __future__ import annotations

import pytest

from tests.utils.snippets import SNIPPETS
from utils.language import LANGUAGES, detect
from utils.language_names import language_of_tag


@pytest.mark.parametrize(("language", "text"), SNIPPETS)
def test_a_short_text_is_told_by_itself(language: str, text: str) -> None:
    """Whole functions, single lines, configuration and prose are each recognised."""
    assert detect(text).language == language


@pytest.mark.parametrize(
    ("hint", "language"),
    [
        ("py", "python"),
        ("JS", "javascript"),
        ("ts", "typescript"),
        ("c++", "cpp"),
        ("cs", "csharp"),
        ("sh", "bash"),
        ("golang", "go"),
        ("rs", "rust"),
    ],
)
def test_a_hint_goes_before_everything(hint: str, language: str) -> None:
    """What the user says is taken, whatever the text looks like; short names are known."""
    assert detect("def f(x):\n    return x\n", hint, "a.rb").language == language


def test_an_unknown_hint_is_kept_in_lower_case() -> None:
    """A language that nothing here knows still stands in the record."""
    assert detect("x", " Zig ").language == "zig"


def test_a_file_name_goes_before_the_text() -> None:
    """The ending decides, also for names with folders of either system."""
    assert detect("x = 1\n", filename="src/a.rs").reason == "file name"
    assert detect("x = 1\n", filename="src\\Main.java").language == "java"
    assert detect("x = 1\n", filename="notes").language == "python"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\nx\n", "python"),
        ("#!/bin/sh\nls\n", "bash"),
        ("#!/usr/bin/env -S node --harmony\nf()\n", "javascript"),
        ("# vim: set ft=ruby:\nx = 1\n", "ruby"),
        ("// -*- mode: C++ -*-\nint x;\n", "cpp"),
    ],
)
def test_first_lines_and_mode_lines_name_the_language(text: str, language: str) -> None:
    """A shebang or an editor's mode line is obeyed."""
    assert detect(text).language == language


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("{.py}", "python"),
        ("ts title=x", "typescript"),
        ("src/a.rs", "rust"),
        ("C++", "cpp"),
        ("", None),
        ("whatever", None),
    ],
)
def test_a_fence_tag_is_read(info: str, language: str | None) -> None:
    """Tags in the spellings that people and tools use."""
    assert language_of_tag(info) == language


def test_a_comment_in_prose_makes_no_markdown_of_a_program() -> None:
    """Comments look like headings and docstrings hold lists: a program stays a program."""
    text = (
        '# A heading of a kind\n"""Say what this does.\n'
        "\n- one thing that it does\n- another thing\n"
        '"""\n\nimport os\n\ndef f(x):\n    return x\n'
    )

    assert detect(text).language == "python"


def test_two_languages_that_fit_equally_are_not_certain() -> None:
    """An assignment is valid in many languages: the guess says so and names another."""
    found = detect("x = 1\n")

    assert not found.certain
    assert found.runner_up in LANGUAGES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\t\n",
        "\ufeff",
        "(" * 3000 + "1" + ")" * 3000,
        "y = 1" + " + 1" * 60_000,
        "!function(){" + "var a=1;function b(c){return c==a};" * 8000 + "}();",
        "\ud800 = '\udcff'\n",
        "a" * 300_000,
        "\x00\x01\x02",
        "def f(x):\n    return x\n" * 60_000,
        "🙂" * 5000,
        "if (" * 3000,
        "```" * 3000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_text_is_too_odd(text: str) -> None:
    """Empty, huge, deeply nested or broken texts get an answer."""
    assert detect(text).language in LANGUAGES


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            '# syntax=docker/dockerfile:1\nFROM python:3.11-slim AS base\nRUN apt-get update && \\\n    apt-get install git\nCMD ["a"]\n',
            "dockerfile",
        ),
        ("id,name,price\n1,a,2.0\n2,b,3.5\n", "text"),
        ("2024-01-01 10:00:00,123 INFO started\n2024-01-01 10:00:01,123 ERROR failed (x=3)\n", "text"),
    ],
)
def test_tables_logs_and_image_files_are_no_code(text: str, language: str) -> None:
    """No linter looks at them as if they were a program."""
    assert detect(text).language == language


@pytest.mark.parametrize("text", ["a, b = f(x)\nc, d = g(x)\n", "x, y\ny, x\n", "FROM = 1\nRUN = 2\n"])
def test_code_with_commas_is_no_table(text: str) -> None:
    """Assignments and tuples are statements."""
    assert detect(text).language not in {"text", "dockerfile"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "class T {\n    static int sum(int[] xs) {\n        int s = 0;\n        s += xs[0];\n        return s;\n    }\n}\n",
            "java",
        ),
        ("class T {\n    static double ratio(int a, int b) {\n        return a / b;\n    }\n}\n", "java"),
        ("class W {\n    public void Go() {\n        try {\n            Run();\n        } catch (Exception) { }\n    }\n}\n", "csharp"),
        ("async fn wait() {\n    std::thread::sleep(std::time::Duration::from_secs(1));\n}\n", "rust"),
        ("class T {\n  int size() {\n    return 1;\n  }\n};\n", "cpp"),
    ],
)
def test_small_classes_and_functions_are_not_taken_for_cpp(text: str, language: str) -> None:
    """A class of C++ ends with a semicolon, and the names of Rust's library are not those of C++."""
    assert detect(text).language == language
