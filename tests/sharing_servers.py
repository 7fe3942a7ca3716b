"""A real Chroma server on loopback that tests start, kill and start again, and a proxy before it that wants a token."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import chromadb
from chromadb.api import ClientAPI

from integrations.chroma_server import close_client

_PROGRAM = "import sys; from chromadb.cli.cli import app; sys.argv = ['chroma', *sys.argv[1:]]; app()"
_START_S = 30.0


class ChromaProcess:
    """`chroma run` over a folder. The port stays the same from one start to the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What CHROMA_URL is set to."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run it, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-c", _PROGRAM, "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        ends = time.monotonic() + _START_S
        while time.monotonic() < ends:
            if self.answers():
                return
            time.sleep(0.05)
        raise RuntimeError("the Chroma server did not start")

    def kill(self) -> None:
        """As a power cut does: nothing is written any more."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def answers(self) -> bool:
        """True when it takes questions."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        with closing(connection), suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/api/v2/heartbeat")
            with connection.getresponse() as answer:
                return answer.status == http.client.OK
        return False


@contextmanager
def chroma_at(folder: Path) -> Iterator[ChromaProcess]:
    """A server that runs, and is gone at the end."""
    server = ChromaProcess(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextmanager
def direct_client(port: int) -> Iterator[ClientAPI]:
    """The library's own client, for what no CodeMind does."""
    client = chromadb.HttpClient("127.0.0.1", port)
    try:
        yield client
    finally:
        close_client(client)


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def token_proxy(port: int, token: str) -> Iterator[str]:
    """The address of a proxy before the server at `port`: without `Authorization: Bearer TOKEN` it answers 401 and repeats what it got."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get("Authorization") != f"Bearer {token}":
                self._answer(401, f"no entry with {self.headers.get('Authorization')}".encode())
                return
            server = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            with closing(server):
                server.request(self.command, self.path, body, {"Content-Type": "application/json"})
                answer = server.getresponse()
                self._answer(answer.status, answer.read())

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _pass_on  # noqa: N815 - the names that http.server calls

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}"
    finally:
        proxy.shutdown()
        proxy.server_close()
