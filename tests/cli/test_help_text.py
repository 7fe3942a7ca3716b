"""What the session says about itself, in terminals of any width."""

from __future__ import annotations

import pytest

from cli.commands.registry import COMMANDS
from cli.help_text import GROUPS, PASTING, WELCOME, fitted, help_page


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("text", [WELCOME, PASTING])
def test_lines_are_broken_between_words(text: str, width: int) -> None:
    """No line is wider than the terminal, and no word is lost or broken."""
    lines = fitted(text, width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == text.split()


@pytest.mark.parametrize("width", [30, 40, 80, 200])
def test_help_lists_every_command_in_the_width_there_is(width: int) -> None:
    """Each with what it does; /help and /quit are told elsewhere."""
    page = help_page("", width)
    assert max(map(len, page.splitlines())) <= width
    said = " ".join(page.split())
    assert [command.name for command in COMMANDS if command.name not in said and command.name != "/quit"] == []
    if width >= 80:
        alone = [command for command in COMMANDS if command.name not in {"/help", "/quit"} and not command.beside]
        assert [command.text for command in alone if command.text not in said] == []


def test_help_with_the_prompt_fills_a_screen_of_24_lines() -> None:
    """So that nothing of it has scrolled away: the prompt and the line below it take two."""
    assert len(help_page("", 80).splitlines()) <= 22


def test_groups_name_commands_that_exist_and_each_once() -> None:
    """A command that is renamed does not silently fall out of its group."""
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(command.name for command in COMMANDS if command.name not in {"/help", "/quit"})


@pytest.mark.parametrize("topic", ["write", "/write", " write "])
def test_help_about_a_command_shows_its_whole_usage(topic: str) -> None:
    """With or without the slash."""
    assert help_page(topic, 80).startswith("/write [--over] [PATH]\n  Write the fixed code into")


def test_help_about_pasting_and_about_nothing_there_is() -> None:
    """How code is ended is a page of its own; an unknown word has none."""
    assert "A line EOF inside a paste is code" in " ".join(help_page("paste", 40).split())
    assert help_page("wirte", 80) == ""


def test_what_a_command_does_stays_in_its_column() -> None:
    """Lines that go on are indented below the first."""
    assert "\n  /load PATH     review a file\n" in help_page("", 40)
    assert "\n  /retry         review the last code\n                 again, past the memory\n" in help_page("", 40)
