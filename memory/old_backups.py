"""Backups that migrations leave beside the ledger: the newest are kept, the others only take room."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory.files import remove

KEPT = 2
"""So many of the newest stay."""


def outdated_backups(path: Path) -> list[Path]:
    """Backups of the ledger at `path` made before its schema changed, but the newest ones. The automatic backup is none of them."""
    found = path.parent.glob(f"{path.stem}.backup-v*{path.suffix}")
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name))[:-KEPT]


def remove_backups(files: Sequence[Path]) -> None:
    """Delete them; what can't be deleted stays."""
    for file in files:
        remove(file)


def size_of(files: Sequence[Path]) -> int:
    """Bytes of all that are there."""
    return sum(file.stat().st_size for file in files if file.exists())
