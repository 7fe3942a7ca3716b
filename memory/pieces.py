"""What a text is cut into where its pieces are remembered and looked up one by one: functions and classes, in SQL statements."""

from __future__ import annotations

from utils.sql_statements import sql_statements
from utils.syntax import Block, blocks


def pieces_of(text: str, language: str) -> tuple[Block, ...]:
    """All functions, methods and classes, or statements, in the order of the text; empty for a language without an outline."""
    return sql_statements(text) if language == "sql" else blocks(text, language)


def outer_pieces(text: str, language: str) -> tuple[Block, ...]:
    """Those that nothing encloses."""
    return tuple(piece for piece in pieces_of(text, language) if piece.depth == 0)
