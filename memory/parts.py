"""Parts of an experience: the top-level functions and classes that its fix changed.

Each gets keys of its own, so that the bare function is found again when it is pasted alone. This holds only when the
fix changed nothing else: what a function needs from elsewhere (a new helper, a changed constant) would be missing.
"""

from __future__ import annotations

import re

from memory.records import Part
from utils.syntax import Block, top_level

_IMPORT = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#\s*include\b|(?:const|let|var)\s.*=\s*require\()")
_IMPORT_ANYWHERE = frozenset({"python", "javascript", "typescript", "tsx"})
"""Languages in which an import may stand right above the function that needs it."""


def changed_parts(code: str, fixed: str, language: str) -> tuple[Part, ...]:
    """The blocks that differ, numbered from 1; empty when something outside of them changed, too, but for added imports."""
    before, after = top_level(code, language), top_level(fixed, language)
    if [(block.name, block.kind) for block in before] != [(block.name, block.kind) for block in after]:
        return ()
    imports = _added_imports(_outside(code, before), _outside(fixed, after))
    if imports is None:
        return ()
    prefix = "".join(line + "\n" for line in imports) if language in _IMPORT_ANYWHERE else ""
    pairs = [(block, _text(code, block), _text(fixed, other)) for block, other in zip(before, after, strict=True)]
    changed = [(block, old, new) for block, old, new in pairs if old != new]
    if len(before) == 1 and not _outside(code, before):
        return ()  # the one function is the whole text
    return tuple(Part(number, block.name, block.start_line, old, prefix + new) for number, (block, old, new) in enumerate(changed, start=1))


def without_known_imports(fixed: str, paste: str) -> str:
    """A part's fix without the imports at its top that the paste has already."""
    known = {line.strip() for line in paste.split("\n")}
    lines = fixed.split("\n")
    while lines and _IMPORT.match(lines[0]) and lines[0].strip() in known:
        del lines[0]
    return "\n".join(lines)


def _added_imports(before: list[str], after: list[str]) -> list[str] | None:
    """The import lines that only `after` has; None when the lines differ in more than that."""
    known = set(before)
    added = [line for line in after if line not in known and _IMPORT.match(line)]
    new = set(added)
    return added if [line for line in after if line not in new] == before else None


def _outside(text: str, blocks: tuple[Block, ...]) -> list[str]:
    """The non-blank lines that no block covers."""
    covered = {number for block in blocks for number in range(block.start_line, block.end_line + 1)}
    return [line.rstrip() for number, line in enumerate(text.split("\n"), start=1) if number not in covered and line.strip()]


def _text(text: str, block: Block) -> str:
    return "\n".join(text.split("\n")[block.start_line - 1 : block.end_line]) + "\n"
