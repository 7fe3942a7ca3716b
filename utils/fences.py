"""Fenced code blocks of Markdown: find them, and decide whether they stand around the code or inside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from utils.language import detect, is_code
from utils.language_names import canonical, language_of_tag
from utils.prose import reads_as_prose

_OPEN = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_OUTPUT = frozenset({"text", "bash", "json", "yaml", "toml", "ini", "markdown", "diff", "unknown", "xml"})
"""Languages of blocks that usually stand beside the code in question: output, commands, configuration."""


@dataclass(frozen=True)
class Fence:
    """One fenced block. `first` and `last` are 0-based line numbers of the content (`last` exclusive); indent is taken off it."""

    first: int
    last: int
    indent: int
    info: str
    closed: bool


@dataclass(frozen=True)
class Line:
    """One line of code and where it was pasted: 1-based line, and columns that were cut off before it."""

    text: str
    number: int
    shift: int


def find_fences(lines: Sequence[str]) -> list[Fence]:
    """All fenced blocks, as CommonMark reads them: a block without an end goes on to the last line."""
    fences: list[Fence] = []
    at = 0
    while at < len(lines):
        opening = _OPEN.match(lines[at])
        at += 1
        if opening is None:
            continue
        closing = re.compile(rf" {{0,3}}{re.escape(opening['fence'][0])}{{{len(opening['fence'])},}}[ \t]*$")
        end = next((number for number in range(at, len(lines)) if closing.match(lines[number])), len(lines))
        fences.append(Fence(at, end, len(opening["indent"]), opening["info"].strip(), end < len(lines)))
        at = end + 1
    return fences


def fenced_code(lines: Sequence[str], language: str | None) -> tuple[list[Line], list[str], str, int] | None:
    """The code of a Markdown text: its lines, the text around it, the language's tag, and how many blocks were left out.

    None when the text holds no fence, or is code itself: then a fence in it belongs to a docstring or comment.
    """
    fences = find_fences(lines)
    blocks = {fence: _content(lines, fence) for fence in fences if any(line.strip() for line in lines[fence.first : fence.last])}
    if not blocks:
        return None
    outside = _outside(lines, fences)
    if _is_code_itself(lines, outside, language):
        return None
    spoken = {fence: _language(fence, content) for fence, content in blocks.items()}
    wanted = _wanted(spoken, blocks, language)
    chosen = [fence for fence in blocks if spoken[fence] == wanted]
    code = [line for fence in chosen for line in blocks[fence]]
    return code, outside, wanted, len(blocks) - len(chosen)


def _content(lines: Sequence[str], fence: Fence) -> list[Line]:
    """The lines between the fences, without the indentation that the fence itself has."""
    content = []
    for number in range(fence.first, fence.last):
        line = lines[number]
        shift = min(fence.indent, len(line) - len(line.lstrip(" ")))
        content.append(Line(line[shift:], number + 1, shift))
    return content


def _outside(lines: Sequence[str], fences: Sequence[Fence]) -> list[str]:
    """The lines that are neither fences nor between them."""
    inside = {number for fence in fences for number in range(fence.first - 1, fence.last + 1)}
    return [line for number, line in enumerate(lines) if number not in inside]


def _is_code_itself(lines: Sequence[str], outside: Sequence[str], language: str | None) -> bool:
    """True when what stands around the fences is a program, so that they are part of a string or comment in it."""
    first = next((line for line in lines if line.strip()), "")
    around = "\n".join(outside)
    if _OPEN.match(first) or all(_is_words(line) for line in outside) or reads_as_prose(around):
        return False
    found = detect(around)
    if language is not None and found.language == canonical(language):
        return True
    return is_code(found.language) and found.certain


def _is_words(line: str) -> bool:
    """True for a blank line and for words alone, such as "First" and "and then:"."""
    bare = line.strip().rstrip(":.,!?")
    return (not bare or bare.replace(" ", "").isalpha()) and bare not in {"else", "try", "finally", "pass", "end", "fi", "done", "begin"}


def _language(fence: Fence, content: Sequence[Line]) -> str:
    """From the tag, else from the content."""
    return language_of_tag(fence.info) or detect("\n".join(line.text for line in content)).language


def _wanted(spoken: dict[Fence, str], blocks: dict[Fence, list[Line]], language: str | None) -> str:
    """The language that the user named, else the programming language with most lines, output and commands last."""
    if language is not None and canonical(language) in spoken.values():
        return canonical(language)
    sizes: Counter[str] = Counter()
    for fence, name in spoken.items():
        sizes[name] += len(blocks[fence])
    return max(sizes, key=lambda name: (name not in _OUTPUT, sizes[name]))
