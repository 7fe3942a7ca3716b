"""What `memory ...` prints for people, from the plain values that `--json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from reports.style import Style
from reports.text import diff_lines
from utils.newlines import to_lf
from utils.terminal import clip, visible

_ID_CHARACTERS = 12
_ROW_CELLS = 60
_BAD_LINES = 10
_TASKS_FILE = "sessions.sqlite3"
_WHY = {
    "no_change": "change nothing",
    "forgotten": "forgotten by you",
    "rejected": "rejected by you",
    "tombstone": "forgotten by whoever wrote them",
}

Plain = Mapping[str, Any]


def row(experience: Plain) -> str:
    """One line: id, day, language, trust, how often used, what it is about."""
    best = experience["alternatives"][0]
    about = clip(visible(" ".join((best["explanation"] or best["code"]).split())), _ROW_CELLS)
    start = f"{_short(experience)}  {experience['created_at'][:10]}  {visible(experience['language']):<10}"
    return f"{start}  {best['trust']:<11}  {best['uses']:>3} uses  {about}\n"


def times(count: int) -> str:
    """How often: "once", "3 times"."""
    return "once" if count == 1 else f"{count} times"


def whole(experience: Plain, style: Style) -> str:
    """Every alternative with its diff."""
    head = f"{experience['id']}  {visible(experience['language'])}  {experience['created_at']}\n"
    fixes = experience["alternatives"]
    named = [f"fix {each['number']} of {len(fixes)}: " if len(fixes) > 1 else "" for each in fixes]
    return head + "\n".join(_alternative(each, style, name) for each, name in zip(fixes, named, strict=True))


def verdicts(stored: Plain) -> str:
    """What users and Git have said of a fix."""
    said = [f"accepted {stored['accepted']}", f"rejected {stored['rejected']}"]
    said += [f"corrected {stored['corrected']}"] if stored["corrected"] else []
    return ", ".join([*said, *([f"kept in Git by {stored['kept_in']}"] if stored["kept_in"] else [])])


def _alternative(stored: Plain, style: Style, name: str) -> str:
    """Where a fix came from, how far it is trusted, and the fix as a diff."""
    origin = stored["provenance"]
    came = " ".join(part for part in (origin["kind"], origin["ref"], origin["author"]) if part)
    reason = f" ({stored['trust_reason']})" if stored["trust_reason"] else ""
    pinned = ", pinned" if stored["pinned"] else ""
    lines = [
        style.paint("strong", visible(f"{name}{stored['trust']}{reason}, level {stored['verification']['level']}{pinned}")),
        visible(f"from {came}; used {times(stored['uses'])}, {verdicts(stored)}"),
        *([visible(stored["explanation"])] if stored["explanation"] else []),
        *diff_lines(to_lf(stored["code"]), to_lf(stored["fixed_code"]), "stored", style),
    ]
    return "\n".join(lines) + "\n"


def seeded(report: Plain) -> str:
    """What became of the lines, with the reasons for what is not offered."""
    names = ("lines", "added", "updated", "duplicate", "skipped", "quarantined", "bad")
    lines = [", ".join(f"{name} {report[name]}" for name in names)]
    for name, hint in (("skipped", ""), ("quarantined", "; `memory review` shows them"), ("bad", "")):
        if reasons := report[f"{name}_why"]:
            lines.append(f"{name}: " + ", ".join(f"{count} {visible(_WHY.get(why, why))}" for why, count in reasons.items()) + hint)
    lines += [f"line {each['line']}: {visible(each['reason'])}" for each in report["bad_lines"][:_BAD_LINES]]
    more = report["bad"] - _BAD_LINES
    lines += [f"and {more} more bad line{'s' if more != 1 else ''}"] if more > 0 else []
    lines += [f"vector index: {visible(report['index'])}"] if report["index"] else []
    return "\n".join(lines) + "\n"


def counted(plan: Plain) -> str:
    """How much comes from a source."""
    fixes, codes = plan["fixes"], plan["experiences"]
    return (
        f"{fixes} fix{'es' if fixes != 1 else ''} from {visible(plan['source'])} ({codes} experience{'s' if codes != 1 else ''} with them)"
    )


def purged(done: Plain) -> str:
    """What was taken back, or would be, and what stays."""
    lines = [f"{'taken back' if done['purged'] else 'would be taken back'}: {counted(done)}"]
    lines += [f"stays: {_short(each)} ({each['why']})" for each in done["kept"]]
    if done["fixes"]:
        lines.append("seeding that source again brings it back; `memory forget` is for good")
    lines += [f"its text may still be in {visible(path)}" for path in done["leftovers"]]
    lines += [f"vector index {visible(done['index'])}"] if done["index"].startswith("not") else []
    return "\n".join(lines) + "\n"


def dropped_tasks(gone: Plain) -> list[str]:
    """Interrupted tasks that went with it; no line for none."""
    count = gone["dropped_tasks"]
    return [f"dropped, too: {count} interrupted task{'s' if count != 1 else ''} with that code"] if count else []


def left(gone: Plain) -> list[str]:
    """Where the text of what was forgotten may still lie, a line for each file."""
    tasks = " (a task that runs or was interrupted: `codemind resume --discard` drops it)"
    paths = [(visible(path), PurePath(path).name.startswith(_TASKS_FILE)) for path in gone["leftovers"]]
    return [f"its text may still be in {path}{tasks if holds_tasks else ''}" for path, holds_tasks in paths]


def forgotten(gone: Plain) -> str:
    """What is gone, and what the user may want to delete too."""
    count = gone["alternatives"]
    lines = [f"forgotten: {_short(gone)} ({count} fix{'es' if count != 1 else ''})", *dropped_tasks(gone)]
    lines += left(gone)
    lines += [f"vector index {visible(gone['index'])}"] if gone["index"].startswith("not") else []
    return "\n".join(lines) + "\n"


def counts(stats: Plain) -> str:
    """One line a count, and a few about the thresholds. The names of `--json` are for programs."""
    cost = stats["cost"]
    price = "cost unknown" if cost["cost_usd"] is None else f"${cost['cost_usd']:.4f}"
    spent = f"{cost['calls']} model calls, {cost['input_tokens'] + cost['output_tokens']:,} tokens, {price}"
    lines = [
        f"experiences: {stats['experiences']}, with {_fixes(stats['alternatives'])}",
        f"trust: {_flat(stats['by_trust'])}",
        f"languages: {_flat(stats['by_language'])}",
        f"learnt from: {_flat(stats['by_kind'])}",
        f"sources: {_flat(stats['sources'])}",
        f"used: {stats['uses']} times",
        f"forgotten: {stats['tombstones']}",
        f"making them cost: {spent if cost['calls'] else 'no model call'}",
        f"file: {visible(stats['path'])} ({stats['size_bytes'] / 1_000_000:.1f} MB)",
    ]
    return "\n".join(lines) + "\n" + thresholds(stats["thresholds"])


def _fixes(count: int) -> str:
    return f"{count} fix{'' if count == 1 else 'es'}"


def thresholds(found: Plain | None) -> str:
    """From which scores on code counts as like a past bug, how that was found, and what to expect of it."""
    if found is None:
        return "near: off, not calibrated for this embedder; `codemind memory calibrate` does it\n"
    known = "from this memory" if found["origin"] == "calibrated" else "as shipped"
    measured = f"measured on {found['stored']} fixes on {found['at'][:10]}, {known}"
    asked = f"asked for: precision {found['target_precision']:.3f}"
    lines = [
        f"near: from a score of {found['near']:.2f} on, {found['near_short']:.2f} below {found['short']} tokens ({measured})",
        f"expected: precision {found['precision']:.3f}, recall {found['recall']:.3f} ({asked})",
    ]
    if found["held_until"]:
        lines.append(
            f"lower scores were measured and not taken: {found['stored']} fixes are too few; from {found['held_until']} on they are"
        )
    if found.get("outgrown"):
        lines.append("the memory has grown to twice that or more: `codemind memory calibrate` measures again")
    return "\n".join(lines) + "\n"


def rebuilt(done: Plain) -> str:
    """One line: what was done, and how much the index holds."""
    return f"vector index {visible(done['index'])}: {done['vectors']} vectors\n"


def recovered(done: Plain) -> str:
    """What was brought back."""
    if not done["was_damaged"]:
        return "the memory is not damaged: nothing was done\n"
    backup = f" ({done['from_backup']} of them from the backup of {done['backup_at']})" if done["from_backup"] else ""
    kept = f"; the damaged file is kept at {visible(done['quarantined'])}" if done["quarantined"] else ""
    return f"{done['saved']} fixes brought back{backup}, {done['lost']} known to be lost{kept}\n"


def _short(plain: Plain) -> str:
    return str(plain["id"])[:_ID_CHARACTERS]


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return visible(", ".join(f"{name} {'unknown' if count is None else count}" for name, count in value.items())) or "none"
    return visible(str(value))
