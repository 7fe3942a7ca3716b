"""The reviewer with a model: it is shown the code and the static findings, it quotes what is wrong, the program finds the lines."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from agents.anchors import Anchors, Place, Quoted
from agents.answers import spent_since, tidy
from agents.fencing import Fencing
from agents.merging import merge_review
from agents.prompting import Block, Question, around, findings_as_lines, spoken
from agents.same_defect import same_meaning, same_place
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

UNPLACED_NOTE = "{count} of the model's findings could not be placed, because {what} in the code: {named}"


@dataclass(frozen=True)
class ModelReviewer:
    """Implements `schema.ports.Reviewer`. At most `max_findings` are kept, the worst."""

    model: LanguageModel
    max_findings: int = MAX_FINDINGS

    async def review(self, request: ReviewRequest) -> Review:
        """The given findings with the model's merged in. Raises: ModelError once the retries are spent."""
        before = self.model.usage(request.task.id)
        question = review_question(request)
        fencing = question.fencing()
        answer = await self.model.ask(question.request(fencing), partial(parse_review, fencing=fencing))
        placed, unplaced = await asyncio.to_thread(self._placed, request, answer)
        findings, cut = keep_worst(merge_review(request.findings, placed, request.match.regions), self.max_findings)
        notes = (*unplaced_note(unplaced), *cut_note(cut, self.max_findings))
        return Review(findings, spent_since(before, self.model.usage(request.task.id)), notes)

    def _placed(self, request: ReviewRequest, answer: Sequence[QuotedFinding]) -> tuple[list[Finding], list[QuotedFinding]]:
        """Findings on the lines that they quote, and those whose quote names no place."""
        task = request.task
        anchors = Anchors(task.code, task.language)
        source = f"model:{tidy(self.model.name, MAX_NAME)}"

        def finding_at(index: int, place: Place) -> Finding:
            return as_finding(answer[index], place, anchors.evidence(place), task, source)

        def has_evidence(index: int, place: Place) -> bool:
            found = finding_at(index, place)
            return any(same_place(known, found) and same_meaning(known, found) for known in request.findings)

        places = anchors.place_all([Quoted(one.quote, f"{one.message} {one.suggestion}") for one in answer], has_evidence)
        placed = [finding_at(index, place) for index, place in enumerate(places) if place is not None]
        unplaced = [one for one, place in zip(answer, places, strict=True) if place is None]
        return told_apart(placed), unplaced


def review_question(request: ReviewRequest) -> Question:
    """The whole code, what is known about it, the plan, what stood around it, and the session so far."""
    task = request.task
    shown = [Block("code", task.code, f"The code under review ({spoken(task.language)}):")]
    if request.findings:
        note = "What linters, rules and the memory of past fixes report, one JSON object a line:"
        shown.append(Block("evidence", findings_as_lines(request.findings), note))
    if known := known_parts(task, request.match):
        shown.append(Block("known", known, "Parts of the code that the memory of past fixes knows, and what it says about them:"))
    if request.plan:
        shown.append(Block("plan", "\n".join(f"- {step}" for step in request.plan), "What to look at first:"))
    values = {"language": spoken(task.language)}
    return Question(task.id, "reviewer", ReviewerOutput, [*shown, *around(task.context_text, request.summary)], values, MAX_OUTPUT_TOKENS)


def known_parts(task: Task, match: Match) -> str:
    """Each region by its first and last line; the model is not to count lines."""
    lines = task.code.split("\n")
    parts = []
    for region in match.regions:
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
