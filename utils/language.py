"""The language of a pasted text: what the user or the text says first, else the grammar that can read most of it.

Counting the characters that a grammar can't place tells complete functions apart almost always (99.8 % of 984 functions in
six languages); spellings decide between grammars that do equally well, as JavaScript and TypeScript often do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from utils.language_forms import form_of
from utils.language_marks import scores
from utils.language_names import (
    ALIASES,
    CODE,
    EXTENSIONS,
    LANGUAGES,
    NOT_CODE,
    canonical,
    language_of_file,
    language_of_modeline,
    language_of_shebang,
    language_of_tag,
)
from utils.parse_limits import is_readable
from utils.prose import is_markdown, reads_as_prose, without_fences
from utils.syntax import PARSED, parse_errors

__all__ = ["ALIASES", "CODE", "EXTENSIONS", "LANGUAGES", "NOT_CODE", "Detected", "canonical", "detect", "is_code", "language_of_tag"]

_JUDGED = 12_000
"""Characters that grammars look at; more takes longer and tells no more."""
_SPELLED = 5_000
"""Characters in which spellings are looked for, as long as there are some in them."""
_LINE_JUDGED = 300
"""Spellings are looked for in pieces of a line: patterns with `.*` would take quadratic time on a minified line."""
_TIE = 0.02
"""Share of the text within which two grammars read it equally well."""
_CLEAR_LEAD = 3
"""A language whose grammar reads everything is taken at once when its spellings score this many times the next one's."""
_CLEAR_SCORE = 6
_TELLING = 2
"""A score from which spellings alone decide about a text that was cut off."""
_SOME_LEAD = 1.3
_LOUD = 20
"""A score that no prose reaches, its fenced code left out."""
_HEARD = 4
"""A score that one stray spelling in a comment does not reach."""
_WEAK = 6
"""A language with less than this part of the best score is only asked when the better ones can't read the text."""
_AT_LEAST = 2
_FEW_LINES = 3
"""A text of so few lines is mostly a piece of something: grammars have little to go by."""
_UNREADABLE = 0.5
"""Share of unreadable characters from which no grammar fits."""
_MOST_GIVEN_UP = 3
"""Each that can't read the text takes up to half a second of computing to find out."""
_PERMISSIVE = frozenset({"bash", "ruby", "php", "sql"})
"""Grammars that read nearly anything as a command or a call: they need a spelling of their own."""
_AS_TYPED = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "\u00a0\u3000\u2007\u202f"), " ")
    | {0x200B: None, 0xFEFF: None}
)
"""Full-width signs as the ASCII ones they were meant to be, odd spaces as blanks: a mistake in the code says nothing about its language."""
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/|(?m:^[ \t]*//[^\n]*)")
"""What is said in a comment is in no programming language (the marks of `#` are left: shell and preprocessor use it)."""
_PREAMBLE = re.compile(
    r"(?>[ \t]*+(?:\#(?![a-z])[^\n]*|//[^\n]*|--[ \t][^\n]*|/\*.*?\*/|\"{3}.*?\"{3}|'{3}.*?'{3})?+[ \t]*+\n)++", re.DOTALL
)
"""Comments in front of everything else: a licence, or padding that would hide what follows. Possessive: no second try at any place."""
_PHP = re.compile(r"(?m)^[ \t]*<\?(?:php\b|=)")
_PHP_LINE = re.compile(r"(?m)^[ \t]*<\?(?:php\b|=)[^\n]*")
_OWN = 3
"""The score of one spelling that hardly another language has."""
_AT_MARGIN = re.compile(
    r"(?m)^(?=(?:async |export |public |static |pub )*(?:def|class|func|function|fn|impl|struct|interface|template|@)\b)"
)
_SIGNS = re.compile(r"[=(){}\[\];+*/<>|&.:\"'%^~!@$\\-]")


@dataclass(frozen=True)
class Detected:
    """`language` is one of LANGUAGES, or what the user said. `reason` is a phrase for a user ("file name", "looks like go").

    `certain` is False when `runner_up` fits (nearly) as well, or when the text is too short to tell. `note` is a sentence for a
    user when what the text says of itself and what it reads like are not the same.
    """

    language: str
    reason: str
    runner_up: str = ""
    certain: bool = True
    note: str = ""


def detect(text: str, hint: str | None = None, filename: str | None = None, tag: str | None = None) -> Detected:
    """The language of `text`. `hint` is what the user says, `tag` the info string of a Markdown fence.

    Never raises; an unknown hint is kept as it is, in lower case.
    """
    if hint and hint.strip():
        return Detected(canonical(hint), "as given")
    for language, reason in (
        (language_of_file(filename) if filename else None, "file name"),
        (language_of_tag(tag) if tag else None, "fence"),
    ):
        if language:
            return Detected(language, reason)
    for language, reason in ((language_of_shebang(text), "first line"), (language_of_modeline(text), "mode line")):
        if language:
            return _unless_it_reads_otherwise(Detected(language, reason), text)
    return _judge(text)


def _unless_it_reads_otherwise(said: Detected, text: str) -> Detected:
    """What the text says of itself, unless another grammar reads it without errors where that one can't: the code is what runs."""
    part = _beginning(text).translate(_AS_TYPED)
    marks = _spellings(part)
    fits = said.language in PARSED and not parse_errors(part, said.language)
    if fits and is_code(said.language) and (said.language not in _PERMISSIVE or marks[said.language]):
        return said
    bare = _PHP_LINE.sub("", part)
    read = _judge(bare)
    allowed = int(_TIE * len(bare)) if len(part) < len(text) else 0
    is_own = is_code(read.language) and read.language not in {said.language, *_PERMISSIVE} and marks[read.language] >= _OWN
    if is_own and parse_errors(bare, read.language) <= allowed:
        note = f"The {said.reason} says {said.language}, but the code is {read.language}, and was taken for that; --lang names it."
        return Detected(read.language, f"reads as {read.language}", said.language, note=note)
    is_rival = is_code(read.language) and read.certain
    if fits or read.language == said.language or (said.language == "php" and not is_rival):
        return said  # templates of PHP have errors for its grammar
    other = f", though it may be {read.language}" if is_rival else ""
    return replace(said, note=f"The language was taken from the {said.reason}: {said.language}{other}; --lang names it.")


def is_code(language: str) -> bool:
    """True for a programming language that detection knows."""
    return language in CODE


def _judge(text: str) -> Detected:
    """By the text alone."""
    part = _beginning(text).translate(_AS_TYPED)
    if not part.strip("\ufeff \t\r\n"):
        return Detected("unknown", "empty", certain=False)
    if _PHP.search(part):
        return _unless_it_reads_otherwise(Detected("php", "<?php tag"), text)
    form = form_of(text, part)
    if form:
        return Detected(form, f"reads as {form}")
    marks = _spellings(part)
    loudest = max(marks.values())
    if (loudest <= _TELLING and reads_as_prose(part)) or (not loudest and not _SIGNS.search(part)):
        return Detected("unknown", "reads as prose", certain=False)
    if is_markdown(part) and not _is_program(part, _spellings(without_fences(part))):
        return Detected("markdown", "reads as markdown")
    return _rank(part, marks, is_cut=len(part) < len(text) or part.count("\n") <= _FEW_LINES or _is_cut(part))


def _is_program(part: str, marks: dict[str, int]) -> bool:
    """True when a grammar reads what its own spellings speak for; a permissive one reads Markdown as well."""
    first = max(CODE, key=lambda name: marks[name])
    if marks[first] <= _TELLING or first in _PERMISSIVE:
        return False
    return marks[first] >= _LOUD or parse_errors(part, first) <= _TIE * len(part)


def _spellings(part: str) -> dict[str, int]:
    """Scores of the first piece of the text that has any: a licence may stand in front."""
    marks: dict[str, int] = {}
    bare = _COMMENT.sub(" ", part)
    for start in range(0, max(1, len(bare)), _SPELLED):
        marks = scores(_wrapped(bare[start : start + _SPELLED]))
        if any(marks.values()):
            break
    return marks


def _beginning(text: str) -> str:
    """The part that is judged, cut where something new begins at the margin, or else at a line's end."""
    if len(text) <= _JUDGED:
        return text
    preamble = _PREAMBLE.match(text)
    if preamble and _JUDGED // 2 < preamble.end() < len(text):
        return _beginning(text[preamble.end() :])
    begins = [found.start() for found in _AT_MARGIN.finditer(text, _JUDGED // 2, _JUDGED)]
    end = begins[-1] if begins else text.rfind("\n", _JUDGED // 2, _JUDGED)
    return text[:end] if end > 0 else text[:_JUDGED]


def _wrapped(part: str) -> str:
    """Long lines in pieces."""
    if max(map(len, part.split("\n"))) <= _LINE_JUDGED:
        return part
    pieces = [line[at : at + _LINE_JUDGED] for line in part.split("\n") for at in range(0, max(1, len(line)), _LINE_JUDGED)]
    return "\n".join(pieces)


def _rank(part: str, marks: dict[str, int], *, is_cut: bool) -> Detected:
    """Fewest unreadable characters, then spellings, then the fixed order."""
    if len(part) >= _JUDGED and not any(marks.values()):
        # One endless line: what was cut off makes any grammar stumble.
        return Detected(CODE[0], "nothing tells", certain=False)
    by_marks = sorted(CODE, key=lambda name: (-marks[name], CODE.index(name)))
    first, second = by_marks[0], by_marks[1]
    if first == "sql" and marks["sql"]:
        return Detected("sql", "looks like sql")
    runner_up = second if marks[second] else ""
    is_clear = marks[first] >= max(_CLEAR_SCORE, _CLEAR_LEAD * marks[second])
    if is_clear:
        # Also when it does not parse: code with a mistake in it is what people paste.
        return Detected(first, f"looks like {first}", runner_up)
    if is_cut and marks[first] >= max(_TELLING, _SOME_LEAD * marks[second]):
        return Detected(first, f"looks like {first}", runner_up, marks[first] > _TELLING)
    return _rank_by_grammar(part, marks)


def _rank_by_grammar(part: str, marks: dict[str, int]) -> Detected:
    """The grammars that read most of it, ordered by what speaks for their languages."""
    errors = _errors(part, marks)
    limit = min(errors.values()) + max(1, int(len(part) * _TIE))
    order = sorted(errors, key=lambda name: (errors[name] > limit, -marks[name], errors[name], CODE.index(name)))
    best, runner_up = order[0], order[1] if len(order) > 1 else ""
    if not marks[best] and errors[best] > len(part) * _UNREADABLE:
        return Detected("unknown", "no language fits", certain=False)
    certain = marks[best] > 0 and (not runner_up or errors[runner_up] > limit or marks[best] > marks[runner_up])
    return Detected(best, f"looks like {best}", runner_up, certain)


def _errors(part: str, marks: dict[str, int]) -> dict[str, int]:
    """Unreadable characters by language: of those that something speaks for, and of all when none of them reads the text."""
    loudest = max(marks.values())
    likely = {name for name in CODE if name != "sql" and marks[name] and marks[name] * _WEAK >= loudest}
    errors = _read(part, [name for name in CODE if name in likely])
    if len(errors) < _AT_LEAST or min(errors.values()) > _TIE * len(part):
        # A language that nothing speaks for only comes in when nothing speaks up at all.
        others = [name for name in CODE if name not in likely and (marks[name] or (loudest < _HEARD and name not in _PERMISSIVE))]
        errors |= _read(part, [name for name in others if name != "sql"])
    return errors


def _read(part: str, names: Sequence[str]) -> dict[str, int]:
    """Unreadable characters by language; all of them from where on so many grammars could not read the text in good time."""
    errors: dict[str, int] = {}
    for name in names:
        given_up = sum(not is_readable(part, tried) for tried in errors) >= _MOST_GIVEN_UP
        errors[name] = len(part) if given_up else parse_errors(part, name)
        if given_up:
            return errors | dict.fromkeys(names[len(errors) :], len(part))
    return errors


def _is_cut(part: str) -> bool:
    """True for a text that ends in the midst of a block, bracket or docstring: grammars stumble over it."""
    opened = sum(map(part.count, "([{"))
    closed = sum(map(part.count, ")]}"))
    return abs(opened - closed) > max(0, opened // 50) or part.count('"""') % 2 == 1
