"""Fences around untrusted text in a prompt: one random number a call, so that nothing inside can end its own fence.

Code, comments, tracebacks, past fixes, findings and the model's own earlier answers go into a prompt only through `Fencing`.
What looks like one of our fences, or like a control token of a chat template (`<|im_start|>`, `[INST]`; some local servers obey
them inside a message), gets a mark in it. The mark is random too and stands nowhere in the texts, so `undo` takes it out of an answer
and leaves everything else as it is.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from string import ascii_lowercase

NUMBER_BYTES = 6
MARK_LENGTH = 7

_LOOKALIKE = re.compile(
    r"<<<(?=\s*/?\s*(?:BEGIN|END)\b)"  # our own fences
    r"|<(?=[|｜][\w/▁.]{1,40}[|｜]>)"  # <|im_start|>, and with full-width bars, as DeepSeek has them
    r"|\[(?=/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\])"
    r"|<(?=</?SYS>)|<(?=/?(?:s|think|tool_call|tool_response|tools|start_of_turn|end_of_turn|bos|eos)>)",
    re.IGNORECASE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def random_word() -> str:
    """Letters only, so that a mark breaks up any token that it is put into."""
    return "".join(secrets.choice(ascii_lowercase) for _ in range(MARK_LENGTH))


class Fencing:
    """The fences of one call. `texts` are all that will stand in them; `number` and `word` draw anew until neither occurs in those."""

    def __init__(
        self,
        texts: Sequence[str],
        number: Callable[[], str] = lambda: secrets.token_hex(NUMBER_BYTES),
        word: Callable[[], str] = random_word,
    ) -> None:
        everything = "\n".join(texts).lower()
        self.number = _unused(number, everything)
        self.mark = _unused(word, everything)
        self.has_marked = False
        """True once a text had something in it that needed the mark."""

    def fence(self, label: str, text: str) -> str:
        """The text between its fences. Lone surrogates, which no request can carry, become U+FFFD."""
        inside = _LOOKALIKE.sub(self._marked, _SURROGATE.sub("\ufffd", text))
        return f"<<<BEGIN {label} {self.number}>>>\n{inside}{'' if inside.endswith(chr(10)) else chr(10)}<<<END {label} {self.number}>>>"

    def undo(self, text: str) -> str:
        """An answer without the marks."""
        return text.replace(self.mark, "")

    def _marked(self, found: re.Match[str]) -> str:
        """The mark stands behind the first character."""
        self.has_marked = True
        return found.group()[0] + self.mark + found.group()[1:]


def _unused(draw: Callable[[], str], text: str) -> str:
    """The first draw that does not occur in the text."""
    word = draw()
    while word.lower() in text:
        word = draw()
    return word
