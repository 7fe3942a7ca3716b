"""The rewrite `sql_parameters`: a query put together from values becomes a query with placeholders and a tuple of the values.

Only where every value stands in a value's place (behind `=`, `LIKE`, in `VALUES (...)`); a table or column name can't be
a parameter, so such a query gets no fix. The placeholder is that of the one database driver that the file imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
_OTHERS = frozenset({"asyncpg", "cx_Oracle", "oracledb", "sqlalchemy", "django", "peewee", "flask_sqlalchemy", "duckdb", "aiosqlite", "pandas"})
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
    done: list[Piece] = []
    text, pending = "", None
    for piece in pieces:
        if isinstance(piece, Literal):
            body, end = piece.text, ""
            if pending is not None:
                closed = _END_OF_TEXT.match(body)
                if closed is None:
                    return None
                end, body = closed[1], body[closed.end() :]
                value = _with_wildcards(pending[0], pending[1], end)
                if value is None:
                    return None
                done.append(value)
                pending = None
            elif done and isinstance(done[-1], Value) and not _FREE_END.match(body):
                return None
            text += body
            done.append(Literal(body, piece.node))
            continue
        if pending is not None:
            return None
        last = done[-1] if done and isinstance(done[-1], Literal) else None
        opened = _OPEN_TEXT.search(text)
        before = text[: opened.start()] if opened else text
        if last is None or (opened and len(last.text) < len(opened[0])) or not _VALUE_PLACE.search(before) or (opened and opened[1] and not _LIKE.search(before)):
            return None
        cut = len(opened[0]) if opened else 0
        done[-1] = Literal(last.text[: len(last.text) - cut] + mark, last.node)
        text = before + mark
        if opened:
            pending = (piece, opened[1])
        else:
            done.append(piece)
    if pending is not None or not any(isinstance(piece, Value) for piece in done):
        return None
    # Such a driver takes every `%` of the text for a placeholder of its own.
    strays = mark == "%s" and any("%" in piece.text.replace(mark, "") for piece in done if isinstance(piece, Literal))
    return None if strays else done


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
    if len(quotes) != 1 or query.find(kind="comment") is not None or (len(nodes) > 1 and document.place(query).start_line != document.place(query).end_line):
        return None
    written = next(iter(nodes.values())).written("".join(texts.values()))
    return None if written is None else [_edit(document, query, written)]


def _edit(document: Document, node: SgNode, text: str) -> TextEdit:
    place = document.place(node)
    return TextEdit(place.start_line, place.start_column, place.end_line, place.end_column, text)
