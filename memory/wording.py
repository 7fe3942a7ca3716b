"""A stored explanation in the words of the paste: code that it quotes gets the paste's names."""

from __future__ import annotations

import re

from utils.tokens import tokenize


def in_own_names(explanation: str, stored: str, paste: str, language: str) -> str:
    """`explanation` with the names between backticks mapped from the stored code to the paste, where both have the same tokens."""
    if "`" not in explanation:
        return explanation
    old, new = tokenize(stored, language), tokenize(paste, language)
    if len(old) != len(new):
        return explanation
    names = {before.text: after.text for before, after in zip(old, new, strict=True) if before.kind == "name"}
    return re.sub(r"`[^`]*`", lambda quoted: re.sub(r"\w+", lambda name: names.get(name[0], name[0]), quoted[0]), explanation)
