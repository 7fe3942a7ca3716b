"""Measure the memory at a size: how long a question takes, how fast it is filled, what it takes of memory and disk.

    python -m benchmarks.scale --rows N [--home FOLDER] [--asked 400]

N made-up programs (see `benchmarks.programs`) are seeded by the real command in a process of its own. Then this process, which stays
open as a session does, asks for stored programs in another layout, with other names, with small edits, and for programs that are not
stored, in equal shares. Both the time on the clock and the processor's time are shown: on a busy machine only the second can be compared.
Beside it stands a plain numpy scan of all vectors of a language, embedding included, which finds candidates and decides nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.programs import KINDS, Kind, asked, program
from benchmarks.report import Measured, show
from benchmarks.sessions import MAIN, environment
from memory.ledger import LEDGER_NAME, Ledger
from memory.recall import LongTermMemory
from memory.vectors import VECTOR_BYTES, embed, fingerprint
from schema.source import Source
from wiring import vector_index

ASKED = 400
FEWEST_ASKED = 8
WARM_UP = 12
"""Questions before the clock runs: two of each language."""
P95_MS = ((10_000, 30.0), (100_000, 60.0))
"""Up to so many rows the 95th percentile of a question is allowed so long."""
RSS_MB = 350.0
SEED_LINES_A_SECOND = 10_000 / 60
_STEP = 7_919
"""A prime: walks over the stored programs without asking for one twice."""


@dataclass(frozen=True)
class Timed:
    """Seconds on the clock, and of the processor (all threads; of a child process, its own)."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Asked:
    """One question, what answered it, and whether that was the program it came from."""

    kind: Kind
    tier: str
    is_right: bool
    took: Timed


def main() -> int:
    """Print the tables; 1 when a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, required=True, help="stored programs")
    parser.add_argument("--home", type=Path, help="keep the memory in this folder, and use what is there")
    parser.add_argument("--asked", type=int, default=ASKED, help="questions that are measured")
    given = parser.parse_args()
    if given.rows < 1 or given.asked < FEWEST_ASKED:
        parser.error(f"at least one row and {FEWEST_ASKED} questions")
    with tempfile.TemporaryDirectory(prefix="codemind-scale-") as folder:
        home = given.home or Path(folder)
        rows = [*_seeded(home, given.rows), *_disk(home), *_cold(home, given.rows)]
        found, warm = _warm(home, given.rows, given.asked)
        return show("scale", [*rows, *warm, *_brute_force(home, given.rows)], [_by_kind(found)])


def _seeded(home: Path, rows: int) -> Iterator[Measured]:
    """Fill the memory through `memory seed`; nothing to measure when it is filled already."""
    home.mkdir(parents=True, exist_ok=True)
    if (home / LEDGER_NAME).exists():
        return
    seeds = home / "seeds.jsonl"
    with seeds.open("w", encoding="utf-8") as file:
        for number in range(rows):
            source = program(number)
            line = {"language": source.language, "code": source.written(), "fixed_code": source.written(fixed=True)}
            file.write(json.dumps(line) + "\n")
    took = _child(home, ["memory", "seed", "--jsonl", str(seeds)])
    seeds.unlink()
    yield Measured("seeding, lines a second", rows / took.wall_s, "/s")
    yield Measured("seeding 10,000 lines, on the clock", took.wall_s * 10_000 / rows, "s", 10_000 / SEED_LINES_A_SECOND)
    yield Measured("seeding 10,000 lines, processor", took.cpu_s * 10_000 / rows, "s")


def _disk(home: Path) -> Iterator[Measured]:
    ledger = sum(path.stat().st_size for path in home.glob(f"{LEDGER_NAME}*"))
    index = sum(path.stat().st_size for path in (home / "chroma").rglob("*") if path.is_file())
    yield Measured("ledger on disk", ledger / 1e6, "MB")
    yield Measured("index on disk", index / 1e6, "MB")


def _cold(home: Path, rows: int) -> Iterator[Measured]:
    """`recall` as a process of its own: what a key knows, and what has to be compared."""
    for kind in ("exact", "near"):
        text, language = asked(_STEP % rows, kind, rows)
        took = [_child(home, ["recall", "-", "--lang", language], text) for _ in range(3)]
        yield Measured(f"cold `recall` ({kind}), on the clock", statistics.median(each.wall_s for each in took), "s")
        yield Measured(f"cold `recall` ({kind}), processor", statistics.median(each.cpu_s for each in took), "s")


def _child(home: Path, arguments: Sequence[str], given: str = "") -> Timed:
    """Run a command of ours to its end. Raises RuntimeError when it fails."""
    before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*MAIN, *arguments], input=given, capture_output=True, text=True, check=False, env=environment(home))
    wall_s, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)} failed: {(done.stderr or done.stdout).strip()[-500:]}")
    return Timed(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _warm(home: Path, rows: int, count: int) -> tuple[list[Asked], list[Measured]]:
    ledger = Ledger(home / LEDGER_NAME)
    memory = LongTermMemory(ledger, index=vector_index(ledger))
    before_mb = _rss_mb()
    start = time.perf_counter()
    for number in range(count, count + WARM_UP):
        _ask(memory, number, "near", rows)
    first_s = time.perf_counter() - start
    found = [_ask(memory, number, KINDS[number % len(KINDS)], rows) for number in range(count)]
    limit = next((limit for most, limit in P95_MS if rows <= most), None)
    measured = [
        Measured(f"the first {WARM_UP} questions, together", first_s, "s"),
        *_percentiles("a question, on the clock", [each.took.wall_s for each in found], limit),
        *_percentiles("a question, processor", [each.took.cpu_s for each in found]),
        Measured("memory of the process before", before_mb, "MB"),
        Measured("memory of the process after", _rss_mb(), "MB", RSS_MB),
        Measured("most memory of the process", _rss_mb("VmHWM"), "MB"),
    ]
    return found, measured


def _ask(memory: LongTermMemory, number: int, kind: Kind, rows: int) -> Asked:
    place = number * _STEP % rows
    text, language = asked(place, kind, rows)
    wall, cpu = time.perf_counter(), time.process_time()
    match = memory.recall(Source(text, language)).match
    took = Timed(time.perf_counter() - wall, time.process_time() - cpu)
    right = match.experience_id == _stored_id(place) if kind != "unrelated" else match.experience_id is None
    return Asked(kind, match.tier or "none", right, took)


def _stored_id(number: int) -> str:
    from memory.keys import experience_id

    source = program(number)
    return experience_id(source.written(), source.language)


def _percentiles(what: str, seconds: Sequence[float], limit_ms: float | None = None) -> Iterator[Measured]:
    cuts = statistics.quantiles(seconds, n=20)
    yield Measured(f"{what}: median", 1000 * cuts[9], "ms")
    yield Measured(f"{what}: 95th percentile", 1000 * cuts[18], "ms", limit_ms)


def _rss_mb(field: str = "VmRSS") -> float:
    """Resident memory of this process; 0 where there is no /proc."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{field}:")) * 1024 / 1e6


