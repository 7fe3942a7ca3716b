"""The token streams of stored pairs, kept beside them, so that comparing a paste with ten of them reads no text but the paste's.

Derived, and never needed: where a stream is missing, or was read by other rules than today's, the text is read again. A stream goes with
its alternative. Packed as JSON (a mark for each token, then the tokens) under zlib: about 60 % of the text's size.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from memory.keys import NORMALISER
from memory.records import KeyHit, PairStreams

if TYPE_CHECKING:
    from memory.signature import Signature

READER = f"{NORMALISER} 1"
"""The rules that streams are read by. A change of `memory.signature` or of how streams are packed changes the number."""

_LOCAL, _STRING, _OTHER = "l", "s", "."
_FAST = 1
"""The level of zlib: the next ones save 5 % more and take twice as long."""


def pack(signature: Signature) -> bytes:
    """The bytes of a signature; `unpack` gives an equal one."""
    from memory.signature import STRING  # late, here and below: the look-up by keys reads no stream

    marks = "".join(
        _LOCAL if is_local else _STRING if word == STRING and word != said else _OTHER
        for said, word, is_local in zip(signature.raw, signature.abstract, signature.is_local, strict=True)
    )
    return zlib.compress(json.dumps([marks, signature.raw], ensure_ascii=True, separators=(",", ":")).encode("ascii"), _FAST)


@lru_cache(maxsize=256)
def unpack(packed: bytes) -> Signature:
    """The signature of what `pack` gave. Raises ValueError or zlib.error for other bytes. One look-up asks for the same ones twice."""
    from memory.signature import LOCAL, STRING, Signature

    marks, raw = json.loads(zlib.decompress(packed))
    word_of: dict[str, str] = {_LOCAL: LOCAL, _STRING: STRING}
    return Signature(tuple(raw), tuple(map(word_of.get, marks, raw)), tuple(map(_LOCAL.__eq__, marks)))


def pair_streams(part: int, code: str, fixed_code: str, language: str) -> PairStreams:
    """Both sides of a stored pair, read by today's rules. `part` is 0 for the whole."""
    from memory.signature import read_signature

    return PairStreams(READER, pack(read_signature(code, language)), pack(read_signature(fixed_code, language)), part)


def buggy_signature(hit: KeyHit, language: str) -> Signature:
    """The buggy side of a hit as the near tier compares it."""
    return _signature(hit.streams.buggy if hit.streams else b"", hit, language, hit.code)


def fixed_signature(hit: KeyHit, language: str) -> Signature:
    """The fixed side of a hit."""
    return _signature(hit.streams.fixed if hit.streams else b"", hit, language, hit.fixed_code)


def _signature(packed: bytes, hit: KeyHit, language: str, text: str) -> Signature:
    from memory.signature import read_signature

    if hit.streams is None or hit.streams.reader != READER:
        return read_signature(text, language)
    try:
        return unpack(packed)
    except (ValueError, zlib.error):
        return read_signature(text, language)


def write_streams(connection: sqlite3.Connection, alternative: int, streams: Iterable[PairStreams]) -> None:
    """Put the streams of an alternative in the place of those it has."""
    connection.execute("DELETE FROM streams WHERE alternative = ?", (alternative,))
    connection.executemany(
        "INSERT INTO streams (alternative, part, reader, buggy, fixed) VALUES (?, ?, ?, ?, ?)",
        [(alternative, each.part, each.reader, each.buggy, each.fixed) for each in streams],
    )


def unread(connection: sqlite3.Connection, limit: int) -> list[tuple[int, int, str, str, str]]:
    """Pairs without streams of today's rules, as (alternative, part, language, buggy text, fixed text); at most `limit`."""
    query = (
        "SELECT a.seq, 0, e.language, a.code, a.fixed_code FROM alternatives a JOIN experiences e ON e.seq = a.experience "
        "WHERE NOT EXISTS (SELECT 1 FROM streams s WHERE s.alternative = a.seq AND s.part = 0 AND s.reader = ?1) "
        "UNION ALL SELECT p.alternative, p.number, e.language, p.code, p.fixed_code FROM parts p "
        "JOIN alternatives a ON a.seq = p.alternative JOIN experiences e ON e.seq = a.experience "
        "WHERE NOT EXISTS (SELECT 1 FROM streams s WHERE s.alternative = p.alternative AND s.part = p.number AND s.reader = ?1) LIMIT ?2"
    )
    return connection.execute(query, (READER, limit)).fetchall()


def put_streams(connection: sqlite3.Connection, alternative: int, streams: PairStreams) -> None:
    """Write or replace the streams of one pair; nothing when the pair was forgotten meanwhile."""
    connection.execute(
        "INSERT OR REPLACE INTO streams (alternative, part, reader, buggy, fixed) SELECT seq, ?, ?, ?, ? FROM alternatives WHERE seq = ?",
        (streams.part, streams.reader, streams.buggy, streams.fixed, alternative),
    )
