"""Colours of code while it is edited."""

from __future__ import annotations

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.lexers import Lexer

from cli.prompt_colours import MOST_LINES, STYLES, CodeLexer, Colours

KEEP = 'def keep(x):\n    """Say."""\n    return 1  # one\n'


def coloured(code: str, language: str) -> list[list[tuple[str, str]]]:
    """The fragments of each line, those without text left out."""
    document = Document(code)
    line = CodeLexer(language).lex_document(document)
    return [[(part[0], part[1]) for part in line(number) if part[1]] for number in range(document.line_count)]


def test_words_strings_and_comments_have_their_styles() -> None:
    """A string over several lines would go on in the next."""
    first, second, third, last = coloured(KEEP, "python")
    assert first[0] == ("class:code.keyword", "def")
    assert ("class:code.string", '"""Say."""') in second
    assert third[-1] == ("class:code.comment", "# one")
    assert last == []


@pytest.mark.parametrize("language", ["python", "go", "ruby", "sql", "unknown", "no such language"])
@pytest.mark.parametrize("code", [KEEP, "x = '", "/* open", "\n\n", "\tx\x00\x1b[2J\ud800", "日本 = '語'  # 👩‍💻\n"])
def test_no_character_is_lost_or_moved(code: str, language: str) -> None:
    """Whatever the text and the language."""
    assert ["".join(text for _, text in line) for line in coloured(code, language)] == code.split("\n")


def test_a_long_text_has_no_colours() -> None:
    """Each key would read all of it."""
    long = "x = 'a'\n" * MOST_LINES
    assert {style for line in coloured(long, "python") for style, _ in line} == {""}
    assert {style for line in coloured(long[:-8], "python") for style, _ in line} > {""}


def test_styles_name_no_colour_that_a_background_swallows() -> None:
    """Of the sixteen: no yellow, white, black, grey or blue."""
    assert set(STYLES.values()) <= {"dim", "ansimagenta", "ansigreen", "ansicyan", "ansired"}


async def followed(*texts: str, chosen: str | None = None) -> list[str | None]:
    """The language shown after each text."""
    shown: list[str | None] = [None]

    def show(lexer: Lexer | None) -> None:
        shown[0] = lexer.language if isinstance(lexer, CodeLexer) else None

    def guess(head: str) -> str:
        if "broken" in head:
            raise ImportError
        return "go" if "func" in head else "python"

    colours, seen = Colours(lambda: chosen, show, guess), []
    for text in texts:
        colours.follow(text)
        await colours.settled()
        seen.append(shown[0])
    return seen


async def test_the_language_is_guessed_from_complete_lines() -> None:
    """In the background; an emptied prompt has none, and neither has a command."""
    assert await followed("func", "func a()\n", "", "/load func", "def a():\n  x") == [None, "go", None, None, "python"]


async def test_a_language_that_was_set_is_not_guessed() -> None:
    """From the first letter on."""
    assert await followed("f", chosen="rust") == ["rust"]


async def test_a_guess_that_fails_costs_the_colours_only() -> None:
    """It would end the prompt otherwise."""
    assert await followed("broken\n", "broken\nx\n") == [None, None]
