"""The user's verdicts: findings that are not to be reported again, fixes that are right or not to be offered again.

A finding is known by its rule, its place in the function around it, and that function's text; outside of functions by the whole text. So
the verdict holds when the same code is pasted again, wherever it stands, and for no other code. A fix is known by the exact keys of the
code and of what it becomes. The alternative that the ledger holds of a fix decides before a verdict on the fix does, and that before what
was said of the same fix under other names or as a part of another text.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Literal

from memory.damage import again_when_healed
from memory.keys import KeyKind, KeyMaker, exact_key
from memory.ledger import Ledger
from memory.records import OFFERED, to_lf
from memory.writes import stamp
from schema.finding import Finding
from schema.source import Source

Verdict = Literal["accepted", "rejected", "dismissed", "baseline"]
_STORED_FIX = "SELECT a.trust FROM alternatives a JOIN experiences e ON e.seq = a.experience WHERE e.id = ? AND a.fix_key = ?"
_ALIKE_FIX = """SELECT a.trust FROM keys b JOIN keys f ON f.alternative = b.alternative AND f.part = b.part AND f.kind = b.kind
    JOIN alternatives a ON a.seq = b.alternative WHERE b.kind = ? AND b.side = 'buggy' AND b.hash = ? AND f.side = 'fixed' AND f.hash = ?"""
_KINDS: tuple[KeyKind, ...] = ("exact", "renamed")
_WRITE = "INSERT OR REPLACE INTO verdicts (subject_kind, key, verdict, code, origin, scope, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)"


class LedgerVerdicts:
    """Implements `schema.ports.Verdicts`. `scope` is the project in which a verdict was given; it holds in all."""

    def __init__(self, ledger: Ledger, scope: str = "") -> None:
        self._ledger = ledger
        self._scope = scope

    @again_when_healed
    def dismiss(self, source: Source, findings: Sequence[Finding]) -> None:
        """Never report these again for that code."""
        code = exact_key(to_lf(source.text), source.language)
        with self._ledger.writing() as connection:
            when = stamp(self._ledger.clock())
            rows = [("finding", key, "dismissed", code, "", self._scope, when) for key, _ in finding_keys(source, findings)]
            connection.executemany(_WRITE, rows)

    @again_when_healed
    def restore(self, source: Source, findings: Sequence[Finding]) -> None:
        """Take `dismiss` back."""
        with self._ledger.writing() as connection:
            keys = [(key,) for key, _ in finding_keys(source, findings)]
            connection.executemany("DELETE FROM verdicts WHERE subject_kind = 'finding' AND verdict = 'dismissed' AND key = ?", keys)

    @again_when_healed
    def dismissed(self, source: Source, findings: Sequence[Finding]) -> frozenset[str]:
        """The fingerprints of those that were dismissed."""
        if not findings:
            return frozenset()
        with self._ledger.reading() as connection:
            if connection.execute("SELECT 1 FROM verdicts WHERE verdict = 'dismissed' LIMIT 1").fetchone() is None:
                return frozenset()
            query = "SELECT 1 FROM verdicts WHERE subject_kind = 'finding' AND verdict = 'dismissed' AND key = ?"
            return frozenset(
                found.fingerprint for key, found in finding_keys(source, findings) if connection.execute(query, (key,)).fetchone()
            )


def finding_keys(source: Source, findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    """Each finding with the key of a verdict on it."""
    from utils.syntax import blocks, enclosing  # late: the parsers are only needed where something was dismissed

    lines = source.text.split("\n")
    known = blocks(source.text, source.language)
    for found in findings:
        block = enclosing(known, found.start_line)
        first, last = (block.start_line, block.end_line) if block is not None else (1, len(lines))
        # A model quotes, so its columns are not the same each time.
        column = "" if found.source.startswith("model:") else str(found.start_column - _indent(lines[first - 1]))
        around = "\n".join(line.rstrip() for line in lines[first - 1 : last]).strip("\n")
        yield _digest(source.language, found.rule_id, str(found.start_line - first), column, around), found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def fix_keys(source: Source, fixed_code: str) -> tuple[str, str]:
    """The exact keys of a code and of its fix: the id of the experience and the `fix_key` of the alternative."""
    return exact_key(to_lf(source.text), source.language), exact_key(to_lf(fixed_code), source.language)


def fix_subject(keys: tuple[str, str]) -> str:
    """The key of a verdict on a fix."""
    return "/".join(keys)


def verdict_on(connection: sqlite3.Connection, subject: str) -> str:
    """What was said of a fix; empty for nothing."""
    row = connection.execute("SELECT verdict FROM verdicts WHERE subject_kind = 'alternative' AND key = ?", (subject,)).fetchone()
    return str(row[0]) if row else ""


def write_verdict(connection: sqlite3.Connection, subject: str, verdict: str, when: str, origin: str = "") -> None:
    """Set what was said of a fix, which came from the experience `origin`; an empty verdict removes it."""
    if verdict:
        connection.execute(_WRITE, ("alternative", subject, verdict, subject.partition("/")[0], origin, "", when))
    else:
        connection.execute("DELETE FROM verdicts WHERE subject_kind = 'alternative' AND key = ?", (subject,))


def rejected_as_stored(connection: sqlite3.Connection, source: Source, fixed_code: str) -> bool | None:
    """What the user said of this fix of this code, None for nothing: of the very fix, else of stored ones that are it but for names.

    Those may be parts of longer texts. One that may be offered speaks for all of them.
    """
    before, after = KeyMaker(to_lf(source.text), source.language), KeyMaker(to_lf(fixed_code), source.language)
    keys = before.exact, after.exact
    stored = connection.execute(_STORED_FIX, keys).fetchone()
    if stored is not None:
        return bool(stored[0] == "rejected")
    if said := verdict_on(connection, fix_subject(keys)):
        return said == "rejected"
    for kind in _KINDS:
        pair = before.of(kind), after.of(kind)
        trusts = {row[0] for row in connection.execute(_ALIKE_FIX, (kind, *pair))}
        if trusts and pair[0] != pair[1]:  # names are all that such a fix changes: names aside, any two of them are the same
            return trusts.isdisjoint(OFFERED) and "rejected" in trusts
    return None
