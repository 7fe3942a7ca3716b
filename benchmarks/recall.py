"""Measure recall on a folder of labelled pairs: keys, candidates, the near tier, and how long a question takes.

    python -m benchmarks.recall --data FOLDER [--index]

The folder holds `pairs.jsonl` (`id, language, buggy, fixed`), `memory.jsonl` (the ids that are stored) and `queries.jsonl` (`kind,
language, code, targets`). Kinds: v1 layout, v2 names, v3 names and small edits, v5 beside another function, v4 another program with the
same bug (reported apart, nobody solves it); neg and neg_v3 (nothing stored), hn_sametask (another bug), hn_fixed (the fixed side). The
whole memory is asked as a session asks it, on a real ledger; with `--index` through the vector index whatever its size.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import Measured, show, spread
from memory.ledger import Ledger
from memory.near import texts_of
from memory.neighbours import Neighbours
from memory.prepare import prepare
from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.match import Match
from schema.source import Source
from wiring import vector_index

SAME = ("v1", "v2", "v3", "v5")
UNRELATED = ("neg", "neg_v3")
FIXED = ("hn_fixed", "hn_fixed_renamed")
CANDIDATES_LEAST = 0.998
PRECISION_LEAST = 0.99
RECALL_LEAST = 0.98
UNRELATED_MOST = 0.02
FIXED_MOST = 0.01

Line = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One query and its answer. `found`: the right memory is among the candidates."""

    kind: str
    language: str
    match: Match
    is_right: bool
    found: bool
    has_fix: bool
    elapsed_ms: float


