"""Interactive Python sessions: take prompts and output off, and keep what defines something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from utils.fences import Line
from utils.prose import reads_as_prose

_PROMPT = re.compile(r"(?P<indent>[ \t]*)(?P<prompt>>>>(?: |$)|In \[\d*\]:(?: |$))")
_CELL_HEAD = re.compile(r"In \[[\d ]*\]:\s*$")
_CELL = r"(?!Out ?\[)"
"""The lines of a cell have no prompt: they end at its output."""
_BANNER = re.compile(
    r"Python \d|Type ['\"]|IPython |\[GCC|\[Clang|\[MSC|on (?:linux|darwin|win32)|\$ (?:python|ipython)"
    r"|[\w@:~/.-]*[$%#>] ?(?:i?python\S*)|[❯➜»λ] ?\S*|$"
)
_DEFINES = re.compile(r"(?:async\s+)?(?:def|class)\b|@")
_STATEMENT = re.compile(
    r"(?:(?:import|from|if|for|while|with|try|return|raise|del|assert|global|nonlocal|pass|match)\b|async\s|"
    r"[\w.\[\]'\", ()*]+?(?::[^=]+)?(?:[+\-*/%&|^@]|//|\*\*|<<|>>)?=(?!=))"
)
_NAMED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_CALLED = re.compile(r"(?:await\s+)?(\w+)\s*[(.]")


@dataclass
class _Statement:
    """One input of a session, and whether something was printed after it."""

    lines: list[Line]
    output: list[str] = field(default_factory=list)

    def trim(self) -> None:
        """Take blank lines around off."""
        while self.lines and not self.lines[-1].text.strip():
            self.lines.pop()
        while self.lines and not self.lines[0].text.strip():
            self.lines.pop(0)

    @property
    def first(self) -> str:
        return self.lines[0].text.lstrip()

    @property
    def defines(self) -> bool:
        return _DEFINES.match(self.first) is not None


def session_code(lines: Sequence[str]) -> tuple[list[Line], list[str]] | None:
    """The code of a pasted session and what was left out of it; None when the text is no session.

    When it defines something, bare expressions that only show it (with output after them, or a call of what was defined)
    are left out, so that what remains is the definition itself.
    """
    start = next((number for number, line in enumerate(lines) if _PROMPT.match(line)), None)
    if start is None:
        return None
    before = [line for line in lines[:start] if line.strip()]
    if not (all(_BANNER.match(line.strip()) for line in before) or reads_as_prose("\n".join(before)) or _ends_trace(before)):
        return None
    statements = _statements(lines, start)
    names = {found.group(1) for statement in statements for line in statement.lines if (found := _NAMED.match(line.text))}
    aside = [line for line in before if not _BANNER.match(line.strip())]
    code: list[Line] = []
    for statement in statements:
        if names and _only_shows(statement, names):
            aside += [">>> " + statement.first, *(line.text for line in statement.lines[1:])]
        else:
            code += statement.lines
        aside += statement.output
    return code, aside


def _ends_trace(before: Sequence[str]) -> bool:
    return any(line.startswith("Traceback (most recent call last)") for line in before)


def _statements(lines: Sequence[str], start: int) -> list[_Statement]:
    """The inputs in order. Lines without a prompt are the output of the one before."""
    statements: list[_Statement] = []
    continues = ""
    for number in range(start, len(lines)):
        line = lines[number]
        prompt = _PROMPT.match(line)
        if prompt:
            shift = prompt.end()
            continues = _continuation(prompt)
            is_cell = _is_cell(lines, number)
            if is_cell or line[shift:].strip():
                continues = _CELL if is_cell else continues
                statements.append(_Statement([Line(line[shift:], number + 1, shift)]))
            else:
                continues = ""
            continue
        continued = re.match(continues, line) if continues else None
        if continued:
            statements[-1].lines.append(Line(line[continued.end() :], number + 1, continued.end()))
            continue
        continues = ""
        if statements and line.strip():
            statements[-1].output.append(line)
    for statement in statements:
        statement.trim()
    return [statement for statement in statements if statement.lines]


def _is_cell(lines: Sequence[str], number: int) -> bool:
    """True for a line `In [3]:` above the code of a notebook's cell."""
    return _CELL_HEAD.match(lines[number]) is not None and number + 1 < len(lines) and not _PROMPT.match(lines[number + 1])


def _continuation(prompt: re.Match[str]) -> str:
    """A pattern for the prompt of the lines that go on with the statement."""
    if prompt["prompt"].startswith(">"):
        return re.escape(prompt["indent"]) + r"\.\.\.(?: |$)"
    return r"[ \t]*\.\.\.:(?: |$)"


def _only_shows(statement: _Statement, names: set[str]) -> bool:
    """True for a bare expression whose value was printed, or that calls what the session defines."""
    if statement.defines or _STATEMENT.match(statement.first):
        return False
    called = _CALLED.match(statement.first)
    return bool(statement.output) or (called is not None and called.group(1) in names)
