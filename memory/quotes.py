"""The quotes of strings that a fix brings along, in languages where both kinds mean the same."""

from __future__ import annotations

import re

from memory.script import Script

_LANGUAGES = frozenset({"python", "javascript", "typescript"})
_PLAIN = re.compile(r"""(?P<quote>["'])(?P<body>(?:(?!["'\\])[^\n])*)(?P=quote)""")
"""A string on one line that says the same between either quotes: no quote, no escape in it."""


def value_of(text: str, language: str) -> str:
    """A literal's text, the same for `'a'` and `"a"` where they are the same."""
    match = _PLAIN.fullmatch(text) if language in _LANGUAGES else None
    return f'"{match["body"]}"' if match else text


class Quoting:
    """Writes the strings of a fix with the paste's quotes, when the paste has one kind only and the stored buggy text has the other."""

    def __init__(self, buggy: Script, paste: Script) -> None:
        own, theirs = _quotes_in(paste), _quotes_in(buggy)
        self._quote = next(iter(own)) if len(own) == 1 and not own & theirs else ""

    def of(self, text: str) -> str:
        """The string as the paste would write it; itself where the other quotes would change it."""
        match = _PLAIN.fullmatch(text) if self._quote else None
        return f"{self._quote}{match['body']}{self._quote}" if match else text


def _quotes_in(script: Script) -> frozenset[str]:
    if script.language not in _LANGUAGES:
        return frozenset()
    found = (_PLAIN.fullmatch(element.token.text) for element in script.elements if element.token.kind == "string")
    return frozenset(match["quote"] for match in found if match)
