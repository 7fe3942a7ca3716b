"""The prompt, fed key strokes as a terminal sends them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
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


def sent(keys: PipeInput, prompt: Prompt, *texts: str) -> list[Typed]:
    """Each text typed at a prompt of its own, and what came of it."""

    async def read_all() -> list[Typed]:
        read = []
        for text in texts:
            keys.send_text(text)
            read.append(await prompt.read())
        return read

    return asyncio.run(read_all())


def test_the_end_sequence_inside_a_paste_presses_no_enter_behind_a_command(keys: PipeInput) -> None:
    """What follows without a pause belongs to the paste: it empties no line, submits no command and ends no session."""
    evil = "\x1b[200~x = 1\n\x1b[201~\x15\x03\x04/write --over a.py\r/accept\rEOF\r"
    (block,) = sent(keys, Prompt(keys, DummyOutput()), evil)
    assert block == Typed("x = 1\n\x15\x03\x04/write --over a.py\n/accept\n")


def test_nothing_of_a_submitted_paste_is_typed_into_the_next_prompt(keys: PipeInput) -> None:
    """Neither what was read with it nor what comes right behind; afterwards commands work."""
    paste = f"\x1b[200~{KEEP}EOF\n\x1b[201~/accept\r" + "/write a.py\r" * 200
    assert sent(keys, Prompt(keys, DummyOutput()), paste, "/undo\r") == [Typed(KEEP), Typed("/undo", is_command=True)]


def test_after_a_pause_keys_are_keys_again(keys: PipeInput) -> None:
    """Ctrl-U empties the line behind a paste, and a command can be typed."""

    async def type_slowly() -> Typed:
        keys.send_text("\x1b[200~x = 1\x1b[201~")
        asyncio.get_running_loop().call_later(0.5, keys.send_text, "\x15/undo\r")
        return await Prompt(keys, DummyOutput()).read()

    assert asyncio.run(type_slowly()) == Typed("/undo", is_command=True)


def test_a_large_paste_is_one_block(keys: PipeInput) -> None:
    """5,000 lines, more than a pipe holds, with CRLF ends."""
    code = "".join(f"x{number} = {number}\n" for number in range(5_000))
    paste = "\x1b[200~" + code.replace("\n", "\r\n") + "EOF\r\n\x1b[201~"
    typist = threading.Thread(target=lambda: [keys.send_text(paste[at : at + 4_096]) for at in range(0, len(paste), 4_096)], daemon=True)
    typist.start()
    assert asyncio.run(Prompt(keys, DummyOutput()).read()) == Typed(code)
    typist.join()


def test_the_up_arrow_recalls_blocks_and_what_was_discarded(keys: PipeInput) -> None:
    """The block with its end mark, so that Enter submits it again."""
    prompt = Prompt(keys, DummyOutput())
    assert sent(keys, prompt, "x = 1\rEOF\r", "\x1b[A\r") == [Typed("x = 1\n")] * 2
    with pytest.raises(KeyboardInterrupt):
        sent(keys, prompt, "y = 2\x03")
    assert prompt.discarded
    assert sent(keys, prompt, "\x1b[A\x04") == [Typed("y = 2")]


def test_tab_completes_commands_and_indents_code(keys: PipeInput) -> None:
    """The first Tab completes what is certain; in code it is a tab, at the start of a line too."""
    assert read(keys, "/exa\t\r") == Typed("/example", is_command=True)
    assert read(keys, "\tx\r\ty\x04") == Typed("\tx\n\ty")


def test_enter_in_the_menu_chooses_and_does_not_submit(keys: PipeInput) -> None:
    """No single key runs a command that the menu filled in."""

    async def choose() -> Typed:
        completed = Prompt(keys, DummyOutput(), completer=_TwoIds())
        keys.send_text("/forget \t")
        loop = asyncio.get_running_loop()
        loop.call_later(0.3, keys.send_text, "\t\r")
        loop.call_later(0.6, keys.send_text, " now\r")
        return await completed.read()

    assert asyncio.run(choose()) == Typed("/forget aaaa11 now", is_command=True)


class _TwoIds(Completer):
    """Offers two words that begin differently."""

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        yield from (Completion("aaaa11"), Completion("bbbb22"))


@pytest.mark.parametrize("word", ["help", "quit", "exit"])
def test_words_that_leave_are_submitted_by_enter(keys: PipeInput, word: str) -> None:
    """Alone in the first line."""
    assert read(keys, f"{word}\r").is_command


def test_control_c_right_behind_enter_is_seen(keys: PipeInput) -> None:
    """It came too soon to be a signal; what was typed behind it is for the next prompt."""
    prompt = Prompt(keys, DummyOutput())
    assert sent(keys, prompt, "x = 1\rEOF\r\x03/un") == [Typed("x = 1\n")]
    assert prompt.is_stopped
    assert sent(keys, prompt, "do\r") == [Typed("/undo", is_command=True)]
    assert not prompt.is_stopped
