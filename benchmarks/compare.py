"""Compare the near tier with what a vector alone would tell, on a folder of labelled pairs.

    python -m benchmarks.compare --data FOLDER [--every 1]

The whole pipeline (keys, candidates by vector, then a score of two texts, the bug still there, its place) stands beside rules that look
at the nearest stored vector only: the usual "squared L2 below 0.2", and the best single thresholds there are, chosen on these very
queries, which flatters them. Where an embedding endpoint is configured (EMBEDDER=endpoint), the same is measured with its vectors. The
data are those of `benchmarks.recall`. Precision counts all that is accepted but the FIXED code, which is shown by itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.labelled import Line, read_lines, store_pairs
from benchmarks.recall_tables import FIXED, SAME, SAME_TASK, UNRELATED
from benchmarks.report import headed
from errors import CodeMindError
from memory.calibrating import calibrate
from memory.ledger import LEDGER_NAME, Ledger
from memory.neighbours import Neighbours
from memory.recall import LongTermMemory
from memory.vector_cache import VectorCache
from schema.source import Source
from settings import load_settings
from wiring import endpoint_vectors

if TYPE_CHECKING:
    from memory.endpoint_vectors import EndpointVectors

SQUARED_L2 = 0.2
"""The usual rule. For vectors of length 1 it is a cosine distance of half of that."""
TARGET = 0.99
"""The precision that a single threshold is asked for, beside the one with the best harmonic mean of precision and recall."""
_HEAD = "| embedder | rule | precision | recall | unrelated accepted | other bug accepted | FIXED accepted |"


@dataclass(frozen=True)
class Answer:
    """What became of one query. `pipeline`: accepted by the whole pipeline; `distance`: of the nearest stored vector."""

    kind: str
    pipeline: bool
    pipeline_right: bool
    distance: float
    nearest_right: bool


@dataclass(frozen=True)
class Rule:
    """A way to decide: whether an answer is accepted, and whether what it names is the right memory."""

    name: str
    accepts: Callable[[Answer], bool]
    is_right: Callable[[Answer], bool]


def main() -> int:
    """Print the table; always 0, as nothing here is a promise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs.jsonl, memory.jsonl and queries.jsonl")
    parser.add_argument("--every", type=int, default=1, help="take every so many-th query")
    given = parser.parse_args()
    try:
        return _compare(given.data, given.every)
    except (OSError, KeyError, ValueError, CodeMindError) as error:
        parser.error(f"{given.data} can't be measured: {error}")


def _compare(data: Path, every: int) -> int:
    endpoint = endpoint_vectors(load_settings({}, os.environ, ()).settings)
    rows = [_HEAD, "|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="codemind-compare-") as folder:
        ledger, ids = _stored(data, Path(folder))
        queries = list(read_lines(data / "queries.jsonl"))[:: max(1, every)]
        rows += _rows("structural", list(_answers(ledger, queries, ids)))
        if endpoint is not None:
            rows += _rows("endpoint", list(_answers(ledger, queries, ids, endpoint)))
    print(f"{headed('compare')}\n\n{len(queries):,} queries on {len(ids):,} stored pairs.\n")
    print("\n".join(rows))
    if endpoint is None:
        print("\nNo embedding endpoint is configured.")
    return 0


def _stored(data: Path, home: Path) -> tuple[Ledger, dict[str, str]]:
    """A ledger with the pairs that are to be stored, and the experience id of each."""
    wanted = {line["id"] for line in read_lines(data / "memory.jsonl")}
    ledger = Ledger(home / LEDGER_NAME)
    return ledger, store_pairs(ledger, (pair for pair in read_lines(data / "pairs.jsonl") if pair["id"] in wanted))


def _answers(ledger: Ledger, queries: Iterable[Line], ids: dict[str, str], endpoint: EndpointVectors | None = None) -> Iterator[Answer]:
    """Each query asked as a session asks it, and of the vectors alone. An endpoint is calibrated on the stored pairs first."""
    embedder = "" if endpoint is None else calibrate(ledger, TARGET, endpoint=endpoint).fingerprint
    memory, held = LongTermMemory(ledger, endpoint=endpoint), VectorCache()
    for query in queries:
        code, language = query["code"], query["language"]
        targets = {ids[target] for target in query["targets"] if target in ids}
        match = memory.recall(Source(code, language)).match
        with ledger.reading() as connection:
            (found,) = Neighbours(connection, language, endpoint=endpoint, embedder=embedder, vectors=held).fetch([code])
        nearest, distance = (found[0][0].alternative.experience_id, found[0][1]) if found else ("", 2.0)
        yield Answer(query["kind"], match.status != "NONE", match.experience_id in targets, distance, nearest in targets)


def _rows(embedder: str, answers: Sequence[Answer]) -> Iterator[str]:
    """One line for each rule."""
    at_best = max(_distances(answers), key=lambda most: _harmonic(answers, _nearer(most)), default=0.0)
    precise = [most for most in _distances(answers) if _shares(answers, _nearer(most))[0] >= TARGET]
    at_precise = max(precise, key=lambda most: _shares(answers, _nearer(most))[1], default=0.0)
    rules = [
        Rule("the whole pipeline", lambda answer: answer.pipeline, lambda answer: answer.pipeline_right),
        _nearer(SQUARED_L2 / 2, f"vector only, squared L2 < {SQUARED_L2}"),
        _nearer(at_best, f"vector only, best threshold (squared L2 < {2 * at_best:.2f})"),
        _nearer(at_precise, f"vector only, precision {TARGET} (squared L2 < {2 * at_precise:.2f})"),
    ]
    for rule in rules:
        precision, recall = _shares(answers, rule)
        accepted = [_accepted(answers, kinds, rule) for kinds in (UNRELATED, SAME_TASK, FIXED)]
        shares = " | ".join(f"{100 * share:.1f} %" for share in accepted)
        yield f"| {embedder} | {rule.name} | {precision:.3f} | {recall:.3f} | {shares} |"


def _nearer(most: float, name: str = "") -> Rule:
    return Rule(name, lambda answer: answer.distance < most, lambda answer: answer.nearest_right)


def _distances(answers: Iterable[Answer]) -> list[float]:
    """Thresholds that are tried: two hundred, up to the largest distance of a query that has a right answer."""
    most = max((answer.distance for answer in answers if answer.kind in SAME), default=0.0)
    return [most * step / 200 for step in range(1, 201)]


def _shares(answers: Iterable[Answer], rule: Rule) -> tuple[float, float]:
    """Precision over all that is accepted and recall over the queries that have a right answer; FIXED code and v4 left out."""
    judged = [answer for answer in answers if answer.kind in SAME | UNRELATED | SAME_TASK]
    accepted = [answer for answer in judged if rule.accepts(answer)]
    right = sum(answer.kind in SAME and rule.is_right(answer) for answer in accepted)
    return right / max(1, len(accepted)), right / max(1, sum(answer.kind in SAME for answer in judged))


def _harmonic(answers: Iterable[Answer], rule: Rule) -> float:
    precision, recall = _shares(answers, rule)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _accepted(answers: Iterable[Answer], kinds: frozenset[str], rule: Rule) -> float:
    """The share of the queries of these kinds that a rule accepts."""
    own = [answer for answer in answers if answer.kind in kinds]
    return sum(map(rule.accepts, own)) / len(own) if own else 0.0


if __name__ == "__main__":
    sys.exit(main())
