"""The fixer with a model: memory's fix first, then the rules' fixes, and a call only for what is left.

Whatever a model returns is judged by the Verifier. A refused fix goes back once with the reason, a failing test at most twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from agents.answers import spent_since
from agents.fix_answer import Proposal, parse_fix
from agents.fix_question import CHARACTERS_PER_TOKEN, MAX_OUTPUT_TOKENS, Attempt, fix_question, shown_code
from agents.fixer import NOTHING_HELD_NOTE, TESTS_FAILED_NOTE, WHOLE, StaticFixer, is_generated
from agents.open_findings import asked_for, open_findings, worth_fixing
from agents.parts import moved
from errors import ModelError
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.ports import FixOutcome, FixRequest, Inspector, LanguageModel, Verifier

MAX_TEST_ROUNDS = 2
MAX_REFUSED_ROUNDS = 1

SMALL_NOTE = "no fix was asked of the model: no finding is medium or worse"
UNCHANGED_NOTE = "the model would change nothing: {why}"
REFUSED_NOTE = "the model's fix was refused: {why}"
ADDS_NOTE = "the model's fix adds a finding: {what}"
TOO_LONG_NOTE = "no fix was asked of the model: what it would have to return is longer than one answer can be"
FAILED_NOTE = "the fix is the part that needed no model"


@dataclass(frozen=True)
class Job:
    """What the model is asked to do: mend `targets` in `base`, which has the fix `so_far` in it already."""

    request: FixRequest
    so_far: Fix | None
    targets: tuple[Finding, ...]
    attempt: Attempt | None = None

    @property
    def base(self) -> str:
        """The code that the model starts from: without a fix that breaks the tests."""
        usable = self.so_far is not None and not self.so_far.verification.tests_failed
        return self.so_far.code if usable and self.so_far is not None else self.request.task.code

    @property
    def mended_by_memory(self) -> bool:
        """True when memory has put in changes that no finding speaks of."""
        return self.base != self.request.task.code and self.so_far is not None and self.so_far.origin in {"memory", "transfer"}


def first_job(request: FixRequest, so_far: Fix | None, targets: tuple[Finding, ...]) -> Job:
    """The job; a fix that breaks the tests is shown as what did not hold."""
    broken = so_far is not None and so_far.verification.tests_failed
    return Job(request, so_far, targets, Attempt.of(so_far.code, so_far.verification) if so_far is not None and broken else None)


class ModelFixer:
    """Implements `schema.ports.Fixer`. `static` does all that needs no model."""

    def __init__(self, model: LanguageModel, inspector: Inspector, verifier: Verifier, static: StaticFixer | None = None) -> None:
        self._model = model
        self._inspector = inspector
        self._verifier = verifier
        self._static = static or StaticFixer(inspector, verifier)

    async def fix(self, request: FixRequest) -> FixOutcome:
        """A verified fix, or none and why.

        Raises: ModelError when the model fails and there is no fix without it; SandboxUnavailableError as StaticFixer.
        """
        static = await asyncio.to_thread(self._static.propose, request)
        targets = await asyncio.to_thread(self._left_open, request, static.fix)
        if targets is None:
            return _explained(request, static)
        job = first_job(request, static.fix, targets)
        if await asyncio.to_thread(_is_too_long, job):
            return _without(static, TOO_LONG_NOTE)
        before = self._model.usage(request.task.id)
        try:
            outcome = await self._ask_until_it_holds(job, static)
        except ModelError as error:
            if static.fix is None:
                raise
            outcome = replace(static, notes=(*static.notes, FAILED_NOTE), failure=error)
        return replace(outcome, usage=spent_since(before, self._model.usage(request.task.id)))

    def _left_open(self, request: FixRequest, fix: Fix | None) -> tuple[Finding, ...] | None:
        """What a model is to mend; None when it is not to be asked."""
        if is_generated(request.task.code) and not request.task.chosen:
            return None
        from_memory = fix is not None and fix.origin in {"memory", "transfer"} and request.match.coverage >= WHOLE
        if fix is not None and from_memory and not fix.verification.tests_failed:
            return None
        left = open_findings(request, fix, self._inspector)
        has_example = fix is None and (request.example is not None or request.recalled is not None)
        failed = fix is not None and fix.verification.tests_failed
        return left if left or has_example or failed else None

    async def _ask_until_it_holds(self, job: Job, static: FixOutcome) -> FixOutcome:
        """Calls until a fix holds or the rounds are spent. A later call that fails does not take an acceptable fix away."""
        rounds = Rounds()
        best: FixOutcome | None = None
        best_rank = (False, False, False)
        while True:
            try:
                proposal = await self._ask(job)
            except ModelError as error:
                if best is None:
                    raise
                return replace(best, failure=error)
            if proposal.code == job.base:
                return best or _without(static, UNCHANGED_NOTE.format(why=proposal.explanation or "it gave no reason"))
            verification = await asyncio.to_thread(self._verify, job, proposal.code)
            attempt = Attempt.of(proposal.code, verification)
            rank = (verification.accepted, not attempt.test_output, not attempt.added)
            if best is None or rank >= best_rank:
                best, best_rank = _settled(job, static, proposal, verification), rank
            if not rounds.goes_back(attempt):
                return best
            job = replace(job, attempt=attempt)

    async def _ask(self, job: Job) -> Proposal:
        """One call, its repair round for unusable answers included. Raises: ModelError."""
        shown, fencing = shown_code(job.request, job.base, job.targets, job.attempt)
        question = fix_question(job.request, shown, fencing, job.targets, job.attempt)
        parse = partial(parse_fix, shown=shown, language=job.request.task.language, fencing=fencing)
        return await self._model.ask(question.request(fencing), parse)

    def _verify(self, job: Job, code: str) -> Verification:
        """From the paste to the model's text, with the user's test command.

        What memory has put in is not bound to findings, so there the model's own step is judged first, by the findings it is about.
        """
        task = job.request.task
        if job.mended_by_memory:
            step = self._verifier.verify(replace(task.source, text=job.base), code, findings=_moved(job))
            if not step.accepted:
                return step
        about = () if job.mended_by_memory else asked_for(job.request)
        return self._verifier.verify(task.source, code, findings=about, test_cmd=task.test_cmd, file=task.file)


def _is_too_long(job: Job) -> bool:
    """True when the model could not give back what it would be shown."""
    shown, _ = shown_code(job.request, job.base, job.targets, job.attempt)
    return len(shown.text) > MAX_OUTPUT_TOKENS * CHARACTERS_PER_TOKEN


@dataclass
class Rounds:
    """How often an answer has gone back."""

    refused: int = 0
    failed: int = 0

    def goes_back(self, attempt: Attempt) -> bool:
        """Count the answer; True when it goes back to the model with what is wrong."""
        if attempt.objection and self.refused < MAX_REFUSED_ROUNDS:
            self.refused += 1
            return True
        if attempt.test_output and self.failed < MAX_TEST_ROUNDS:
            self.failed += 1
            return True
        return False


def _moved(job: Job) -> list[Finding]:
    """The targets on their lines in the base."""
    places = moved([(found.start_line, found.end_line) for found in job.targets], job.request.task.code, job.base)
    return [replace(found, start_line=first, end_line=last) for found, (first, last) in zip(job.targets, places, strict=False)]


def _settled(job: Job, static: FixOutcome, proposal: Proposal, verification: Verification) -> FixOutcome:
    """The model's fix when it holds, else what there was without it."""
    if not verification.accepted:
        return _without(static, REFUSED_NOTE.format(why=verification.refused or "it did not pass the checks"))
    if verification.tests_failed and job.base != job.request.task.code:
        # The fix so far passes the tests, and this one does not.
        return _without(static, REFUSED_NOTE.format(why=TESTS_FAILED_NOTE))
    notes = _still_true(static.notes)
    if verification.tests_failed:
        notes.append(TESTS_FAILED_NOTE)
    if added := Attempt.of(proposal.code, verification).added:
        notes.append(ADDS_NOTE.format(what=added))
    done = job.so_far.explanation if job.so_far is not None and job.base == job.so_far.code else ""
    return FixOutcome(Fix(proposal.code, f"{done} {proposal.explanation}".strip(), "model", verification), notes=tuple(notes))


def _without(static: FixOutcome, why: str) -> FixOutcome:
    """What there was without the model, and why its fix is not there."""
    return replace(static, notes=(*_still_true(static.notes), why))


def _still_true(notes: Sequence[str]) -> list[str]:
    """Notes of the static fixer that hold after the model was asked."""
    return [note for note in notes if note not in {NOTHING_HELD_NOTE, TESTS_FAILED_NOTE}]


def _explained(request: FixRequest, static: FixOutcome) -> FixOutcome:
    """The static outcome; when nothing was worth a call, it says so."""
    if static.fix is None and not static.rejected and request.findings and not worth_fixing(request.findings):
        return _without(static, SMALL_NOTE)
    return static
