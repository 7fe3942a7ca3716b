"""Measure keys and fix transfer on a folder of labelled pairs.

    python -m benchmarks.transfer --data FOLDER

The folder holds `pairs.jsonl` (`id, language, buggy, fixed, test?, source`) and `queries.jsonl` (`kind, language, of, code, source`),
where `v1` is a stored buggy text in another layout, `v2` one with other names, `v3` one with small edits besides, `hn_fixed` the fixed
text. Counted, for each language: v1 with the exact key of its pair, v2 with its renamed key, hn_fixed with a key of the buggy side (wrong),
fixes that were carried over, and, for Python pairs with a test, carried fixes that pass it (v3 with an edited literal left out: its answer
is another one). Tests run in a child process with limits on time, memory and files.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from memory.compare import map_names
from memory.graft import graft
from memory.keys import exact_key, renamed_key
from memory.signature import read_signature
from memory.transfer import transfer

KINDS = frozenset({"v1", "v2", "v3", "hn_fixed", "hn_fixed_renamed"})
TESTED = frozenset({"v1", "v2", "v3"})
COLUMNS = ("v1", "v1 exact", "v1 carried", "v2", "v2 renamed", "v2 carried", "v3", "v3 carried", "fixed", "fixed wrong")
_RUNNER = """
import os, sys
source = sys.stdin.read()
sys.stdin = open(os.devnull)
exec(compile(source, "solution", "exec"), {"__name__": "__main__"})
"""
_SECONDS, _MEMORY = 8, 2 << 30

Line = dict[str, Any]


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs.jsonl and queries.jsonl")
    folder = parser.parse_args().data
    pairs = {line["id"]: line for line in _lines(folder / "pairs.jsonl")}
    queries = [line for line in _lines(folder / "queries.jsonl") if line["kind"] in KINDS]
    _print_keys(pairs, queries)
    _print_tests(pairs, queries)


def _lines(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _print_keys(pairs: dict[str, Line], queries: list[Line]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for query in queries:
        for column in _counted(pairs[query["of"]], query):
            counts[query["language"], column] += 1
            counts["all", column] += 1
    print("| language | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for language in [*sorted({language for language, _ in counts} - {"all"}), "all"]:
        print(f"| {language} | " + " | ".join(str(counts[language, column]) for column in COLUMNS) + " |")


def _counted(pair: Line, query: Line) -> Iterator[str]:
    """The columns in which this query counts."""
    kind, language, code = query["kind"], query["language"], query["code"]
    is_fixed = kind.startswith("hn_fixed")
    yield "fixed" if is_fixed else kind
    if kind == "v3":
        if graft(pair["buggy"], pair["fixed"], code, language).code is not None:
            yield "v3 carried"
        return
    key = exact_key if kind in {"v1", "hn_fixed"} else renamed_key
    if key(code, language) != key(pair["buggy"], language):
        return
    if is_fixed:
        yield "fixed wrong"
        return
    yield "v1 exact" if kind == "v1" else "v2 renamed"
    if transfer(pair["buggy"], pair["fixed"], code, language).code is not None:
        yield f"{kind} carried"


def _print_tests(pairs: dict[str, Line], queries: list[Line]) -> None:
    jobs = [query for query in queries if query["kind"] in TESTED and query["language"] == "python" and "test" in pairs[query["of"]]]
    jobs = [query for query in jobs if "literal" not in query.get("edits", ())]
    with ThreadPoolExecutor(2) as pool:
        passed = list(pool.map(lambda query: _passes_after(pairs[query["of"]], query), jobs))
    counts: Counter[tuple[str, str, bool]] = Counter((job["source"], job["kind"], ok) for job, ok in zip(jobs, passed, strict=True))
    print("\n| source | kind | with a test | pass after the transfer |\n|---|---|---|---|")
    for source, kind in sorted({(source, kind) for source, kind, _ in counts}):
        good = counts[source, kind, True]
        print(f"| {source} | {kind} | {good + counts[source, kind, False]} | {good} |")


def _passes_after(pair: Line, query: Line) -> bool:
    carry = graft if query["kind"] == "v3" else transfer
    code = carry(pair["buggy"], pair["fixed"], query["code"], "python").code
    return code is not None and _passes(code + "\n" + _aliases(pair["buggy"], query["code"]) + pair["test"])


def _aliases(buggy: str, code: str) -> str:
    """The test calls functions by the names that the pair gave them."""
    names = map_names(read_signature(code, "python"), read_signature(buggy, "python"))
    here, there = _defined(code), _defined(buggy)
    return "".join(f"{old} = {new}\n" for new, old in names.items() if old != new and new in here and old in there)


def _defined(code: str) -> set[str]:
    return {one or other for one, other in re.findall(r"^(?:(?:def|class) (\w+)|(\w+)\s*=(?!=))", code, re.MULTILINE)}


def _passes(code: str) -> bool:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    command = [sys.executable, "-I", "-c", _RUNNER]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(  # our own interpreter, limited, in an empty folder
                command, input=code, text=True, capture_output=True, timeout=_SECONDS + 2, cwd=folder, preexec_fn=limited, check=False
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


if __name__ == "__main__":
    main()
