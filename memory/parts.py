"""Parts of an experience: the top-level functions and classes that its fix changed.

Each gets keys of its own, so that the bare function is found again when it is pasted alone. This holds only when the
fix changed nothing else: what a function needs from elsewhere (a new helper, a changed constant) would be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.pieces import outer_pieces
from memory.records import KeyHit, Part
from utils.syntax import Block

_IMPORT = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#\s*include\b|(?:const|let|var)\s.*=\s*require\()")
_IMPORT_BELOW = frozenset({"python", "javascript", "typescript", "tsx", "c", "cpp", "rust"})
"""Languages in which an import may stand right above the function that needs it."""


def changed_parts(code: str, fixed: str, language: str) -> tuple[Part, ...]:
    """The blocks that differ, numbered from 1; empty when something outside of them changed, too, but for added imports."""
    before, lines = outer_pieces(code, language), code.split("\n")
    outside = _outside(lines, before)
    if not before or (len(before) == 1 and not outside):
        return ()  # the one function is the whole text: asked first, as most texts are such and reading their fix takes a millisecond
    after, fixed_lines = outer_pieces(fixed, language), fixed.split("\n")
    if [(block.name, block.kind) for block in before] != [(block.name, block.kind) for block in after]:
        return ()
    imports = _added_imports(outside, _outside(fixed_lines, after))
    if imports is None:
        return ()
    prefix = "".join(line + "\n" for line in imports) if language in _IMPORT_BELOW else ""
    pairs = [(block, _text(lines, block), _text(fixed_lines, other)) for block, other in zip(before, after, strict=True)]
    changed = [(block, old, new) for block, old, new in pairs if old != new]
    return tuple(Part(number, block.name, block.start_line, old, prefix + new) for number, (block, old, new) in enumerate(changed, start=1))


def without_known_imports(fixed: str, paste: str) -> str:
    """A fix without those imports at its top that the paste has already, and without the blank lines after them."""
    known = {line.strip() for line in paste.split("\n")}
    kept, rest = _imports_at_top(fixed)
    missing = [line for line in kept if line.strip() not in known]
    if len(missing) == len(kept):
        return fixed
    return "".join(line + "\n" for line in missing) + (rest if missing else rest.lstrip("\n"))


def needs_import_elsewhere(hit: KeyHit, code: str, paste: str, language: str, *, is_inner: bool) -> bool:
    """True when `code`, as a part of the paste, would lack an import or hold one where none may stand.

    That is within a class, and in Java, Go and C# anywhere below the top; also where the fix of a part left its imports behind.
    """
    added = set(_import_lines(hit.alternative.fixed_code)) - set(_import_lines(hit.alternative.code))
    missing = added - set(_import_lines(paste))
    if is_inner and _imports_at_top(code)[0]:
        return True
    return bool(missing) and (is_inner or language not in _IMPORT_BELOW)


def _import_lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.split("\n") if _IMPORT.match(line) and line[:1] not in " \t")


def _imports_at_top(text: str) -> tuple[list[str], str]:
    """The import lines that a text begins with, and what follows them."""
    lines = text.split("\n")
    count = next((number for number, line in enumerate(lines) if not _IMPORT.match(line)), len(lines))
    return lines[:count], "\n".join(lines[count:])


def _added_imports(before: list[str], after: list[str]) -> list[str] | None:
    """The import lines that only `after` has; None when the lines differ in more than that."""
    known = set(before)
    added = [line for line in after if line not in known and _IMPORT.match(line)]
    new = set(added)
    return added if [line for line in after if line not in new] == before else None


def _outside(lines: list[str], blocks: tuple[Block, ...]) -> list[str]:
    """The non-blank lines that no block covers."""
    covered = {number for block in blocks for number in range(block.start_line, block.end_line + 1)}
    return [line.rstrip() for number, line in enumerate(lines, start=1) if number not in covered and line.strip()]


def _text(lines: list[str], block: Block) -> str:
    return "\n".join(lines[block.start_line - 1 : block.end_line]) + "\n"
