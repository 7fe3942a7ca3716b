"""Does a fix keep what it has no business with? Names, signatures, and every line outside of what the findings are about.

A linter is content with `pass` and with "rest unchanged"; this gate is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from utils.diff import matching_blocks
from utils.elision import elided, is_hollow, silenced
from utils.syntax import OUTLINED, Block, BlockKind, blocks, parse_errors

Span = tuple[int, int]
"""First and last line, 1-based and inclusive."""

MAX_NAMES = 3
"""Named in a reason."""
MIN_KEPT_SHARE = 0.5
"""Of the lines that must survive when nothing here knows the language's functions."""

_IMPORT = re.compile(
    r"^\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|use\s|using\s|require\b|require_relative\b|include\b|open\s|export\s+\{"
    r"|(?:const|let|var)\s+.*=\s*(?:await\s+)?(?:require|import)\s*\(|@?import\b|extern\s+crate\b|package\s)"
    r"|^\s*(?:\w+\s+)?\"[\w./-]+\"\s*$|^\s*[)(]\s*$"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT_LINE = re.compile(r"^\s*(?:#(?!include|\[)|//|/\*|\*|--)")
_GLOBALS = {
    "python": re.compile(r"^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)", re.MULTILINE),
    "javascript": re.compile(r"^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)", re.MULTILINE),
    "go": re.compile(r"^(?:var|const)\s+([A-Za-z_]\w*)", re.MULTILINE),
    "rust": re.compile(r"^(?:pub\s+)?(?:static|const)\s+(?:mut\s+)?([A-Za-z_]\w*)", re.MULTILINE),
}
for _alike in ("typescript", "tsx", "jsx"):
    _GLOBALS[_alike] = _GLOBALS["javascript"]


@dataclass(frozen=True)
class Hunk:
    """Lines old[0]..old[1] became new[0]..new[1], as 0-based half-open ranges."""

    old: Span
    new: Span


def why_not_kept(before: str, after: str, language: str, about: Sequence[Span] | None) -> str:
    """Why the fix is refused, in one sentence; empty when everything is kept.

    `about`: the lines of `before` that the findings stand on; None when they are not known (a fix from memory or a seed),
    then any function may have changed inside.
    """
    if before.strip() == after.strip():
        return "the fix changes nothing"
    why = elided(before, after) or silenced(before, after)
    if why:
        return why
    if language not in OUTLINED:
        return _text_not_kept(before, after)
    old, new = blocks(before, language), blocks(after, language)
    return (
        _lost_names(old, new, may_add=parse_errors(before, language) > 0)
        or _changed_headers(old, new, before, after, about)
        or _hollowed(old, new, before, after, language)
        or _lost_globals(before, after, language)
        or _changed_outside(old, new, before, after, about)
    )


def members(found: Sequence[Block]) -> Iterator[Block]:
    """Functions and classes that others can name: not those inside of a function."""
    around: list[Block] = []
    for block in found:
        del around[block.depth :]
        if all(outer.kind == "class" for outer in around):
            yield block
        around.append(block)


def _text_not_kept(before: str, after: str) -> str:
    """Without an outline: half of the lines must still be there."""
    old = [line.strip() for line in before.split("\n") if line.strip()]
    new = Counter(line.strip() for line in after.split("\n") if line.strip())
    survived = sum((Counter(old) & new).values())
    changed = len(old) - survived
    return "" if survived >= MIN_KEPT_SHARE * len(old) or changed <= 1 else f"{changed} of {len(old)} lines are gone"


def _lost_names(old: Sequence[Block], new: Sequence[Block], *, may_add: bool) -> str:
    """Names are counted: an overload or a property's setter must survive beside its namesake.

    `may_add`: a text that did not parse gets names by being mended.
    """
    had = Counter((block.qualname, block.kind) for block in members(old))
    has = Counter((block.qualname, block.kind) for block in members(new))
    lost = had - has
    if lost:
        names = sorted({name for name, _ in lost})
        return f"{_listed(names)} {'is' if len(names) == 1 else 'are'} gone"
    added = has - had
    return f"it adds {_listed(sorted({name for name, _ in added}))}, which nobody asked for" if added and not may_add else ""


def _changed_headers(old: Sequence[Block], new: Sequence[Block], before: str, after: str, about: Sequence[Span] | None) -> str:
    """Parameters keep name, order and kind; defaults, types and decorators change only where a finding stands."""
    after_lines, before_lines = after.split("\n"), before.split("\n")
    for was, now in _paired(list(members(old)), list(members(new))):
        if was.signature != now.signature:
            return f"the parameters of {was.qualname} changed from {was.signature} to {now.signature}"
        is_about = about is None or any(_touches(span, (was.start_line, _last_header_line(was))) for span in about)
        if not is_about and was.header != now.header:
            return f"the head of {was.qualname} changed, and no finding is about it"
        gone = _decorators(was, before_lines) - _decorators(now, after_lines)
        if gone and (about is None or not is_about):
            return f"{was.qualname} lost its {next(iter(gone))}"
    return ""


def _paired(old: list[Block], new: list[Block]) -> Iterator[tuple[Block, Block]]:
    """Blocks of the same name, in order; namesakes pair by signature first, so that inserted text can't cross them."""
    waiting: dict[str, list[Block]] = {}
    for block in new:
        waiting.setdefault(block.qualname, []).append(block)
    for was in old:
        candidates = waiting.get(was.qualname, [])
        if candidates:
            best = next((index for index, now in enumerate(candidates) if now.signature == was.signature), 0)
            yield was, candidates.pop(best)


def _last_header_line(block: Block) -> int:
    """A body on a line of its own leaves that line out."""
    first = block.body_lines[0]
    return max(block.header_line, first - 1) if first > block.header_line else block.header_line


def _decorators(block: Block, lines: Sequence[str]) -> Counter[str]:
    """Decorators and attributes above the head, without comments."""
    above = (line.strip() for line in lines[block.start_line - 1 : block.header_line - 1])
    return Counter(line for line in above if line.startswith(("@", "#[", "[")))


def _hollowed(old: Sequence[Block], new: Sequence[Block], before: str, after: str, language: str) -> str:
    """A body that did something must not become `pass`, "not implemented" or one constant."""
    functions = ([block for block in found if block.kind == "function" and block.body_span[1]] for found in (old, new))
    for was, now in _paired(*functions):
        real, left = before[slice(*was.body_span)], after[slice(*now.body_span)]
        if real != left and not is_hollow(real, language) and is_hollow(left, language, real):
            return f"the body of {was.qualname} is gone"
    return ""


def _lost_globals(before: str, after: str, language: str) -> str:
    pattern = _GLOBALS.get(language)
    lost = set() if pattern is None else set(pattern.findall(before)) - set(pattern.findall(after))
    # A name that the new text still has (now bound by `with ... as` or unpacked) is not lost.
    words = set(_WORD.findall(after)) if lost else set()
    gone = sorted(lost - words)
    return f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} gone" if gone else ""


