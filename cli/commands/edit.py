"""/edit: the user changes the fix of the last report in an editor, and the memory prefers what comes of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from cli.commands.needs import CannotError, Offer, answering, the_fix
from cli.counter import Counter
from cli.edge import Served, leave
from cli.journal import Edited
from cli.quiet_keys import keys_seen
from cli.shown import Shown
from reports.closing import level_words
from reports.text import diff_lines
from schema.experience import Experience, Provenance
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.record import TaskRecord
from schema.revision import Revision
from utils.newlines import restore_newlines
from utils.redact import Redacted, open_placeholders, redact, restore
from wiring_feedback import Feedback, edited_text

_OWN_WORDS = "Edited by you."


@dataclass(frozen=True)
class Edit:
    """A fix as the user has changed it, without secrets, and how far it was checked. `findings`: those it is stored with."""

    offer: Offer
    text: Redacted
    verification: Verification
    findings: tuple[Finding, ...]

    @property
    def record(self) -> TaskRecord:
        """The report's record, in terms of the code."""
        return self.offer.report.raw


@answering
async def edit(counter: Counter, rest: str) -> None:
    """Open the fix in an editor; what is left there is the fix from then on, and counts as accepted. `rest` says why it is better."""
    offer = the_fix(counter)
    shown = offer.report.shown
    _refuse(counter, shown)
    text = await _edited(counter, offer)
    made = await _checked(counter, offer, text)
    fix = _fix(made, rest)
    served = _served(made, replace(made.record, fix=fix))
    counter.shown = now = replace(shown, served=served, draft="", verdict="")
    counter.console.out(
        "\n".join(diff_lines(served.before, _code(served), served.path, counter.console.style(), made.record.language)) + "\n"
    )
    kept = shown.is_example is False and counter.sitting.app.save
    said = await _kept(counter, made, fix, now) if kept else "It is not remembered: nothing of this is saved."
    counter.say(f"Your fix, {level_words(fix)}. {said}")


def _refuse(counter: Counter, shown: Shown) -> None:
    """Raise CannotError where there is nobody to edit, or a verdict stands in the way."""
    if not (counter.console.interactive and counter.console.paints):
        raise CannotError("/edit opens an editor, and there is no terminal here.")
    if shown.verdict == "rejected":
        raise CannotError("You have rejected this fix; after /undo it can be edited.")


async def _edited(counter: Counter, offer: Offer) -> str:
    """What the user makes of it. Raises CannotError when that is nothing new."""
    record, shown = offer.report.raw, offer.report.shown
    code = "" if record.fix is None else record.fix.code
    with keys_seen():
        text = await edited_text(shown.draft or code, record.language, counter.console.environment)
    if not code.endswith("\n"):
        text = text.removesuffix("\n")  # editors end the last line
    if not text.strip():
        raise CannotError("Nothing was changed: the text is empty.")
    if text == code:
        raise CannotError("Nothing was changed. (An editor with windows of its own must wait: VISUAL='code --wait'.)")
    if text == shown.entry.task.code:
        raise CannotError("That is the code as it was before the fix: /reject says that the fix is wrong.")
    return text


async def _checked(counter: Counter, offer: Offer, text: str) -> Edit:
    """The edit with its level. Raises CannotError for one that does not hold; the next /edit goes on with it.

    A user may mend more than the findings speak of: then it is stored without them. Mending one of them is enough to be clean.
    """
    record, shown = offer.report.raw, offer.report.shown
    task, verifier = shown.entry.task, counter.sitting.app.verifier
    safe = redact(text, task.code + text)

    def verify() -> Edit:
        verification = verifier.verify(task.source, safe.text, test_cmd=task.test_cmd, file=task.file)
        is_within = not record.findings or verifier.verify(task.source, safe.text, findings=record.findings).accepted
        return Edit(offer, safe, verification, record.findings if is_within else ())

    counter.say("Checking it ...")
    async with counter.sitting.stoppable():
        made = await asyncio.to_thread(verify)
    why = made.verification.refused or ("your test command does not pass with it" if made.verification.tests_failed else "")
    if why:
        counter.shown = replace(shown, draft=text)
        raise CannotError(f"Not taken over: {why}. /edit goes on with your text; the fix of before stays.")
    return made


