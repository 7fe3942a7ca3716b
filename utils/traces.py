"""Error reports pasted together with code: find where a traceback or stack trace begins and ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_PYTHON_HEAD = re.compile(r"(?:  \+ Exception Group )?Traceback \(most recent call last\):\s*$")
_PYTHON_ERROR = re.compile(r"(?:[\w.]+\.)?[A-Za-z_]\w*(?:: .*|:)?$")
_PYTHON_CHAIN = re.compile(r"(?:During handling of the above exception|The above exception was the direct cause)")


@dataclass(frozen=True)
class _Style:
    """How one runtime prints an error: the first line, lines that may follow, a line that must come, and what goes on after it."""

    head: re.Pattern[str]
    before: re.Pattern[str]
    must: re.Pattern[str]
    after: re.Pattern[str]


_AT = r"\s+at .+|\s*\.\.\. \d+ more|Caused by: .*|\s+Suppressed: .*|\s*--- End of .*"
_GO_FRAME = r"goroutine \d+ .*|\s+.*|[\w./*()-]+\(.*\)|created by .*|exit status \d+|\[signal .*|panic: .*"
_STYLES = (
    # Java, Kotlin, C#
    _Style(
        head=re.compile(
            r"(?:Exception in thread .+|Unhandled [Ee]xception[.:].*|(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b.*"
            r"|System\.\w*Exception.*)$"
        ),
        before=re.compile(rf"(?:{_AT}|\s*)$"),
        must=re.compile(r"\s+at [\w.$<>`]+\("),
        after=re.compile(rf"(?:{_AT})$"),
    ),
    # Node and browsers, with or without the excerpt that Node prints first
    _Style(
        head=re.compile(
            r"(?:(?:Uncaught )?(?:[A-Z]\w*Error|Error|DOMException)\b.*|(?:file://)?/?[\w./\\:-]+\.[cm]?[jt]sx?:\d+(?::\d+)?)$"
        ),
        before=re.compile(r"(?:\s+at .+|(?:Uncaught )?[A-Z]\w*Error\b.*|\s*\^+|\s{2,}.*|.*[;{(]\s*|\s*)$"),
        must=re.compile(r"\s+at .+(?::\d+|<anonymous>|native)"),
        after=re.compile(r"(?:\s+at .+|Node\.js v.*)$"),
    ),
    # Go
    _Style(
        head=re.compile(r"(?:panic: |fatal error: ).*$"),
        before=re.compile(rf"(?:{_GO_FRAME}|\s*)$"),
        must=re.compile(r"goroutine \d+ \["),
        after=re.compile(rf"(?:{_GO_FRAME})$"),
    ),
    # Rust
    _Style(
        head=re.compile(r"thread '.*' (?:\(\d+\) )?panicked at .*$"),
        before=re.compile(r"\s*$"),
        must=re.compile(r"\S.*$"),
        after=re.compile(r"(?:note: .*|stack backtrace:|\s+\d+: .*|\s+at .*|\s+(?:left|right): .*)$"),
    ),
)
_REPORT_HEAD = re.compile(r"={5,} (?:test session starts|FAILURES|ERRORS) ={5,}$")
_REPORT_END = re.compile(r"={3,} .*\b(?:passed|failed|errors?)\b.* ={3,}$")
_CELL_HEAD = re.compile(r"-{40,}$")
_CELL_END = re.compile(r"(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning|Interrupt|Exit)(?::.*)?$")
_BARE_HEAD = re.compile(r'  File "[^"\n]+", line \d+$')
_BARE_ERROR = re.compile(r"(?:SyntaxError|IndentationError|TabError)\b")
_BARE_LONGEST = 6
_DIAGNOSTIC = re.compile(
    r"(?:error|warning)\[[\w:]+\]: \S.*$"  # rustc
    # gcc, clang, javac, tsc, mypy, ruff
    r"|(?:[A-Za-z]:)?[\w./\\-]+(?::\d+(?::\d+)?:?|\(\d+,\d+\):)(?: -)? "
    r"(?:(?:fatal )?(?:error|warning|note)\b|[A-Z]{1,4}\d{3,4} ).*$"
    r"|[\w./\\-]+: In (?:function|member function|constructor) .*:$"
)
_RUSTC = re.compile(r"(?:error|warning): \S.*$")
_EXCERPT = re.compile(
    r"\s*-->\s.*$|\s*\d*\s*[|│](?:\s.*)?$|\s+= (?:note|help): .*$|\s*[\^~][\s\^~-]*$|(?:\d+ )?(?:error|warning)s?(?: generated\.)?$"
    r"|For more information about .*$|error: aborting .*$|error: could not compile .*$|\s+\S.*$"
)
_TAIL = re.compile(r"(?:exit status \d+|Node\.js v.*|note: .*|Caused by: .*|goroutine \d+ \[.*)$")
_LONGEST = 1_000
"""Lines of one report; a longer one is cut there."""


def trace_end(lines: Sequence[str], start: int) -> int | None:
    """The line (0-based, exclusive) where the error report that begins at `start` ends; None when none begins there."""
    for head, end_of in _FORMS:
        if head.match(lines[start]):
            return end_of(lines, start)
    if _is_rustc(lines, start):
        return _diagnostics_end(lines, start)
    for style in _STYLES:
        if style.head.match(lines[start]):
            end = _style_end(lines, start, style)
            if end is not None:
                return end
    return None


def _python_end(lines: Sequence[str], start: int) -> int:
    """After the line that names the exception, and after those that are chained to it."""
    while True:
        at = start + 1
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t+|"):
            at += 1
        if at < len(lines) and _PYTHON_ERROR.match(lines[at]):
            at += 1
        following = _next_full(lines, at)
        if following == len(lines) or not _PYTHON_CHAIN.match(lines[following]):
            return at
        start = _next_full(lines, following + 1)
        if start == len(lines) or not _PYTHON_HEAD.match(lines[start]):
            return at


def _report_end(lines: Sequence[str], start: int) -> int | None:
    """After the last summary line of pytest; None when there is none."""
    return max((at + 1 for at in range(start + 1, len(lines)) if _REPORT_END.match(lines[at])), default=None)


def _cell_end(lines: Sequence[str], start: int) -> int | None:
    """After the exception that IPython reports below a rule; None when the rule is none of a report."""
    if start + 1 >= len(lines) or "Traceback (most recent call last)" not in lines[start + 1]:
        return None
    ends = (at + 1 for at in range(start + 2, min(len(lines), start + _LONGEST)) if _CELL_END.match(lines[at]))
    return next(ends, None)


def _bare_end(lines: Sequence[str], start: int) -> int | None:
    """After a syntax error that Python reports without a traceback's first line."""
    ends = (at + 1 for at in range(start, min(len(lines), start + _BARE_LONGEST)) if _BARE_ERROR.match(lines[at]))
    return next(ends, None)


