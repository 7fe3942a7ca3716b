"""What `memory seed --git` prints for people, from the plain values that `--json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from utils.terminal import clip, visible

_ID = 10
_CELLS = 100
_FUNCTIONS = 6

Plain = Mapping[str, Any]


def taken(fix: Plain) -> str:
    """A fix: commit, day, subject; why it is taken for one; the functions."""
    lines = [f"{fix['commit'][:_ID]}  {fix['day']}  {clip(visible(fix['subject']), _CELLS)}"]
    lines.append(f"    taken ({fix['points']:.1f}): {visible(', '.join(fix['reasons']))}")
    if fix["reverted_by"]:
        lines.append(f"    reverted by {fix['reverted_by'][:_ID]}: stored as rejected, never offered")
    lines += [f"    {visible(name)}" for name in fix["functions"][:_FUNCTIONS]]
    more = len(fix["functions"]) - _FUNCTIONS
    lines += [f"    and {more} more"] if more > 0 else []
    return "\n".join(lines) + "\n"


def learnt(report: Plain) -> str:
    """Counts, with the reasons for what is not learnt."""
    would = "would be " if report["dry_run"] else ""
    lines = [
        f"{visible(report['repository'])}: {_counted(report['commits'], 'commit')} read, "
        f"{_counted(report['taken'], 'bug fix', 'bug fixes')}, {_counted(report['functions'], 'function')}",
        f"{would}added {report['added']}, updated {report['updated']}, duplicate {report['duplicate']}, skipped {report['skipped']}",
    ]
    for name, title in (
        ("not_taken", "commits not taken"),
        ("left_out", "files and functions left out"),
        ("quarantined_why", "quarantined, see `memory review`"),
        ("skipped_why", "skipped"),
    ):
        if report[name]:
            lines.append(f"{title}:")
            lines += [f"  {count:>6}  {visible(why)}" for why, count in report[name].items()]
    if report["reverted"]:
        lines.append(f"reverted later: {report['reverted']} of the bug fixes; {would}stored as rejected, never offered")
    if report["newly_rejected"] or report["restored"]:
        lines.append(f"stored before: {report['newly_rejected']} {would}rejected as reverted, {report['restored']} {would}restored")
    if report["kept"]:
        lines.append(f"stored before and now seen in a commit: {report['kept']}; they {would}come before others like them")
    if not report["dry_run"]:
        lines.append(f"vector index: {visible(report['index'])}")
    return "\n".join(lines) + "\n"


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one}" if count == 1 else f"{count} {many or one + 's'}"
