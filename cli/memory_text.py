"""What `memory ...` prints for people, from the plain values that `--json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.style import Style
from reports.text import diff_lines
from utils.newlines import to_lf
from utils.terminal import clip, visible

_ID_CHARACTERS = 12
_ROW_CELLS = 60

Plain = Mapping[str, Any]


def row(experience: Plain) -> str:
    """One line: id, day, language, trust, how often used, what it is about."""
    best = experience["alternatives"][0]
    about = clip(visible(" ".join((best["explanation"] or best["code"]).split())), _ROW_CELLS)
    start = f"{_short(experience)}  {experience['created_at'][:10]}  {visible(experience['language']):<10}"
    return f"{start}  {best['trust']:<11}  {best['uses']:>3} uses  {about}\n"


def whole(experience: Plain, style: Style) -> str:
    """Every alternative with its diff."""
    head = f"{experience['id']}  {visible(experience['language'])}  {experience['created_at']}\n"
    return head + "\n".join(_alternative(each, style) for each in experience["alternatives"])


def _alternative(stored: Plain, style: Style) -> str:
    """Where a fix came from, how far it is trusted, and the fix as a diff."""
    origin = stored["provenance"]
    came = " ".join(part for part in (origin["kind"], origin["ref"], origin["author"]) if part)
    reason = f" ({stored['trust_reason']})" if stored["trust_reason"] else ""
    lines = [
        style.paint("strong", visible(f"{stored['trust']}{reason}, level {stored['verification']['level']}")),
        visible(f"from {came}; used {stored['uses']} times, accepted {stored['accepted']}, rejected {stored['rejected']}"),
        *([visible(stored["explanation"])] if stored["explanation"] else []),
        *diff_lines(to_lf(stored["code"]), to_lf(stored["fixed_code"]), "stored", style),
    ]
    return "\n".join(lines) + "\n"


def seeded(report: Plain) -> str:
    """What became of the lines."""
    counted = ", ".join(f"{name} {count}" for name, count in report.items() if name not in {"bad_lines", "index"})
    bad = (f"line {each['line']}: {visible(each['reason'])}" for each in report["bad_lines"])
    return "\n".join([counted, *bad, f"vector index: {visible(report['index'])}"]) + "\n"


def forgotten(gone: Plain) -> str:
    """What is gone, and what the user may want to delete too."""
    count = gone["alternatives"]
    lines = [f"forgotten: {_short(gone)} ({count} fix{'es' if count != 1 else ''})"]
    lines += [f"its text may still be in {visible(path)}" for path in gone["leftovers"]]
    return "\n".join(lines) + "\n"


def counts(stats: Plain) -> str:
    """One line a count."""
    return "".join(f"{name}: {_flat(value)}\n" for name, value in stats.items())


def rebuilt(done: Plain) -> str:
    """One line: what was done, and how much the index holds."""
    return f"vector index {visible(done['index'])}: {done['vectors']} vectors\n"


def recovered(done: Plain) -> str:
    """What was brought back."""
    if done["quarantined"] is None:
        return "the memory is not damaged: nothing was done\n"
    kept = visible(done["quarantined"])
    return f"{done['saved']} fixes brought back, {done['lost']} known to be lost; the damaged file is kept at {kept}\n"


def _short(plain: Plain) -> str:
    return str(plain["id"])[:_ID_CHARACTERS]


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return visible(", ".join(f"{name} {count}" for name, count in value.items())) or "none"
    return visible(str(value))
