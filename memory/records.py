"""What the ledger gives back: stored alternatives, their parts, and the hit of a key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from memory.keys import KeyKind as KeyKind
from schema.experience import Experience, Provenance
from schema.finding import Finding
from schema.fix import LEVELS, Verification
from schema.match import Trust
from schema.usage import Usage

Side = Literal["buggy", "fixed"]

OF_THE_WHOLE = "Of the whole past fix: "
"""Stands before the explanation of a fix of which only a part is shown: it may speak of what is not there."""
OFFERED: frozenset[str] = frozenset({"proved", "plausible"})
"""Trust that may be offered; everything else is reading matter."""

COLUMNS = """a.seq, e.id, e.language, a.code, a.fixed_code, a.explanation, a.findings, a.verification, a.fix_hash, a.trust,
a.trust_reason, a.kind, a.ref, a.author, a.file_hash, a.license, a.scope, a.created_at, a.last_used_at, a.uses, a.accepted,
a.rejected, a.pinned, a.calls, a.input_tokens, a.output_tokens, a.cost_usd"""
"""The columns that `alternative_of` reads, with `a` for alternatives and `e` for experiences."""

COLUMNS_WITHOUT_COSTS = COLUMNS.replace("a.calls, a.input_tokens, a.output_tokens, a.cost_usd", "0, 0, 0, NULL")
"""The same of a file that is older than the costs."""


@dataclass(frozen=True)
class StoredAlternative:
    """One stored pair with everything known about it. `code` and `fixed_code` are the bytes that were handed in."""

    id: int
    experience_id: str
    language: str
    code: str
    fixed_code: str
    explanation: str
    findings: tuple[Finding, ...]
    verification: Verification
    fix_hash: str
    trust: Trust
    trust_reason: str
    provenance: Provenance
    scope: str
    created_at: str
    last_used_at: str | None
    uses: int
    accepted: int
    rejected: int
    pinned: bool
    cost: Usage = field(default_factory=Usage)
    """What the model calls that made it cost; no calls when no model was asked or nothing was recorded."""

    @property
    def is_offered(self) -> bool:
        """False for quarantined and rejected ones."""
        return self.trust in OFFERED

    def rank(self) -> tuple[bool, bool, int, int, bool, int, str, int]:
        """Larger is better: pinned, proved, accepted less rejected, level, made here, uses, newest."""
        level = LEVELS.index(self.verification.level) if self.verification.level in LEVELS else 0
        made_here = self.provenance.kind == "session"
        verdicts = self.accepted - self.rejected
        return (self.pinned, self.trust == "proved", verdicts, level, made_here, self.uses, self.created_at, self.id)


@dataclass(frozen=True)
class Part:
    """A top-level block that the fix changed; `start_line` is its first line (1-based) in the whole stored code."""

    number: int
    name: str
    start_line: int
    code: str
    fixed_code: str


@dataclass(frozen=True)
class Key:
    """`part` is 0 for the whole text, else the part's number; `length` counts the tokens, the same for all texts of the key."""

    hash: str
    kind: KeyKind
    side: Side
    part: int
    length: int


@dataclass(frozen=True)
class Vector:
    """Where a buggy text stands: `hash` is its exact key, `vector` the embedder's little-endian float32."""

    hash: str
    vector: bytes


@dataclass(frozen=True)
class PairStreams:
    """The packed token streams of a pair's two sides (see `memory.streams`), by the rules `reader`; `part` is 0 for the whole."""

    reader: str
    buggy: bytes
    fixed: bytes
    part: int = 0


@dataclass(frozen=True)
class Prepared:
    """An experience ready to be written. `vectors` are those of `embedder`: the whole buggy text and its parts."""

    experience: Experience
    id: str
    fix_key: str
    fix_hash: str
    text_hash: str
    keys: tuple[Key, ...]
    parts: tuple[Part, ...]
    normaliser: str
    vectors: tuple[Vector, ...]
    embedder: str
    streams: tuple[PairStreams, ...] = ()


@dataclass(frozen=True)
class KeyHit:
    """A key that was found: of the whole alternative, or of one of the `parts` that its fix changed."""

    alternative: StoredAlternative
    part: Part | None = None
    parts: int = 0
    streams: PairStreams | None = field(default=None, repr=False, compare=False)
    """Read for the near tier only."""

    @property
    def code(self) -> str:
        """The stored buggy text that the key stands for, LF line ends."""
        return to_lf(self.alternative.code if self.part is None else self.part.code)

    @property
    def fixed_code(self) -> str:
        """Its fix, LF line ends."""
        return to_lf(self.alternative.fixed_code if self.part is None else self.part.fixed_code)

    @property
    def explanation(self) -> str:
        """What is said of the fix. That of a part is marked as the whole fix's, unless the fix changes nothing but this part."""
        said = self.alternative.explanation
        return f"{OF_THE_WHOLE}{said}" if self.part is not None and self.parts > 1 and said else said


def to_lf(text: str) -> str:
    """The text as keys see it: LF line ends and no byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def text_hash(text: str) -> str:
    """sha256 of the newline-normalised text: the tombstone's key, and how a fix is recognised. A missing last newline is none."""
    return hashlib.sha256(to_lf(text).rstrip("\n").encode("utf-8", "surrogatepass")).hexdigest()


def alternative_of(row: tuple[Any, ...]) -> StoredAlternative:
    """Read a row of `COLUMNS`."""
    (seq, key, language, code, fixed, explanation, findings, verification, fix_hash, trust, why, *rest) = row
    (kind, ref, author, file_hash, license_name, scope, created, used_at, uses, accepted, rejected, pinned, *cost) = rest
    return StoredAlternative(
        id=seq,
        experience_id=key,
        language=language,
        code=code,
        fixed_code=fixed,
        explanation=explanation,
        findings=_findings(findings),
        verification=_verification(verification),
        fix_hash=fix_hash,
        trust=trust,
        trust_reason=why,
        provenance=Provenance(kind, ref, author, file_hash, license_name),
        scope=scope,
        created_at=created,
        last_used_at=used_at,
        uses=uses,
        accepted=accepted,
        rejected=rejected,
        pinned=bool(pinned),
        cost=Usage(*cost) if cost[0] else Usage(),
    )


def _findings(text: str) -> tuple[Finding, ...]:
    """Findings of another version that can't be read any more are left out: the fix is still good."""
    try:
        return tuple(Finding.from_plain(plain) for plain in json.loads(text))
    except (ValueError, KeyError, TypeError):
        return ()


@lru_cache(maxsize=64)
def _verification(text: str) -> Verification:
    try:
        return Verification.from_plain(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Verification("none")
