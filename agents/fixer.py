"""Who mends what was found."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.parts import moved
from schema.finding import Finding, severity_rank
from schema.fix import Fix, Verification
from schema.match import Region
from schema.ports import FixOutcome, FixRequest, Inspector, Verifier
from schema.source import Source
from schema.task import Task
from utils.edits import apply_edits

MAX_RULE_FIXES = 20
"""More fixable findings than this in one paste are a change of style, not a repair: nothing is rewritten unasked."""
WORTH_FIXING = severity_rank("medium")
HEAD_LINES = 20
"""Where a generated file says so."""
GENERATED = re.compile(r"DO NOT EDIT|@generated\b")
WHOLE = 1.0

GENERATED_NOTE = "no fix: the file says that it is generated"
NOTHING_HELD_NOTE = "No fix: nothing here knows how to mend this; with a model configured it would be asked."
TOO_MANY_PLACES = "memory knows a fix for {places} places: more than {most} are not changed unasked"
MEMORY_REFUSED_NOTE = "the past fix from memory was not used: {why}"
PART_USED_NOTE = "those parts of it that pass the checks by themselves were used"
TESTS_FAILED_NOTE = "the test command does not pass with this fix"


@dataclass(frozen=True)
class Mended:
    """A text on the way to its fix: what the rules changed in it, and sentences for the user."""

    text: str
    applied: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


class StaticFixer:
    """Memory's past fix first, then the fixes of rules and linters, one by one; only what the verifier accepts is kept."""

    def __init__(self, inspector: Inspector, verifier: Verifier) -> None:
        self._inspector = inspector
        self._verifier = verifier

    async def fix(self, request: FixRequest) -> FixOutcome:
        """A verified fix, or none and why. Raises: SandboxUnavailableError when a test command can't be run."""
        return await asyncio.to_thread(self.propose, request)

    def propose(self, request: FixRequest) -> FixOutcome:
        """The same, blocking. What the user has rejected is no fix."""
        past, notes = self._past_fix(request)
        rejected = past is not None and request.is_rejected(past.code)
        past = None if rejected else past
        if past is not None and request.match.coverage >= WHOLE and not past.verification.tests_failed:
            return FixOutcome(past, notes=notes)
        outcome = self._rule_fix(request, None if past is not None and past.verification.tests_failed else past)
        if outcome.fix is not None and request.is_rejected(outcome.fix.code):
            outcome, rejected = replace(outcome, fix=None), True
        best = best_of(past, outcome, notes, found=bool(request.findings) and not rejected)
        return replace(best, rejected=rejected and best.fix is None)

    def _past_fix(self, request: FixRequest) -> tuple[Fix | None, tuple[str, ...]]:
        """Memory's proposal once it is verified on the whole paste, or why it can't be used."""
        past = request.recalled
        if past is None or past.code == request.task.code:
            return None, ()
        if unasked := not_asked_for(request):
            return None, (unasked,)
        verification = self._verify(request.task, past.code, ())
        if verification.accepted:
            return replace(past, verification=self._resting(request, past.code, verification)), ()
        refused = MEMORY_REFUSED_NOTE.format(why=verification.refused or "it did not pass the checks")
        part = self._regions_that_hold(request.task, request.match.regions)
        if part is None:
            return None, (refused,)
        verification = self._resting(request, part, self._verify(request.task, part, ()))
        return replace(past, code=part, verification=verification), (refused, PART_USED_NOTE)

    def _resting(self, request: FixRequest, code: str, verification: Verification) -> Verification:
        """Clean only by what memory's fix is about, where that is known."""
        if verification.level != "clean" or not request.mends:
            return verification
        return verification.resting_on(self._verifier.verify(request.task.source, code, findings=request.mends))

    def _regions_that_hold(self, task: Task, regions: Sequence[Region]) -> str | None:
        """The code with the fix of each region that is accepted by itself; None when none is. One bad region spoils no other."""
        usable = [region for region in regions if region.fixed_code is not None]
        code = task.code
        for region in sorted(usable, key=lambda region: -region.start_line) if len(usable) > 1 else ():
            changed = with_region(code, region)
            if self._verifier.verify(replace(task.source, text=code), changed).accepted:
                code = changed
        return None if code == task.code else code

    def _rule_fix(self, request: FixRequest, past: Fix | None) -> FixOutcome:
        """Rule fixes on top of memory's part, verified as a whole."""
        task = request.task
        mended = self._mend_chosen(request) if task.chosen else self._mend(request, task.code if past is None else past.code)
        if not mended.applied:
            return FixOutcome(past, notes=mended.notes)
        verification = self._verify(task, mended.text, mended.applied if past is None else ())
        if not verification.accepted:
            return FixOutcome(past, notes=mended.notes)
        return FixOutcome(as_fix(mended, verification, past), notes=mended.notes)

    def _mend(self, request: FixRequest, code: str) -> Mended:
        """The code with every rule fix that holds. Positions move with each, so the text is inspected anew."""
        if is_generated(code):
            return Mended(code, notes=(GENERATED_NOTE,))
        waiting = self._fixable(request, code)
        if len(waiting) > MAX_RULE_FIXES:
            too_many = f"no rule fix was tried: {len(waiting)} findings have one, more than {MAX_RULE_FIXES} are not changed unasked"
            return Mended(code, notes=(too_many,))
        mended, refused = Mended(code), set[str]()
        while len(mended.applied) < MAX_RULE_FIXES and waiting:
            found, *waiting = waiting
            text = self._try(replace(request.task.source, text=mended.text), found)
            if text is None:
                refused.add(found.fingerprint)
                continue
            mended = Mended(text, (*mended.applied, found))
            waiting = [again for again in self._fixable(request, text) if again.fingerprint not in refused]
        return mended

    def _fixable(self, request: FixRequest, code: str) -> list[Finding]:
        """Findings whose fix may be applied, in the order of the text, without those that the user has dismissed."""
        found = self._inspector.inspect(replace(request.task.source, text=code)).findings
        left_alone = [Moved(one, request.task.code, code) for one in request.ignored]
        return [one for one in found if may_apply(one) and not any(each.is_at(one) for each in left_alone)]

    def _mend_chosen(self, request: FixRequest) -> Mended:
        """The task's code with the fixes that the user asked for, last lines first: that moves none of those before them.

        No limit and no severity holds here, and a generated file is changed, too.
        """
        task, mended = request.task, Mended(request.task.code)
        for found in sorted(request.findings, key=lambda each: (each.start_line, each.start_column), reverse=True):
            now = self._found_again(found, task, mended.text)
            text = None if now is None else self._try(replace(task.source, text=mended.text), now)
            if text is not None:
                mended = Mended(text, (found, *mended.applied))
        return mended

    def _found_again(self, found: Finding, task: Task, code: str) -> Finding | None:
        """A finding of the task's code with its fix, as it is in `code`; None when it has none to apply or is gone."""
        if found.fix is None or found.fix.applicability == "display":
            return None
        if code == task.code:
            return found
        place = Moved(found, task.code, code)
        there = [one for one in self._inspector.inspect(replace(task.source, text=code)).findings if place.is_at(one)]
        return min(there, key=lambda one: abs(one.start_column - found.start_column), default=None)

    def _try(self, source: Source, found: Finding) -> str | None:
        """The text with one fix in it, or None when that fix does not hold."""
        try:
            text = apply_edits(source.text, found.fix.edits if found.fix is not None else ())
        except ValueError:
            return None
        held = self._verifier.verify(source, text, findings=(found,))
        return text if held.accepted and held.level != "parses" else None

    def _verify(self, task: Task, code: str, mended: Sequence[Finding]) -> Verification:
        """Check the whole: from the paste to the final text, with the user's test command."""
        return self._verifier.verify(task.source, code, findings=mended, test_cmd=task.test_cmd, file=task.file)


