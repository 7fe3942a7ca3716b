"""Secrets are reported where their placeholders stand; the analyser never sees one."""

from __future__ import annotations

from rules.secrets import RULE_ID, SecretAnalyzer
from schema.source import Source
from utils.redact import redact

TOKEN = "ghp_" + "a1B2" * 9


def test_placeholder_is_a_finding_that_names_the_kind() -> None:
    """High, security, on the secret's line; the value is nowhere."""
    text = redact(f'a = 1\nTOKEN = "{TOKEN}"\n').text
    (finding,) = SecretAnalyzer().analyze(Source(text, "python"))

    assert (finding.rule_id, finding.start_line, finding.start_column) == (RULE_ID, 2, 10)
    assert (finding.severity, finding.category) == ("high", "security")
    assert "GitHub token" in finding.message
    assert TOKEN not in finding.evidence


def test_two_secrets_on_a_line_are_one_finding() -> None:
    """The line is told once."""
    text = redact(f'A = "{TOKEN}"; B = "{"AKIA" + "IOSFODNN7EXAMPLE"}"').text
    (finding,) = SecretAnalyzer().analyze(Source(text, "python"))

    assert "GitHub token, AWS access key" in finding.message


def test_text_without_placeholders_has_no_finding() -> None:
    """Any language is supported, nothing is guessed."""
    assert SecretAnalyzer().supports("anything")
    assert SecretAnalyzer().analyze(Source('password = input("? ")\n', "python")) == []


def test_a_password_in_an_explanation_is_low() -> None:
    """In a docstring or a comment of its own it is mostly made up; behind code, and of a known format, it is not."""
    code = (
        "def f():\n    '''Call it so:\n\n    password = 'Hunter2Hunter2'\n    '''\n"
        f"    # password = 'Hunter3Hunter3'\n    # {TOKEN}\n    password = 'Hunter4Hunter4'\n"
    )
    found = SecretAnalyzer().analyze(Source(redact(code).text, "python"))

    assert [(finding.start_line, finding.severity) for finding in found] == [(4, "low"), (6, "low"), (7, "high"), (8, "high")]


def test_the_finding_ends_where_the_secret_ends() -> None:
    """With two of them, at the end of the second; what stands behind it is no part of it."""
    code = f'A = "{TOKEN}"; B = "{"AKIA" + "IOSFODNN7EXAMPLE"}"; c = 1'
    (finding,) = SecretAnalyzer().analyze(Source(redact(code).text, "python"))

    assert finding.end_column == code.index('"; c = 1') + 1
