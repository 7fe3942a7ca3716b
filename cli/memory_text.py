"""What `memory ...` prints for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reports.style import Style
from reports.text import diff_lines
from utils.newlines import to_lf
from utils.terminal import clip, visible

if TYPE_CHECKING:
    from memory.admin import StoredExperience
    from memory.records import StoredAlternative
    from memory.seeding import SeedReport

_ID_CHARACTERS = 12
_ROW_CELLS = 60


def row(experience: StoredExperience) -> str:
    """One line: id, day, language, trust, how often used, what it is about."""
    best = experience.best
    about = clip(visible(" ".join((best.explanation or best.code).split())), _ROW_CELLS)
    day = experience.created_at[:10]
    return f"{experience.id[:_ID_CHARACTERS]}  {day}  {experience.language:<10}  {best.trust:<11}  {best.uses:>3} uses  {about}\n"


def whole(experience: StoredExperience, style: Style) -> str:
    """Every alternative with its diff."""
    head = f"{experience.id}  {visible(experience.language)}  {experience.created_at}\n"
    return head + "\n".join(alternative(each, style) for each in experience.alternatives)


def alternative(stored: StoredAlternative, style: Style) -> str:
    """Where a fix came from, how far it is trusted, and the fix as a diff."""
    origin = stored.provenance
    came = " ".join(part for part in (origin.kind, origin.ref, origin.author) if part)
    reason = f" ({stored.trust_reason})" if stored.trust_reason else ""
    lines = [
        style.paint("strong", visible(f"{stored.experience_id[:_ID_CHARACTERS]}: {stored.trust}{reason}, level {stored.verification.level}")),
        visible(f"from {came}; used {stored.uses} times, accepted {stored.accepted}, rejected {stored.rejected}"),
        *([visible(stored.explanation)] if stored.explanation else []),
        *diff_lines(to_lf(stored.code), to_lf(stored.fixed_code), "stored", style),
    ]
    return "\n".join(lines) + "\n"


def seeded(report: SeedReport) -> str:
    """What became of the lines."""
    counts = report.as_plain()
    bad = counts.pop("bad_lines")
    lines = [", ".join(f"{name} {count}" for name, count in counts.items())]
    lines += [f"line {each['line']}: {visible(each['reason'])}" for each in bad]
    return "\n".join(lines) + "\n"


def forgotten(identity: str, alternatives: int, leftovers: Sequence[str]) -> str:
    """What is gone, and what the user may want to delete too."""
    lines = [f"forgotten: {identity[:_ID_CHARACTERS]} ({alternatives} fix{'es' if alternatives != 1 else ''})"]
    lines += [f"its text may still be in {visible(path)}" for path in leftovers]
    return "\n".join(lines) + "\n"


def counts(stats: Mapping[str, Any]) -> str:
    """One line a count."""
    return "".join(f"{name}: {_flat(value)}\n" for name, value in stats.items())


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return visible(", ".join(f"{name} {count}" for name, count in value.items())) or "none"
    return visible(str(value))


def recovered(saved: int, lost: int, quarantined: str | None) -> str:
    """What was brought back."""
    if quarantined is None:
        return "the memory is not damaged: nothing was done\n"
    return f"{saved} fixes brought back, {lost} known to be lost; the damaged file is kept at {visible(quarantined)}\n"
