"""The reviewer with a model: it is shown the code and the static findings, it quotes what is wrong, the program finds the lines."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agents.anchors import Anchors, Place, Quoted
from agents.answers import spent_since, tidy
from agents.fencing import Fencing
from agents.merging import merge_review
from agents.model_reading import Reading, read_all
from agents.model_windows import MAX_CHARACTERS, Window, head_of
from agents.prompting import Block, Question, around, findings_as_lines, spoken
from agents.same_defect import same_defect, same_meaning, same_place
from agents.schemas import MAX_FINDINGS, QuotedFinding, ReviewerOutput, parse
from schema.assemble import cut_note
from schema.finding import Finding
from schema.finding_sets import keep_worst
from schema.match import Match
from schema.ports import LanguageModel, Review, ReviewRequest
from schema.task import Task
from utils.fingerprint import fingerprint

MAX_MESSAGE = 400
MAX_SUGGESTION = 600
MAX_NAME = 80
NAMED_UNPLACED = 3
NAMED_LENGTH = 120
MAX_OUTPUT_TOKENS = 8_192

MAX_EVIDENCE = 40
"""Findings of others that one call is shown; the worst."""
PART_NOTE = "One part of a long file under review ({language}); the other parts are reviewed by themselves:"
SILENCED_NOTE = "What they would report too, but for comments in the code that silence it; judge for yourself:"
HEAD_NOTE = "How that file begins, for orientation only:"

UNPLACED_NOTE = "{count} of the model's findings could not be placed, because {what} in the code: {named}"


class ModelReviewer:
    """Implements `schema.ports.Reviewer`. At most `max_findings` are kept, the worst; `max_calls` are those of a whole task."""

    def __init__(self, model: LanguageModel, max_findings: int = MAX_FINDINGS, max_calls: int = 8) -> None:
        self._model = model
        self._max_findings = max_findings
        self._max_calls = max_calls
        self._window = MAX_CHARACTERS
        """What the model's context holds: it shrinks when the endpoint says so, for the rest of the session."""

    async def review(self, request: ReviewRequest) -> Review:
        """The given findings with the model's merged in. Raises: ModelError once the retries are spent."""
        task = request.task
        before = self._model.usage(task.id)

        async def ask(window: Window, is_part: bool) -> Sequence[QuotedFinding]:
            question = review_question(request, window if is_part else None)
            fencing = question.fencing()
            return await self._model.ask(question.request(fencing), partial(parse_review, fencing=fencing))

        reading = await read_all(task, ask, lambda: self._max_calls - self._model.usage(task.id).calls, self._window)
        self._window = reading.limit
        placed, unplaced = await asyncio.to_thread(self._placed, request, reading)
        findings, cut = keep_worst(merge_review(request.findings, placed, request.match.regions), self._max_findings)
        notes = (*reading.notes(), *unplaced_note(unplaced), *cut_note(cut, self._max_findings))
        return Review(findings, spent_since(before, self._model.usage(task.id)), notes, reading.failure)

    def _placed(self, request: ReviewRequest, reading: Reading) -> tuple[list[Finding], list[QuotedFinding]]:
        """Findings on the lines that they quote, and those whose quote names no place. What two windows report is one finding."""
        source = f"model:{tidy(self._model.name, MAX_NAME)}"
        placed: list[Finding] = []
        unplaced: list[QuotedFinding] = []
        for window, answer in reading.answers:
            found, lost = placed_in(window, answer, request, source)
            shared = [one for one in placed if window.holds(one.start_line, one.end_line)]
            placed += [one for one in found if not any(same_defect(one, other) for other in shared)]
            unplaced += lost
        return told_apart(placed), unplaced


def placed_in(
    window: Window, answer: Sequence[QuotedFinding], request: ReviewRequest, source: str
) -> tuple[list[Finding], list[QuotedFinding]]:
    """The findings of one window, with lines of the whole code, and those without a place."""
    task = request.task
    anchors = Anchors(window.text, task.language)

    def finding_at(index: int, place: Place) -> Finding:
        first, last = place.start_line + window.first - 1, place.end_line + window.first - 1
        return as_finding(answer[index], replace(place, start_line=first, end_line=last), anchors.evidence(place), task, source)

    def has_evidence(index: int, place: Place) -> bool:
        found = finding_at(index, place)
        return any(same_place(known, found) and same_meaning(known, found) for known in request.findings)

    places = anchors.place_all([Quoted(one.quote, f"{one.message} {one.suggestion}") for one in answer], has_evidence)
    placed = [finding_at(index, place) for index, place in enumerate(places) if place is not None]
    return placed, [one for one, place in zip(answer, places, strict=True) if place is None]


