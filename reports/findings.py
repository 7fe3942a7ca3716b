"""Findings as text: the place beside its code line, what is wrong, what to do; equal ones grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reports.style import Style
from reports.wrap import wrap
from schema.finding import Finding
from utils.terminal import ELLIPSIS, TAB_CELLS, cell_width, clip_around, visible

GROUP_FROM = 4
"""So many findings of one kind are shown as one block with a list of lines."""
MOST_LINES = 4
"""Code lines shown of one finding."""
LISTED = 8
"""Line numbers listed of a group."""
_TAB = " " * TAB_CELLS


def findings_text(findings: Sequence[Finding], style: Style) -> str:
    """One block a finding or group, in the order of the record, a blank line between them."""
    return "\n".join(_block(group, style) for group in grouped(findings))


def grouped(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one rule and message together when there are at least GROUP_FROM of them, at the place of the first."""
    kinds: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        kinds.setdefault((finding.rule_id, finding.message, finding.path), []).append(finding)
    groups: list[list[Finding]] = []
    for members in kinds.values():
        groups.extend([members] if len(members) >= GROUP_FROM else [[member] for member in members])
    return sorted(groups, key=lambda group: (group[0].path, group[0].start_line, group[0].start_column))


def _block(group: Sequence[Finding], style: Style) -> str:
    first = group[0]
    lines = [_heading(first, style), *_code_lines(first, style)]
    lines += [f"  {line}" for line in wrap(first.message, style.width - 2)]
    if first.suggestion:
        lines += [f"  {line}" for line in wrap("Do: " + first.suggestion, style.width - 2)]
    if len(group) > 1:
        lines += [f"  {line}" for line in wrap(_rest(group), style.width - 2)]
    return "\n".join(lines) + "\n"


def _heading(finding: Finding, style: Style) -> str:
    place = f"line {finding.start_line}" if finding.path == "paste" else f"{visible(finding.path)}:{finding.start_line}"
    return f"{style.paint(finding.severity, finding.severity)}  {style.paint('place', place)}  {visible(finding.rule_id)}"


def _rest(group: Sequence[Finding]) -> str:
    listed = ", ".join(str(finding.start_line) for finding in group[1 : LISTED + 1])
    more = f" and {len(group) - LISTED - 1} more" if len(group) > LISTED + 1 else ""
    return f"{len(group)} of this kind: also on lines {listed}{more}."


def _code_lines(finding: Finding, style: Style) -> list[str]:
    """The evidence with its line numbers, and carets under the span when it lies on one line."""
    texts = finding.evidence.split("\n")
    shown = texts[:MOST_LINES]
    margin = len(str(finding.start_line + len(shown) - 1)) + 2
    room = max(8, style.width - margin - 3)
    start = finding.start_column - 1
    end = finding.end_column - 1 if finding.end_line == finding.start_line else len(texts[0])
    first, marks = _window(texts[0], start, max(end, start + 1), room)
    lines = [_numbered(finding.start_line, first, margin, style)]
    if finding.start_line == finding.end_line:
        lines.append(f"{' ' * margin} | {style.paint(finding.severity, marks)}")
    for offset, text in enumerate(shown[1:], 1):
        lines.append(_numbered(finding.start_line + offset, _window(text, 0, 1, room)[0], margin, style))
    if len(texts) > MOST_LINES:
        lines.append(f"{' ' * margin} | {ELLIPSIS} {len(texts) - MOST_LINES} more lines")
    return lines


def _numbered(number: int, text: str, margin: int, style: Style) -> str:
    return f"{style.paint('faint', f'{number:>{margin}} |')} {text}".rstrip()


def _window(line: str, start: int, end: int, room: int) -> tuple[str, str]:
    """The line shortened around its span [start, end) to `room` cells, and the carets that stand under the span."""
    before, span, after = (_printed(part) for part in (line[:start], line[start:end], line[end:]))
    shown, column = clip_around(before + span + after, len(before) + 1, room)
    offset = min(cell_width(shown[: column - 1]), room - 1)
    return shown, " " * offset + "^" * max(1, min(cell_width(span), room - offset))


def _printed(text: str) -> str:
    return visible(text).replace("\t", _TAB)
