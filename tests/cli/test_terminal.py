"""The prompt, fed key strokes as a terminal sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli.terminal import Prompt
from cli.typed import Typed

KEEP = "def keep(x, seen=[]):\n    seen.append(x)\n    return seen\n"


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    """Where the test types."""
    with create_pipe_input() as opened:
        yield opened


def read(keys: PipeInput, text: str) -> Typed:
    """Type `text` and return the first submission."""
    keys.send_text(text)
    return asyncio.run(Prompt(keys, DummyOutput()).read())


def test_work_begins_once_when_the_prompt_shows(keys: PipeInput) -> None:
    """Not before: imports would hold up the drawing. Not again with every key."""
    prompt = Prompt(keys, DummyOutput())
    begun: list[str] = []
    prompt.once_shown(lambda: begun.append("begun"))
    assert begun == []

    keys.send_text("x = 1\rEOF\r")
    asyncio.run(prompt.read())

    assert begun == ["begun"]


def test_lines_as_key_strokes_are_one_block_as_it_was(keys: PipeInput) -> None:
    """Without bracketed paste nothing is submitted before EOF, and no indent is doubled."""
    assert read(keys, KEEP.replace("\n", "\r") + "EOF\r") == Typed(KEEP)


def test_tabs_are_kept(keys: PipeInput) -> None:
    """A tab key inserts a tab: it is indentation."""
    assert read(keys, "if x:\r\ty()\rEOF\r") == Typed("if x:\n\ty()\n")


def test_a_bracketed_paste_that_ends_with_eof_is_submitted(keys: PipeInput) -> None:
    """The mark may come with the paste; an earlier line EOF in it is code."""
    assert read(keys, f"\x1b[200~EOF\r\n{KEEP}EOF\n\x1b[201~") == Typed(f"EOF\n{KEEP}")


def test_a_bracketed_paste_waits_for_its_mark(keys: PipeInput) -> None:
    """A pasted line EOF in the middle submits nothing; the typed one does."""
    assert read(keys, f"\x1b[200~EOF\n{KEEP}\x1b[201~EOF\r") == Typed(f"EOF\n{KEEP}")


def test_escape_enter_and_control_d_submit(keys: PipeInput) -> None:
    """Both end a block without a mark."""
    assert read(keys, "x = 1\x1b\r") == Typed("x = 1")
    assert read(keys, "y = 1\x04") == Typed("y = 1")


def test_a_command_is_submitted_by_enter(keys: PipeInput) -> None:
    """It needs no end mark."""
    assert read(keys, "/help\r") == Typed("/help", is_command=True)


def test_a_tagged_block_may_hold_eof(keys: PipeInput) -> None:
    """<<TAG ends at TAG."""
    assert read(keys, "<<DONE\rcat <<EOF\rEOF\rDONE\r") == Typed("cat <<EOF\nEOF\n")


def test_control_d_at_an_empty_prompt_is_the_end(keys: PipeInput) -> None:
    """It raises EOFError."""
    with pytest.raises(EOFError):
        read(keys, "\x04")


def test_control_c_discards_what_was_typed(keys: PipeInput) -> None:
    """It raises KeyboardInterrupt; the next prompt is empty."""
    with pytest.raises(KeyboardInterrupt):
        read(keys, "def half(x):\r\x03")
