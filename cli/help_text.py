"""What the interactive session says about itself. The pages of /help are made from the registry of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.commands.registry import COMMANDS, Argument, Command, find
from reports.wrap import wrap

WELCOME = """\
CodeMind reviews and fixes code, and remembers the fixes. {where}.
Paste code and end it with a line EOF (or press Esc, then Enter). /help says more, /example shows one, /quit leaves.
"""

EXAMPLE = """\
def cal_average(numbers):
    total = 0
    for n in numbers:
        total = total + n
    result = total / len(numbers)
    return result
"""

FIRST = "Paste code, then a line EOF or Esc-Enter. More: /help paste, or /help COMMAND."
PASTING = """\
A line EOF, Esc-Enter or Ctrl-D ends the code. A line EOF inside a paste is code, unless it is the last. \
A block whose first line is <<TAG ends at a line TAG.
Tab completes commands, paths and ids; in code it is a tab. The up arrow brings back what was typed before. \
Ctrl-C discards a half-typed block and stops a running review; /quit leaves, and so does Ctrl-D at an empty prompt.
"""

GROUPS = {
    "code": ("/example", "/load", "/lang", "/test", "/retry"),
    "fix": ("/diff", "/copy", "/write", "/edit", "/fix", "/accept", "/reject", "/ignore", "/undo"),
    "memory": ("/memory", "/show", "/forget"),
    "session": ("/summary", "/provider", "/trace", "/resume", "/discard"),
}
"""Which commands stand together. /help and /quit are in the lines around them."""
_OTHERS = "other"
_TAKES: dict[Argument, str] = {
    "path": "Tab completes the path.",
    "id": "An id as /memory shows it, at least its first six characters; Tab completes it.",
    "number": "N is the number in front of a finding.",
    "language": "A name such as python or go, or auto to have it found out; Tab lists them.",
}
_ARGUMENT = re.compile(r"[A-Z]+(?:\.\.)?")
_LABEL = 8
_USAGE = 15
_WIDE = 70
"""From so many columns on, a group's name stands beside its commands."""


def fitted(text: str, width: int) -> str:
    """The text in lines of at most `width` cells."""
    return "".join(line + "\n" for paragraph in text.splitlines() for line in wrap(paragraph, width) or [""])


def help_page(topic: str, width: int) -> str:
    """All commands, or one (`load`, `/load`), or how code is pasted (`paste`); empty when there is no such command."""
    name = topic.strip().removeprefix("/")
    if not name:
        return _overview(width)
    if name in {"paste", "help"}:
        return fitted(PASTING, width)
    command = find(f"/{name}")
    return "" if command is None else _about(command, width)


def _about(command: Command, width: int) -> str:
    said = f"{command.text[:1].upper()}{command.text[1:]}. {_TAKES.get(command.argument, '')}"
    return fitted(command.usage, width) + _hanging("", said, 2, width)


def _overview(width: int) -> str:
    """One line a command where the terminal has 80 columns: with the prompt it fills 24 lines."""
    return fitted(FIRST, width) + "".join(_group(label, commands, width) for label, commands in _grouped())


def _grouped() -> Iterator[tuple[str, list[Command]]]:
    """The commands in their groups; none is left out but those that stand beside another."""
    left = {command.name: command for command in COMMANDS if command.name not in {"/help", "/quit"}}
    for label, names in GROUPS.items():
        there = [left.pop(name) for name in names if name in left]
        yield label, [command for command in there if not command.beside]
    if left:
        yield _OTHERS, list(left.values())


def _group(label: str, commands: list[Command], width: int) -> str:
    if width < _WIDE:
        return f"{label}\n" + "".join(_hanging(f"  {_short(command)}", command.text, _USAGE + 2, width) for command in commands)
    leads = [label, *[""] * len(commands)]
    return "".join(
        _hanging(f"{lead:<{_LABEL}}{_short(command)}", command.text, _LABEL + _USAGE, width)
        for lead, command in zip(leads, commands, strict=False)
    )


def _short(command: Command) -> str:
    """The command and the first thing it takes: the whole usage is on its own page."""
    takes = _ARGUMENT.search(command.usage)
    return f"{command.name} {takes.group()}" if takes else command.name


def _hanging(lead: str, text: str, column: int, width: int) -> str:
    """`lead`, and the text from `column` on, in as many lines as it takes."""
    lines = wrap(text, max(10, width - column)) or [""]
    return "".join(f"{start:<{column}}{line}".rstrip() + "\n" for start, line in zip([lead, *[""] * len(lines)], lines, strict=False))
