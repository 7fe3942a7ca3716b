"""Interpolated strings: Python's f-strings, JavaScript's templates, C#'s `$"..."`. What is text in them, and where code begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Template:
    """One kind of interpolated string. `text` matches from inside of it up to its end, its line's end or the next interpolation."""

    quote: str
    opener: str
    text: re.Pattern[str]
    has_format: bool
    """After a colon in an interpolation stands a format, not code."""


_BRACES = r"\{\{|\}\}|\}"
CONVERSION = re.compile(r"![rsa](?=\s*[:}])")
"""Python's `!r` at the end of an interpolation."""

FORMAT = re.compile(r"[^{}\n]*+")
"""The text of a format, up to a nested interpolation or its end."""


@lru_cache(maxsize=64)
def template_of(language: str, opening: str) -> Template:
    """The template that `opening` (prefix and quote) opens."""
    if language == "csharp":
        escapes = r'""' if "@" in opening else r"\\(?:.|\Z)"
        chars = r'[^{}"]' if "@" in opening else r'[^\\{}"\n]'
        return Template('"', "{", _pattern(rf"{chars}++|{escapes}|{_BRACES}"), True)
    if language == "python":
        return _python_template(opening.lstrip("fFrRtT"))
    return Template("`", "${", _pattern(r"[^\\`$]++|\\(?:.|\Z)|\$(?!\{)"), False)


def _python_template(quote: str) -> Template:
    escapes = r"\\(?:N\{[^{}\n]*\}|[^{}])?+"
    if len(quote) == 1:
        return Template(quote, "{", _pattern(rf"[^\\{{}}{quote}\n]++|{escapes}|{_BRACES}"), True)
    return Template(quote, "{", _pattern(rf"[^\\{{}}{quote[0]}]++|{escapes}|{_BRACES}|{quote[0]}(?!{quote[1:]})"), True)


def _pattern(parts: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{parts})*+", re.DOTALL)
