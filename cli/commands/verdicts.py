"""What the user says of findings and fixes: /ignore, /accept, /reject."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cli.commands.needs import CannotError, Offer, answering, the_fix, the_numbers, the_report
from cli.counter import Counter
from cli.journal import Ignored, Verdict
from cli.shown import Shown
from schema.experience import Judged
from schema.finding import Finding
from schema.match import Region
from schema.savings import FROM_MEMORY, Answer
from schema.source import Source

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
    stays = " Its past fix stays for the code that it was made for." if _is_only_alike(counter) else ""
    counter.say(f"Rejected: this fix is not offered for this code again.{stays} /undo takes it back, /retry looks for another.")


def _is_only_alike(counter: Counter) -> bool:
    """True when the fix on the screen came from code that is only like the paste."""
    offer = the_fix(counter)
    if offer.report.raw.saved.alternative_id is not None or offer.fix.origin not in FROM_MEMORY:
        return False
    return any(region.tier == "near" and region.fixed_code is not None for region in offer.report.raw.match.regions)


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
        first, *others = _judged_of(offer, accepted=accepted)
        judged = [memory.judge(first.alternative_id, accepted=accepted, source=source, fixed_code=code, here_only=first.here_only)]
        for each in others:
            judged.append(
                memory.judge(each.alternative_id, accepted=accepted, source=each.source, fixed_code=each.code, here_only=each.here_only)
            )
        told = tuple(each for each in judged if each is not None)
        if told:
            _note(counter, offer, verdict, told)
        return told

    told = await asyncio.to_thread(judge)
    if not told:
        raise CannotError("This fix is not in the memory any more: there is nothing to judge.")
    return any(each.alternative_id is not None for each in told)


@dataclass(frozen=True)
class Subject:
    """One thing that a verdict is about: a stored fix, or none; and, where it is not the whole paste, a part with what it became.

    `here_only`: the stored fix is of other code that is only alike, and may be right there.
    """

    alternative_id: int | None
    source: Source | None = None
    code: str = ""
    here_only: bool = False


def _judged_of(offer: Offer, *, accepted: bool) -> Sequence[Subject]:
    """The stored fixes that the shown one is, or was made of; of those that were only alike, the parts of the paste, too."""
    record = offer.report.raw
    if record.saved.alternative_id is not None:
        return [Subject(record.saved.alternative_id)]
    if offer.fix.origin not in FROM_MEMORY:
        return [Subject(None)]
    used = {region.alternative_id: region for region in record.match.regions if region.fixed_code is not None}
    here = {key for key, region in used.items() if region.tier == "near" and not accepted}
    parts = [_part(offer, region) for region in record.match.regions if region.alternative_id in here and region.fixed_code is not None]
    return [*(Subject(key, here_only=key in here) for key in used), *parts] or [Subject(None)]


def _part(offer: Offer, region: Region) -> Subject:
    """Lines of the paste by themselves, and what the rejected fix makes of them."""
    source = offer.report.shown.entry.task.source
    lines = source.text.split("\n")[region.start_line - 1 : region.end_line]
    return Subject(None, replace(source, text="\n".join(lines)), region.fixed_code or "")


def _note(counter: Counter, offer: Offer, verdict: str, told: tuple[Judged, ...]) -> None:
    """Remember it for /undo. An answer from memory that was wrong has spared nothing."""
    shown = offer.report.shown
    answer = offer.report.served.answer if verdict == "rejected" else None
    counter.shown = judged = shown.judged(verdict)
    if answer is not None:
        counter.unspare(judged)

    def forget() -> None:
        _unjudged(counter, shown, answer)

    counter.journal.add(Verdict(f"your verdict ({verdict}) on the fix of {shown.words}", told, forget))


def _unjudged(counter: Counter, shown: Shown, answer: Answer | None) -> None:
    """The report on the screen has no verdict any more, if it is still that one; and memory's answer counts again."""
    if answer is not None:
        counter.spare_again(answer)
    if counter.shown is not None and counter.shown.entry is shown.entry:
        served = counter.shown.served
        again = None if served is None or answer is None else replace(served, answer=answer)
        counter.shown = replace(counter.shown.judged(""), served=again or served)


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
