"""What the user says of findings and fixes: /ignore, /accept, /reject."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cli.commands.needs import CannotError, Offer, answering, the_fix, the_numbers, the_report
from cli.counter import Counter
from cli.journal import Ignored, Verdict
from cli.shown import Shown
from schema.experience import Judged
from schema.finding import Finding

_NAMED = 3
"""Findings that a sentence names one by one."""


@answering
async def ignore(counter: Counter, rest: str) -> None:
    """Don't report these findings for this code again."""
    report = the_report(counter)
    verdicts = counter.sitting.app.verdicts
    _refuse_unkept(counter, report.shown)
    if not report.raw.findings:
        raise CannotError(f"Nothing was found in {report.shown.words}: there is nothing to ignore.")
    numbers = the_numbers(rest, len(report.raw.findings), "/ignore N..")
    assert verdicts is not None  # noqa: S101 - a session that keeps nothing was refused above
    source = report.shown.entry.task.source
    wanted = [report.raw.findings[number - 1] for number in numbers]
    known = await asyncio.to_thread(verdicts.dismissed, source, wanted)
    new = tuple(finding for finding in wanted if finding.fingerprint not in known)
    if not new:
        raise CannotError("They are ignored already." if len(wanted) > 1 else "It is ignored already.")

    def dismiss() -> None:
        verdicts.dismiss(source, new)
        counter.journal.add(Ignored(f"ignoring {_named(new)} in {report.shown.words}", source, new))

    await asyncio.to_thread(dismiss)
    counter.say(f"Ignored: {_named(new)}. Not reported for this code again; /undo takes it back.")


@answering
async def accept(counter: Counter, rest: str) -> None:
    """The fix is right."""
    if await _judge(counter, accepted=True):
        counter.say("Accepted: this fix counts as proved and comes first from now on. /undo takes it back.")
    else:
        counter.say("Accepted, but this fix is not saved, so it can't be offered again; /retry may save it. /undo takes it back.")


@answering
async def reject(counter: Counter, rest: str) -> None:
    """The fix is wrong."""
    await _judge(counter, accepted=False)
    counter.say("Rejected: this fix is not offered for this code again. /undo takes it back, /retry looks for another.")


async def _judge(counter: Counter, *, accepted: bool) -> bool:
    """Write the verdict down, and that it can be taken back; True when it is on a stored fix. Raises CannotError."""
    offer = the_fix(counter)
    shown = offer.report.shown
    _refuse_unkept(counter, shown)
    if shown.verdict:
        raise CannotError(f"You have {shown.verdict} this fix already; /undo takes that back.")
    memory = counter.sitting.app.memory
    verdict = "accepted" if accepted else "rejected"
    fix = offer.report.raw.fix
    source, code = shown.entry.task.source, "" if fix is None else fix.code

    def judge() -> tuple[Judged, ...]:
        # The fix of this very code is judged once, with the first of its alternatives.
        first, *others = _alternatives(offer)
        judged = [memory.judge(first, accepted=accepted, source=source, fixed_code=code)]
        judged += [memory.judge(each, accepted=accepted) for each in others]
        told = tuple(each for each in judged if each is not None)
        if told:
            counter.shown = shown.judged(verdict)
            counter.journal.add(Verdict(f"your verdict ({verdict}) on the fix of {shown.words}", told, lambda: _unjudged(counter, shown)))
        return told

    told = await asyncio.to_thread(judge)
    if not told:
        raise CannotError("This fix is not in the memory any more: there is nothing to judge.")
    return any(each.alternative_id is not None for each in told)


def _alternatives(offer: Offer) -> Sequence[int | None]:
    """The stored fixes that the shown one is, or was made of; None for one that is not stored."""
    record = offer.report.raw
    if record.saved.alternative_id is not None:
        return [record.saved.alternative_id]
    if offer.fix.origin in {"memory", "transfer"}:
        used = dict.fromkeys(region.alternative_id for region in record.match.regions if region.fixed_code is not None)
        return list(used) or [None]
    return [None]


def _unjudged(counter: Counter, shown: Shown) -> None:
    """The report on the screen has no verdict any more, if it is still that one."""
    if counter.shown is not None and counter.shown.entry is shown.entry:
        counter.shown = counter.shown.judged("")


def _refuse_unkept(counter: Counter, shown: Shown) -> None:
    """Raise CannotError where nothing is kept."""
    if shown.is_example:
        raise CannotError("Nothing of the example is saved, no verdict either: paste code of your own.")
    if not counter.sitting.app.save:
        raise CannotError("This session saves nothing (--no-save), no verdict either.")


def _named(findings: Sequence[Finding]) -> str:
    """A few words: `bugs/mutable-default (line 3)`, or how many."""
    if len(findings) > _NAMED:
        return f"{len(findings)} findings"
    return ", ".join(f"{finding.rule_id} ({finding.message})" for finding in findings)