def _changed_outside(old: Sequence[Block], new: Sequence[Block], before: str, after: str, about: Sequence[Span] | None) -> str:
    """Every changed line lies where a finding is, or in a function when findings are not known; imports may be added."""
    old_lines, new_lines = before.split("\n"), after.split("\n")
    functions, free = _regions(old, old_lines, about)
    heads = {first for first, _ in _spans(old, "class")}
    held = _lines(_spans(new, "function"))
    imports = set(_WORD.findall("\n".join(line for line in new_lines if _IMPORT.match(line))))
    for hunk in _hunks(old_lines, new_lines):
        gone, came = old_lines[slice(*hunk.old)], new_lines[slice(*hunk.new)]
        if _only_layout(gone, came) or _only_imports(gone, came, imports) or _touches_only(hunk, old_lines, free, heads):
            continue
        if _touches_only(hunk, old_lines, functions | free, heads) and _held(hunk, new_lines, held):
            continue
        what = next((text for text in (*gone, *came) if text.strip() and not (text in gone and text in came)), "").strip()[:60]
        return f"line {hunk.old[0] + 1} is changed and no finding is about it: {what}"
    return ""


def _regions(old: Sequence[Block], lines: Sequence[str], about: Sequence[Span] | None) -> tuple[set[int], set[int]]:
    """The lines that may change: of functions, and of runs of code that no function holds (a script's body), each whole."""
    functions = _spans(old, "function")
    free = [run for run in _free_runs(functions, _spans(old, "class"), len(lines)) if _has_statement(lines[run[0] - 1 : run[1]])]
    if about is None:
        return _lines(functions), _lines(free)
    functions, free = ([place for place in places if any(_touches(place, span) for span in about)] for places in (functions, free))
    return _lines([*functions, *about]), _lines(free)


