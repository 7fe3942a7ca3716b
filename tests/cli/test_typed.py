"""When a typed block is finished, and what is in it."""

from __future__ import annotations

import pytest

from cli.typed import Typed, ends_block, is_command, submitted


@pytest.mark.parametrize("text", ["x = 1\nEOF", "x = 1\n  EOF\t", "EOF", "<<END\nEOF\nEND"])
def test_the_end_mark_ends_a_block(text: str) -> None:
    """EOF as the last line ends a block, blanks around it ignored; after <<TAG it is TAG."""
    assert ends_block(text)


@pytest.mark.parametrize("text", ["x = 1", "EOF\nx = 1", "x = EOF", "<<END\nx\nEOF", "<<END"])
def test_anything_else_does_not(text: str) -> None:
    """A line EOF that is not the last one, a word EOF in a line, and another tag are code."""
    assert not ends_block(text)


@pytest.mark.parametrize("text", ["/quit", " /help ", "/undo\n", "\n/quit", "/nonsense", "/forget abc", "help", " exit ", "quit\n"])
def test_a_single_word_after_a_slash_is_a_command(text: str) -> None:
    """Also one nobody knows: it is answered, not reviewed."""
    assert is_command(text)


@pytest.mark.parametrize(
    "text", ["// a comment", "/* a comment */", "/abc/.test(x)", "/quit\nx", "a /quit", "exit(1)", "exit\nx", "quit now"]
)
def test_code_that_begins_with_a_slash_is_code(text: str) -> None:
    """Comments and regular expressions begin with a slash too."""
    assert not is_command(text)


def test_a_line_eof_inside_a_block_is_code() -> None:
    """Only the last end mark is taken off."""
    assert submitted("cat <<EOF\nx\nEOF\ny = 1\nEOF\n\n") == Typed("cat <<EOF\nx\nEOF\ny = 1\n")


def test_a_tagged_block_loses_both_marks() -> None:
    """<<TAG and TAG are not code, a line EOF between them is."""
    assert submitted("<<END\nx\nEOF\nEND") == Typed("x\nEOF\n")


def test_a_block_may_be_submitted_without_a_mark() -> None:
    """Esc-Enter and Ctrl-D submit what is there."""
    assert submitted("x = 1") == Typed("x = 1")


def test_only_the_mark_is_an_empty_block() -> None:
    """There is nothing to review in it."""
    assert submitted("EOF\n") == Typed("")


def test_a_command_has_a_name_and_a_rest() -> None:
    """Blanks around them don't count, those inside the rest do."""
    typed = submitted(" /load  a b.py \n")
    assert (typed.name, typed.rest) == ("/load", "a b.py")
    assert (submitted("/undo").name, submitted("/undo").rest) == ("/undo", "")


@pytest.mark.parametrize(("word", "name"), [("help", "/help"), ("quit", "/quit"), ("exit", "/quit")])
def test_words_that_people_type_to_leave_are_commands(word: str, name: str) -> None:
    """Without the slash, alone."""
    assert submitted(word) == Typed(name, is_command=True)