def _fix(made: Edit, why: str) -> Fix:
    """The fix of the record from now on."""
    before = made.record.fix
    assert before is not None  # noqa: S101 - an offer has one
    said = redact(why).text if why else f"{before.explanation.removesuffix(_OWN_WORDS).strip()} {_OWN_WORDS}".strip()
    return replace(before, code=made.text.text, explanation=said, verification=made.verification)


def _served(made: Edit, record: TaskRecord) -> Served:
    """The report with the edit in terms of the paste: also secrets that the user has typed are put back."""
    old, entry = made.offer.report.served, made.offer.report.shown.entry
    served = leave(entry, record)
    fix = served.record.fix
    assert fix is not None  # noqa: S101 - as above
    code = restore_newlines(entry.pasted, restore(fix.code, made.text.secrets)[0])
    left = open_placeholders(code, entry.pasted if entry.was_read else "")
    whole = replace(served.record, fix=replace(fix, code=code), notes=old.record.notes)
    return replace(served, record=whole, placeholders=left, answer=old.answer)


async def _kept(counter: Counter, made: Edit, fix: Fix, shown: Shown) -> str:
    """Remember it, and that it can be taken back; a sentence on what became of it."""
    before = made.offer.report.shown
    session = (await counter.sitting.driver()).session_id
    experience = _experience(made, fix, session)
    corrected = _corrected(made.record)

    def keep() -> Revision:
        revision = Feedback(counter.sitting.app.ledger).revise(experience, corrected)
        if revision.judged is not None:
            _note(counter, before, shown, revision)
        return revision

    revision = await asyncio.to_thread(keep)
    await counter.refresh()
    if revision.judged is None:
        return "It is not remembered: you told the memory to forget this code."
    behind = " The fix that it corrects comes behind it." if revision.corrections else ""
    pin = " It is pinned in its place." if revision.took_pin else ""
    return f"It counts as proved and comes first from now on.{behind}{pin} /undo takes it back."


def _note(counter: Counter, before: Shown, shown: Shown, revision: Revision) -> None:
    """Put it on the screen and into the journal. An answer of memory that had to be corrected has spared nothing."""
    answer = shown.served.answer if shown.served is not None else None
    counter.shown = shown
    without = counter.unspare(shown)
    if without.served is not None and without.served.raw is not None:
        raw = replace(without.served.raw, saved=revision.saved)
        without = replace(without, served=replace(without.served, raw=raw), verdict="accepted")
    counter.shown = without

    def forget() -> None:
        if answer is not None:
            counter.spare_again(answer)
        if counter.shown is not None and counter.shown.entry is shown.entry:
            counter.shown = before

    counter.journal.add(Edited(f"your edit of the fix of {shown.words}", revision, forget))


def _experience(made: Edit, fix: Fix, session: str) -> Experience:
    task = made.offer.report.shown.entry.task
    return Experience(
        language=task.language,
        code=task.code,
        fixed_code=fix.code,
        explanation=fix.explanation,
        provenance=Provenance("session", ref=session),
        findings=made.findings,
        verification=fix.verification,
        trust="proved",
        trust_reason="edited by you",
        cost=made.record.llm,
    )


def _corrected(record: TaskRecord) -> list[int]:
    """The stored fix that was edited: the saved one, or memory's of the same code. What was put together of several, or comes from code
    that is only alike, is not to blame for what did not fit here."""
    if record.saved.alternative_id is not None:
        return [record.saved.alternative_id]
    used = [region for region in record.match.regions if region.fixed_code is not None]
    if record.fix is None or record.fix.origin not in {"memory", "transfer"} or len(used) != 1 or used[0].tier == "near":
        return []
    return [used[0].alternative_id]


def _code(served: Served) -> str:
    return "" if served.record.fix is None else served.record.fix.code