def main() -> int:
    """Print the tables; 1 when a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs.jsonl, memory.jsonl and queries.jsonl")
    parser.add_argument("--index", action="store_true", help="ask the vector index, however few vectors there are")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="codemind-recall-") as folder:
        asked = list(_asked(given.data, Path(folder), use_index=given.index))
    return show("recall", list(_measured(asked)), [_by_kind(asked), _by_language(asked), _times(asked)])


def _asked(data: Path, home: Path, *, use_index: bool) -> Iterator[Asked]:
    pairs = {line["id"]: line for line in _lines(data / "pairs.jsonl")}
    ledger = Ledger(home / "ledger.sqlite3")
    ids = _stored(ledger, [pairs[line["id"]] for line in _lines(data / "memory.jsonl")])
    memory = LongTermMemory(ledger)
    if use_index:
        index = vector_index(ledger)
        index.refresh()
        memory = LongTermMemory(ledger, index=index, index_from_rows=0)
    for query in _lines(data / "queries.jsonl"):
        yield _ask(memory, query, {ids[target] for target in query["targets"] if target in ids})


def _lines(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _stored(ledger: Ledger, pairs: Iterable[Line]) -> dict[str, str]:
    """Store the pairs; the experience id of each."""
    prepared = {}
    for pair in pairs:
        made = prepare(Experience(pair["language"], pair["buggy"], pair["fixed"], pair["description"], Provenance("jsonl", pair["source"])))
        if made is not None:
            prepared[pair["id"]] = made
    ledger.store(list(prepared.values()))
    return {name: made.id for name, made in prepared.items()}


def _ask(memory: LongTermMemory, query: Line, targets: set[str]) -> Asked:
    started = time.perf_counter()
    recalled = memory.recall(Source(query["code"], query["language"]))
    elapsed_ms = (time.perf_counter() - started) * 1000
    match = recalled.match
    is_right = match.experience_id in targets
    found = is_right or bool(targets & _candidates(memory.ledger, query))
    return Asked(query["kind"], query["language"], match, is_right, found, recalled.fix is not None, elapsed_ms)


def _candidates(ledger: Ledger, query: Line) -> set[str]:
    """The experiences that the vectors fetch for the whole query and for each of its functions."""
    code, language = query["code"], query["language"]
    with ledger.reading() as connection:
        found = Neighbours(connection, language).fetch([piece.text for piece in texts_of(code, language)])
    return {hit.alternative.experience_id for candidates in found for hit, _ in candidates}


def _measured(asked: list[Asked]) -> Iterator[Measured]:
    """Shares in percent; a limit is the most that may be missing or wrong."""
    for kind in ("v2", "v3", "v5"):
        yield Measured(f"{kind}: right memory not among the candidates", _percent(asked, [kind], lambda each: not each.found), "%", 0.2)
    accepted = [each for each in asked if _is_known(each)]
    same = [each for each in asked if each.kind in SAME]
    right = sum(each.is_right for each in accepted if each.kind in SAME)
    judged = sum(each.kind in (*SAME, *UNRELATED, "hn_sametask") for each in accepted)
    yield Measured("known to memory, but wrongly (all negatives)", 100 * (1 - right / judged), "%", 100 * (1 - PRECISION_LEAST))
    yield Measured("v1, v2, v3, v5 not recognised", 100 * (1 - right / len(same)), "%", 100 * (1 - RECALL_LEAST))
    yield Measured("unrelated code taken for known", _percent(asked, UNRELATED, _is_known), "%", 100 * UNRELATED_MOST)
    yield Measured("another bug of the same task taken for known", _percent(asked, ["hn_sametask"], _is_known), "%")
    yield Measured("the fixed code taken for the bug", _percent(asked, FIXED, _is_known), "%", 100 * FIXED_MOST)
    yield Measured("the fixed code seen to be fixed already", _percent(asked, FIXED, lambda each: each.match.already_fixed), "%")
    yield Measured("v1 IDENTICAL", _percent(asked, ["v1"], lambda each: each.match.status == "IDENTICAL"), "%")


def _is_known(each: Asked) -> bool:
    return each.match.status != "NONE"


def _percent(asked: list[Asked], kinds: Iterable[str], counts: Any) -> float:
    chosen = [each for each in asked if each.kind in set(kinds)]
    return 100 * sum(1 for each in chosen if counts(each)) / len(chosen) if chosen else 0.0


def _by_kind(asked: list[Asked]) -> str:
    """What became of each kind of query."""
    rows = ["| kind | queries | exact | renamed | near | near, fix carried over | NONE |", "|---|---|---|---|---|---|---|"]
    for kind in dict.fromkeys(each.kind for each in asked):
        own = [each for each in asked if each.kind == kind]
        tiers = Counter(each.match.tier for each in own)
        carried = sum(each.match.tier == "near" and each.has_fix for each in own)
        rows.append(f"| {kind} | {len(own)} | {tiers['exact']} | {tiers['renamed']} | {tiers['near']} | {carried} | {tiers[None]} |")
    return "\n".join(rows)


def _by_language(asked: list[Asked]) -> str:
    """Precision over all negatives, recall over v1, v2, v3 and v5."""
    rows = ["| language | queries | precision | recall | unrelated accepted |", "|---|---|---|---|---|"]
    for language in sorted({each.language for each in asked}):
        own = [each for each in asked if each.language == language]
        same = [each for each in own if each.kind in SAME]
        right = sum(each.is_right for each in same)
        judged = sum(_is_known(each) for each in own if each.kind in (*SAME, *UNRELATED, "hn_sametask"))
        wrong = _percent(own, UNRELATED, _is_known)
        rows.append(f"| {language} | {len(own)} | {right / judged:.3f} | {right / len(same):.3f} | {wrong:.1f} % |")
    return "\n".join(rows)


def _times(asked: list[Asked]) -> str:
    """One look-up, by the tier that answered."""
    lines = []
    for tier in ("exact", "renamed", "near", None):
        times = [each.elapsed_ms for each in asked if each.match.tier == tier]
        if times:
            tail = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
            lines.append(f"{tier or 'NONE'}: {spread(times)} ms, 95th percentile {tail:.1f} ms")
    return "Time of a look-up (smallest / median / largest): " + "; ".join(lines) + "."


if __name__ == "__main__":
    sys.exit(main())
