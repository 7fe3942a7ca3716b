"""The near tier on an embedding endpoint: off until calibrated, asked for near code only, and never in the way of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import ModelError
from integrations.embedding_endpoint import EmbeddingEndpoint
from memory.calibrating import calibrate
from memory.endpoint_vectors import MOST_AT_ONCE, EndpointVectors, abstracted
from memory.ledger import Ledger
from memory.prepare import prepare
from memory.recall import LongTermMemory
from memory.starter import classic_bugs
from schema.experience import Experience, Provenance
from tests.memory.recalls import RELAID, RENAMED, UNRELATED, python
from tests.memory.rows import Clock, an_experience, numbered, prepared
from tests.memory.test_near import LIKE, LIKE_FIXED
from tests.model_replies import Reply
from tests.model_server import ModelServer


def the_ledger(folder: Path) -> Ledger:
    """The mean and the classic bugs of Python."""
    ledger = Ledger(folder / "ledger.sqlite3", clock=Clock())
    pack = (
        prepare(Experience("python", bug.buggy, bug.fixed, bug.title, Provenance("jsonl", bug.name)))
        for bug in classic_bugs()
        if bug.language == "python"
    )
    ledger.store([prepared(an_experience()), *(each for each in pack if each is not None)])
    return ledger


def vectors_of(server: ModelServer, model: str = "bge") -> EndpointVectors:
    """The endpoint as a session makes it."""
    return EndpointVectors(EmbeddingEndpoint(server.url, model, lambda: "", 2.0))


def asks(server: ModelServer) -> int:
    """How many requests came since the last time."""
    count = len(server.requests)
    server.requests.clear()
    return count


def test_names_and_layout_are_not_sent() -> None:
    """Two texts that differ in nothing else are one text for the endpoint."""
    sent = abstracted(RENAMED, "python")

    assert sent == abstracted(RELAID, "python")
    assert "numbers" not in sent
    assert "sum" in sent


def test_without_calibration_the_near_tier_is_off_and_says_so(tmp_path: Path) -> None:
    """The structural vectors are not used instead; the endpoint is not asked."""
    with ModelServer() as server:
        memory = LongTermMemory(the_ledger(tmp_path), endpoint=vectors_of(server))
        recalled = memory.recall(python(LIKE))

    assert (recalled.match.status, recalled.fix, recalled.match.related) == ("NONE", None, ())
    assert "not calibrated" in recalled.match.reason
    assert "memory calibrate" in recalled.match.reason
    assert server.requests == []


def test_once_calibrated_near_code_costs_one_request_and_known_code_none(tmp_path: Path) -> None:
    """IDENTICAL and renamed hits are answered by key; what is near is found by the endpoint's vectors."""
    ledger = the_ledger(tmp_path)
    with ModelServer() as server:
        found = calibrate(ledger, 0.95, endpoint=vectors_of(server))
        assert found.fingerprint.endswith(f"-{server.dimensions}")
        assert asks(server) > 1
        memory = LongTermMemory(ledger, endpoint=vectors_of(server))

        tiers = [memory.recall(python(text)).match.tier for text in (RELAID, RENAMED)]
        assert (tiers, asks(server)) == (["exact", "renamed"], 0)

        recalled = memory.recall(python(LIKE))
        assert asks(server) == 1
        assert recalled.match.tier == "near"
        assert recalled.fix is not None
        assert recalled.fix.code == LIKE_FIXED
        assert recalled.notes == ()
        assert memory.recall(python(UNRELATED)).match.status == "NONE"


def test_what_was_stored_since_is_embedded_by_the_look_up(tmp_path: Path) -> None:
    """One request more, once; after much has been stored `memory calibrate` is asked for."""
    ledger = the_ledger(tmp_path)
    with ModelServer() as server:
        endpoint = vectors_of(server)
        found = calibrate(ledger, 0.95, endpoint=endpoint)
        memory = LongTermMemory(ledger, endpoint=endpoint)
        memory.remember(numbered(1))
        asks(server)

        assert memory.recall(python(LIKE)).match.tier == "near"
        assert asks(server) == 2
        assert memory.recall(python(LIKE)).match.tier == "near"
        assert asks(server) == 1

        ledger.store([prepared(numbered(number)) for number in range(2, MOST_AT_ONCE + 10)])
        with pytest.raises(ModelError, match="memory calibrate"):
            endpoint.complete(ledger, found.fingerprint, "python")
        assert asks(server) == 0


@pytest.mark.parametrize("mode", ["500", "401", "dropped"])
def test_a_failing_endpoint_changes_no_answer(tmp_path: Path, mode: str) -> None:
    """The structural vectors answer, one note says so, and the endpoint is not asked again."""
    ledger = the_ledger(tmp_path)
    with ModelServer() as server:
        calibrate(ledger, 0.95, endpoint=vectors_of(server))
        server.script.append(Reply(mode, role="embeddings", always=True))
        memory = LongTermMemory(ledger, endpoint=vectors_of(server))
        recalled = memory.recall(python(LIKE))
        asks(server)
        again = memory.recall(python(LIKE))

    assert recalled.fix is not None
    assert recalled.fix.code == LIKE_FIXED
    (note,) = recalled.notes
    assert "embedding endpoint is not used" in note
    assert (again.match.tier, again.notes, len(server.requests)) == ("near", (), 0)


def test_another_size_or_model_is_another_embedder(tmp_path: Path) -> None:
    """Another model is not calibrated; the same one with another size falls back with a note."""
    ledger = the_ledger(tmp_path)
    with ModelServer() as server:
        calibrate(ledger, 0.95, endpoint=vectors_of(server))
        asks(server)

        other = LongTermMemory(ledger, endpoint=vectors_of(server, "other")).recall(python(LIKE))
        assert "not calibrated" in other.match.reason
        assert asks(server) == 0

        server.dimensions = 48
        recalled = LongTermMemory(ledger, endpoint=vectors_of(server)).recall(python(LIKE))
        assert recalled.match.tier == "near"
        assert "another size" in recalled.notes[0]


def test_calibration_that_fails_leaves_the_near_tier_off(tmp_path: Path) -> None:
    """The error is the endpoint's, and nothing is in force."""
    ledger = the_ledger(tmp_path)
    with ModelServer(Reply("401", role="embeddings", always=True)) as server:
        with pytest.raises(ModelError, match="EMBEDDING_API_KEY"):
            calibrate(ledger, 0.95, endpoint=vectors_of(server))
        with ledger.reading() as connection:
            assert vectors_of(server).thresholds(connection) is None
