"""What the fixer is asked: the code or its parts, the findings, a past fix of similar code, and why the last answer did not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.fencing import Fencing
from agents.parts import Shown, moved, spans_to_show
from agents.prompting import Block, Question, around, findings_as_lines, prompt, spoken
from agents.schemas import FixResult
from schema.finding import Finding
from schema.fix import Verification
from schema.ports import FixRequest
from utils.redact import redact
from utils.terminal import visible

MAX_EXAMPLE = 12_000
"""Characters of a past fix; a longer one is no example but a burden."""
MAX_REASON = 1_000
MAX_OUTPUT = 4_100
"""Characters of a test's output; the verifier has cut it to its head and tail already."""
MIN_OUTPUT_TOKENS = 4_096
MAX_OUTPUT_TOKENS = 32_768
CHARACTERS_PER_TOKEN = 2.5
"""Of code, on the safe side."""

WHAT_WAS_SIMILAR = "A past fix of similar code, as an example; it did not carry over by itself. Before:"


@dataclass(frozen=True)
class Attempt:
    """A fix that did not hold. `objection` is why (empty when only a test failed), `added` a finding that it brought in."""

    code: str
    objection: str
    test_output: str
    added: str

    @classmethod
    def of(cls, code: str, verification: Verification) -> Attempt:
        """From the verifier's gates."""
        failed = {check.name: check.detail for check in verification.checks if not check.passed}
        refused = "" if verification.accepted else verification.refused or "it did not pass the checks"
        added = failed.get("nothing_new", "") if verification.accepted else ""
        output = (verification.test_output or failed.get("tests", "")) if verification.tests_failed else ""
        return cls(code, refused or (f"it adds a defect: {added}" if added else ""), output, added)

    def blocks(self, shown: Shown) -> list[Block]:
        """The answer, of long code the parts that were shown, and what is wrong with it."""
        answered = Shown(self.code, tuple(moved(shown.spans, shown.code, self.code)), shown.separator)
        said = [Block("previous", answered.text, "A fix that was tried and did not hold:")]
        if self.objection:
            said.append(Block("reason", _plain(self.objection, MAX_REASON), "Why a program refused it:"))
        if self.test_output:
            said.append(Block("tests", _plain(self.test_output, MAX_OUTPUT), "The user's test command fails with it. Its output:"))
        return said


def shown_code(request: FixRequest, base: str, targets: Sequence[Finding], attempt: Attempt | None) -> tuple[Shown, Fencing]:
    """What the model sees of the code, and the fences of this call."""
    about = [(found.start_line, found.end_line) for found in targets] or [(r.start_line, r.end_line) for r in request.match.regions]
    spans = spans_to_show(base, request.task.language, moved(about, request.task.code, base))
    question = _question(request, Shown(base), targets, attempt, "")
    fencing = question.fencing()
    return Shown(base, spans, f"@@@@ next part {fencing.number} @@@@"), fencing


def fix_question(request: FixRequest, shown: Shown, fencing: Fencing, targets: Sequence[Finding], attempt: Attempt | None) -> Question:
    """The question, with what is to be returned."""
    if len(shown.spans) > 1:
        wanted = prompt("return_parts", {"count": str(len(shown.spans)), "separator": shown.separator})
    elif shown.spans:
        wanted = prompt("return_part", {})
    else:
        wanted = prompt("return_whole", {})
    return _question(request, shown, targets, attempt, wanted)


def _question(request: FixRequest, shown: Shown, targets: Sequence[Finding], attempt: Attempt | None, wanted: str) -> Question:
    task = request.task
    language = spoken(task.language)
    blocks = [Block("code", shown.text, f"The code to mend ({language}):")]
    if targets:
        blocks.append(Block("findings", findings_as_lines(targets), "The defects to mend, one JSON object a line:"))
    blocks += _examples(request)
    blocks += around(task.context_text, request.summary)
    if attempt is not None:
        blocks += attempt.blocks(shown)
    tokens = int(len(shown.text) / CHARACTERS_PER_TOKEN) + MIN_OUTPUT_TOKENS // 2
    values = {"language": language, "what_to_return": wanted}
    return Question(task.id, "fixer", FixResult, blocks, values, max(MIN_OUTPUT_TOKENS, min(tokens, MAX_OUTPUT_TOKENS)))


def _examples(request: FixRequest) -> list[Block]:
    """The past pair that did not carry over, or memory's own proposal that was refused."""
    past = request.example
    if past is not None and len(past.buggy) + len(past.fixed) <= MAX_EXAMPLE:
        pair = [Block("past_before", past.buggy, WHAT_WAS_SIMILAR), Block("past_after", past.fixed, "After:")]
        return [*pair, Block("past_why", past.explanation, "What it did:")] if past.explanation.strip() else pair
    recalled = request.recalled
    if past is None and recalled is not None and len(recalled.code) <= MAX_EXAMPLE and recalled.code != request.task.code:
        return [
            Block("past_after", recalled.code, "What a past fix of similar code would make of this code; as it stands it did not pass:")
        ]
    return []


def _plain(text: str, limit: int) -> str:
    """Output of a program: its end, at most `limit` characters, redacted, without control characters."""
    return redact(visible(text)).text[-limit:]
