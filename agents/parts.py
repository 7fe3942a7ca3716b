"""Long code: the parts of it that a model gets and returns, and how they go back into their places.

A part is the function around a finding, or a few lines where no function is; the imports come along, because a fix may need one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from utils.diff import matching_blocks
from utils.syntax import Block, functions

MAX_WHOLE_LINES = 200
"""Up to here a model gets and returns all of the code."""
WINDOW = 12
"""Lines before and behind a finding that no function holds."""
MAX_IMPORT_LINES = 80

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s|using\s|require\b|require_relative\b|package\s|extern\s+crate\b"
    r"|(?:const|let|var)\s+.*=\s*require\s*\()|\s*(?:\"[\w./-]+\"|\))\s*$"
)
_INDENT = re.compile(r"[ \t]*")

Span = tuple[int, int]
"""First and last line, 1-based and inclusive."""


@dataclass(frozen=True)
class Shown:
    """What a model sees of `code`: all of it when `spans` is empty, else those lines with `separator` between two of them."""

    code: str
    spans: tuple[Span, ...] = ()
    separator: str = ""

    @property
    def text(self) -> str:
        """The text for the prompt."""
        if not self.spans:
            return self.code
        lines = self.code.split("\n")
        return f"\n{self.separator}\n".join("\n".join(lines[first - 1 : last]) for first, last in self.spans)

    def put_back(self, answer: str) -> str:
        """The whole code with the answer in it. Raises: ValueError when the answer has not as many parts as were shown."""
        if not self.spans:
            return _with_ends_of(self.code, answer)
        dividing = rf"^[ \t]*{re.escape(self.separator)}[ \t]*$"
        pieces = re.split(dividing, answer, flags=re.MULTILINE) if self.separator else [answer]
        if len(pieces) != len(self.spans):
            wanted = f"{len(self.spans)} parts with the line `{self.separator}` between two of them"
            raise ValueError(f"fixed_code: it must have {wanted}, and it has {len(pieces)}")
        lines = self.code.split("\n")
        for (first, last), piece in reversed(list(zip(self.spans, pieces, strict=True))):
            lines[first - 1 : last] = _fitted(lines[first - 1 : last], piece)
        return "\n".join(lines)


def spans_to_show(code: str, language: str, about: Sequence[Span]) -> tuple[Span, ...]:
    """The lines that a model needs in order to mend what is on the lines `about`; empty when it is to see everything."""
    lines = code.split("\n")
    if len(lines) <= MAX_WHOLE_LINES or not about:
        return ()
    known = functions(code, language)
    spans = [_function_span(known, span) or _window(known, span, len(lines)) for span in about]
    return _joined([*_imports(known, lines), *spans])


def moved(spans: Iterable[Span], before: str, after: str) -> list[Span]:
    """The lines of `after` that those of `before` have become."""
    old, new = before.split("\n"), after.split("\n")
    where: dict[int, Span] = {}
    old_at = new_at = 0
    for old_next, new_next, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        changed = (new_at + 1, max(new_next, new_at + 1))
        where.update(dict.fromkeys(range(old_at + 1, old_next + 1), changed))
        where.update({old_next + step: (new_next + step, new_next + step) for step in range(1, size + 1)})
        old_at, new_at = old_next + size, new_next + size
    last = len(new)
    return [(min(where[first][0], last), min(where[end][1], last)) for first, end in spans if first in where and end in where]


def _function_span(known: Sequence[Block], about: Span) -> Span | None:
    """The outermost function around the lines; an inner one when that is too long."""
    holding = [block for block in known if block.start_line <= about[0] and about[1] <= block.end_line]
    short = [block for block in holding if block.end_line - block.start_line < MAX_WHOLE_LINES]
    chosen = min(short or holding, key=lambda block: block.depth, default=None)
    return None if chosen is None else (chosen.start_line, chosen.end_line)


def _window(known: Sequence[Block], about: Span, line_count: int) -> Span:
    """The lines with a few around them, up to the next function."""
    lowest = max([1, *(block.end_line + 1 for block in known if block.end_line < about[0])])
    highest = min([line_count, *(block.start_line - 1 for block in known if block.start_line > about[1])])
    return max(lowest, about[0] - WINDOW), min(highest, about[1] + WINDOW)


def _imports(known: Sequence[Block], lines: Sequence[str]) -> list[Span]:
    """From the first to the last import above the first function."""
    head = min([len(lines) + 1, *(block.start_line for block in known)]) - 1
    found = [number for number, line in enumerate(lines[: min(head, MAX_IMPORT_LINES)], 1) if _IMPORT.match(line)]
    return [(found[0], found[-1])] if found else []


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """In order; what overlaps or touches is one."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def _fitted(old: Sequence[str], piece: str) -> list[str]:
    """The lines of a returned part with the blank ends and the indentation that the part had."""
    new = _with_ends_of("\n".join(old), piece).split("\n")
    had, has = _indent(old), _indent(new)
    missing = had.removesuffix(has) if had.endswith(has) else ""
    return [missing + line if line.strip() else line for line in new]


def _indent(lines: Sequence[str]) -> str:
    """Blanks before the first line with text."""
    first = next((line for line in lines if line.strip()), "")
    found = _INDENT.match(first)
    return found.group() if found else ""


def _with_ends_of(code: str, answer: str) -> str:
    """The answer with as many line ends before and behind it as the code has: a model trims them."""
    bare = answer.strip("\n")
    if not code.strip("\n"):
        return bare or code
    return "\n" * (len(code) - len(code.lstrip("\n"))) + bare + "\n" * (len(code) - len(code.rstrip("\n")))
