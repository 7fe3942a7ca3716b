"""A task record as text for people: findings beside their lines, the fix as a diff, and a closing line.

Everything that came from outside (code, messages, names) passes `visible`: no control sequence reaches the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from reports.closing import closing_parts, level_words
from reports.findings import findings_text
from reports.style import Style
from reports.wrap import wrap
from schema.match import PastFix
from schema.record import TaskRecord
from utils.diff import unified
from utils.terminal import ELLIPSIS, visible

MOST_DIFF_LINES = 400
LONG_LINE = 500
"""Characters of a diff line that are shown: minified code would fill screens."""


def record_text(record: TaskRecord, before: str, *, path: str, where: str, style: Style) -> str:
    """The whole report. `before` is the reviewed code (LF) in the form that the fix replaces; `path` titles the diff."""
    sections = [_headline(record, path, style)]
    if record.findings:
        sections.append(findings_text(record.findings, style))
    if record.fix is not None:
        sections.append(_fix_section(record, before, path, style))
    if record.suggestion is not None:
        sections.append(_suggestion_section(record.suggestion, style))
    sections.append(_foot(record, where, style))
    return "\n".join(section for section in sections if section)


def _headline(record: TaskRecord, path: str, style: Style) -> str:
    name = f"Paste {record.id}" if path == "paste" else path
    count = len(record.findings)
    title = f"{name} ({record.language or 'unknown language'}): "
    if record.error is not None:
        return style.paint("strong", visible(title + "not finished")) + "\n"
    words = "nothing found" if count == 0 else f"{count} finding{'s' if count > 1 else ''}"
    return style.paint("strong", visible(title + words)) + "\n"


def _fix_section(record: TaskRecord, before: str, path: str, style: Style) -> str:
    fix = record.fix
    assert fix is not None  # noqa: S101 - narrows the type; the only caller has checked it
    first, *rest = wrap(f"Fix ({level_words(fix)})", style.width)
    lines = [style.paint("strong", "Fix") + first.removeprefix("Fix"), *rest]
    lines += wrap(fix.explanation, style.width)
    lines += [
        line for check in fix.verification.checks if check.name == "tests" for line in wrap(f"Test command: {check.detail}", style.width)
    ]
    return "\n".join([*lines, *diff_lines(before, fix.code, path, style)]) + "\n"


def diff_lines(before: str, after: str, name: str, style: Style) -> list[str]:
    """A unified diff, coloured; line ends are compared as LF, a very long diff is cut and says so."""
    lines = unified(before, after.replace("\r\n", "\n").replace("\r", "\n"), name).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    shown = [_diff_line(line, style) for line in lines[:MOST_DIFF_LINES]]
    if len(lines) > MOST_DIFF_LINES:
        shown.append(f"... {len(lines) - MOST_DIFF_LINES} more lines of this diff (--json has the whole fix)")
    return shown


def _diff_line(line: str, style: Style) -> str:
    text = visible(line)
    if len(text) > LONG_LINE:
        text = f"{text[:LONG_LINE]}{ELLIPSIS} ({len(text) - LONG_LINE} more characters)"
    if line.startswith(("+++", "---")):
        return style.paint("strong", text)
    kind = {"+": "added", "-": "removed", "@": "place"}.get(line[:1])
    return style.paint(kind, text) if kind else text


def _suggestion_section(past: PastFix, style: Style) -> str:
    """A past fix that could not be carried over: reading matter."""
    title = style.paint("strong", "A past fix of similar code")
    lines = [f"{title} ({visible(past.experience_id[:12])}), not applied: {visible(past.why_not)}"]
    lines += wrap(past.explanation, style.width)
    return "\n".join([*lines, *diff_lines(past.buggy, past.fixed, "past", style)]) + "\n"


def _foot(record: TaskRecord, where: str, style: Style) -> str:
    lines = [line for note in record.notes for line in _note(note, style.width)]
    lines += [style.paint("faint", line) for line in _joined(closing_parts(record, where), style.width)]
    return "\n".join(lines) + "\n"


def _note(note: str, width: int) -> list[str]:
    first, *rest = wrap(note, width - 2) or [""]
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _joined(parts: Sequence[str], width: int) -> list[str]:
    """Parts in one line where they fit, else in several; none is broken that fits into a line."""
    lines: list[str] = []
    line = ""
    for part in (visible(part) for part in parts):
        joined = f"{line} | {part}" if line else part
        if len(joined) <= width:
            line = joined
            continue
        lines += wrap(line, width)
        line = part
    return [*lines, *wrap(line, width)]
