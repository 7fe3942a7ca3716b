"""Made-up programs with a bug, in six languages: for measuring size and speed, never for measuring how well anything is found.

A program is written once, with numbered places for its names and with both sides of its bug. From that come the stored pair and what
somebody might paste: the same in another layout, with other names, or with small edits besides. The same seed gives the same program.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["exact", "renamed", "near", "unrelated"]
KINDS: tuple[Kind, ...] = ("exact", "renamed", "near", "unrelated")

FEWEST_LINES, MOST_LINES = 5, 60

_NAME = re.compile(r"@(\d+)@")
_BUG = re.compile(r"\[\[(.*?)\|\|(.*?)\]\]")
_SYLLABLES = ("ba", "co", "di", "fe", "gu", "ha", "jo", "ki", "lu", "me", "no", "pa", "ri", "so", "tu", "va", "we", "zi")
_VERBS = ("load", "read", "find", "merge", "split", "send", "parse", "count", "check", "close", "store", "drop", "scale", "rank", "sign")
_NOUNS = ("user", "order", "row", "page", "token", "file", "node", "edge", "price", "event", "frame", "batch", "score", "path", "state")
_WORDS = ("total", "missing", "utf-8", "id", "done", "error", "name", "value", "open", "%d items", "key", "end of input")
_COMPARED = (("<", "<="), (">", ">="), ("==", "!="))


@dataclass(frozen=True)
class Style:
    """How a language writes each statement. Blocks of all but Python close with a brace."""

    head: str
    parameter: str
    assign: str
    again: str
    test: str
    loop: str
    add: str
    give: str
    call: str
    closed: bool = True


STYLES: dict[str, Style] = {
    "python": Style(
        "def {name}({args}):", "{0}", "{0} = {1}", "{0} = {1}", "if {0}:", "for {0} in range({1}):",
        "{0}.append({1})", "return {0}", "{0}", closed=False,
    ),
    "javascript": Style(
        "function {name}({args}) {{", "{0}", "let {0} = {1};", "{0} = {1};", "if ({0}) {{", "for (let {0} = 0; {0} < {1}; {0}++) {{",
        "{0}.push({1});", "return {0};", "{0};",
    ),
    "java": Style(
        "static int {name}({args}) {{", "int {0}", "int {0} = {1};", "{0} = {1};", "if ({0}) {{", "for (int {0} = 0; {0} < {1}; {0}++) {{",
        "{0}.add({1});", "return {0};", "{0};",
    ),
    "go": Style(
        "func {name}({args}) int {{", "{0} int", "{0} := {1}", "{0} = {1}", "if {0} {{", "for {0} := 0; {0} < {1}; {0}++ {{",
        "{0} = append({0}, {1})", "return {0}", "{0}",
    ),
    "cpp": Style(
        "int {name}({args}) {{", "int {0}", "int {0} = {1};", "{0} = {1};", "if ({0}) {{", "for (int {0} = 0; {0} < {1}; ++{0}) {{",
        "{0}.push_back({1});", "return {0};", "{0};",
    ),
    "rust": Style(
        "fn {name}({args}) -> i64 {{", "{0}: i64", "let mut {0} = {1};", "{0} = {1};", "if {0} {{", "for {0} in 0..{1} {{",
        "{0}.push({1});", "return {0};", "{0};",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """One program: its lines with places for names and both sides of the bug, as (depth, text)."""

    language: str
    lines: tuple[tuple[int, str], ...]
    names: int

    def written(self, *, fixed: bool = False, names: int = 0, unit: str = "    ") -> str:
        """The text, its names drawn from the list number `names`."""
        side = r"\2" if fixed else r"\1"
        called = _named(self.names, names)
        return "".join(f"{unit * depth}{self._said(line, side, called)}\n" for depth, line in self.lines)

    def _said(self, line: str, side: str, called: Sequence[str]) -> str:
        return _NAME.sub(lambda found: called[int(found.group(1))], _BUG.sub(side, line))

    def edited(self, number: int) -> Program:
        """The same with a statement more and, mostly, another number in one of its lines; the lines of the bug stay."""
        rng = _chance(f"edit {number}")
        kept = [index for index, (_, line) in enumerate(self.lines) if "[[" not in line and line.strip(" }") and index]
        lines = list(self.lines)
        at = rng.choice(kept) if kept else len(lines)
        if kept:
            depth, line = lines[at]
            lines[at] = (depth, re.sub(r"(?<![\w@])\d+(?![\w@])", str(rng.randrange(10, 99)), line, count=1))
        depth = lines[at][0] if kept else 1
        lines.insert(at, (depth, STYLES[self.language].call.format(f"{_api(rng)}(@0@)")))
        return Program(self.language, tuple(lines), self.names)


def program(number: int) -> Program:
    """The program of that number, of FEWEST_LINES to MOST_LINES lines; half of all have fewer than 20."""
    rng = _chance(f"program {number}")
    language = rng.choice(sorted(STYLES))
    lines = int(rng.triangular(FEWEST_LINES, MOST_LINES, FEWEST_LINES + 3))
    return _Writer(rng, language).program(lines)


def asked(number: int, kind: Kind, stored: int) -> tuple[str, str]:
    """A paste as (text, language): a variant of one of the `stored` programs, or for `unrelated` one that is none of them."""
    source = program(number if kind != "unrelated" else stored + number)
    if kind == "exact":
        return source.written(unit="  "), source.language
    if kind == "near":
        return source.edited(number).written(names=2), source.language
    return source.written(names=1 if kind == "renamed" else 0), source.language


class _Writer:
    """Writes one program, statement by statement; `shape` makes runs of statements typical of this program."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng = rng
        self.style = STYLES[language]
        self.language = language
        self.lines: list[tuple[int, str]] = []
        self.known = [1, 2, 3]
        self.next = 4
        self.shape = rng.choices(("assign", "again", "add", "call", "if", "loop"), weights=[rng.random() + 0.1 for _ in range(6)], k=12)

    def program(self, lines: int) -> Program:
        """The whole: a head, a body with one place that is wrong, a return."""
        arguments = ", ".join(self.style.parameter.format(f"@{place}@") for place in self.known)
        self.lines.append((0, self.style.head.format(name="@0@", args=arguments)))
        wrong = self.rng.randrange(max(1, lines - 4))
        while len(self.lines) < lines - 2:
            if len(self.lines) > wrong:
                self._wrong(1)
                wrong = lines
            else:
                self._statement(1)
        if wrong < lines:
            self._wrong(1)
        self.lines.append((1, self.style.give.format(self._expression())))
        self._close(0)
        return Program(self.language, tuple(self.lines), self.next)

    def _statement(self, depth: int) -> None:
        kind = self.rng.choice(self.shape)
        if kind in ("if", "loop") and depth < 4:
            self._block(kind, depth)
        elif kind == "assign":
            self.lines.append((depth, self.style.assign.format(f"@{self.next}@", self._expression())))
            self.known.append(self.next)
            self.next += 1
        else:
            self.lines.append((depth, self._plain(kind)))

    def _plain(self, kind: str) -> str:
        if kind == "add":
            return self.style.add.format(self._name(), self._expression())
        if kind == "call":
            return self.style.call.format(f"{_api(self.rng)}({self._expression()}, {self._atom()})")
        return self.style.again.format(self._name(), self._expression())

    def _block(self, kind: str, depth: int) -> None:
        if kind == "if":
            sign = self.rng.choice(_COMPARED)[0]
            self.lines.append((depth, self.style.test.format(f"{self._expression()} {sign} {self._atom()}")))
        else:
            self.lines.append((depth, self.style.loop.format(f"@{self.next}@", self._atom())))
            self.known.append(self.next)
            self.next += 1
        for _ in range(self.rng.randint(1, 3)):
            self._statement(depth + 1)
        self._close(depth)

    def _wrong(self, depth: int) -> None:
        """A condition with the wrong comparison, and what hangs on it."""
        buggy, fixed = self.rng.choice(_COMPARED)
        self.lines.append((depth, self.style.test.format(f"{self._expression()} [[{buggy}||{fixed}]] {self._atom()}")))
        self.lines.append((depth + 1, self._plain("again")))
        self._close(depth)

    def _close(self, depth: int) -> None:
        if self.style.closed:
            self.lines.append((depth, "}"))

    def _name(self) -> str:
        return f"@{self.rng.choice(self.known)}@"

    def _atom(self) -> str:
        return self.rng.choice((self._name(), self._name(), str(int(self.rng.paretovariate(0.6))), f'"{self.rng.choice(_WORDS)}"'))

    def _expression(self) -> str:
        first = self._atom()
        form = self.rng.randrange(6)
        if form == 0:
            return f"{_api(self.rng)}({first})"
        if form == 1:
            return f"{self._name()}[{first}]"
        if form == 2:
            return f"({first} {self.rng.choice('+-*%')} {self._atom()}) {self.rng.choice('+-*')} {self._name()}"
        return first if form == 3 else f"{first} {self.rng.choice('+-*/')} {self._atom()}"


def _chance(seed: str) -> random.Random:
    """The same draws for the same seed."""
    return random.Random(seed)  # noqa: S311 - made-up programs, no secrets


def _api(rng: random.Random) -> str:
    return f"{rng.choice(_VERBS)}_{rng.choice(_NOUNS)}"


def _named(count: int, table: int) -> list[str]:
    """So many different names; another table has others."""
    rng = _chance(f"names {table}")
    return [f"{rng.choice(_SYLLABLES)}{rng.choice(_SYLLABLES)}{number}" for number in range(count)]