def _spans(found: Sequence[Block], kind: BlockKind) -> list[Span]:
    return [(block.start_line, block.end_line) for block in members(found) if block.kind == kind]


def _lines(spans: Sequence[Span]) -> set[int]:
    return {line for first, last in spans for line in range(first, last + 1)}


def _has_statement(lines: Sequence[str]) -> bool:
    """False for a run of blank lines, comments and imports: nothing may be slipped in there."""
    return any(line.strip() and not _COMMENT_LINE.match(line) and not _IMPORT.match(line) for line in lines)


def _touches_only(hunk: Hunk, lines: Sequence[str], allowed: set[int], heads: set[int]) -> bool:
    """True when the old lines with text are all allowed, or an insertion stands beside a line that is.

    What is put before the head of a class is no part of the class.
    """
    first, last = hunk.old[0] + 1, hunk.old[1]
    numbers = [line for line in range(first, last + 1) if lines[line - 1].strip()]
    return allowed.issuperset(numbers) if numbers else first - 1 in allowed or (first in allowed and first not in heads)


def _held(hunk: Hunk, lines: Sequence[str], held: set[int]) -> bool:
    """True when every new line with code stands in a function: what follows its last line would run on import."""
    new = ((number, lines[number - 1]) for number in range(hunk.new[0] + 1, hunk.new[1] + 1))
    return all(number in held or not line.strip() or _IMPORT.match(line) or _COMMENT_LINE.match(line) for number, line in new)


def _free_runs(functions: Sequence[Span], classes: Sequence[Span], line_count: int) -> list[Span]:
    """Runs of lines that no function holds. A class begins and ends a run, so that its attributes are apart from the module."""
    cuts = {first for first, _ in classes} | {last + 1 for _, last in classes}
    runs: list[Span] = []
    position = 1
    for first, last in (*sorted(functions), (line_count + 1, line_count + 1)):
        bounds = [position, *sorted(cut for cut in cuts if position < cut < first), first]
        runs += [(low, high - 1) for low, high in pairwise(bounds) if low < high]
        position = max(position, last + 1)
    return runs


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    old_at = new_at = 0
    for old_next, new_next, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if old_at < old_next or new_at < new_next:
            yield Hunk((old_at, old_next), (new_at, new_next))
        old_at, new_at = old_next + size, new_next + size


def _only_layout(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Blank lines, or blanks at line ends."""
    return [line.rstrip() for line in gone if line.strip()] == [line.rstrip() for line in came if line.strip()]


def _only_imports(gone: Sequence[str], came: Sequence[str], imports: set[str]) -> bool:
    """Imports that came; one that went must have its names in the imports that are there now."""
    lost = [line for line in gone if line.strip() and line not in came]
    added = [line for line in came if line.strip() and line not in gone]
    return all(_IMPORT.match(line) for line in (*lost, *added)) and set(_WORD.findall("\n".join(lost))) <= imports


def _touches(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
