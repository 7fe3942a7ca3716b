"""Which names a text declares, read from its tokens: for every language but Python, and for Python that does not parse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utils.brackets import Brackets
from utils.keywords import words
from utils.lexical import Token

DEFINERS: dict[str, frozenset[str]] = {
    "python": frozenset({"def", "class", "for", "lambda", "as", "global", "nonlocal"}),
    "javascript": frozenset({"function", "class", "let", "const", "var"}),
    "typescript": frozenset({"function", "class", "let", "const", "var", "interface", "enum", "type", "namespace"}),
    "java": frozenset({"class", "interface", "enum", "record", "var"}),
    "go": frozenset({"func", "type", "var", "const"}),
    "c": frozenset({"struct", "enum", "union"}),
    "cpp": frozenset({"struct", "enum", "union", "class", "typename", "namespace", "auto"}),
    "rust": frozenset({"fn", "struct", "enum", "trait", "let", "mut", "type", "ref", "mod", "for", "const", "static"}),
    "csharp": frozenset({"class", "interface", "enum", "struct", "record", "var", "delegate", "out"}),
}
"""Words after which a name is declared."""

MEMBER_OPS: dict[str, frozenset[str]] = {
    "python": frozenset({"."}),
    **dict.fromkeys(("javascript", "typescript"), frozenset({".", "?.", "#", "@"})),
    "java": frozenset({".", "::", "@"}),
    "go": frozenset({"."}),
    **dict.fromkeys(("c", "cpp"), frozenset({".", "->", "::"})),
    "rust": frozenset({".", "::"}),
    "csharp": frozenset({".", "?.", "::"}),
    "php": frozenset({"->", "::", "\\"}),
    "ruby": frozenset({".", "::", "@", "$"}),
    "bash": frozenset(),
    **dict.fromkeys(("kotlin", "swift"), frozenset({".", "?.", "::", "@", "#"})),
    "sql": frozenset({"."}),
}
"""What makes the next name one of elsewhere: a member, a path, an annotation."""

TYPED = frozenset({"java", "c", "cpp", "csharp"})
_TYPE_WORDS = words(
    """
    int long short char float double bool boolean byte void unsigned signed string object decimal uint ulong ushort sbyte auto
    var const final size_t
    """
)
_AFTER_DECLARED = frozenset({",", ")", "=", ";", ":", "[", "{", "in"})
_ARROWS = {"javascript": "=>", "typescript": "=>", "csharp": "=>", "java": "->"}


class NameReader:
    """Reads declarations off one token stream."""

    def __init__(self, tokens: Sequence[Token], brackets: Brackets, language: str) -> None:
        self.tokens = tokens
        self.brackets = brackets
        self.language = language

    def text(self, index: int) -> str:
        """Text of a token; "" for what has no width, and outside of the stream."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def is_name(self, index: int) -> bool:
        """True at a name that is no member."""
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "name" and not self.is_member(index)

    def is_member(self, index: int) -> bool:
        """True for the name after a dot and its like."""
        return self.text(index - 1) in MEMBER_OPS[self.language]

    def opener(self, index: int) -> str:
        """The innermost open bracket around a token, or ""."""
        return self.text(self.brackets.enclosing[index]) if self.brackets.enclosing[index] >= 0 else ""

    def closes_at(self, index: int) -> int:
        """Where the bracket at `index` closes; the end of the stream when it never does."""
        return self.brackets.partner.get(index, len(self.tokens))

    def declared(self) -> Iterator[str]:
        """Every name that is declared somewhere (some more than once)."""
        for index, token in enumerate(self.tokens):
            if token.kind == "name" and self.is_name(index) and self._declares(index):
                yield token.text
            elif token.kind == "keyword" or token.text in {"=>", "->", ":=", "|"}:
                yield from self._declared_from(index)

    def _declares(self, index: int) -> bool:
        before, after = self.text(index - 1), self.text(index + 1)
        if before in DEFINERS[self.language] and after != "::":
            return True
        if after in {"=", ":="}:
            return not self._is_keyword_argument(index) and not self._is_go_type(index)
        if self.language in TYPED:
            return self._is_typed(index)
        return self.language == "rust" and after == ":" and self.opener(index) in {"(", "|"}

    def _is_go_type(self, index: int) -> bool:
        """`var name Type = value`, `var name []Type = value`."""
        return self.language == "go" and index > 0 and (self.tokens[index - 1].kind == "name" or self.text(index - 1) in {"]", "."})

    def _is_keyword_argument(self, index: int) -> bool:
        if self.text(index + 1) != "=" or self.text(index - 1) not in {"(", ",", "{"}:
            return False
        opener = self.brackets.enclosing[index]
        if self.language == "python":
            return self.text(opener) == "(" and self.text(opener - 2) != "def"
        return self.language == "csharp" and self.opener(index) == "{"

    def _is_typed(self, index: int) -> bool:
        """`Type name` before what may follow a declared name; a function needs its body."""
        after = self.text(index + 1)
        if not self._is_type_end(index - 1):
            return False
        if after == "(":
            return (
                self.tokens[index - 1].kind == "name"
                or self.text(index - 1) in _TYPE_WORDS
                or self._has_body(index + 1)
                or self.text(index - 1) in {">", "]"}
            )
        return after in _AFTER_DECLARED

    def _has_body(self, index: int) -> bool:
        return self.text(self.closes_at(index) + 1) in {"{", "const", "noexcept", "throws", "override", "where", "=>"}

    def _is_type_end(self, index: int) -> bool:
        while self.text(index) in {"*", "&", "&&", "?"} or (self.text(index) == "]" and self.text(index - 1) == "["):
            index -= 2 if self.text(index) == "]" else 1
        if self.text(index) == ">":
            return self._closes_generic(index)
        return index >= 0 and (self.tokens[index].kind == "name" or self.text(index) in _TYPE_WORDS)

    def _closes_generic(self, index: int) -> bool:
        """True when the `>` here closes type arguments: back to their `<` there is nothing but types."""
        depth = 0
        for at in range(index, max(-1, index - 60), -1):
            said = self.text(at)
            depth += (said == ">") - (said == "<")
            if depth == 0:
                return self.tokens[at - 1].kind == "name" or self.language == "cpp"
            if said not in {">", "<", ",", "::", ".", "*", "&", "?", "[", "]"} and self.tokens[at].kind not in {"name", "keyword"}:
                return False
        return False

    def _declared_from(self, index: int) -> Iterator[str]:
        """Names declared by a construct that a keyword or an operator opens."""
        said = self.text(index)
        if said == _ARROWS.get(self.language):
            yield from self._arrow_parameters(index - 1)
        elif said == ":=":
            yield from self._listed_before(index - 1)
        elif said == "|" and self.language == "rust":
            yield from self._closure_parameters(index)
        elif said in {"function", "func"} or (said == "catch" and self.language not in TYPED):
            yield from self._function_parameters(index)
        elif said in {"var", "const"} and self.language == "go":
            yield from self._go_names(index + 1)
        elif said in {"let", "const", "var", "for", "auto", "def", "lambda"} and not (said == "for" and self.language in TYPED):
            in_parentheses = said == "for" and self.language in {"javascript", "typescript"} and self.text(index + 1) == "("
            yield from self._pattern(index + 1 if in_parentheses else index)

    def _arrow_parameters(self, index: int) -> Iterator[str]:
        if self.text(index) == ")":
            yield from self._parameters(self.brackets.partner.get(index, index), index)
        elif self.is_name(index):
            yield self.text(index)

    def _listed_before(self, index: int) -> Iterator[str]:
        while self.is_name(index):
            yield self.text(index)
            if self.text(index - 1) != ",":
                return
            index -= 2

    def _closure_parameters(self, index: int) -> Iterator[str]:
        if self.text(index - 1) not in {"(", ",", "=", "move", "{", "return", "=>", ";", ""}:
            return
        for at in range(index + 1, min(index + 40, len(self.tokens))):
            if self.text(at) == "|":
                return
            if self.is_name(at) and self.text(at - 1) != ":":
                yield self.text(at)

    def _function_parameters(self, index: int) -> Iterator[str]:
        """Names between the parentheses after `function`, `func` (receiver and results too) or `catch`."""
        at = index + 1
        while self.is_name(at) or self.text(at) in {"(", "*", "<"}:
            if self.text(at) == "<":
                while at < len(self.tokens) and self.text(at) != ">":
                    at += 1
            if self.text(at) == "(":
                yield from self._parameters(at, self.closes_at(at))
                at = self.closes_at(at)
                if self.language != "go":
                    return
            at += 1

    def _parameters(self, opened: int, closed: int) -> Iterator[str]:
        """Names that stand where a parameter stands, destructuring included. A type alone (Go's results) declares nothing."""
        for at in range(opened + 1, closed):
            if not self.is_name(at) or self.text(at - 1) not in ({"(", ","} if self.language == "go" else {"(", ",", "...", "{", "[", ":"}):
                continue
            if self.text(at - 1) == ":" and self.opener(at) != "{":
                continue
            if self.language != "go" or self._is_go_parameter(at, closed):
                yield self.text(at)

    def _is_go_parameter(self, index: int, closed: int) -> bool:
        while self.text(index + 1) == "," and self.is_name(index + 2):
            index += 2
        return index + 1 < closed and self.text(index + 1) not in {",", ")", "."}

    def _go_names(self, index: int) -> Iterator[str]:
        """`var a, b T`, and each line of `var (...)`: the names come first, a type follows."""
        if self.text(index) != "(":
            yield from self._listed_from(index)
            return
        closed = self.closes_at(index)
        starts = [index + 1, *(at + 1 for at in range(index + 1, closed) if self.tokens[at].kind == "newline" or self.text(at) == ";")]
        for start in starts:
            yield from self._listed_from(start)

    def _listed_from(self, index: int) -> Iterator[str]:
        while self.is_name(index):
            yield self.text(index)
            if self.text(index + 1) != ",":
                return
            index += 2

    def _pattern(self, index: int) -> Iterator[str]:
        """Names of the pattern after `let` and its like, up to its `=`, `in`, `of` or end; what follows a colon is a type."""
        depth, typed = 0, False
        for at in range(index + 1, min(index + 200, len(self.tokens))):
            said = self.text(at)
            if depth == 0 and (said in {"=", ";", "in", "of", ":=", "range", ""} or (said == ":" and self.language == "python")):
                return
            depth += (said in {"(", "[", "{"}) - (said in {")", "]", "}"})
            if depth < 0:
                return
            typed = (typed or (said == ":" and self.opener(at) != "{")) and said != ","
            if (
                not typed
                and self.is_name(at)
                and self.text(at + 1) not in {"(", "::", "{", ":"} | ({"."} if self.language == "go" else set())
            ) or (not typed and self.is_name(at) and self.text(at + 1) == ":" and depth == 0):
                yield said
