"""Writes the random programs as Python, JavaScript, Java, Go, C++ or Rust, in any names and layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tests.memory.programs import NAMES, Body, Call, Expression, Look, Name, Naming, Part, Program, Statement, Text

LANGUAGES = ("python", "javascript", "java", "go", "cpp", "rust")
PLAIN = Look()
PROLOGUE = tuple(Statement("declare", Name(number), (str(number),)) for number in range(2, len(NAMES)))
"""Every function declares all variables that are no parameters: a name that is declared nowhere may be a module's."""
NAMED = Naming()


def written(program: Program, language: str, look: Look = PLAIN, naming: Naming = NAMED) -> str:
    """The program as text."""
    return "\n".join(_WRITERS[language](look, naming).program(program)) + "\n"


def own_text(statement: Statement, language: str, naming: Naming) -> str:
    """One statement alone."""
    return "\n".join(_WRITERS[language](PLAIN, naming).statement(statement, 0)) + "\n"


class Writer:
    """What all languages share; braces and semicolons unless a language says otherwise."""

    marker = "// "
    quote = '"'
    end = ";"
    heads: ClassVar[dict[str, str]] = {
        "assign": "{name} = {value}",
        "add": "{name} += {value}",
        "return": "return {value}",
        "if": "if ({value})",
        "while": "while ({name} < {value})",
        "note": "audit.trace({value}, {name})",
    }
    """The language's own words for each kind of statement; `name` and `value` come in."""
    function = ""
    own: ClassVar[dict[str, str]] = {}
    """Instead of `heads`, and besides."""

    def __init__(self, look: Look, naming: Naming) -> None:
        self.look = look
        self.naming = naming

    def program(self, program: Program) -> Iterator[str]:
        """Its lines."""
        for number, body in enumerate(program):
            if number:
                yield ""
            yield from self.block(self.head(number), (*PROLOGUE, *body), 0)

    def head(self, number: int) -> str:
        """The first line of a function; the parameters are the first two variables."""
        first, second, *_ = self.naming.variables
        return self.function.format(name=self.naming.functions[number], first=first, second=second)

    def block(self, head: str, body: Body, depth: int, beside: str = "") -> Iterator[str]:
        """A head with its braces."""
        if self.look.brace_below:
            yield self.look.unit * depth + head + beside
            yield self.look.unit * depth + "{"
        else:
            yield self.look.unit * depth + head + " {" + beside
        yield from self.lines(body, depth + 1)
        yield self.look.unit * depth + "}"

    def lines(self, body: Body, depth: int) -> Iterator[str]:
        """Statements, with their comments."""
        for statement in body:
            if self.look.blank_lines and statement.name.number % 2:
                yield ""
            if self.look.commented and statement.above:
                yield self.look.unit * depth + self.marker + statement.above
            yield from self.statement(statement, depth)

    def statement(self, statement: Statement, depth: int) -> Iterator[str]:
        """One statement with its blocks."""
        head = {**self.heads, **self.own}[statement.kind].format(
            name=self.part(statement.name), value=self.expression(statement.expression), quote=self.quote
        )
        beside = f"  {self.marker}{statement.comment}" if self.look.commented and statement.comment else ""
        if not statement.body:
            yield self.look.unit * depth + self.closed(head) + beside
            return
        yield from self.block(head, statement.body, depth, beside)
        if statement.otherwise:
            yield from self.block("else", statement.otherwise, depth)

    def closed(self, head: str) -> str:
        """A simple statement."""
        return head + self.end

    def expression(self, parts: Expression) -> str:
        """Its parts, apart or not."""
        return (" " if self.look.spaced else "").join(self.part(part) for part in parts)

    def part(self, part: Part) -> str:
        """One of them."""
        if isinstance(part, Name):
            return self.naming.variables[part.number]
        if isinstance(part, Call):
            return f"{self.naming.functions[part.function]}({self.part(part.first)}, {self.part(part.second)})"
        return f"{self.quote}{part.said}{self.quote}" if isinstance(part, Text) else part


class _Python(Writer):
    marker, quote, end = "# ", "'", ""
    function = "def {name}({first}, {second}):"
    own: ClassVar[dict[str, str]] = {
        "declare": "{name} = {value}",
        "show": "print({value}, file={name}.file, end={quote}.{quote})",
        "if": "if {value}:",
        "while": "while {name} < {value}:",
        "loop": "for {name} in range({value}):",
    }

    def block(self, head: str, body: Body, depth: int, beside: str = "") -> Iterator[str]:
        """No braces."""
        yield self.look.unit * depth + (head + ":" if head == "else" else head) + beside
        yield from self.lines(body, depth + 1)


class _JavaScript(Writer):
    quote = "'"
    function = "function {name}({first}, {second})"
    own: ClassVar[dict[str, str]] = {
        "declare": "let {name} = {value}",
        "show": "console.log({value}, {name}.text)",
        "loop": "for (const {name} of {value})",
    }


class _Java(Writer):
    function = "static int {name}(int {first}, int {second})"
    own: ClassVar[dict[str, str]] = {
        "declare": "int {name} = {value}",
        "show": "System.out.println({value}, {name}.text())",
        "loop": "for (int {name} = 0; {name} < {value}; {name}++)",
    }

    def program(self, program: Program) -> Iterator[str]:
        """In a class."""
        head = "public class Sample"
        yield from [head, "{"] if self.look.brace_below else [head + " {"]
        for line in super().program(program):
            yield self.look.unit + line if line else ""
        yield "}"


class _Go(Writer):
    end = ""
    function = "func {name}({first} int, {second} int) int"
    own: ClassVar[dict[str, str]] = {
        "declare": "{name} := {value}",
        "show": "fmt.Println({value}, {name}.Text)",
        "if": "if {value}",
        "while": "for {name} < ({value})",
        "loop": "for _, {name} := range items({value})",
    }

    def block(self, head: str, body: Body, depth: int, beside: str = "") -> Iterator[str]:
        """The brace is never on a line of its own, and `else` stands beside the brace before it."""
        yield self.look.unit * depth + head + " {" + beside
        yield from self.lines(body, depth + 1)
        yield self.look.unit * depth + "}"

    def statement(self, statement: Statement, depth: int) -> Iterator[str]:
        """As everywhere, but for the `else`."""
        lines = list(super().statement(statement, depth))
        for number, line in enumerate(lines):
            if line.strip() == "else {" and line.startswith(self.look.unit * depth + "e"):
                lines[number - 1 : number + 1] = [self.look.unit * depth + "} else {"]
                break
        yield from lines


class _Cpp(Writer):
    function = "int {name}(int {first}, int {second})"
    own: ClassVar[dict[str, str]] = {
        "declare": "auto {name} = {value}",
        "show": "std::print(out, {value}, {name}.text())",
        "loop": "for (int {name} = 0; {name} < {value}; {name}++)",
    }


class _Rust(Writer):
    function = "fn {name}({first}: i64, {second}: i64) -> i64"
    own: ClassVar[dict[str, str]] = {
        "declare": "let mut {name} = {value}",
        "show": "println!({quote}{{}} {{}}{quote}, {value}, {name}.text)",
        "if": "if {value}",
        "while": "while {name} < ({value})",
        "loop": "for {name} in items({value})",
    }


_WRITERS: dict[str, type[Writer]] = {
    "python": _Python,
    "javascript": _JavaScript,
    "java": _Java,
    "go": _Go,
    "cpp": _Cpp,
    "rust": _Rust,
}
