"""The embedding endpoint: batches, order, faults, and the key."""

from __future__ import annotations

import json

import pytest

from errors import ModelError
from integrations.embedding_endpoint import BATCH, EmbeddingEndpoint
from tests.model_replies import Reply
from tests.model_server import ModelServer, key_hash, words_vector

KEY = "sk-embedding-key-0123456789"
FAULT = "embeddings"


def endpoint(server: ModelServer, timeout_s: float = 5.0) -> EmbeddingEndpoint:
    """The client of that server."""
    return EmbeddingEndpoint(server.url, "bge", lambda: KEY, timeout_s)


def test_vectors_come_in_the_order_of_the_texts_and_in_batches() -> None:
    """The server answers in another order; no request holds more than a batch; the key goes in the header."""
    texts = [f"text number {number}" for number in range(BATCH + 3)]
    with ModelServer() as server:
        vectors = endpoint(server).embed(texts)

    assert vectors == [words_vector(text, server.dimensions) for text in texts]
    assert [len(seen.body["input"]) for seen in server.requests] == [BATCH, 3]
    assert {(seen.path, seen.body["model"], seen.key_hash) for seen in server.requests} == {("/v1/embeddings", "bge", key_hash(KEY))}


def test_nothing_is_asked_about_nothing() -> None:
    """No texts, no request."""
    with ModelServer() as server:
        assert endpoint(server).embed([]) == []
        assert server.requests == []


@pytest.mark.parametrize("mode", ["500", "429", "dropped"])
def test_a_passing_fault_is_tried_once_more(mode: str) -> None:
    """The second attempt is the last."""
    with ModelServer(Reply(mode, role=FAULT)) as server:
        assert len(endpoint(server).embed(["a"])) == 1
        assert len(server.requests) == 2
    with ModelServer(Reply(mode, role=FAULT, always=True)) as server:
        with pytest.raises(ModelError):
            endpoint(server).embed(["a"])
        assert len(server.requests) == 2


@pytest.mark.parametrize(("mode", "said"), [("401", "EMBEDDING_API_KEY"), ("404", "EMBEDDING_BASE_URL")])
def test_a_refusal_names_the_setting_and_never_the_key(mode: str, said: str) -> None:
    """It is not tried again, and nothing that the server said is in the sentence."""
    with ModelServer(Reply(mode, role=FAULT, always=True)) as server, pytest.raises(ModelError) as caught:
        endpoint(server).embed(["a"])

    assert said in caught.value.message
    assert KEY not in caught.value.message
    assert KEY not in repr(endpoint(server))
    assert len(server.requests) == 1


def test_a_server_that_hangs_is_left_after_the_time_limit() -> None:
    """Twice the limit of one request, and a sentence that says it."""
    with ModelServer(Reply("hang", role=FAULT, always=True)) as server, pytest.raises(ModelError, match=r"within 0\.2 s"):
        endpoint(server, timeout_s=0.2).embed(["a"])


def test_an_address_without_a_server_is_one_sentence() -> None:
    """No traceback of the client."""
    with pytest.raises(ModelError, match="can't be reached"):
        EmbeddingEndpoint("http://127.0.0.1:9/v1", "bge", lambda: "", 1.0).embed(["a"])


@pytest.mark.parametrize(
    "content",
    [
        "<html>",
        "[]",
        "{}",
        json.dumps({"data": []}),
        json.dumps({"data": [{"embedding": []}, {"embedding": []}]}),
        json.dumps({"data": [{"embedding": ["x"]}, {"embedding": [1]}]}),
        json.dumps({"data": [{"embedding": [0, 0]}, {"embedding": [1, 1]}]}),
        '{"data": [{"embedding": [NaN]}, {"embedding": [1]}]}',
        json.dumps({"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}),
        json.dumps({"data": [{"embedding": [1]}]}),
        json.dumps({"data": ["a", "b"]}),
    ],
)
def test_an_answer_that_is_no_vectors_is_refused(content: str) -> None:
    """Not JSON, too few, empty, zero, not finite, of different sizes."""
    with ModelServer(Reply(content=content, role=FAULT, always=True)) as server, pytest.raises(ModelError, match="with vectors"):
        endpoint(server).embed(["a", "b"])
