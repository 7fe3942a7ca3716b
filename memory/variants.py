"""Copies of stored code as somebody else would have it: other names, another layout, small edits away from what the fix changes.

Token operations for any language, made for measuring (`memory calibrate`): a copy need not run, but it keeps the bug. Nothing is random:
what is chosen follows from the text, so that two runs over one memory measure the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from utils.layout_tokens import STRUCTURE
from utils.lexical import Token
from utils.names import roles
from utils.tokens import scan, tokenize

MOST_EDITS = 3
_SIGILS = "$@"
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_LINE_ENDED = frozenset({"python", "ruby", "bash", "go", "kotlin", "swift", "javascript", "typescript"})
"""Languages in which a line may be a statement without a semicolon."""
_NO_STATEMENT = re.compile(
    "if|elif|else|elsif|for|foreach|while|until|do|done|def|class|func|function|fn|fun|case|when|switch|try|except|catch|finally|with"
    "|return|break|continue|throw|raise|yield|match|default|end|fi|esac|then|import|from|package|use|using|namespace|begin|rescue|ensure|loop"
)
"""Words that a line which must stay alone, and where it is, begins with."""
_EACH = 3
"""Lines from one blank line to the next in another layout."""
Edit = Callable[["_Lines", int], str | None]


def renamed(text: str, language: str) -> str:
    """Every local called otherwise; the text itself in a language whose names are not known."""
    tokens, found = tokenize(text, language), roles(text, language)
    taken = {token.text for token in tokens}
    names: dict[str, str] = {}
    parts, end = [], 0
    for token, role in zip(tokens, found, strict=True):
        if role == "local":
            word = token.text.lstrip(_SIGILS)
            parts += [text[end : token.end - len(word)], names.setdefault(word, _fresh(word, len(names), taken))]
            end = token.end
    return "".join(parts) + text[end:]


def relaid(text: str, language: str) -> str:
    """Twice the indentation and a blank line after each third; the text itself where a token runs over several lines."""
    if any("\n" in token.text for token in scan(text, language)):
        return text
    lines = [f"{line[: len(line) - len(line.lstrip())]}{line}" for line in text.split("\n")]
    return "\n".join(f"{line}\n" if number % _EACH == _EACH - 1 and not line.endswith("\\") else line for number, line in enumerate(lines))


def edited(buggy: str, fixed: str, language: str) -> str | None:
    """The buggy text with one to three small edits: another literal, a statement twice, two neighbours swapped.

    None of them on a line that the fix touches, or beside one. None when the text has no place for an edit.
    """
    wanted = 1 + _number(buggy, "edits") % MOST_EDITS
    text, done = buggy, 0
    for turn in range(2 * MOST_EDITS):
        if done == wanted:
            break
        seed = _number(buggy, f"edit {turn}")
        changed = _EDITS[seed % len(_EDITS)](_Lines(text, fixed, language), seed // len(_EDITS))
        if changed is not None and changed != text:
            text, done = changed, done + 1
    return text if done else None


def copy_of(buggy: str, fixed: str, language: str) -> str | None:
    """A copy with small edits, other names and another layout; None when the text has no place for an edit."""
    changed = edited(buggy, fixed, language)
    return None if changed is None else relaid(renamed(changed, language), language)


class _Lines:
    """A text by its lines, each with its tokens; `free` are the indices of lines that the fix leaves alone."""

    def __init__(self, text: str, fixed: str, language: str) -> None:
        self.text, self.language = text, language
        self.lines = text.split("\n")
        self.free = _untouched(self.lines, fixed.split("\n"))
        self.tokens: list[list[Token]] = [[] for _ in self.lines]
        self._broken: set[int] = set()
        ends = list(_line_ends(self.lines))
        line = 0
        for token in scan(text, language):
            while token.start > ends[line]:
                line += 1
            if token.kind not in STRUCTURE:
                self.tokens[line].append(token)
                self._broken.update(range(line, line + token.text.count("\n") + 1) if "\n" in token.text else ())

    def statements(self) -> list[int]:
        """Indices of free lines that look like one whole simple statement, in a block with the next line."""
        return [at for at in sorted(self.free) if self._is_statement(at)]

    def indent(self, at: int) -> str:
        """The blanks that a line begins with."""
        return self.lines[at][: len(self.lines[at]) - len(self.lines[at].lstrip())]

    def _is_statement(self, at: int) -> bool:
        own = self.tokens[at]
        if not own or at in self._broken or _NO_STATEMENT.fullmatch(own[0].text) or own[0].kind in {"comment", "docstring", "directive"}:
            return False
        if own[0].text[:1] in {".", *_CLOSING} or not _is_balanced(own) or not self._depth_is_level(at):
            return False
        return own[-1].text == ";" or (self.language in _LINE_ENDED and own[-1].text not in {",", ":", "\\", "+", "="})

    def _depth_is_level(self, at: int) -> bool:
        """False inside brackets that are no block."""
        before = [token.text for line in self.tokens[:at] for token in line]
        return all(before.count(opening) == before.count(closing) for opening, closing in ("()", "[]"))


def _another_literal(lines: _Lines, seed: int) -> str | None:
    found = [token for at in sorted(lines.free) for token in lines.tokens[at] if _other_value(token) is not None]
    if not found:
        return None
    token = found[seed % len(found)]
    return lines.text[: token.start] + (_other_value(token) or "") + lines.text[token.end :]


def _statement_twice(lines: _Lines, seed: int) -> str | None:
    found = lines.statements()
    if not found:
        return None
    at = found[seed % len(found)]
    return "\n".join([*lines.lines[: at + 1], *lines.lines[at:]])


def _swapped(lines: _Lines, seed: int) -> str | None:
    whole = set(lines.statements())
    found = [at for at in sorted(whole) if at + 1 in whole and lines.indent(at) == lines.indent(at + 1)]
    if not found:
        return None
    at = found[seed % len(found)]
    return "\n".join([*lines.lines[:at], lines.lines[at + 1], lines.lines[at], *lines.lines[at + 2 :]])


_EDITS: Sequence[Edit] = (_another_literal, _statement_twice, _swapped)


def _other_value(token: Token) -> str | None:
    """Another literal of the same kind; None for what is none, or not plainly one."""
    said = token.text
    if token.kind == "number" and said.isascii() and said.isdigit():
        return f"1{said}"
    if token.kind == "string" and len(said) > 1 and said[0] in "\"'" and said[-1] == said[0] and "\n" not in said:
        return f"{said[:-1]}x{said[-1]}"
    return None


def _untouched(lines: Sequence[str], fixed: Sequence[str]) -> set[int]:
    """Indices of lines that a fix neither changes nor has for neighbours."""
    free = set(range(len(lines)))
    for tag, start, end, _, _ in SequenceMatcher(None, lines, fixed, autojunk=False).get_opcodes():
        if tag != "equal":
            free -= set(range(start - 1, end + 1))
    return free


def _line_ends(lines: Sequence[str]) -> Iterator[int]:
    at = 0
    for line in lines:
        at += len(line)
        yield at
        at += 1


def _is_balanced(tokens: Sequence[Token]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _fresh(word: str, number: int, taken: set[str]) -> str:
    stem = "Other" if word[:1].isupper() else "other"
    return next(name for count in range(number, number + len(taken) + 1) if (name := f"{stem}{count}") not in taken)


def _number(text: str, purpose: str) -> int:
    """A number that follows from the text: the place of chance, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{purpose}\0{text}".encode("utf-8", "surrogatepass")).digest()[:6], "big")
