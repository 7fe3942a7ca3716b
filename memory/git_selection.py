"""Is a commit a bug fix? What its message says and what its change looks like, added up and held against one threshold.

Fixes are small: two thirds change one function, nineteen in twenty at most three, and half of them at most eight lines. A change that
adds functions, parameters or files is a feature more often. Words and shape each are right in about half of the cases; together they are
right when both speak for a fix, or one does strongly and the other does not object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.git_changes import FunctionPair
from memory.git_message import score_message
from utils.tokens import tokenize

THRESHOLD = 4.2
BEST_SHAPE = 5.2
"""No change is worth more: a commit whose message leaves less than the threshold to it need not be read."""
_KINDS_AT_MOST = 1.4
_FEW_FUNCTIONS, _SOME_FUNCTIONS, _MANY_FUNCTIONS = 3, 5, 10
_TINY_LINES, _FEW_LINES, _SOME_LINES, _MANY_LINES = 8, 25, 60, 120

_CONDITION = re.compile(
    r"^\s*\}?\s*(?:el(?:se ?)?if|if|while|unless|assert|elsif|when|case)\b|&&|\|\||\b(?:and|or|not)\b|[^=!<>]=[=!]|!=|\?\s"
)
_NONE = re.compile(r"\b(?:is (?:not )?None|[=!]==? ?(?:null|undefined|nil)|None|null|nil|undefined|hasattr|isinstance|getattr)\b")
_EXCEPTION = re.compile(r"^\s*\}?\s*(?:try|except|catch|finally|raise|throw|rescue|ensure|defer|with)\b")
_COMMENT = re.compile(r"#|//|/?\*|\"\"\"|'''|[A-Z][a-z]+ [a-z]+ ")
"""A comment, or a line of prose within a docstring."""
_BOUND = re.compile(r"(?<![-=<>])[<>]=?(?![<>])|[-+] ?1\b|\blen\(|\brange\(|\[[^\]]*:[^\]]*\]|\.length\b|\bmin\(|\bmax\(")
_RETURN = re.compile(r"^\s*(?:return|yield|await|break|continue)\b|\bawait\b")
_SAYS_ONLY = re.compile(
    r"^\s*(?:print|(?:self\.)?_?log(?:ger|ging)?\b|warnings?\b|echo\b|console\.|puts\b|fmt\.Print)|^\s*[\"'][^\"']*[\"']?[,)]*$"
)
_SENTENCE = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_PATTERN = re.compile(r"\\[swdbn.]|\(\?|[*+?]\)|\[\^|<[a-z/]|^[rb][\"']")
_KINDS: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("a condition", 0.6, _CONDITION),
    ("a check for nothing or of a type", 0.4, _NONE),
    ("an exception or a resource", 0.5, _EXCEPTION),
    ("a bound", 0.5, _BOUND),
    ("what is returned", 0.3, _RETURN),
)


@dataclass(frozen=True)
class Shape:
    """A commit's change as far as it is product code. `lines` are those added and removed; `new_functions` came from nowhere."""

    pairs: tuple[FunctionPair, ...]
    lines: int
    files: int
    new_functions: int = 0
    new_files: int = 0
    outside_lines: int = 0
    has_tests: bool = False
    has_docs: bool = False


@dataclass(frozen=True)
class Judgement:
    """`reasons` are those that a person is told, the strongest first."""

    points: float
    reasons: tuple[str, ...]

    @property
    def is_fix(self) -> bool:
        """Whether the commit is taken."""
        return self.points >= THRESHOLD


def may_be_fix(message: str) -> bool:
    """False when no change could make up for what the message says."""
    return score_message(message).points + BEST_SHAPE >= THRESHOLD


def judge(message: str, shape: Shape) -> Judgement:
    """The sum of both."""
    said = score_message(message)
    found = list(_shape_points(shape))
    points = said.points + min(BEST_SHAPE, sum(points for points, _ in found))
    seen = sorted((each for each in found if each[1]), key=lambda each: -abs(each[0]))
    return Judgement(round(points, 2), (*said.reasons[:3], _size(shape), *(label for _, label in seen)))


def _size(shape: Shape) -> str:
    functions, files = len(shape.pairs), shape.files
    return f"{functions} function{'s' if functions != 1 else ''} of {files} file{'s' if files != 1 else ''}, {shape.lines} lines"


def _shape_points(shape: Shape) -> Iterator[tuple[float, str]]:
    """Points with what they are for; without a label where the size says it already."""
    yield _functions_points(len(shape.pairs)), ""
    yield _lines_points(shape.lines), ""
    yield (0.3 if shape.files == 1 else -0.7 * max(0, min(shape.files, 8) - 3)), ""
    if shape.has_tests:
        yield 0.7, "has a test"
    if shape.has_docs:
        yield -0.6, "changes documentation"
    if shape.new_functions:
        yield -0.6 * min(shape.new_functions, 4), f"adds {shape.new_functions} function{'s' if shape.new_functions != 1 else ''}"
    if shape.new_files:
        yield -1.0 * min(shape.new_files, 3), "adds product files"
    if any(pair.has_new_signature for pair in shape.pairs):
        yield -1.0, "changes parameters"
    if shape.outside_lines > _FEW_LINES:
        yield -0.8, "changes much outside of functions"
    yield from _kind_points(shape.pairs)


def _functions_points(count: int) -> float:
    if count == 1:
        return 1.5
    if count <= _FEW_FUNCTIONS:
        return 0.9
    return 0.0 if count <= _SOME_FUNCTIONS else -1.5 if count <= _MANY_FUNCTIONS else -4.0


def _lines_points(count: int) -> float:
    if count <= _TINY_LINES:
        return 0.8
    if count <= _FEW_LINES:
        return 0.5
    return 0.0 if count <= _SOME_LINES else -1.0 if count <= _MANY_LINES else -2.5


def _kind_points(pairs: tuple[FunctionPair, ...]) -> Iterator[tuple[float, str]]:
    lines = [line for pair in pairs for line in (*pair.added, *pair.removed) if not _COMMENT.match(line)]
    if all(map(_changes_prose_only, pairs)) or (lines and all(map(_SAYS_ONLY.search, lines))):
        yield -2.5, "changes what is said only"
        return
    left = _KINDS_AT_MOST
    for label, points, pattern in _KINDS:
        if left > 0 and any(map(pattern.search, lines)):
            yield min(points, left), f"changes {label}"
            left -= points
    if any(pair.removed for pair in pairs):
        yield 0.3, ""
    elif all(len(pair.added) > _TINY_LINES for pair in pairs):
        yield -0.8, "only adds"
    if not any(pair.added for pair in pairs):
        yield -0.6, "only removes"


def _changes_prose_only(pair: FunctionPair) -> bool:
    """The same program but for strings that are sentences: another pattern or key is another program."""
    before, after = (tokenize(text, pair.language) for text in (pair.before, pair.after))
    if len(before) != len(after):
        return False
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a.key != b.key]
    return all(a.kind == b.kind == "string" and _is_prose(a.text) and _is_prose(b.text) for a, b in changed)


def _is_prose(text: str) -> bool:
    return _SENTENCE.search(text) is not None and _PATTERN.search(text) is None
