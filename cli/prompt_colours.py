"""Colours of code while it is edited: by the language that was set, else by a guess from the first lines.

The guess is made in a thread, so that no key waits for it. Of a long text nothing is coloured: each key would read all of it.
Only colours of the sixteen that read well on light and dark; comments are dim, which is no colour.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.formatted_text.utils import split_lines
from prompt_toolkit.lexers import Lexer

from cli.prompt_completion import completes
from cli.running import in_daemon_thread

STYLES = {
    "code.comment": "dim",
    "code.docstring": "dim",
    "code.preproc": "ansimagenta",
    "code.string": "ansigreen",
    "code.keyword": "ansimagenta",
    "code.number": "ansicyan",
}
MOST_LINES = 500
_MOST_CHARACTERS = 20_000
_MOST_LINES_OF_OTHERS = 150
"""For the languages that we lex with Pygments: it takes ten times as long."""
_GUESSED_FROM = 2_000
"""Characters at the start of the text that a guess looks at."""

Guess = Callable[[str], str]


class Colours:
    """Follows what is typed and says which lexer fits. `show` is called with it, None for none."""

    def __init__(self, chosen: Callable[[], str | None], show: Callable[[Lexer | None], object], guess: Guess | None = None) -> None:
        self._chosen = chosen
        self._show = show
        self._guess = guess or _guessed
        self._lexers: dict[str, CodeLexer] = {}
        self._head = ""
        self._guessing: asyncio.Task[None] | None = None

    def follow(self, text: str) -> None:
        """Called in the loop's thread with every change. Cheap: what takes time goes on in a thread."""
        if completes(text) or not text.strip():
            self._head = ""
            self._show(None)
        elif language := self._chosen():
            self._show(self._lexer(language))
        elif (head := _head(text)) and head != self._head and self._guessing is None:
            self._head = head
            self._guessing = asyncio.create_task(self._look(head))

    async def settled(self) -> None:
        """Wait for the guess that is being made, if one is."""
        if self._guessing is not None:
            await self._guessing

    async def _look(self, head: str) -> None:
        """Guess, and show it unless that text is gone by now."""
        try:
            language = await in_daemon_thread(lambda: self._guess(head))
        except Exception:  # noqa: BLE001 - colours are not worth a word; what is broken is reported where it is needed
            return
        finally:
            self._guessing = None
        if self._head == head:
            self._show(self._lexer(language))

    def _lexer(self, language: str) -> CodeLexer:
        return self._lexers.setdefault(language, CodeLexer(language))


def _head(text: str) -> str:
    """The complete lines at the start of the text: a guess is made anew with a line, not with every letter."""
    return text[:_GUESSED_FROM].rpartition("\n")[0]


def _guessed(head: str) -> str:
    from utils.language import detect  # late: 80 ms, when the prompt has long been shown

    return detect(head).language


class CodeLexer(Lexer):
    """Pieces of one language as styled fragments."""

    def __init__(self, language: str) -> None:
        self.language = language

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The fragments of each line; plain text where the text is too long."""
        lines = list(split_lines(list(self._fragments(document.text)))) if self._fits(document) else None

        def line(number: int) -> StyleAndTextTuples:
            if lines is None:
                return [("", document.lines[number])] if number < len(document.lines) else []
            return list(lines[number]) if number < len(lines) else []

        return line

    def _fits(self, document: Document) -> bool:
        from utils.lexers import GRAMMARS  # late, as above

        most = MOST_LINES if self.language in GRAMMARS else _MOST_LINES_OF_OTHERS
        return len(document.text) <= _MOST_CHARACTERS and document.line_count <= most

    def _fragments(self, text: str) -> Iterator[tuple[str, str]]:
        from utils.keywords import KEYWORDS  # late, as above

        keywords, at = KEYWORDS.get(self.language, frozenset()), 0
        for group, start, end in _pieces(text, self.language):
            said = text[start:end]
            yield "", text[at:start]
            yield f"class:code.{'keyword' if said in keywords else group}", said
            at = end
        yield "", text[at:]


def _pieces(text: str, language: str) -> Iterator[tuple[str, int, int]]:
    from utils.lexers import GRAMMARS, lex  # late, as above

    if language in GRAMMARS:
        return lex(text, language)
    from utils.foreign_lexers import lex_with_pygments  # late: only these languages need Pygments

    return lex_with_pygments(text, language) or iter(())
