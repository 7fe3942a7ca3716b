"""Folders that only the user can read."""

from __future__ import annotations

from pathlib import Path


def private_folder(folder: Path) -> None:
    """Make a folder (0700) and the one it stands in, when they are missing. Raises: OSError."""
    for missing in (folder.parent, folder):
        missing.mkdir(mode=0o700, parents=True, exist_ok=True)
