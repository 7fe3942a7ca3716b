"""Copies of a text as other people would have written it: other names, another layout, a line more."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memory.starter import ClassicBug
from utils.names import roles
from utils.syntax import Block, functions
from utils.tokens import tokenize

_LOG_LINES = {
    "python": 'print("reached", 7)',
    "javascript": 'console.log("reached", 7);',
    "typescript": 'console.log("reached", 7);',
    "java": 'System.out.println("reached " + 7);',
    "go": 'log.Println("reached", 7)',
    "c": 'fprintf(stderr, "reached %d\\n", 7);',
    "cpp": 'std::clog << "reached " << 7;',
    "rust": 'println!("reached {}", 7);',
    "csharp": 'Console.WriteLine("reached {0}", 7);',
    "ruby": 'puts "reached", 7',
    "php": 'error_log("reached");',
    "bash": 'echo "reached"',
    "kotlin": 'println("reached")',
    "swift": 'print("reached", 7)',
}
_HOLE = re.compile(r"(?<=\{)[a-z_]+(?=[:}])")
_COMMENTS = {"python": "  # mine", "ruby": " # mine", "bash": " # mine", "sql": " -- mine"}
"""Where it is not ` // mine`."""


def new_names(bug: ClassicBug) -> dict[str, str]:
    """Another name for each local of the buggy side, but for words that are something else on the fixed side."""
    locals_before, _ = _words(bug.buggy, bug.language)
    _, others_after = _words(bug.fixed, bug.language)
    words = [word for word in locals_before if word not in others_after]
    return {word: f"{'Own' if word[:1].isupper() else 'own'}_{number}" for number, word in enumerate(words)}


def _words(text: str, language: str) -> tuple[dict[str, None], dict[str, None]]:
    """The words of a text that are locals, and all others, in order."""
    found = [(token.text.lstrip("$@"), role) for token, role in zip(tokenize(text, language), roles(text, language), strict=True)]
    return dict.fromkeys(word for word, role in found if role == "local"), dict.fromkeys(word for word, role in found if role != "local")


def renamed(text: str, language: str, names: Mapping[str, str]) -> str:
    """The text with its locals named so."""
    parts, end = [], 0
    for token, role in zip(tokenize(text, language), roles(text, language), strict=True):
        word = token.text.lstrip("$@")
        if role == "local" and word in names:
            parts += [text[end : token.end - len(word)], names[word]]
            end = token.end
        elif token.kind == "string" and language == "rust":
            parts += [text[end : token.start], _HOLE.sub(lambda hole: names.get(hole[0], hole[0]), token.text)]
            end = token.end
    return "".join(parts) + text[end:]


def holds_names(text: str, language: str, names: Mapping[str, str]) -> bool:
    """True when a string holds one of the names: Rust's `{name}`, which is no token of its own."""
    holes = [hole for token in tokenize(text, language) if token.kind == "string" for hole in _HOLE.findall(token.text)]
    return language == "rust" and not names.keys().isdisjoint(holes)


def relaid(text: str, language: str) -> str:
    """Twice the indentation, blank lines, and a comment."""
    lines = [f"{line[: len(line) - len(line.lstrip())]}{line}" for line in text.splitlines()]
    if not lines[0].startswith("#"):
        lines[0] += _COMMENTS.get(language, " // mine")
    return "".join(f"{line}\n\n" if number % 3 == 2 else f"{line}\n" for number, line in enumerate(lines))


def with_a_line_more(bug: ClassicBug, text: str) -> str:
    """One side of a bug with a log line at the start of the function that the fix changes; in SQL with a limit at the end."""
    if bug.language == "sql":
        return text.replace(";", "\nLIMIT 100;")
    lines = text.splitlines(keepends=True)
    at = _first_line_of(_changed_function(bug, text), lines)
    indentation = re.match(r"\s*", lines[at])
    assert indentation is not None
    return "".join([*lines[:at], f"{indentation[0]}{_LOG_LINES[bug.language]}\n", *lines[at:]])


def _changed_function(bug: ClassicBug, text: str) -> Block:
    """The innermost function around the first line that the fix changes, else the first."""
    pairs = zip(bug.buggy.splitlines(), bug.fixed.splitlines(), strict=False)
    line = next(number for number, (before, after) in enumerate(pairs, start=1) if before != after)
    found = [block for block in functions(text, bug.language) if block.kind == "function"]
    around = [block for block in found if block.start_line <= line <= block.end_line]
    return max(around, key=lambda block: block.depth) if around else found[0]


def _first_line_of(function: Block, lines: list[str]) -> int:
    """The index of the first statement's line."""
    at = function.body_lines[0] - 1
    opens = lines[at].rstrip().endswith("{") or lines[at].lstrip().startswith('"""')
    return at + 1 if opens else at
