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


def read_lines(path: Path) -> Iterator[Line]:
    """The objects of a JSONL file. Raises OSError, JSONDecodeError."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def store_pairs(ledger: Ledger, pairs: Iterable[Line]) -> dict[str, str]:
    """Store the pairs; the experience id of each.

    Each has a source of its own, as fixes that come from many hands do: of one import no more than one is listed.
    """
    prepared = {}
    for pair in pairs:
        made = prepare(Experience(pair["language"], pair["buggy"], pair["fixed"], pair["description"], Provenance("jsonl", pair["id"])))
        if made is not None:
            prepared[pair["id"]] = made
    ledger.store(list(prepared.values()))
    return {name: made.id for name, made in prepared.items()}
