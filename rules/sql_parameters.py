"""The rewrite `sql_parameters`: a query put together from values becomes a query with placeholders and a tuple of the values.

Only where every value stands in a value's place (behind `=`, `LIKE`, in `VALUES (...)`); a table or column name can't be
a parameter, so such a query gets no fix. The placeholder is that of the one database driver that the file imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ast_grep_py import SgNode

from rules.document import Document
from rules.sites import Site
from rules.sql_pieces import Literal, Piece, Value, query_pieces
from schema.finding import TextEdit

_STYLES: Mapping[str, str] = {
    "sqlite3": "?",
    "mariadb": "?",
    "psycopg": "%s",
    "psycopg2": "%s",
    "pymysql": "%s",
    "MySQLdb": "%s",
    "mysql": "%s",
    "pyodbc": "?",
}
_OTHERS = frozenset(
    {"asyncpg", "cx_Oracle", "oracledb", "sqlalchemy", "django", "peewee", "flask_sqlalchemy", "duckdb", "aiosqlite", "pandas"}
)
_VALUE_PLACE = re.compile(r"(?is)(=|<|>|\blike|\bglob|\blimit|\boffset|\bvalues\s*\((\s*(\?|%s|[\w.]+|'[^']*')\s*,)*)\s*$")
_LIKE = re.compile(r"(?is)\blike\s*$")
_OPEN_TEXT = re.compile(r"'(%*)$")
_END_OF_TEXT = re.compile(r"(%*)'")
_FREE_END = re.compile(r"[\s,);]|$")
_PLAIN = re.compile(r"[A-Za-z_][\w.]*")


def sql_parameters(document: Document, site: Site) -> list[TextEdit] | None:
    """Edits of `C.execute(Q)`, or of `V = Q` and `C.execute(V)`; None where the rewrite would be a guess."""
    query, variable = site.capture("Q") or site.capture("VALUE"), site.capture("V")
    mark = _placeholder(document)
    if query is None or mark is None or (variable is not None and not _used_once(document, variable)):
        return None
    pieces = query_pieces(query)
    rewritten = _rewrite(pieces, mark)
    if rewritten is None:
        return None
    edits = _literal_edits(document, query, rewritten)
    if edits is None:
        return None
    values = [part.code for part in rewritten if isinstance(part, Value)]
    arguments = f", ({', '.join(values)}{',' if len(values) == 1 else ''})"
    at = document.place(variable or query)
    if variable is None and edits and (edits[-1].end_line, edits[-1].end_column) == (at.end_line, at.end_column):
        last = edits.pop()
        return [*edits, TextEdit(last.start_line, last.start_column, last.end_line, last.end_column, last.text + arguments)]
    return [*edits, TextEdit(at.end_line, at.end_column, at.end_line, at.end_column, arguments)]


def _placeholder(document: Document) -> str | None:
    """What the imported driver takes; None for none, for two, and for libraries that speak otherwise."""
    names: set[str] = set()
    for node in document.root.find_all(any=[{"kind": "import_statement"}, {"kind": "import_from_statement"}]):
        names |= set(re.findall(r"[A-Za-z_]\w*", node.text()))
    marks = {_STYLES[name] for name in names if name in _STYLES}
    return marks.pop() if len(marks) == 1 and not names & _OTHERS else None


def _used_once(document: Document, variable: SgNode) -> bool:
    """The variable stands in its function twice: where it is given the query, and in the call."""
    region = document.outermost(variable)
    return sum(1 for node in region.find_all(kind="identifier") if node.text() == variable.text()) == 2  # noqa: PLR2004 - see above


def _rewrite(pieces: list[Piece], mark: str) -> list[Piece] | None:
    """The pieces with `mark` in the text where a value was, and values that carry their `%`; None when one is no value."""
    query = _Query(mark)
    for piece in pieces:
        if not (query.add_text(piece) if isinstance(piece, Literal) else query.add_value(piece)):
            return None
    return query.done if query.is_complete() else None


@dataclass
class _Query:
    """A query on its way to placeholders: what is done, its text so far, and a value whose SQL quotes are still open."""

    mark: str
    done: list[Piece] = field(default_factory=list)
    text: str = ""
    opened: tuple[Value, str] | None = None

    def add_text(self, piece: Literal) -> bool:
        """False when the text goes on in the midst of a value."""
        body = piece.text
        if self.opened is not None:
            closed = _END_OF_TEXT.match(body)
            value = None if closed is None else _with_wildcards(*self.opened, closed[1])
            if closed is None or value is None:
                return False
            body, self.opened = body[closed.end() :], None
            self.done.append(value)
        elif self.done and isinstance(self.done[-1], Value) and not _FREE_END.match(body):
            return False
        self.text += body
        self.done.append(Literal(body, piece.node))
        return True

    def add_value(self, value: Value) -> bool:
        """False where no value can stand."""
        last = self.done[-1] if self.done and isinstance(self.done[-1], Literal) else None
        quote = _OPEN_TEXT.search(self.text)
        before = self.text[: quote.start()] if quote else self.text
        cut = len(self.text) - len(before)
        if self.opened is not None or last is None or len(last.text) < cut or not _VALUE_PLACE.search(before):
            return False
        if quote and quote[1] and not _LIKE.search(before):
            return False
        self.done[-1] = Literal(last.text[: len(last.text) - cut] + self.mark, last.node)
        self.text = before + self.mark
        if quote:
            self.opened = (value, quote[1])
        else:
            self.done.append(value)
        return True

    def is_complete(self) -> bool:
        """Some value, none half open, and no `%` that a driver would take for a placeholder of its own."""
        texts = [piece.text for piece in self.done if isinstance(piece, Literal)]
        strays = self.mark == "%s" and any("%" in text.replace(self.mark, "") for text in texts)
        return self.opened is None and len(texts) < len(self.done) and not strays


def _with_wildcards(value: Value, before: str, after: str) -> Value | None:
    """`%` around a value belongs to the value: `LIKE '%x%'` compares with f"%{x}%"."""
    if not before and not after:
        return value
    return Value(f'f"{before}{{{value.code}}}{after}"') if _PLAIN.fullmatch(value.code) else None


def _literal_edits(document: Document, query: SgNode, pieces: list[Piece]) -> list[TextEdit] | None:
    """The new text of each literal that changed; a query that was a sum or a formatted text becomes one literal."""
    texts: dict[int, str] = {}
    nodes: dict[int, Literal] = {}
    for piece in pieces:
        if isinstance(piece, Literal):
            start = document.place(piece.node).start
            texts[start] = texts.get(start, "") + piece.text
            nodes[start] = piece
    if query.kind() in {"string", "concatenated_string", "parenthesized_expression"}:
        edits = []
        for start, literal in nodes.items():
            written = literal.written(texts[start])
            if written is None:
                return None
            if written != literal.node.text():
                edits.append(_edit(document, literal.node, written))
        return edits
    quotes = {literal.quote for literal in nodes.values()}
    if (
        len(quotes) != 1
        or query.find(kind="comment") is not None
        or (len(nodes) > 1 and document.place(query).start_line != document.place(query).end_line)
    ):
        return None
    written = next(iter(nodes.values())).written("".join(texts.values()))
    return None if written is None else [_edit(document, query, written)]


def _edit(document: Document, node: SgNode, text: str) -> TextEdit:
    place = document.place(node)
    return TextEdit(place.start_line, place.start_column, place.end_line, place.end_column, text)
