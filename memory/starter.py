"""The starter pack: classic bugs with their fixes, written for CodeMind, for a memory in which nothing is stored yet.

One YAML file a language in `starter_pack/`, read when it is asked for. Its entries are seeded like a file of the user's: judged by
`memory.trust`, skipped when the user has forgotten them, and of no effect the second time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errors import InputInvalidError
from memory.ledger import Ledger
from memory.seed_report import Progress, SeedReport
from memory.seed_rows import Origin
from memory.seeding import seed_jsonl

PACK_FOLDER = Path(__file__).parent / "starter_pack"
PACK_VERSION = 1
"""Raised when entries change: it is stored with each as the author, beside `starter/NAME` as its source."""
LICENSE = "Apache-2.0"


@dataclass(frozen=True)
class ClassicBug:
    """One entry. `test` is a script to be run after either side: it fails after `buggy`; empty where there is none."""

    language: str
    name: str
    title: str
    explanation: str
    tags: tuple[str, ...]
    buggy: str
    fixed: str
    test: str = ""

    def seed_line(self) -> bytes:
        """The entry as a line of a seed file."""
        line = {
            "code": self.buggy,
            "fixed_code": self.fixed,
            "explanation": f"{self.title}. {self.explanation}",
            "language": self.language,
            "source": f"starter/{self.name}",
            "license": LICENSE,
            "provenance": {"kind": "jsonl", "author": f"CodeMind starter pack {PACK_VERSION}"},
        }
        return json.dumps(line).encode()


def classic_bugs(folder: Path = PACK_FOLDER) -> Iterator[ClassicBug]:
    """The entries of all languages, file by file. Raises InputInvalidError when there are none or one is incomplete."""
    import yaml  # late: it is read when the pack is asked for

    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise InputInvalidError("The starter pack is not installed: its files are missing beside the program.")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in paths:
        try:
            entries = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - a safe loader, the fast one where it is
            yield from [_bug(path.stem, entry) for entry in entries]
        except (OSError, ValueError, TypeError, yaml.YAMLError) as error:
            raise InputInvalidError(f"The starter pack is damaged: {path.name} can't be read as bugs with their fixes.") from error


def seed_starter(ledger: Ledger, *, scope: str = "", progress: Progress | None = None) -> SeedReport:
    """Store the pack as `memory.seeding.seed_jsonl` stores lines; `lines` counts its entries."""
    return seed_jsonl(ledger, (bug.seed_line() for bug in classic_bugs()), origin=Origin(scope), progress=progress)


def _bug(language: str, entry: Mapping[str, Any]) -> ClassicBug:
    """Raises TypeError for an entry with missing, unknown or wrong fields."""
    bug = ClassicBug(language=language, **{**entry, "tags": tuple(entry.get("tags", ()))})
    texts = (bug.name, bug.title, bug.explanation, bug.buggy, bug.fixed, bug.test, *bug.tags)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(language)
    return bug
