"""cli.arguments: what is built for one command line answers as what is built for all of them."""

from __future__ import annotations

import pytest

from cli.arguments import build_parser
from errors import ConfigInvalidError

LINES = [
    ["--json", "recall", "-"],
    ["fix", "a.py", "--write", "--lang", "recall"],
    ["batch", "--jobs", "3", "a.jsonl"],
    ["memory", "show", "12"],
    ["resume", "--discard"],
    ["doctor", "--sandbox"],
    ["graph"],
    ["--no-save"],
    [],
]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_one_line_is_read_as_by_the_whole_parser(words: list[str]) -> None:
    """Leaving out the options of commands that are not named changes nothing."""
    assert build_parser(words).parse_args(words) == build_parser().parse_args(words)


def test_help_lists_every_command_whatever_was_asked() -> None:
    """`codemind --help` is the same with and without a command behind it."""
    assert build_parser(["recall"]).format_help() == build_parser().format_help() == build_parser([]).format_help()


def test_help_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """COLUMNS says how wide; a narrow terminal gets more lines."""
    monkeypatch.setenv("COLUMNS", "200")
    wide = build_parser().format_help()
    monkeypatch.setenv("COLUMNS", "60")

    assert wide.count("\n") < build_parser().format_help().count("\n")


def test_wrong_usage_is_one_line_that_names_the_command() -> None:
    """Also in a command below a command."""
    with pytest.raises(ConfigInvalidError, match=r"required: ID \(see codemind memory show --help\)"):
        build_parser(["memory", "show"]).parse_args(["memory", "show"])
