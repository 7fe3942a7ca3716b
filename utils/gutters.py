"""What stands before each line of code that was copied with its margin: line numbers, quotation marks, prompts, signs of a diff.

Nothing here decides whether what is left is code: the caller compares both texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from utils.fences import Line
from utils.prose import reads_as_prose

_NUMBERS = (
    # pdb's `list`: the number, a breakpoint, the current line, a tab
    re.compile(r" *(?P<number>\d{1,6}) [ B]*(?:->|>>)?\t"),
    # 12 | code, 12: code, | 12 | code, L12: code, [12] code, 12<tab>code, and IPython's `----> 12 code`
    re.compile(r"[ \t]*(?:-+>[ \t]*)?[|(\[]?[ \t]*L?(?P<number>\d{1,6})(?:[ \t]*[:|.)\]│┃]|(?=[ \t]|$))"),
    # git blame
    re.compile(r"\^?[0-9a-f]{7,40} (?:[^\s(]\S* +)?\(.*? (?P<number>\d{1,6})\)(?=[ \t]|$)"),
    # grep -n
    re.compile(r"[\w./\\-]+[:-](?P<number>\d{1,6})[:-]"),
)
_QUOTED = re.compile(r"[ \t]*>(?: |$)")
"""A quotation in a mail or in Markdown."""
_SHELLS = (
    re.compile(r"irb\([^)]*\):\d+(?::\d+)?[>*\"'`/\]] ?"),
    re.compile(r"\[\d+\] pry\([^)]*\)[>*\"'] ?"),
    re.compile(r"(?:> |\.\.\.+ ?)"),  # Node
    re.compile(r"(?:>>>(?=[A-Za-z_@])|\.\.\.(?=[\w@ \t]|$))"),  # Python, after a page took the blank away
)
_DEBUGGER = re.compile(r"\(i?[Pp]db\+*\)|ipdb>|> \S+\(\d+\)|-> |\[EOF\]|\s*$")
_FAILURE_MARK = re.compile(r"E   |>   |    |\s*$")
_FAILURE_PLACE = re.compile(r"\S+:\d+: \w+|\s*$")
_NUMBER = re.compile(r"\s*[0-9]{1,6}\s*")
_GAP = re.compile(r"\s*(?:\.{3}|…|⋮|:)\s*$")
_FEWEST = 2


def without_gutter(lines: Sequence[str]) -> list[Line] | None:
    """The lines without what was copied beside them, each with its 1-based place; None when there is no such margin.

    Lines that are no code (the output of a shell, the words of a debugger) are left out.
    """
    first = next((line for line in lines if line.strip()), "")
    for pattern in _NUMBERS:
        if (found := _numbered(lines, pattern)) is not None:
            return _dedented(found)
    if found := _quoted(lines) or _new_side(lines):
        return _dedented(found)
    for pattern in _SHELLS:
        if pattern.match(first) and (found := _typed(lines, pattern)) is not None:
            return found
    return _failure(lines) or _beside_numbers(lines)


def dedented(lines: Sequence[Line]) -> list[Line] | None:
    """The lines without the indentation that all of them share; None when they share none."""
    first = next((line.text for line in lines if line.text.strip()), "")
    if first[:1] not in (" ", "\t"):
        return None
    found = _dedented(lines)
    return found if any(line.shift != old.shift for line, old in zip(found, lines, strict=True)) else None


def _dedented(lines: Sequence[Line]) -> list[Line]:
    leads = [line.text[: len(line.text) - len(line.text.lstrip(" \t"))] for line in lines if line.text.strip()]
    # What the first and the last in their order share is shared by all.
    least, most = min(leads, default=""), max(leads, default="")
    width = next((at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other), len(least))
    return [_cut(line, min(width, len(line.text))) for line in lines]


def _cut(line: Line, columns: int) -> Line:
    return Line(line.text[columns:], line.number, line.shift + columns)


def _numbered(lines: Sequence[str], pattern: re.Pattern[str]) -> list[Line] | None:
    """The lines with numbers that count up by one; the words of a debugger may stand around them."""
    start = next((at for at, line in enumerate(lines) if not _DEBUGGER.match(line)), len(lines))
    kept: list[Line] = []
    expected: int | None = None
    for at in range(start, len(lines)):
        if kept and _GAP.match(lines[at]):
            expected = None
            continue
        match = pattern.match(lines[at])
        if match is None or expected not in (None, int(match["number"])):
            break
        expected = int(match["number"]) + 1
        kept.append(Line(lines[at][match.end() :], at + 1, match.end()))
    if len(kept) < _FEWEST:
        return None
    after = _first(lines[kept[-1].number :])
    is_debugger = any(line.strip() for line in lines[:start])
    return kept if not after or is_debugger or _DEBUGGER.match(after) else None


def _first(lines: Iterable[str]) -> str:
    return next((line for line in lines if line.strip()), "")


def _quoted(lines: Sequence[str]) -> list[Line] | None:
    """The lines that bear the mark of a quotation; those that don't must be words."""
    kept: list[Line] = []
    answer: list[str] = []
    for number, line in enumerate(lines, 1):
        match = _QUOTED.match(line)
        if match:
            kept.append(Line(line[match.end() :], number, match.end()))
        else:
            answer.append(line)
    if sum(bool(line.text.strip()) for line in kept) < _FEWEST or not all(_is_said(line) for line in answer):
        return None
    return kept


