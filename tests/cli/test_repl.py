"""What the session's loop makes of what was typed, without a terminal and, mostly, without what stands behind it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli.console import Console
from cli.options import TaskOptions
from cli.repl import repl
from cli.terminal import Prompt
from cli.typed import Typed, submitted
from settings import Settings


class Script(Prompt):
    """A prompt at which the lines of a script are typed, and then Ctrl-D."""

    def __init__(self, lines: Sequence[str], **parts: Any) -> None:
        super().__init__(**parts)
        self._lines = list(lines)
        self.heard: list[str] = []
        self.spoke = asyncio.Event()

    async def read(self) -> Typed:
        """The next line."""
        if not self._lines:
            raise EOFError
        return submitted(self._lines.pop(0))

    async def say(self, sentence: str) -> None:
        """Nothing is shown here, but kept."""
        self.heard.append(sentence)
        self.spoke.set()


async def session(tmp_path: Path, *lines: str, save: bool = False) -> tuple[int, str, str]:
    """Exit status and both outputs of a session in which these lines were typed."""
    out, err = io.StringIO(), io.StringIO()
    console = Console(read=bytes, stdout=out, stderr=err)
    settings = Settings(codemind_home=tmp_path / "home", reviewer_provider="static")
    with create_pipe_input() as keys:
        status = await repl(settings, TaskOptions(save=save), console, Script(lines, source=keys, screen=DummyOutput()))
    return status, out.getvalue(), err.getvalue()


async def test_an_unknown_command_is_answered_with_what_was_probably_meant(tmp_path: Path) -> None:
    """Or with where to look."""
    status, out, err = await session(tmp_path, "/wirte a.py", "/nonsense", "/help wirte")
    assert "There is no command /wirte; did you mean /write?\n" in out
    assert "There is no command /nonsense; /help lists them.\n" in out
    assert out.count("did you mean /write?") == 2
    assert (status, err) == (0, "")


async def test_help_is_about_all_or_about_one(tmp_path: Path) -> None:
    """`help` without a slash too."""
    _, out, _ = await session(tmp_path, "help", "/help write")
    assert "/example       review a built-in example" in out
    assert "/write [--over] [PATH]\n" in out


@pytest.mark.parametrize("word", ["/quit", "quit", "exit"])
async def test_all_ways_to_leave(tmp_path: Path, word: str) -> None:
    """What would have come behind is not read."""
    status, out, _ = await session(tmp_path, word, "/nonsense")
    assert (status, "/nonsense" in out) == (0, False)


@pytest.mark.parametrize("command", ["/quit", "/undo", "/accept"])
async def test_a_command_that_takes_nothing_does_nothing_with_something_behind_it(tmp_path: Path, command: str) -> None:
    """It may be the beginning of a sentence; one line says so, and the session goes on."""
    _, out, err = await session(tmp_path, f"{command} that", "/nonsense")
    assert f"{command} takes nothing behind it: nothing was done.\n" in out
    assert "/nonsense" in out
    assert err == ""


async def test_a_failure_is_one_line_and_the_session_goes_on(tmp_path: Path) -> None:
    """Here the memory's folder is a file; every command that needs it says so, and the next is answered."""
    (tmp_path / "home").write_text("")
    _, out, err = await session(tmp_path, "/memory x", "x = 1\nEOF", "/nonsense", save=True)
    lines = err.splitlines()
    assert [line.split(":")[:2] for line in lines] == [["codemind", " storage_failed"]] * 2
    assert "/nonsense" in out


async def test_a_block_is_reviewed_and_a_blank_one_is_not(tmp_path: Path) -> None:
    """An empty block is no task."""
    _, out, err = await session(tmp_path, "EOF", "x = 1\nEOF")
    assert out.count("nothing found") == 1
    assert err == ""


class Heard(Script):
    """At which nothing is typed until something was said above it."""

    async def read(self) -> Typed:
        """The next line, once something was said."""
        await self.spoke.wait()
        return await super().read()

    def once_shown(self, begin: Callable[[], object]) -> None:
        """At once: nothing is rendered here."""
        begin()


async def test_what_is_said_above_the_prompt_is_broken_between_words(tmp_path: Path) -> None:
    """A terminal would break it in the midst of one. Here the empty memory is spoken of."""
    console = Console(read=bytes, stdout=io.StringIO(), stderr=io.StringIO(), columns=lambda: 30)
    settings = Settings(codemind_home=tmp_path / "home", reviewer_provider="static")
    with create_pipe_input() as keys:
        prompt = Heard([], source=keys, screen=DummyOutput())
        await asyncio.wait_for(repl(settings, TaskOptions(), console, prompt), 60)

    (sentence,) = prompt.heard
    assert "\r\n" in sentence
    assert all(len(line) <= 30 for line in sentence.split("\r\n"))
