"""Measure recall on a folder of labelled pairs: what is recognised, what is taken for something else, and what is listed to be read.

    python -m benchmarks.recall --data FOLDER [--json] [--wrong] [--missed] [--every N] [--index]

The folder holds `pairs.jsonl` (`id, language, buggy, fixed`), `memory.jsonl` (the ids that are stored) and `queries.jsonl` (`id, kind,
language, of, code, targets`). Kinds: v1 layout, v2 names, v3 names and small edits, v5 beside another function, v4 another program with
the same bug; neg and neg_v3 (nothing stored), hn_sametask (another bug), hn_fixed and hn_fixed_renamed (the fixed side). The whole memory
is asked as a session asks it, on a real ledger; with `--index` through the vector index whatever its size. `--wrong` lists each answer
that was wrong, `--missed` each stored bug that was not recognised. Exit code 1 when a must is broken.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.labelled import Line, read_lines, store_pairs
from benchmarks.recall_tables import LISTED, SAME, Asked, figures, tables
from memory.keys import exact_key
from memory.ledger import Ledger
from memory.near import texts_of
from memory.neighbours import Neighbours
from memory.recall import LongTermMemory
from schema.source import Source
from utils.tokens import tokenize
from wiring import vector_index


def main() -> int:
    """Print the tables, or one JSON object; 1 when a must is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs.jsonl, memory.jsonl and queries.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the tables")
    parser.add_argument("--wrong", action="store_true", help="list the answers that were wrong")
    parser.add_argument("--missed", action="store_true", help="list the stored bugs that were not recognised")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth query only")
    parser.add_argument("--index", action="store_true", help="ask the vector index, however few vectors there are")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="codemind-recall-") as folder:
        asked = list(_asked(given.data, Path(folder), every=max(1, given.every), use_index=given.index))
    measured = figures(asked)
    if given.json:
        print(json.dumps({"figures": [row.as_dict() for row in measured], "wrong": [each.id for each in asked if each.is_wrong]}))
    else:
        print(tables(measured, asked))
    if given.wrong:
        _list("wrong", (each for each in asked if each.is_wrong))
    if given.missed:
        _list("missed", (each for each in asked if each.kind in SAME and not each.is_right))
    return 0 if all(row.holds for row in measured) else 1


def _list(label: str, asked: Iterable[Asked]) -> None:
    for each in asked:
        print(f"{label}: {each.id} ({each.size} tokens): {each.match.status} {each.match.score}, {each.match.reason}", file=sys.stderr)


def _asked(data: Path, home: Path, *, every: int, use_index: bool) -> Iterator[Asked]:
    pairs = {line["id"]: line for line in read_lines(data / "pairs.jsonl")}
    ledger = Ledger(home / "ledger.sqlite3")
    ids = store_pairs(ledger, [pairs[line["id"]] for line in read_lines(data / "memory.jsonl")])
    memory = LongTermMemory(ledger)
    if use_index:
        index = vector_index(ledger)
        index.refresh()
        memory = LongTermMemory(ledger, index=index, index_from_rows=0)
    for query in list(read_lines(data / "queries.jsonl"))[::every]:
        yield _ask(memory, query, {ids[target] for target in query["targets"] if target in ids}, set(ids.values()))


def _ask(memory: LongTermMemory, query: Line, targets: set[str], stored: set[str]) -> Asked:
    code, language = query["code"], query["language"]
    started = time.perf_counter()
    recalled = memory.recall(Source(code, language))
    elapsed_ms = (time.perf_counter() - started) * 1000
    match = recalled.match
    is_right = match.experience_id in targets
    listed = {each.experience_id for each in match.related[:LISTED]}
    return Asked(
        id=query["id"],
        kind=query["kind"],
        language=language,
        size=len(tokenize(code, language)),
        match=match,
        is_right=is_right,
        is_chain=query["kind"].startswith("hn_fixed") and exact_key(code, language) in stored,
        is_listed=is_right or bool(targets & listed),
        among=is_right or (query["kind"] in SAME and bool(targets & _candidates(memory.ledger, query))),
        has_fix=recalled.fix is not None,
        elapsed_ms=elapsed_ms,
    )


def _candidates(ledger: Ledger, query: Line) -> set[str]:
    """The experiences that the vectors fetch for the whole query and for each of its functions."""
    code, language = query["code"], query["language"]
    with ledger.reading() as connection:
        found = Neighbours(connection, language).fetch([piece.text for piece in texts_of(code, language)])
    return {hit.alternative.experience_id for candidates in found for hit, _ in candidates}


if __name__ == "__main__":
    sys.exit(main())