def _is_said(line: str) -> bool:
    return not line.strip() or reads_as_prose(line) or line.strip(" \t,.:!?").replace(" ", "").isalpha()


def _new_side(lines: Sequence[str]) -> list[Line] | None:
    """The new lines of a diff whose headers were not copied."""
    full = [line for line in lines if line.strip()]
    if not all(line[0] in "+- " for line in full) or sum(line[0] == "+" for line in full) == 0:
        return None
    return [Line(line[1:], number, min(1, len(line))) for number, line in enumerate(lines, 1) if line[:1] != "-"]


def _typed(lines: Sequence[str], pattern: re.Pattern[str]) -> list[Line] | None:
    """What was typed after a prompt; lines without one are output."""
    kept = [Line(line[match.end() :], number, match.end()) for number, line in enumerate(lines, 1) if (match := pattern.match(line))]
    return kept if sum(bool(line.text.strip()) for line in kept) >= _FEWEST else None


def _failure(lines: Sequence[str]) -> list[Line] | None:
    """The source in a failure report of pytest: a line that failed is marked with `>`, what went wrong with `E`."""
    if not any(line.startswith("E   ") for line in lines):
        return None
    end = next((at for at, line in enumerate(lines) if not _FAILURE_MARK.match(line)), len(lines))
    if not all(_FAILURE_PLACE.match(line) for line in lines[end:]):
        return None
    return [Line(line[4:], number, min(4, len(line))) for number, line in enumerate(lines[:end], 1) if line[:1] != "E"]


def _beside_numbers(lines: Sequence[str]) -> list[Line] | None:
    """Numbers that stand on lines of their own: before the code as a block, or one before each line."""
    if not _NUMBER.fullmatch(_first(lines)):
        return None
    full = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    count = next((at for at, (_, line) in enumerate(full) if not _NUMBER.fullmatch(line)), len(full))
    if _FEWEST <= count < len(full) and _counts_up(line for _, line in full[:count]):
        begin = full[count][0]
        return [Line(line, number, 0) for number, line in enumerate(lines[begin - 1 :], begin)]
    if count == 1 and len(full) > _FEWEST and _counts_up(line for _, line in full[::2]):
        return [Line(line, number, 0) for number, line in full[1::2]]
    return None


def _counts_up(lines: Iterable[str]) -> bool:
    """True for whole numbers, each one more than the one before."""
    numbers = [int(line) if _NUMBER.fullmatch(line) else -1 for line in lines]
    return all(after == before + 1 for before, after in pairwise(numbers)) and -1 not in numbers
