"""Measure how far a stored fix gets: recalled, carried over, accepted by the checks, and right by its test.

    python -m benchmarks.transfer --data FOLDER [--json] [--wrong] [--every N]

The folder holds `pairs.jsonl` (`id, language, buggy, fixed, test?, source`), `memory.jsonl` (the ids that are stored) and `queries.jsonl`
(`id, kind, language, of, code, targets, edits?`): v1 a stored bug in another layout, v2 in other names, v3 with small edits besides, v5
beside another function. All pairs that are stored are put into a real ledger, and each query is asked as a session asks it.

The first table is about Python queries with a test: of all of them, those that memory does not know included, the share that ends with
passing tests; and of the fixes that were offered for any query with a test, other programs included, the share that passes. A query whose
edits changed a literal is left out: its answer is another one. `--wrong` prints the fixes that were offered and fail. Exit code 1 when
a must is broken. Tests run in the product's sandbox; where it has none, as plain child processes with limits, and the table says so.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.labelled import Line, read_lines, store_pairs
from benchmarks.transfer_tables import Transferred, figures, tables
from integrations.sandbox import BubblewrapSandbox, Limits
from memory.compare import similarity
from memory.ledger import Ledger
from memory.near import MOST_TOKENS
from memory.recall import LongTermMemory
from memory.signature import Signature, read_signature
from schema.ports import Verifier
from schema.source import Source
from settings import Settings
from utils.syntax import top_level
from utils.tokens import tokenize
from wiring import build_static

CARRIED = frozenset({"v1", "v2", "v3", "v5"})
TEST_TIME_LIMIT_S = 15.0
MEMORY_BYTES = 2 << 30
PARALLEL = 2


@dataclass(frozen=True)
class Folder:
    """The labelled pairs, their ids in memory, and the queries."""

    pairs: dict[str, Line]
    stored: tuple[str, ...]
    queries: tuple[Line, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, or one JSON object; 1 when a must is broken. `arguments`: instead of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs.jsonl, memory.jsonl and queries.jsonl")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the tables")
    parser.add_argument("--wrong", action="store_true", help="print each fix that was offered and fails its test")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth query only")
    given = parser.parse_args(arguments)
    found = _read(given.data, max(1, given.every))
    sandbox = BubblewrapSandbox(timeout_s=TEST_TIME_LIMIT_S, allow_unsandboxed=True, limits=_limits())
    with tempfile.TemporaryDirectory(prefix="codemind-transfer-") as home:
        asked = _tested(list(_asked(found, Path(home))), found, sandbox)
    measured = figures(asked)
    if given.json:
        wrong = [each.id for each in asked if each.is_wrong]
        print(json.dumps({"figures": [row.as_dict() for row in measured], "wrong": wrong, "sandbox": sandbox.mode()}))
    else:
        print(tables(measured, asked, sandbox.mode()))
    if given.wrong:
        for each in asked:
            if each.is_wrong:
                print(f"\n--- {each.id}: {each.output}\n{each.code}", file=sys.stderr)
    return 0 if all(row.holds for row in measured) else 1


def _limits() -> Limits:
    return replace(Limits(), cpu_s=round(TEST_TIME_LIMIT_S), memory_bytes=MEMORY_BYTES)


def _read(folder: Path, every: int) -> Folder:
    pairs = {line["id"]: line for line in read_lines(folder / "pairs.jsonl")}
    stored = tuple(line["id"] for line in read_lines(folder / "memory.jsonl"))
    queries = [line for line in read_lines(folder / "queries.jsonl") if line["kind"] in CARRIED or "test" in pairs[line["of"]]]
    return Folder(pairs, stored, tuple(queries[::every]))


def _asked(found: Folder, home: Path) -> Iterator[Transferred]:
    """Each query with what memory offers for it."""
    ledger = Ledger(home / "ledger.sqlite3")
    ids = store_pairs(ledger, [found.pairs[name] for name in found.stored])
    memory = LongTermMemory(ledger)
    verifier = build_static(Settings()).verifier
    for query in found.queries:
        yield _ask(memory, verifier, query, {ids[target] for target in query["targets"] if target in ids}, found.pairs[query["of"]])


def _ask(memory: LongTermMemory, verifier: Verifier, query: Line, targets: set[str], pair: Line) -> Transferred:
    source = Source(query["code"], query["language"])
    recalled = memory.recall(source)
    code = None if recalled.fix is None else recalled.fix.code
    reason = next((region.why_not for region in recalled.match.regions if region.why_not), recalled.match.reason)
    refused = "" if code is None else verifier.verify(source, code).refused
    size = min(MOST_TOKENS, len(tokenize(query["code"], query["language"])))
    has_test = "test" in pair and query["language"] == "python" and "literal" not in query.get("edits", ())
    is_right = recalled.match.experience_id in targets
    why_not = f"refused: {refused}" if refused else "" if code is not None else reason
    offered = code if not refused else None
    names = _aliases(pair["buggy"], query["code"]) if has_test else ""
    return Transferred(query["id"], query["kind"], query["language"], query["source"], size, is_right, offered, why_not, has_test, names)


def _tested(asked: list[Transferred], found: Folder, sandbox: BubblewrapSandbox) -> list[Transferred]:
    """The same with the outcome of the tests."""
    sandbox.mode()  # probed once, before there are threads
    queries = {query["id"]: query for query in found.queries}

    def tested(each: Transferred) -> Transferred:
        if each.code is None or not each.has_test:
            return each
        text = f"{each.code}\n{each.aliases}{found.pairs[queries[each.id]['of']]['test']}"
        run = sandbox.run(f"{sys.executable} -I {{file}}", None, text, "python")
        return replace(each, passes=run.exit_code == 0, output=run.output.strip()[-200:] or str(run.exit_code))

    with ThreadPoolExecutor(PARALLEL) as pool:
        return list(pool.map(tested, asked))


def _aliases(buggy: str, code: str) -> str:
    """Python that calls the functions of this code by the names that the pair gave them: each by the one that is most like it."""
    theirs, own = (_functions(text) for text in (buggy, code))
    alike = sorted(((similarity(here, there), new, old) for new, here in own.items() for old, there in theirs.items()), reverse=True)
    names: dict[str, str] = {}
    for _, new, old in alike:
        if old not in names and new not in names.values():
            names[old] = new
    return "".join(f"{old} = {new}\n" for old, new in names.items() if old != new)


def _functions(text: str) -> dict[str, Signature]:
    lines = text.split("\n")
    return {
        block.name: read_signature("\n".join(lines[block.start_line - 1 : block.end_line]) + "\n", "python")
        for block in top_level(text, "python")
    }


if __name__ == "__main__":
    sys.exit(main())
