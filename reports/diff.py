"""A fix as a unified diff. On a terminal it is coloured and folded to the width; elsewhere its lines are whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reports.style import Style
from reports.syntax import kinds_at, kinds_of, paint_code, printed
from utils.diff import NO_NEWLINE, DiffLine
from utils.diff import diff_lines as compared
from utils.newlines import to_lf
from utils.terminal import ELLIPSIS, cell_width, fold, in_one_line, visible

MOST_DIFF_LINES = 400
PASTES = frozenset({"paste", "stored", "past code"})
"""Names of code that is in no file."""
LONG_LINE = 500
"""Characters; a longer line (minified code) is shown around its first change only."""
_WINDOW = 240
_LEAD = 60
"""Characters shown before the change."""
_BASE = {"+": "added", "-": "removed"}


def diff_lines(before: str, after: str, name: str, style: Style, language: str = "") -> list[str]:
    """The lines of the diff; line ends are compared as LF, a very long diff is cut and says so. Empty when nothing differs.

    A `name` that is not one of PASTES is a file's, and stands in the heading as Git writes it.
    """
    after = to_lf(after)
    lines = compared(before, after)
    if not lines:
        return []
    kinds = _Kinds(before, after, language) if style.colour else None
    headings = (f"{mark} {in_one_line(title)}" for mark, title in zip(("---", "+++"), _titles(name), strict=True))
    shown = [row for heading in headings for row in _said(heading, "strong", style)]
    for line, other in _paired(lines[:MOST_DIFF_LINES]):
        shown += _rows(line, other, kinds, style)
    if len(lines) > MOST_DIFF_LINES:
        shown += _said(f"{ELLIPSIS} {len(lines) - MOST_DIFF_LINES} more lines of this diff", "", style)
    return shown


def _titles(name: str) -> tuple[str, str]:
    rooted = name.lstrip("/")
    return (name, f"{name} (fixed)") if name in PASTES else (f"a/{rooted}", f"b/{rooted}")


def _said(text: str, kind: str, style: Style) -> list[str]:
    """A line that is no code, in as many rows as a terminal needs."""
    return [style.paint(kind, row) for row in (fold(text, style.width) if style.terminal else [text])]


class _Kinds:
    """The kinds of both texts' characters."""

    def __init__(self, before: str, after: str, language: str) -> None:
        self._old = kinds_of(before, language)
        self._new = kinds_of(after, language)

    def of(self, line: DiffLine, text: str) -> str:
        """Those of one line. What is gone has one colour only: it is to be seen as gone, not to be read as code."""
        return "" if line.kind == "-" else kinds_at(self._new, line.new_line, text) or kinds_at(self._old, line.old_line, text)


def _paired(lines: Sequence[DiffLine]) -> Iterator[tuple[DiffLine, str]]:
    """Each line with the text that it replaces or is replaced by, empty where there is none."""
    at = 0
    while at < len(lines):
        old = _run(lines, at, "-")
        new = _run(lines, at + len(old), "+")
        for run, others in ((old, new), (new, old)):
            yield from ((line, others[index].text if index < len(others) else "") for index, line in enumerate(run))
        at += len(old) + len(new)
        if not (old or new):
            yield lines[at], ""
            at += 1


def _run(lines: Sequence[DiffLine], start: int, kind: str) -> list[DiffLine]:
    """The lines of one kind from there on."""
    end = start
    while end < len(lines) and lines[end].kind == kind:
        end += 1
    return list(lines[start:end])


def _rows(line: DiffLine, other: str, kinds: _Kinds | None, style: Style) -> list[str]:
    """One line of the diff in as many rows as it takes."""
    if line.kind == "@":
        return _said(line.text, "place", style)
    source, cut_before, cut_after = _around_change(line.text, other)
    text = printed(source) if style.terminal else visible(source)
    letters = kinds.of(line, text) if kinds is not None else ""
    lead, tail = (f"{ELLIPSIS} ({cut} more characters)" if cut else "" for cut in (cut_before, cut_after))
    if lead:
        text, letters = f"{lead} {text}", ""
    text = text + tail
    pieces = fold(text, style.width - 1) if style.terminal and cell_width(text) >= style.width else [text]
    rows = []
    for number, piece in enumerate(pieces):
        mark = style.paint("faint", ELLIPSIS) if number else style.paint(_BASE.get(line.kind, ""), line.kind)
        rows.append(mark + paint_code(piece, letters, style, _BASE.get(line.kind, "")))
        letters = letters[len(piece) :]
    return [*rows, *_said(NO_NEWLINE, "faint", style)] if line.unfinished else rows


def _around_change(text: str, other: str) -> tuple[str, int, int]:
    """A long line around the place where it begins to differ from the other: what is shown, and how much is not on each side."""
    if len(text) <= LONG_LINE:
        return text, 0, 0
    differs = next((at for at, (one, two) in enumerate(zip(text, other, strict=False)) if one != two), min(len(text), len(other)))
    start = max(0, min(differs - _LEAD, len(text) - _WINDOW)) if other else 0
    return text[start : start + _WINDOW], start, len(text[start + _WINDOW :])
