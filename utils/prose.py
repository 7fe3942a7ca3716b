"""Prose and Markdown: sentences of any script, told from code by their words and signs."""

from __future__ import annotations

import re

_FENCE = re.compile(r"(?m)^ {0,3}(?:```|~~~)")
_FENCED = re.compile(r"(?m)^ {0,3}(```|~~~)[^\n]*\n(?:(?! {0,3}\1)[^\n]*\n)*(?: {0,3}\1[^\n]*)?")
_HEADING = re.compile(r"(?m)^#{1,6} \S.*$|^\S.*\n(?:={3,}|-{3,})[ \t]*$")
_LIST = re.compile(r"(?m)^ {0,3}(?:[-*+]|\d+\.) +\S")
_LINK = re.compile(r"\[[^\]\n]+\]\([^)\n]+\)|^\[[^\]\n]+\]: ")
_EMPHASIS = re.compile(r"\*\*[^*\n]+\*\*|`[^`\n]+`|(?m:^> \w)")
_TABLE = re.compile(r"(?m)^\|? ?:?-{3,}:? ?\|")
_MARKUP = re.compile(r"(?m)^(?:#{1,6} | {0,3}(?:[-*+]|\d+\.) +|> )")
_CODE_SIGNS = re.compile(r"[;{}]\s*$|[=+\-*/<>!]=|\w\(|\)\s*[:{]|^\s*[@$<#]|=>|->|::|&&|\|\||\w\[|\]\s*=|\s=\s|\\|\w\.\w+\(|^\s*[})\]]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EAST_ASIAN = re.compile("[\u2e80-\uffef]")
_SENTENCE_END = re.compile(r"[.?!:,。？！：，、]\s*$")
_CODE_FIRST_WORDS = frozenset(
    [
        "def",
        "class",
        "import",
        "from",
        "return",
        "if",
        "for",
        "while",
        "else",
        "elif",
        "try",
        "except",
        "with",
        "async",
        "await",
        "raise",
        "pass",
        "break",
        "continue",
        "function",
        "const",
        "let",
        "var",
        "func",
        "package",
        "type",
        "public",
        "private",
        "static",
        "void",
        "int",
        "struct",
        "enum",
        "use",
        "fn",
        "impl",
        "export",
        "select",
        "insert",
        "update",
        "delete",
        "create",
        "echo",
        "export",
        "local",
        "then",
        "done",
        "fi",
        "using",
        "namespace",
        "template",
        "include",
        "end",
        "begin",
        "module",
        "require",
        "puts",
        "print",
        "println",
        "switch",
        "case",
        "default",
        "throw",
        "new",
    ]
)
_FEW_WORDS = 3
_PROSE_SHARE = 0.6


def is_markdown(text: str) -> bool:
    """True for prose with headings, lists, links, tables or fenced blocks. It may hold code, and comments look like headings:
    ask first whether the text is a program as a whole."""
    if text.lstrip().startswith(("#!", "# -*-", "/*", "//", '"""', 'r"""', "<?")):
        return False
    outside = without_fences(text)
    if text.lstrip().startswith(("```", "~~~")) or (outside != text and not outside.strip()):
        return True
    kinds = sum(pattern.search(outside) is not None for pattern in (_HEADING, _LIST, _LINK, _EMPHASIS, _TABLE)) + (outside != text)
    lines = [line for line in _MARKUP.sub("", outside).split("\n") if line.strip()]
    sentences = sum(map(_is_sentence, lines))
    code = sum(_CODE_SIGNS.search(line) is not None and not _is_sentence(line) for line in lines)
    return (kinds > 1 or (kinds > 0 and sentences >= _PROSE_SHARE * len(lines))) and sentences > 0 and code <= len(lines) // 3


def without_fences(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCED.sub("", text) if _FENCE.search(text) else text


def reads_as_prose(text: str) -> bool:
    """True when most lines are words in sentences, in any script, and hardly one looks like code."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return False
    prose = sum(_is_sentence(line) for line in lines)
    code = sum(_CODE_SIGNS.search(line) is not None and not _is_sentence(line) for line in lines)
    return prose >= _PROSE_SHARE * len(lines) and code <= len(lines) // 4


def _is_sentence(line: str) -> bool:
    """True for a line of words: at least four of them, or fewer with a full stop, and few signs between."""
    stripped = line.strip()
    words = _WORD.findall(stripped)
    if (
        not words
        or stripped.endswith((";", "{", "}", "(", "[", "\\", ",)"))
        or stripped.startswith(("@", "$", "#", "//", "/*", "<", "{", "}", "("))
    ):
        return False
    letters = sum(map(len, words))
    if not stripped.isascii() and 2 * len(_EAST_ASIAN.findall(stripped)) > len(stripped):
        return "=" not in stripped and not stripped.endswith((":", ")"))
    if words[0] in _CODE_FIRST_WORDS and not _SENTENCE_END.search(stripped):
        return False
    if (stripped.endswith(":") and words[0] in _CODE_FIRST_WORDS) or re.match(r"\w+ = |[\w.]+\([^)]*\)$|\w+\.\w+\(", stripped):
        return False
    enough = len(words) > _FEW_WORDS or (len(words) > 1 and _SENTENCE_END.search(stripped) is not None)
    return enough and letters + stripped.count(" ") >= 0.75 * len(stripped)
