"""What the ledger gives back: stored alternatives, their parts, and the hit of a key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from memory.keys import KeyKind as KeyKind
from memory.storage_errors import NotALedgerError
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
a.rejected, a.pinned, a.corrected, a.kept_in, a.calls, a.input_tokens, a.output_tokens, a.cost_usd"""
"""The columns that `alternative_of` reads, with `a` for alternatives and `e` for experiences."""
_TEXTS = slice(1, 18)
"""Those of them that are texts: anything else in their place is damage."""


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
    corrected: int = 0
    """How often the user has edited it: a correction counts against it, and takes it out of no answer."""
    kept_in: str = ""
    """The commit that was seen to make exactly this change; empty for none."""

    @property
    def is_offered(self) -> bool:
        """False for quarantined and rejected ones."""
        return self.trust in OFFERED

    @property
    def is_corrected(self) -> bool:
        """True for one that the user has edited, and neither accepted as often nor pinned: what it makes of the code is not right."""
        return self.corrected > self.accepted and not self.pinned

    @property
    def verdicts(self) -> int:
        """What users have said of it: accepted less rejected and corrected."""
        return self.accepted - self.rejected - self.corrected

    @property
    def standing(self) -> tuple[bool, bool, int, bool]:
        """What speaks for it beside its own evidence, larger is better: pinned, proved, the user's verdicts, kept in Git."""
        return (self.pinned, self.trust == "proved", self.verdicts, bool(self.kept_in))

    def rank(self) -> tuple[bool, bool, int, bool, int, bool, int, str, int]:
        """Larger is better: its evidence, then the newest."""
        return (*self.evidence, self.created_at, self.id)

    @property
    def evidence(self) -> tuple[bool, bool, int, bool, int, bool, int]:
        """All that speaks for it, larger is better: its standing, level, made here, uses."""
        level = LEVELS.index(self.verification.level) if self.verification.level in LEVELS else 0
        return (*self.standing, level, self.provenance.kind == "session", self.uses)


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


def is_fix_of_hash(fixed: str, fix_hash: str) -> bool:
    """Is the text the fix that was stored? Earlier ledgers hashed it with one byte order mark less, where it began with two."""
    hashes = (text_hash(fixed), text_hash(to_lf(fixed))) if fixed.startswith("\ufeff\ufeff") else (text_hash(fixed),)
    return fix_hash in hashes


def alternative_of(row: tuple[Any, ...]) -> StoredAlternative:
    """Read a row of `COLUMNS`. Raises NotALedgerError, which is damage, when its fix is not the one that was stored, or a
    text of it is none."""
    (seq, key, language, code, fixed, explanation, findings, verification, fix_hash, trust, why, *rest) = row
    (kind, ref, author, file_hash, license_name, scope, created, used_at, uses, accepted, rejected, pinned, corrected, kept_in, *cost) = (
        rest
    )
    if not all(isinstance(text, str) for text in row[_TEXTS]) or not is_fix_of_hash(fixed, fix_hash):
        raise NotALedgerError  # SQLite has no checksums: a fix that is not what was stored must never be handed out
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
        corrected=corrected or 0,  # a damaged file, or one of before, may have none
        kept_in=kept_in or "",
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
