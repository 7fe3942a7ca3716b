"""Which characters of a code are keywords, strings, numbers or comments: what a terminal shows in colours.

Nine languages are lexed by our own lexers, in linear time and without an import; others by Pygments. The text that is lexed has
gone through `visible`, as what is printed has, so that a colour can never be the code's own escape sequence. Code too long to be
read on a screen stays plain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from reports.style import Style
from utils.keywords import KEYWORDS
from utils.lexers import GRAMMARS, lex
from utils.terminal import TAB_CELLS, visible

MOST_LINES = 500
MOST_LINES_FOREIGN = 150
"""Pygments takes a millisecond for two lines of some languages; a report must not."""
MOST_CHARACTERS = 40_000
LONGEST_LINE = 2_000
"""Minified code: lexers of other people may take quadratic time on it."""
_PROSE = frozenset({"", "unknown", "text"})
PLAIN = " "
_KINDS = {"string": "s", "number": "n", "comment": "c", "preproc": "k"}
_PAINTS = {"k": "keyword", "s": "string", "n": "number", "c": "comment"}
_FOREIGN = (("Comment", "c"), ("Keyword", "k"), ("Literal.String", "s"), ("Literal.Number", "n"))


def printed(line: str) -> str:
    """A line of code as it stands on the screen: nothing in it is obeyed, and a tab has its four cells."""
    return visible(line).replace("\t", " " * TAB_CELLS)


def kinds_of(code: str, language: str) -> list[str]:
    """One text a line with a letter for each character of `printed(line)`; empty when the code stays plain."""
    most_lines = MOST_LINES if language in GRAMMARS else MOST_LINES_FOREIGN
    if language in _PROSE or len(code) > MOST_CHARACTERS or code.count("\n") > most_lines:
        return []
    shown = "\n".join(printed(line) for line in code.split("\n"))
    if max(map(len, shown.split("\n"))) > LONGEST_LINE:
        return []
    return _letters(shown, language).split("\n")


def paint_code(text: str, kinds: str, style: Style, base: str = "") -> str:
    """The text with each character in the colour of its kind; plain ones in `base`. `kinds` may be shorter than the text."""
    if not style.colour:
        return text
    letters = kinds.ljust(len(text), PLAIN)
    painted = []
    for letter, run in groupby(range(len(text)), lambda at: letters[at]):
        places = list(run)
        kind = _PAINTS.get(letter, base)
        part = text[places[0] : places[-1] + 1]
        painted.append(style.paint(kind, part) if kind and not part.isspace() else part)
    return "".join(painted)


def kinds_at(lines: Sequence[str], number: int | None, text: str) -> str:
    """The letters of the 1-based line, when it is the text that they were made of."""
    if number is None or not 1 <= number <= len(lines) or len(lines[number - 1]) != len(text):
        return ""
    return lines[number - 1]


@lru_cache(maxsize=8)
def _letters(shown: str, language: str) -> str:
    """A letter for each character; line ends stay."""
    spans = _own_spans(shown, language) if language in GRAMMARS else _foreign_spans(shown, language)
    parts, at = [], 0
    for start, end, letter in spans:
        if start >= at:
            parts += [_blank(shown[at:start]), "\n".join(letter * len(line) for line in shown[start:end].split("\n"))]
            at = end
    return "".join([*parts, _blank(shown[at:])])


def _blank(text: str) -> str:
    return "\n".join(PLAIN * len(line) for line in text.split("\n"))


def _own_spans(shown: str, language: str) -> Iterator[tuple[int, int, str]]:
    keywords = KEYWORDS[language]
    for group, start, end in lex(shown, language):
        if group in _KINDS:
            yield start, end, _KINDS[group]
        elif group == "name" and shown[start:end] in keywords:
            yield start, end, "k"


def _foreign_spans(shown: str, language: str) -> Iterable[tuple[int, int, str]]:
    """By Pygments; nothing for a language that it does not know."""
    from pygments.lexers import get_lexer_by_name  # late: most code needs no Pygments, which takes a while to import
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return
    for start, kind, value in lexer.get_tokens_unprocessed(shown + "\n"):  # some comments need their line's end
        name = str(kind).removeprefix("Token.")
        letter = next((letter for prefix, letter in _FOREIGN if name.startswith(prefix)), "")
        if letter:
            yield start, min(start + len(value), len(shown)), letter
