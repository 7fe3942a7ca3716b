"""Findings as text: number and place beside the code line, what is wrong, what to do; equal ones grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports.style import Style
from reports.syntax import kinds_at, kinds_of, paint_code, printed
from reports.wrap import wrap
from schema.finding import Finding
from utils.terminal import ELLIPSIS, cell_width, clip_around, in_one_line

GROUP_FROM = 4
"""So many findings of one kind are shown as one block with a list of lines."""
MOST_LINES = 4
"""Code lines shown of one finding."""
LISTED = 8
"""Line numbers listed of a group."""
LISTED_NUMBERS = 4
"""Numbers and runs of numbers listed of a group."""

Numbered = tuple[int, Finding]
"""A finding with its number in the record, from 1 on: what /fix and /ignore call it."""


def findings_text(findings: Sequence[Finding], style: Style, code: str = "", language: str = "") -> str:
    """One block a finding or group, in the order of the text, a blank line between them.

    `code` is what the findings are about: with colours on, their lines are read in it, not one by one.
    """
    source = _Source.of(code, language, style)
    return "\n".join(_block(group, source, style) for group in _grouped(enumerate(findings, 1)))


def grouped(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one rule and message together when there are at least GROUP_FROM of them, at the place of the first."""
    return [[finding for _, finding in group] for group in _grouped(enumerate(findings, 1))]


def _grouped(findings: Iterable[Numbered]) -> list[list[Numbered]]:
    kinds: dict[tuple[str, str, str], list[Numbered]] = {}
    for number, finding in findings:
        kinds.setdefault((finding.rule_id, finding.message, finding.path), []).append((number, finding))
    groups: list[list[Numbered]] = []
    for members in kinds.values():
        groups.extend([members] if len(members) >= GROUP_FROM else [[member] for member in members])
    return sorted(groups, key=lambda group: (group[0][1].path, group[0][1].start_line, group[0][1].start_column))


def numbers_text(numbers: Sequence[int]) -> str:
    """Rising numbers as a short list, runs joined: `3-7, 9`; a long one is cut."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join([*texts[:LISTED_NUMBERS], *([ELLIPSIS] if len(texts) > LISTED_NUMBERS else [])])


@dataclass(frozen=True)
class _Source:
    """The code that findings are about, and the kinds of its characters; empty without colours."""

    lines: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    language: str = ""

    @classmethod
    def of(cls, code: str, language: str, style: Style) -> _Source:
        """Lexed only when it is painted."""
        return cls(tuple(code.split("\n")), tuple(kinds_of(code, language)), language) if style.colour else cls()

    def kinds_of(self, number: int, line: str) -> str:
        """Those of a line of evidence: from the whole code when it stands there, else read by itself."""
        if 1 <= number <= len(self.kinds) and self.lines[number - 1] == line:
            return self.kinds[number - 1]
        return kinds_at(kinds_of(line, self.language), 1, printed(line))


def _block(group: Sequence[Numbered], source: _Source, style: Style) -> str:
    first = group[0][1]
    lines = [*_heading(group, style), *_code_lines(first, source, style)]
    lines += [f"  {line}" for line in wrap(first.message, style.width - 2)]
    if first.suggestion:
        lines += [f"  {line}" for line in wrap("Do: " + first.suggestion, style.width - 2)]
    if len(group) > 1:
        lines += [f"  {line}" for line in wrap(_rest(group), style.width - 2)]
    return "\n".join(lines) + "\n"


def _heading(group: Sequence[Numbered], style: Style) -> list[str]:
    """Number, severity, place and rule in one line; on a terminal that is too narrow the rule has its own."""
    finding = group[0][1]
    number = f"[{numbers_text([number for number, _ in group])}]"
    place = f"line {finding.start_line}" if finding.path == "paste" else f"{in_one_line(finding.path)}:{finding.start_line}"
    rule = in_one_line(finding.rule_id)
    plain = f"{number} {finding.severity}  {place}"
    painted = f"{style.paint('strong', number)} {style.paint(finding.severity, finding.severity)}  {style.paint('place', place)}"
    if not style.terminal or cell_width(f"{plain}  {rule}") <= style.width:
        return [f"{painted}  {rule}"]
    head = [painted] if cell_width(plain) <= style.width else wrap(plain, style.width)
    return [*head, *(f"    {line}" for line in wrap(rule, style.width - 4))]


def _rest(group: Sequence[Numbered]) -> str:
    listed = ", ".join(str(finding.start_line) for _, finding in group[1 : LISTED + 1])
    more = f" and {len(group) - LISTED - 1} more" if len(group) > LISTED + 1 else ""
    return f"{len(group)} of this kind: also on lines {listed}{more}."


def _code_lines(finding: Finding, source: _Source, style: Style) -> list[str]:
    """The evidence with its line numbers, and carets under the span when it lies on one line."""
    texts = finding.evidence.split("\n")
    shown = texts[:MOST_LINES]
    margin = len(str(finding.start_line + len(shown) - 1)) + 2
    room = max(8, style.width - margin - 3)
    start = finding.start_column - 1
    end = finding.end_column - 1 if finding.end_line == finding.start_line else len(texts[0])
    lines = []
    for number, text in enumerate(shown, finding.start_line):
        span = (start, max(end, start + 1)) if number == finding.start_line else (0, 1)
        code, marks = _window(text, span, source.kinds_of(number, text), room, style)
        lines.append(f"{style.paint('faint', f'{number:>{margin}} |')} {code}".rstrip())
        if number == finding.start_line == finding.end_line:
            lines.append(f"{' ' * margin} | {style.paint(finding.severity, marks)}")
    if len(texts) > MOST_LINES:
        lines.append(f"{' ' * margin} | {ELLIPSIS} {len(texts) - MOST_LINES} more lines")
    return lines


def _window(line: str, span: tuple[int, int], kinds: str, room: int, style: Style) -> tuple[str, str]:
    """The line painted and shortened around its span to `room` cells, and the carets that stand under the span."""
    start, end = span
    before, marked, after = (printed(part) for part in (line[:start], line[start:end], line[end:]))
    whole = before + marked + after
    shown, column = clip_around(whole, len(before) + 1, room)
    offset = min(cell_width(shown[: column - 1]), room - 1)
    cut = len(before) + 1 - column
    painted = paint_code(shown, kinds[cut:] if len(kinds) == len(whole) else "", style)
    return painted, " " * offset + "^" * max(1, min(cell_width(marked), room - offset))
