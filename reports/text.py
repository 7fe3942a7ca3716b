"""A task record as text for people: findings beside their lines, the fix as a diff, and a closing line.

Everything that came from outside (code, messages, names) passes `visible`: no control sequence reaches the terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from reports.closing import closing_parts, level_words
from reports.diff import diff_lines as diff_lines
from reports.findings import findings_text
from reports.style import Style
from reports.wrap import wrap
from schema.match import PastFix
from schema.record import TaskRecord
from utils.terminal import cell_width, fold, in_one_line

MOST_READ = 3
"""Past fixes that are listed to be read."""
READ_FROM = 0.6
"""As alike as this a past fix is worth a line: for unrelated code the best has .49 in the middle, and one in five has more than this."""


def record_text(record: TaskRecord, before: str, *, path: str, where: str, style: Style) -> str:
    """The whole report. `before` is the reviewed code (LF) in the form that the fix replaces; `path` titles the diff."""
    sections = [_headline(record, path, style)]
    if record.findings:
        sections.append(findings_text(record.findings, style, before, record.language))
    if record.fix is not None:
        sections.append(_fix_section(record, before, path, style))
    if record.suggestion is not None:
        sections.append(_suggestion_section(record.suggestion, record.language, style))
    sections.append(_related_section(record, style))
    sections.append(_foot(record, where, style))
    return "\n".join(section for section in sections if section)


def _headline(record: TaskRecord, path: str, style: Style) -> str:
    name = f"Paste {record.id}" if path == "paste" else path
    count = len(record.findings)
    title = f"{name} ({record.language or 'unknown language'}): "
    words = "nothing found" if count == 0 else f"{count} finding{'s' if count > 1 else ''}"
    if record.error is not None:
        words = f"not finished, {words} so far" if count else "not finished"
    headline = in_one_line(title + words)
    rows = fold(headline, style.width) if style.terminal else [headline]
    return "\n".join(style.paint("strong", row) for row in rows) + "\n"


def _fix_section(record: TaskRecord, before: str, path: str, style: Style) -> str:
    fix = record.fix
    assert fix is not None  # noqa: S101 - narrows the type; the only caller has checked it
    first, *rest = wrap(f"Fix ({level_words(fix)})", style.width)
    lines = [style.paint("strong", "Fix") + first.removeprefix("Fix"), *rest]
    lines += wrap(fix.explanation, style.width)
    lines += [
        line for check in fix.verification.checks if check.name == "tests" for line in wrap(f"Test command: {check.detail}", style.width)
    ]
    return "\n".join([*lines, *diff_lines(before, fix.code, path, style, record.language)]) + "\n"


def _suggestion_section(past: PastFix, language: str, style: Style) -> str:
    """A past fix that could not be carried over: reading matter."""
    title = "A past fix of similar code"
    first, *rest = wrap(f"{title} ({past.experience_id[:12]}), not applied: {past.why_not}", style.width)
    lines = [style.paint("strong", title) + first.removeprefix(title) if first.startswith(title) else first, *rest]
    lines += wrap(past.explanation, style.width)
    return "\n".join([*lines, *diff_lines(past.buggy, past.fixed, "past code", style, language)]) + "\n"


def _related_section(record: TaskRecord, style: Style) -> str:
    """The most alike past fixes where memory has none to offer; all that it lists stand in the JSON record."""
    match = record.match
    shown = [each for each in match.related if each.score is not None and each.score >= READ_FROM][:MOST_READ]
    if match.status != "NONE" or match.already_fixed or record.suggestion is not None or not shown:
        return ""
    lines = [style.paint("strong", "Past fixes to read") + ", none of them for this code:"]
    for each in shown:
        first, *rest = wrap(
            f"{each.experience_id[:12]} ({each.score:.2f} alike): {in_one_line(each.explanation or each.reason)}", style.width - 2
        )
        lines += [f"- {first}", *(f"  {line}" for line in rest[:2])]
    return "\n".join(lines) + "\n"


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
    for part in (in_one_line(part) for part in parts):
        joined = f"{line} | {part}" if line else part
        if cell_width(joined) <= width:
            line = joined
            continue
        lines += wrap(line, width)
        line = part
    return [*lines, *wrap(line, width)]
