"""Characters that deceive: found in code, left alone in strings and comments, and mended where that is certain."""

from __future__ import annotations

import pytest

from rules.text_checks import TextAnalyzer
from schema.finding import Finding
from schema.source import Source
from utils.edits import apply_edits

ANALYZER = TextAnalyzer()
NBSP = "\u00a0"


def found_in(code: str, language: str = "python") -> list[Finding]:
    """All findings."""
    return ANALYZER.analyze(Source(code, language))


def mended(code: str, language: str = "python") -> str:
    """The code with all fixes put in at once: they never overlap."""
    return apply_edits(code, [edit for finding in found_in(code, language) if finding.fix for edit in finding.fix.edits])


def test_bidi_controls_are_named() -> None:
    """High, security, with the code points."""
    code = 'var a = "user";\nif (a != "user\u202e \u2066// only for admins\u2069 \u2066") {\n  go();\n}\n'
    (finding,) = found_in(code, "javascript")

    assert (finding.start_line, finding.severity, finding.category, finding.rule_id) == (2, "high", "security", "text/bidi-control")
    assert all(name in finding.message for name in ("U+202E", "U+2066", "U+2069"))
    assert "\u202e" not in finding.message
    assert finding.fix is None


def test_bidi_controls_are_found_in_prose_too() -> None:
    """Markdown and unknown languages are no excuse."""
    assert [finding.rule_id for finding in found_in("see \u202e here", "markdown")] == ["text/bidi-control"]


def test_hidden_tag_characters_are_found_anywhere() -> None:
    """Text smuggled in invisible copies of ASCII."""
    (finding,) = found_in("x = 1  # fine\U000e0061\U000e0062\n")

    assert (finding.rule_id, finding.severity) == ("text/hidden-text", "high")


def test_non_breaking_spaces_are_one_finding_and_one_fix() -> None:
    """At the first line of the kind; strings and comments keep theirs."""
    code = f"def area(w, h):\n{NBSP * 4}x = 'a{NBSP}b'  # a{NBSP}b\n{NBSP * 4}return w * h\n"
    (finding,) = found_in(code)

    assert (finding.start_line, finding.severity) == (2, "medium")
    assert "U+00A0" in finding.message
    assert mended(code) == f"def area(w, h):\n    x = 'a{NBSP}b'  # a{NBSP}b\n    return w * h\n"


def test_space_that_the_language_takes_for_layout_is_a_trifle() -> None:
    """JavaScript reads U+00A0 as a space."""
    assert [finding.severity for finding in found_in(f"let{NBSP}a = 1;\n", "javascript")] == ["low"]


def test_full_width_punctuation_is_mended_outside_of_strings() -> None:
    """A finding a line; Chinese names and strings stay."""
    code = 'def 标签(价格, 会员)：\n    if 会员：\n        价格 = 价格 * 2\n    return "价格：" + str(价格)\n'
    findings = found_in(code)

    assert [(finding.start_line, finding.start_column) for finding in findings] == [(1, 15), (2, 10)]
    assert "U+FF1A" in findings[0].message
    assert mended(code) == 'def 标签(价格, 会员):\n    if 会员:\n        价格 = 价格 * 2\n    return "价格：" + str(价格)\n'


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("print（“你好，don't”）\n", 'print("你好，don\'t")\n'),
        ("x = ‘a’ ＋ y\n", "x = 'a' + y\n"),
        ("f(a， b；c)\n", "f(a, b;c)\n"),
        ("if a ≤ b：\n    pass\n", "if a <= b:\n    pass\n"),
        ('y = f"{a，b}：" # ：\n', 'y = f"{a,b}：" # ：\n'),
    ],
)
def test_typographic_characters_become_ascii(code: str, right: str) -> None:
    """What stands between typographic quotes is a string, and stays."""
    assert mended(code) == right


def test_text_between_tags_is_prose() -> None:
    """JSX may say what it likes between tags."""
    assert found_in("const a = <p>你好，世界：（一）</p>;\n", "javascript") == []
    assert [finding.start_line for finding in found_in("const a = <p>你好，</p>;\nlet b＝1;\n", "javascript")] == [2]


@pytest.mark.parametrize("language", ["markdown", "text", "html"])
def test_prose_may_use_its_punctuation(language: str) -> None:
    """No finding for typography outside of code."""
    assert found_in(f"你好，世界 “a” {NBSP}b\n", language) == []


def test_zero_width_space_in_code_is_taken_out() -> None:
    """In a string it may be meant."""
    code = 'x = "a\u200bb"\ny\u200b = 1\n'
    (finding,) = found_in(code)

    assert (finding.rule_id, finding.start_line) == ("text/invisible-character", 2)
    assert mended(code) == 'x = "a\u200bb"\ny = 1\n'


def test_blank_letter_is_security() -> None:
    """A name that can't be seen (U+3164)."""
    (finding,) = found_in("const { a,\u3164 } = q;\n", "javascript")

    assert (finding.rule_id, finding.severity, finding.fix) == ("text/invisible-character", "high", None)


def test_lookalike_letter_in_a_latin_name_is_found() -> None:
    """Names wholly in another script are legal, and so are Greek letters in formulas."""
    assert [finding.rule_id for finding in found_in("sc\u043epe = 1\n")] == ["text/lookalike-letter"]
    assert found_in("привет = 1\nσ_x = 2\nuser_名 = 3\n") == []


def test_mixed_indentation_is_told_at_its_line() -> None:
    """The tab lines stay, the offending line gets the style of its neighbours."""
    code = "def count(words):\n\tseen = {}\n\tfor w in words:\n\t\tseen[w] = seen.get(w, 0) + 1\n        return seen\n"
    (finding,) = found_in(code)

    assert (finding.start_line, finding.rule_id) == (5, "text/tabs-and-spaces")
    assert mended(code) == code.replace("        return", "\treturn")


def test_all_mixed_lines_are_mended_together() -> None:
    """One finding, at the first; a fix of one line alone would not parse."""
    code = "def f(a):\n\tif a:\n\t\tx = 1\n\n        # note\n        y = 2\n        return x\n"
    (finding,) = found_in(code)

    assert finding.start_line == 6
    assert "1 more line" in finding.message
    assert mended(code) == "def f(a):\n\tif a:\n\t\tx = 1\n\n        # note\n\ty = 2\n\treturn x\n"


@pytest.mark.parametrize(
    "code",
    [
        "def f(a):\n\tif a:\n\t\treturn 1\n\treturn 2\n",
        "def f(\n\ta,\n        b):\n    return a\n",
        'def f(a):\n    """\n\tdoc\n    """\n    return a\n',
        "def f(a):\n    x = a + \\\n\t1\n    return x\n",
        "def f(a):\n    return a\n\ndef g(a):\n\treturn a\n",
        "if a:\n        if b:\n        \tc()\n",
    ],
)
def test_legal_indentation_is_left(code: str) -> None:
    """Tabs here and spaces there are legal in different blocks, in brackets, strings and continued lines."""
    assert found_in(code) == []


@pytest.mark.parametrize("code", ["", "\x00", "'''", "“", "\t\n \t\n", "\ud800：\n"])
def test_odd_text_does_no_harm(code: str) -> None:
    """No text is an error."""
    assert isinstance(found_in(code), list)


def test_version_and_description_are_words() -> None:
    """Part of the basis of a verification."""
    assert ANALYZER.version().startswith("text ")
    assert ANALYZER.supports("anything")
    assert ANALYZER.describe("python")
