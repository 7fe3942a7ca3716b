"""A fixer's answer: back in its place, and refused at once when it leaves code out.

What is refused here is said to the model in one sentence, for its one repair round; the Verifier has the last word on the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from agents.answers import tidy
from agents.fencing import Fencing
from agents.parts import Shown
from agents.schemas import FixResult, parse
from utils.elision import elided
from utils.syntax import top_level
from utils.terminal import visible

MAX_EXPLANATION = 600
MAX_NAMES = 5
_PLAIN_NAME = re.compile(r"[\w.]{1,32}")
"""A name that is told as it is; the sentence stands outside of the fences, and a quoted or long name can hold an order."""

_FENCED = re.compile(r"\s*```[\w+#.-]*[ \t]*\n(?P<code>.*?)\n?```\s*", re.DOTALL)


@dataclass(frozen=True)
class Proposal:
    """The whole code as the model would have it, with LF line ends, and what it says it did."""

    code: str
    explanation: str


def parse_fix(text: str, shown: Shown, language: str, fencing: Fencing) -> Proposal:
    """The proposal. Raises: ValueError with a sentence for the model when the answer is no FixResult, or leaves code out."""
    answer = parse(FixResult, text)
    returned = fencing.undo(answer.fixed_code).replace("\r\n", "\n")
    code = shown.put_back(_unfenced(returned, shown.text))
    why = lost_code(shown.code, code, language) or unseen(shown.code, code)
    if why:
        raise ValueError(f"fixed_code: {why}")
    return Proposal(code, tidy(fencing.undo(answer.explanation), MAX_EXPLANATION))


def lost_code(before: str, after: str, language: str) -> str:
    """Why the answer is not all of the code; empty when nothing speaks for that."""
    if not after.strip():
        return "it is empty; return all of the code"
    had = Counter((block.name, block.kind) for block in top_level(before, language))
    has = Counter((block.name, block.kind) for block in top_level(after, language))
    lost = sorted({name if _PLAIN_NAME.fullmatch(name) else "a definition" for name, _ in had - has})
    gone = f"{', '.join(lost[:MAX_NAMES])} {'is' if len(lost) == 1 else 'are'} gone" if lost else ""
    why = "; ".join(part for part in (elided(before, after), gone) if part)
    return f"{why}; return all of the code" if why else ""


def unseen(before: str, after: str) -> str:
    """Why the answer holds characters that nobody sees and the code did not have."""
    added = {character for character in set(after) - set(before) if visible(character) != character}
    return "it has control or invisible characters that the code does not have" if added else ""


def _unfenced(returned: str, shown: str) -> str:
    """Without a Markdown fence around all of it, unless the code itself begins with one."""
    fenced = _FENCED.fullmatch(returned)
    return fenced["code"] if fenced and not shown.lstrip().startswith("```") else returned