def _says(lines: Sequence[str], at: int) -> bool:
    return _DIAGNOSTIC.match(lines[at]) is not None or _EXCERPT.match(lines[at]) is not None or _is_rustc(lines, at)


def _is_rustc(lines: Sequence[str], start: int) -> bool:
    """True for `error: ...` above the place that it is about; alone it may be a key of a YAML file."""
    return _RUSTC.match(lines[start]) is not None and start + 1 < len(lines) and lines[start + 1].lstrip().startswith("--> ")


def _diagnostics_end(lines: Sequence[str], start: int) -> int:
    """After what a compiler says, with the excerpts that it shows: those of javac are followed by a caret."""
    at = start + 1
    while at < len(lines):
        is_shown = at + 1 < len(lines) and lines[at + 1].strip() == "^"
        if not (is_shown or (lines[at].strip() and (_says(lines, at)))):
            break
        at += 1
    return at


def _next_full(lines: Sequence[str], at: int) -> int:
    """The next line that is not blank."""
    return next((number for number in range(at, len(lines)) if lines[number].strip()), len(lines))


def _style_end(lines: Sequence[str], start: int, style: _Style) -> int | None:
    """After the last line that belongs to the report; None when the line that must come does not."""
    at, limit = start + 1, min(len(lines), start + _LONGEST)
    while at < limit and not style.must.match(lines[at]):
        if not style.before.match(lines[at]) or lines[at] == lines[start]:
            return None
        at += 1
    if at >= limit:
        return None
    at += 1
    while at < limit:
        following = _next_full(lines, at)
        if following < limit and (style.after if following == at else _TAIL).match(lines[following]):
            at = following + 1
        else:
            break
    return at


_FORMS: tuple[tuple[re.Pattern[str], Callable[[Sequence[str], int], int | None]], ...] = (
    (_PYTHON_HEAD, _python_end),
    (_REPORT_HEAD, _report_end),
    (_CELL_HEAD, _cell_end),
    (_BARE_HEAD, _bare_end),
    (_DIAGNOSTIC, _diagnostics_end),
)
"""The first line of a report, and what finds its end."""