def _brute_force(home: Path, rows: int) -> Iterator[Measured]:
    """Embedding and one product over all vectors of the language, already in memory; candidates only."""
    import numpy as np

    texts = [(text, language) for text, language in (asked(number, "near", rows) for number in range(300)) if language == "python"]
    with Ledger(home / LEDGER_NAME).reading() as connection:
        query = "SELECT vector FROM vectors WHERE embedder = ? AND language = ?"
        stored = b"".join(vector for (vector,) in connection.execute(query, (fingerprint(), "python")))
    matrix = np.frombuffer(stored, dtype="<f4").reshape(-1, VECTOR_BYTES // 4)
    seconds = []
    for text, language in texts:
        start = time.process_time()
        np.argpartition(-(matrix @ np.frombuffer(embed(text, language), dtype="<f4")), min(10, len(matrix) - 1))[:10]
        seconds.append(time.process_time() - start)
    yield from _percentiles(f"plain numpy scan of {len(matrix):,} vectors, processor", seconds)


def _by_kind(found: Sequence[Asked]) -> str:
    """What became of each kind of question, and how long it took."""
    rows = ["| asked | questions | right | exact | renamed | near | NONE | median ms | 95th ms |", "|---|---|---|---|---|---|---|---|---|"]
    for kind in KINDS:
        own = [each for each in found if each.kind == kind]
        tiers = Counter(each.tier for each in own)
        cuts = statistics.quantiles([1000 * each.took.cpu_s for each in own], n=20)
        counted = " | ".join(str(tiers[tier]) for tier in ("exact", "renamed", "near", "none"))
        rows.append(f"| {kind} | {len(own)} | {sum(each.is_right for each in own)} | {counted} | {cuts[9]:.1f} | {cuts[18]:.1f} |")
    return "\n".join([*rows, "", "Milliseconds of the processor."])


if __name__ == "__main__":
    sys.exit(main())