class Moved:
    """Where a finding of `before` stands in `after`."""

    def __init__(self, found: Finding, before: str, after: str) -> None:
        self._rule_id = found.rule_id
        lines = (found.start_line, found.end_line)
        self._lines = next(iter(moved([lines], before, after)), (0, 0)) if before != after else lines

    def is_at(self, found: Finding) -> bool:
        """True when `found`, of the text after, may be the same."""
        first, last = self._lines
        return found.rule_id == self._rule_id and first <= found.start_line <= last


def not_asked_for(request: FixRequest) -> str:
    """Why memory's proposal would rewrite what nobody asked for: a generated file, or very many places. Empty when it would not."""
    if is_generated(request.task.code):
        return GENERATED_NOTE
    places = sum(region.fixed_code is not None for region in request.match.regions)
    return TOO_MANY_PLACES.format(places=places, most=MAX_RULE_FIXES) if places > MAX_RULE_FIXES else ""


def with_region(code: str, region: Region) -> str:
    """The code with a region's lines replaced by what they become."""
    lines = code.splitlines(keepends=True)
    fixed = (region.fixed_code or "").rstrip("\n") + "\n"
    return "".join([*lines[: region.start_line - 1], fixed, *lines[region.end_line :]])


def may_apply(found: Finding) -> bool:
    """True for a fix that is meant to be applied, of a finding that is worth it."""
    return found.fix is not None and found.fix.applicability != "display" and severity_rank(found.severity) >= WORTH_FIXING


def is_generated(code: str) -> bool:
    """True when the head of the file says that a program writes it."""
    return any(GENERATED.search(line) for line in code.split("\n", HEAD_LINES)[:HEAD_LINES])


def best_of(past: Fix | None, outcome: FixOutcome, notes: Sequence[str], *, found: bool) -> FixOutcome:
    """The fix that carries further: one whose tests pass, else the rules', else memory's; and why there is none."""
    fix = outcome.fix or past
    said = list(dict.fromkeys([*notes, *outcome.notes]))
    if fix is None and found and not outcome.notes:
        said.append(NOTHING_HELD_NOTE)
    if fix is not None and fix.verification.tests_failed:
        said.append(TESTS_FAILED_NOTE)
    return FixOutcome(fix, notes=tuple(said))


def as_fix(mended: Mended, verification: Verification, past: Fix | None) -> Fix:
    """The fix that the record shows: the rules', or memory's with the rules' on top."""
    done = explanation(mended.applied)
    if past is None:
        return Fix(mended.text, done, "rules", verification)
    return Fix(mended.text, f"{past.explanation} {done}".strip(), past.origin, verification, past.experience_id)


def explanation(applied: Sequence[Finding]) -> str:
    """What was done and why, in one or two sentences."""
    reasons = list(dict.fromkeys(sentence(found.suggestion or found.message) for found in applied))
    more = len(reasons) - 2
    return " ".join(reasons[:2]) + (f" And {more} more." if more > 0 else "")


def sentence(text: str) -> str:
    """`text` with a capital first letter and a full stop."""
    trimmed = text.strip()
    return trimmed[:1].upper() + trimmed[1:] + ("" if trimmed.endswith((".", "!", "?")) else ".")
