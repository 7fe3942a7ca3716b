"""The shares that the comparison prints, on answers small enough to count by hand."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.compare import SQUARED_L2, Answer, _answers, _rows, _stored
from benchmarks.labelled import read_lines
from benchmarks.programs import Kind, asked, program
from integrations.embedding_endpoint import EmbeddingEndpoint
from memory.endpoint_vectors import EndpointVectors
from tests.model_server import ModelServer

ANSWERS = [
    Answer("v2", True, True, 0.05, True),
    Answer("v3", True, True, 0.30, True),
    Answer("v3", False, False, 0.40, False),
    Answer("neg", False, False, 0.08, False),
    Answer("hn_sametask", True, False, 0.50, False),
    Answer("hn_fixed", False, False, 0.01, True),
    Answer("v4", True, True, 0.01, True),
]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_rules_are_judged_by_what_they_accept() -> None:
    """v4 counts nowhere, FIXED only in its own column; a wrong memory for a right query is no success."""
    pipeline, usual, best, precise = [_cells(row) for row in _rows("structural", ANSWERS)]

    assert pipeline[2:] == ["0.667", "0.667", "0.0 %", "100.0 %", "0.0 %"]
    assert SQUARED_L2 == 0.2
    assert usual[2:] == ["0.500", "0.333", "100.0 %", "0.0 %", "100.0 %"]
    assert best[2:4] == ["0.667", "0.667"]
    assert precise[2:4] == ["1.000", "0.333"]


def test_nothing_asked_gives_zeros() -> None:
    """No division by nothing."""
    assert all(_cells(row)[2:] == ["0.000", "0.000", "0.0 %", "0.0 %", "0.0 %"] for row in _rows("structural", []))


def _data(folder: Path) -> Path:
    """Forty made-up pairs, all stored, and a query of each of three kinds."""
    pairs = [program(number) for number in range(40)]
    stored = [
        {"id": str(n), "language": each.language, "buggy": each.written(), "fixed": each.written(fixed=True), "description": ""}
        for n, each in enumerate(pairs)
    ]
    kinds: tuple[tuple[str, Kind, list[str]], ...] = (("v1", "exact", ["3"]), ("v3", "near", ["3"]), ("neg", "unrelated", []))
    queries = [
        {"kind": kind, "code": asked(3, how, 40)[0], "language": asked(3, how, 40)[1], "targets": targets} for kind, how, targets in kinds
    ]
    for name, lines in (("pairs", stored), ("memory", [{"id": each["id"]} for each in stored]), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_queries_are_asked_of_both_embedders(tmp_path: Path) -> None:
    """The same three queries: a stored bug in another layout, one with small edits, and something that is not stored."""
    ledger, ids = _stored(_data(tmp_path), tmp_path)
    queries = list(read_lines(tmp_path / "queries.jsonl"))

    structural = list(_answers(ledger, queries, ids))
    with ModelServer() as server:
        asked_of_it = list(_answers(ledger, queries, ids, EndpointVectors(EmbeddingEndpoint(server.url, "bge", lambda: "", 2.0))))
        requests = len(server.requests)

    assert [(each.kind, each.pipeline_right) for each in structural] == [("v1", True), ("v3", True), ("neg", False)]
    assert [each.nearest_right for each in structural] == [True, True, False]
    assert asked_of_it[0].pipeline_right
    assert requests > 0
