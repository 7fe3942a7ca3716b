"""The closing line of a report: where the answer came from, how far it was checked, what was saved, what it cost."""

from __future__ import annotations

from schema.experience import Saved
from schema.fix import Fix, Level
from schema.match import Match
from schema.record import TaskRecord
from schema.usage import Usage
from utils.terminal import visible

SECOND_MS = 1000
_LEVELS: dict[Level, str] = {
    "none": "not verified",
    "parses": "level parses: no new syntax error; nothing was run",
    "clean": "level clean: what it mends is gone, nothing new came; nothing was run",
    "tested": "level tested: your test command passed",
}
_ORIGINS = {
    "memory": "fix from memory",
    "transfer": "past fix carried over to this code",
    "model": "fix by the model",
    "rules": "fix by the rules",
}
_TIERS = {
    "exact": "the same code",
    "renamed": "the same code with other names",
    "near": "much the same code",
}
_WHY = {
    "nothing_found": "nothing was found",
    "no_fix": "there is no fix to remember",
    "from_memory": "it came from memory",
    "no_save": "saving is off",
    "error": "the task failed",
    "rejected": "the fix was rejected, by you or by your test command",
}


def closing_parts(record: TaskRecord, where: str) -> list[str]:
    """The parts of the closing line, in reading order; `where` says what leaves this machine."""
    was_asked = record.error is None or record.match.status != "NONE" or bool(record.match.reason)
    parts = [match_words(record.match)] if was_asked else []
    if record.fix is not None:
        parts.append(f"{_ORIGINS[record.fix.origin]}, level {record.fix.verification.level}")
    parts += [saved_words(record.saved), seconds(record.elapsed_ms), calls_words(record.llm), spared_words(record.match.spared), where]
    return [part for part in parts if part]


def match_words(match: Match) -> str:
    """Status, what it means, and memory's own reason."""
    if match.status == "NONE":
        unknown = visible(match.reason) or "memory knows no such code"
        return f"NONE: {'this is the fixed side of a past fix' if match.already_fixed else unknown}"
    tier = _TIERS[match.tier] if match.tier else "known"
    known = visible(match.reason) or f"{tier} as a past fix"
    share = "" if match.coverage >= 1 else f", {match.coverage:.0%} of it"
    trust = f", {match.trust}" if match.trust else ""
    return f"{match.status}: {known}{share} ({_short(match.experience_id)}{trust})"


def level_words(fix: Fix) -> str:
    """The evidence level, said in words; a fix that was refused says why."""
    if fix.verification.refused:
        return f"not verified: {fix.verification.refused}"
    words = _LEVELS[fix.verification.level]
    return words.replace("nothing was run", "your test command did not pass") if fix.verification.tests_failed else words


def saved_words(saved: Saved) -> str:
    """What was remembered, or why nothing was."""
    if saved.status == "skipped":
        return f"not saved: {_WHY[saved.why]}" if saved.why else "not saved"
    if saved.status == "duplicate":
        return f"already saved as {_short(saved.id)}"
    return f"saved as {_short(saved.id)}" if saved.status == "added" else f"saved as another fix of {_short(saved.id)}"


def seconds(elapsed_ms: int) -> str:
    """A duration for people: milliseconds below a second."""
    return f"{elapsed_ms} ms" if elapsed_ms < SECOND_MS else f"{elapsed_ms / SECOND_MS:.1f} s"


def calls_words(usage: Usage) -> str:
    """Calls, tokens, and what they cost where the prices are known."""
    if usage.calls == 0:
        return "no model call"
    calls = f"{usage.calls} model call{'s' if usage.calls > 1 else ''}"
    tokens = usage.input_tokens + usage.output_tokens
    cost = "cost unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    return f"{calls}, {tokens} tokens, {cost}" if tokens else calls


def spared_words(spared: Usage | None) -> str:
    """What memory saved: the calls that the offered fix had cost once; empty when no model had made it."""
    if spared is None or spared.calls == 0:
        return ""
    cost = f" ({spared.cost_usd:.4f} USD)" if spared.cost_usd else ""
    return f"memory saved {spared.calls} model call{'s' if spared.calls > 1 else ''}{cost}"


def _short(identity: str | None) -> str:
    """The first twelve characters of an id: enough for `memory show`."""
    return (identity or "?")[:12]
