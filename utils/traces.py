"""Error reports pasted together with code: find where a traceback or stack trace begins and ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PYTHON_HEAD = re.compile(r"(?:  \+ Exception Group )?Traceback \(most recent call last\):\s*$")
_PYTHON_INNER = re.compile(
    r"[ \t]|\s*$|Traceback \(most recent call last\):|During handling of the above|The above exception was the direct cause"
)
_PYTHON_ERROR = re.compile(r"(?:[\w.]+\.)?[A-Za-z_]\w*(?:: .*|:)?$")
_PYTHON_CHAIN = re.compile(r"(?:During handling of the above exception|The above exception was the direct cause)")


@dataclass(frozen=True)
class _Style:
    """How one runtime prints an error: the first line, the lines that follow, and one that must be among them."""

    head: re.Pattern[str]
    inner: re.Pattern[str]
    must: re.Pattern[str]


_AT = r"\s+at .+|\s*\.\.\. \d+ more|Caused by: .*|\s+Suppressed: .*"
_STYLES = (
    # Java, Kotlin, C#
    _Style(
        re.compile(
            r"(?:Exception in thread .+|Unhandled [Ee]xception[.:].*|(?:[a-z][\w]*\.)+[A-Z]\w*(?:Exception|Error)\b.*"
            r"|System\.\w*Exception.*)$"
        ),
        re.compile(rf"(?:{_AT}|\s*--- End of .*|\s*)$"),
        re.compile(r"\s+at [\w.$<>`]+\("),
    ),
    # Node and browsers, with or without the excerpt that Node prints first
    _Style(
        re.compile(
            r"(?:(?:Uncaught )?(?:[A-Z]\w*Error|Error|DOMException)\b.*"
            r"|(?:file://)?/?[\w./\\:-]+\.(?:[cm]?[jt]sx?):\d+(?::\d+)?)$"
        ),
        re.compile(r"(?:\s+at .+|Node\.js v.*|(?:Uncaught )?[A-Z]\w*Error\b.*|\s*\^+|\s{2,}.*|.*;\s*|\s*)$"),
        re.compile(r"\s+at .+(?::\d+|<anonymous>|native)"),
    ),
    # Go
    _Style(
        re.compile(r"(?:panic: |fatal error: ).*$"),
        re.compile(r"(?:goroutine \d+ .*|\s+.*|[\w./*()-]+\(.*\)|created by .*|exit status \d+|\[signal .*|panic: .*|\s*)$"),
        re.compile(r"goroutine \d+ \["),
    ),
    # Rust
    _Style(
        re.compile(r"thread '.*' (?:\(\d+\) )?panicked at .*$"),
        re.compile(
            r"(?:note: .*|stack backtrace:|\s+\d+: .*|\s+at .*|called `.*|attempt to .*|index out of .*|assertion .*|\s+(?:left"
            r"|right): .*|\s*)$"
        ),
        re.compile(r"."),
    ),
)


def trace_end(lines: Sequence[str], start: int) -> int | None:
    """The line (0-based, exclusive) where the error report that begins at `start` ends; None when none begins there."""
    if _PYTHON_HEAD.match(lines[start]):
        return _python_end(lines, start)
    for style in _STYLES:
        if style.head.match(lines[start]):
            end = _style_end(lines, start, style)
            if end is not None:
                return end
    return None


def _python_end(lines: Sequence[str], start: int) -> int:
    """After the line that names the exception, and after those that are chained to it."""
    at = start + 1
    while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t" or lines[at].startswith(("+", "|"))):
        at += 1
    if at < len(lines) and _PYTHON_ERROR.match(lines[at]):
        at += 1
    following = next((number for number in range(at, len(lines)) if lines[number].strip()), len(lines))
    if following < len(lines) and _PYTHON_CHAIN.match(lines[following]):
        head = next((number for number in range(following + 1, len(lines)) if _PYTHON_HEAD.match(lines[number])), None)
        if head is not None and head <= following + 2:
            return _python_end(lines, head)
    return at


def _style_end(lines: Sequence[str], start: int, style: _Style) -> int | None:
    """After the last line that belongs to the report; blank lines behind it don't."""
    at = start + 1
    last_must = start if style.must.pattern == "." else -1
    while at < len(lines) and style.inner.match(lines[at]):
        if style.must.match(lines[at]):
            last_must = at
        at += 1
    if last_must < 0:
        return None
    end = last_must + 1 if style.must.pattern != "." else at
    while end < at and re.match(r"(?:exit status|Node\.js v|Caused by|\s+\.\.\. |note: )", lines[end] or "x"):
        end += 1
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end
