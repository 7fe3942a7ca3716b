"""What a verification's level rests on, as one digest: the files that decide it, and the versions of programs that are asked.

A stored level is good while the digest is the same. It is taken from the bytes of the files, so that a look-up that verifies
nothing imports no parser and no rule to compute it, and so that no change of a rule or a gate can be forgotten in a version.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

SUFFIXES = (".py", ".yaml")
LENGTH = 16


def digest_of(places: Iterable[Path], versions: Iterable[str]) -> str:
    """Sixteen hex digits over the code and rule files at and below `places` (names and bytes), and the versions."""
    total = hashlib.sha256("\x00".join(versions).encode())
    for place in places:
        for path in _files(place):
            # Relative names: the same program at another place has the same digest.
            total.update(f"\x00{os.path.relpath(path, place.parent)}\x00".encode("utf-8", "surrogateescape"))
            with open(path, "rb") as file:  # noqa: PTH123 - a hundred Path objects cost as much as the hashing
                total.update(file.read())
    return total.hexdigest()[:LENGTH]


def _files(place: Path) -> Iterator[str]:
    """The file itself, or what lies below a folder, in a fixed order."""
    if place.is_file():
        yield str(place)
        return
    for folder, folders, names in os.walk(place):
        folders.sort()
        yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith(SUFFIXES))
