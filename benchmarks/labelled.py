"""A folder of labelled bugs (pairs, memory, queries): its lines, and its pairs as a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memory.ledger import Ledger
from memory.prepare import prepare
from schema.experience import Experience, Provenance

Line = dict[str, Any]


FILE = "5e" * 32
"""Stands for the hash of the seed file."""


def read_lines(path: Path) -> Iterator[Line]:
    """The objects of a JSONL file. Raises OSError, JSONDecodeError."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def store_pairs(ledger: Ledger, pairs: Iterable[Line]) -> dict[str, str]:
    """Store the pairs; the experience id of each.

    As lines of one seed file, each with a source of its own: fixes that come from many hands.
    """
    prepared = {}
    for pair in pairs:
        origin = Provenance("jsonl", pair["id"], file_hash=FILE)
        made = prepare(Experience(pair["language"], pair["buggy"], pair["fixed"], pair["description"], origin))
        if made is not None:
            prepared[pair["id"]] = made
    ledger.store(list(prepared.values()))
    return {name: made.id for name, made in prepared.items()}
