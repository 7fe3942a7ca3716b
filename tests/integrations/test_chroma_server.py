"""The shared memory on a real Chroma server: killed, restarted, behind a token, slow, and in pages."""

from __future__ import annotations

import gc
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from chromadb.errors import NotFoundError

from errors import SharingFailedError
from integrations import chroma_server
from integrations.chroma_server import COLLECTION, ChromaServer
from schema.sharing import SharedDocument, SharedHead
from tests.sharing_servers import ChromaProcess, chroma_at, direct_client, free_port, token_proxy

ANN, BOB = "a" * 32, "b" * 32
TOKEN = "-".join(("chroma", "token", "for", "tests"))


pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Chroma's client leaves the connections of a constructor that fails to the garbage collector, and nobody can reach them."""


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """They are collected here, and not in another file's tests."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaProcess]:
    """One server for all tests of this file."""
    with chroma_at(tmp_path_factory.mktemp("chroma")) as server:
        yield server


@pytest.fixture
def shared(process: ChromaProcess) -> Iterator[ChromaServer]:
    """An empty collection."""
    with a_client(process.address) as client:
        yield client
    with direct_client(process.port) as direct, suppress(NotFoundError):
        direct.delete_collection(COLLECTION)


@contextmanager
def a_client(address: str, token: str = "", timeout_s: float = 10.0) -> Iterator[ChromaServer]:
    """A client that does not wait long."""
    with closing(ChromaServer(address, lambda: token, timeout_s, pauses_s=(0.05,))) as client:
        yield client


def a_document(seq: int, client: str = ANN, text: str = "{}", *, is_gone: bool = False) -> SharedDocument:
    """Revision `seq` of a fix of its own."""
    return SharedDocument(SharedHead(f"e{seq}.f.{client}", client, seq), text, is_gone=is_gone)


def test_what_is_written_is_read_to_the_letter(shared: ChromaServer) -> None:
    """Every character, and whether it is withdrawn."""
    documents = [a_document(1, text='"\\ud83d\\ude00 caf\u00e9 \u4e2d\u6587 \x00 \r\n"'), a_document(2, is_gone=True)]

    shared.write(documents)

    assert sorted(shared.fetch([each.head.id for each in documents]), key=lambda each: each.head.seq) == documents


def test_only_what_is_newer_and_of_others_is_listed(shared: ChromaServer) -> None:
    """Known clients from their revision on, unknown ones whole, oneself never."""
    shared.write([*(a_document(seq) for seq in (1, 2, 3)), *(a_document(seq, BOB) for seq in (1, 2)), a_document(7, "c" * 32)])

    found = shared.newer({ANN: 2}, own=BOB)

    assert {(head.client, head.seq) for head in found} == {(ANN, 3), ("c" * 32, 7)}
    assert [head.seq for head in shared.own(BOB, 2)] == [2]


def test_many_clients_are_asked_about_in_parts(shared: ChromaServer) -> None:
    """A condition can't be of any length."""
    shared.write([a_document(1), a_document(2)])
    seen = {f"{number:032x}": 5 for number in range(2 * chroma_server.CLIENTS + 1)} | {ANN: 1}

    assert [head.seq for head in shared.newer(seen, own=BOB)] == [2]


def test_several_pages_are_complete(shared: ChromaServer) -> None:
    """More documents than one answer holds."""
    count = chroma_server.PAGE + 100
    documents = [a_document(seq) for seq in range(1, count + 1)]
    for start in range(0, count, 500):
        shared.write(documents[start : start + 500])

    assert sorted(head.seq for head in shared.newer({}, own=BOB)) == list(range(1, count + 1))


def test_documents_of_other_programs_are_passed_over(shared: ChromaServer, process: ChromaProcess) -> None:
    """What has no client or no number was not written by CodeMind."""
    shared.write([a_document(1)])
    strange = [{"client": "x", "seq": 1}, {"client": ANN, "seq": -1}, {"client": ANN, "seq": "9"}, {"other": 1}]
    with direct_client(process.port) as direct:
        collection = direct.get_collection(COLLECTION, embedding_function=None)
        collection.add(ids=list("wxyz"), embeddings=[[0.0] * 4] * 4, documents=["d"] * 4, metadatas=strange)  # type: ignore[arg-type]

    assert [head.seq for head in shared.newer({}, own=BOB)] == [1]


def test_a_server_that_was_killed_has_everything_it_acknowledged(shared: ChromaServer, process: ChromaProcess) -> None:
    """SIGKILL and a new start: the same collection, every document, and the same client goes on."""
    before = shared.collection()
    shared.write([a_document(seq) for seq in range(1, 51)])

    process.kill()
    with pytest.raises(SharingFailedError, match="can't be reached"):
        shared.newer({}, own=BOB)
    process.start()

    assert shared.collection() == before
    assert len(shared.newer({}, own=BOB)) == 50


def test_no_server_is_one_sentence() -> None:
    """Whatever the library says."""
    with (
        a_client(f"http://127.0.0.1:{free_port()}") as client,
        pytest.raises(SharingFailedError, match=r"The shared memory at 127\.0\.0\.1:\d+ can't be reached; check CHROMA_URL"),
    ):
        client.collection()


def test_a_server_that_never_answers_does_not_hold_us_up() -> None:
    """The library has no time limit; we have."""
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with a_client(address, timeout_s=0.3) as client, pytest.raises(SharingFailedError, match=r"did not answer within 0\.3 s"):
            client.collection()


def test_something_that_is_no_chroma_server_is_told(tmp_path: Path) -> None:
    """A web server that answers 404."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        threading.Thread(target=_answer_404, args=(listening,), daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with a_client(address) as client, pytest.raises(SharingFailedError, match=r"answers as no Chroma server does \(HTTP 404\)"):
            client.collection()


def _answer_404(listening: socket.socket) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with closing(connection):
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")


def test_the_token_opens_the_door_and_is_told_to_nobody(shared: ChromaServer, process: ChromaProcess) -> None:
    """With it everything works; without, or with another, one sentence says what to set, and the token stands nowhere."""
    with token_proxy(process.port, TOKEN) as address, a_client(address, TOKEN) as allowed:
        allowed.write([a_document(1)])
        assert len(allowed.newer({}, own=BOB)) == 1

        with a_client(address) as client, pytest.raises(SharingFailedError, match=r"it wants a token: set CHROMA_TOKEN \(HTTP 401\)"):
            client.collection()
        with a_client(address, "wrong-" + TOKEN) as client, pytest.raises(SharingFailedError, match="CHROMA_TOKEN is refused") as refused:
            client.collection()

    assert TOKEN not in f"{refused.value!r} {refused.value.__cause__!r} {allowed!r}"


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    shared: ChromaServer, process: ChromaProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token would go to it."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")

    with a_client(process.address, TOKEN) as client:
        assert client.collection() == shared.collection()