def review_question(request: ReviewRequest, part: Window | None = None) -> Question:
    """The code or one part of it, what is known about that, the plan, what stood around it, and the session so far."""
    task = request.task
    language = spoken(task.language)
    if part is None:
        shown = [Block("code", task.code, f"The code under review ({language}):")]
    else:
        shown = [Block("head", head_of(task.code), HEAD_NOTE)] if part.first > 1 else []
        shown.append(Block("code", part.text, PART_NOTE.format(language=language)))
    known = [one for one in request.findings if part is None or part.holds(one.start_line, one.end_line)]
    if known:
        note = "What linters, rules and the memory of past fixes report, one JSON object a line:"
        shown.append(Block("evidence", findings_as_lines(keep_worst(known, MAX_EVIDENCE)[0]), note))
    quiet = [one for one in request.silenced if part is None or part.holds(one.start_line, one.end_line)]
    if quiet:
        shown.append(Block("silenced", findings_as_lines(keep_worst(quiet, MAX_EVIDENCE)[0]), SILENCED_NOTE))
    if regions := known_parts(task, request.match, part):
        shown.append(Block("known", regions, "Parts of the code that the memory of past fixes knows, and what it says about them:"))
    if request.plan:
        shown.append(Block("plan", "\n".join(f"- {step}" for step in request.plan), "What to look at first:"))
    values = {"language": language}
    return Question(task.id, "reviewer", ReviewerOutput, [*shown, *around(task.context_text, request.summary)], values, MAX_OUTPUT_TOKENS)


def known_parts(task: Task, match: Match, part: Window | None = None) -> str:
    """Each region by its first and last line; the model is not to count lines."""
    lines = task.code.split("\n")
    parts = []
    for region in match.regions:
        if part is not None and not part.holds(region.start_line, region.end_line):
            continue
        held = [line.strip() for line in lines[region.start_line - 1 : region.end_line] if line.strip()]
        if held:
            mended = "it has a fix for it" if region.fixed_code is not None else "its fix does not carry over"
            parts.append(f"from `{held[0][:NAMED_LENGTH]}` to `{held[-1][:NAMED_LENGTH]}`: {region.explanation[:MAX_MESSAGE]} ({mended})")
    return "\n".join(parts)


def parse_review(text: str, fencing: Fencing) -> tuple[QuotedFinding, ...]:
    """The findings, as the code reads without our marks. Raises: ValueError with a sentence for the model."""
    answer = parse(ReviewerOutput, text)
    return tuple(
        one.model_copy(update={name: fencing.undo(getattr(one, name)) for name in ("quote", "message", "suggestion")})
        for one in answer.findings
    )


def as_finding(one: QuotedFinding, place: Place, evidence: str, task: Task, source: str) -> Finding:
    """A model's finding at its place."""
    return Finding(
        path=task.path,
        start_line=place.start_line,
        end_line=place.end_line,
        start_column=place.start_column,
        end_column=place.end_column,
        severity=one.severity,
        category=one.category,
        rule_id=f"model/{one.category}",
        message=tidy(one.message, MAX_MESSAGE),
        suggestion=tidy(one.suggestion, MAX_SUGGESTION),
        evidence=evidence,
        confidence=one.confidence,
        source=source,
    )


def told_apart(findings: Sequence[Finding]) -> list[Finding]:
    """Two findings of one category on one line get fingerprints of their own."""
    seen: Counter[str] = Counter()
    apart = []
    for found in findings:
        ordinal = seen[found.fingerprint]
        seen[found.fingerprint] += 1
        apart.append(replace(found, fingerprint=fingerprint(found.rule_id, found.path, found.evidence, ordinal)) if ordinal else found)
    return apart


def unplaced_note(unplaced: Sequence[QuotedFinding]) -> list[str]:
    """The sentence about findings without a place; none when all have one."""
    if not unplaced:
        return []
    named = "; ".join(f"{one.severity}: {tidy(one.message, NAMED_LENGTH)}" for one in unplaced[:NAMED_UNPLACED])
    what = "its quote names no single place" if len(unplaced) == 1 else "their quotes name no single place"
    return [UNPLACED_NOTE.format(count=len(unplaced), what=what, named=named)]
