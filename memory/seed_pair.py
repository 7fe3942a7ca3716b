"""One past fix from two files: the code before and after."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from errors import InputInvalidError
from memory.ledger import Ledger
from memory.seed_report import SeedReport
from memory.seed_rows import Origin
from memory.seeding import seed_jsonl
from utils.language_names import language_of_file

_WHY = {
    "no_change": "Both files hold the same code, up to layout and comments: there is no fix to learn.",
    "forgotten": "You told the memory to forget this code: it is not learnt again.",
    "rejected": "You rejected this fix of this code: it is not learnt again.",
}


@dataclass(frozen=True)
class Side:
    """A file of the pair: its path as it was given, its text, and the bytes on disk."""

    path: str
    text: str
    raw: bytes


def seed_pair(
    ledger: Ledger, buggy: Side, fixed: Side, *, explanation: str = "", language: str | None = None, scope: str = ""
) -> SeedReport:
    """Store the pair as a line of a seed file is stored; its source is the buggy file's path below the present folder, else its name.

    Raises InputInvalidError when there is nothing to learn from it, and what `Ledger.store` raises.
    """
    line = {
        "code": buggy.text,
        "fixed_code": fixed.text,
        "explanation": explanation,
        "language": language or language_of_file(buggy.path) or language_of_file(fixed.path),
        "source": _shown(Path(buggy.path)),
        "provenance": {"kind": "pair", "file_hash": hashlib.sha256(fixed.raw).hexdigest()},
    }
    report = seed_jsonl(ledger, [json.dumps(line).encode()], origin=Origin(scope))
    if report.bad:
        raise InputInvalidError(f"This pair can't be learnt: {report.bad_lines[0].reason}.")
    if report.skipped:
        raise InputInvalidError(_WHY[next(iter(report.skipped_why))])
    return report


def _shown(path: Path) -> str:
    """No folder of the user's outside of the project: an export may be handed on."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (OSError, ValueError):
        return path.name
