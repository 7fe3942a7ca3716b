"""A scripted OpenAI-compatible server on loopback: plays every fault of such servers, and keeps what it was asked.

    with ModelServer(Reply("429", retry_after="0"), Reply("fenced")) as server:
        ... LLM_BASE_URL=server.url ...
    server.requests, server.aborted

Of a key only its hash is kept. Besides the modes of `model_replies` it knows: `hang` (no answer), `hang after headers`,
`keep-alive` (comment lines for ever), `slow` (a whole answer with pauses), `endless` and `endless thinking` (pieces for ever),
`flood` (millions of characters), `half a whole` (half of a JSON body, then nothing), `dropped` (closes without an answer), `cut`
(closes in the middle), `broken sse`, `error in stream`.
"""

from __future__ import annotations

import hashlib
import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, Self

from tests.model_replies import MODES, SCHEMA_ROLES, STATUSES, WHOLE, Reply, delta, failing, said, usual_answer

POLL_S = 0.01
PAUSE_S = 0.05
_NAMED = re.compile(r"(?:JSON object \(|calling the function )(\w+)")


@dataclass
class Seen:
    """One request. `aborted` once the client went away before the answer's end."""

    path: str
    body: dict[str, Any]
    key_hash: str
    headers: tuple[str, ...]
    aborted: bool = False
    answer: str = ""
    """What the model says to it."""

    @property
    def method(self) -> str:
        """How it asks for JSON."""
        kind = (self.body.get("response_format") or {}).get("type")
        if kind:
            return "json_schema" if kind == "json_schema" else "json_mode"
        return "function_calling" if "tools" in self.body else "prompt"

    @property
    def schema_name(self) -> str:
        """Which answer it asks for."""
        named = (self.body.get("response_format") or {}).get("json_schema") or {}
        tools = self.body.get("tools") or [{"function": {}}]
        found = named.get("name") or tools[0]["function"].get("name")
        return str(found or next(iter(_NAMED.findall(self.text)), ""))

    @property
    def role(self) -> str:
        """plan, review or fix."""
        return SCHEMA_ROLES.get(self.schema_name, self.schema_name)

    @property
    def text(self) -> str:
        """All messages."""
        return "\n".join(str(message.get("content")) for message in self.body.get("messages", []))


def key_hash(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def words_vector(text: str, dimensions: int) -> list[float]:
    """How often the text's words and pairs of them fall into each place."""
    words = text.split()
    vector = [0.0] * dimensions
    for run in (*words, *map(" ".join, pairwise(words))):
        vector[int(hashlib.sha256(run.encode()).hexdigest(), 16) % dimensions] += 1.0
    return vector


class ClientGoneError(Exception):
    """The client closed the connection."""


@dataclass
class ModelServer:
    """The script, and what came. A request that no reply is for gets the usual answer of its role."""

    script: list[Reply]
    answers: dict[str, str] = field(default_factory=dict)
    """What the roles say in modes that have no text of their own."""
    models: tuple[str, ...] = ("m",)
    dimensions: int = 32
    """Of the vectors that `/embeddings` gives; a reply of the role `embeddings` plays a fault instead."""
    requests: list[Seen] = field(default_factory=list)

    def __init__(self, *script: Reply, answers: dict[str, Any] | None = None) -> None:
        self.script = list(script)
        self.answers = {role: value if isinstance(value, str) else json.dumps(value) for role, value in (answers or {}).items()}
        self.models = ("m",)
        self.dimensions = 32
        self.requests = []
        self.stopping = threading.Event()
        self._changed = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True)

    def __enter__(self) -> Self:
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop; whatever hangs ends."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """For LLM_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def host(self) -> str:
        """For the status line."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def chats(self) -> list[Seen]:
        """Requests for an answer."""
        return [seen for seen in self.requests if seen.path.endswith("/chat/completions")]

    @property
    def roles(self) -> list[str]:
        """Who asked, in order."""
        return [seen.role for seen in self.chats]

    @property
    def aborted(self) -> int:
        """Requests that the client broke off."""
        return sum(seen.aborted for seen in self.requests)

    def wait_until(self, holds: Callable[[ModelServer], bool], timeout_s: float = 10) -> bool:
        """Wait for something to come; False when it does not."""
        with self._changed:
            return self._changed.wait_for(lambda: holds(self), timeout_s)

    def note(self, change: Callable[[], object]) -> None:
        """Change what was seen, and wake whoever waits for it."""
        with self._changed:
            change()
            self._changed.notify_all()

    def reply_for(self, seen: Seen) -> Reply:
        """The first reply of the script that is for this request; it is used up unless it is for always."""
        with self._changed:
            for reply in self.script:
                if reply.role in {None, seen.role} and seen.method in reply.methods and reply.about in seen.text:
                    if not reply.always:
                        self.script.remove(reply)
                    return reply
        return Reply("tool" if seen.method == "function_calling" else "good")

    def content_of(self, reply: Reply, seen: Seen) -> str:
        """What the model says."""
        return reply.content if reply.content is not None else self.answers.get(seen.role, usual_answer(seen.role))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: it would hold paths and keys."""

    def do_GET(self) -> None:
        """The list of models."""
        owner = self.server.owner
        seen = self._seen({})
        owner.note(lambda: owner.requests.append(seen))
        reply = next((reply for reply in owner.script if reply.role == "models"), Reply())
        if reply.mode in STATUSES:
            self._status(reply)
        elif reply.mode == "hang":
            self._watching(seen, self._hang)
        else:
            self._whole(200, json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in owner.models]}))

    def do_POST(self) -> None:
        """An answer, by the script."""
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        seen = self._seen(body)
        owner.note(lambda: owner.requests.append(seen))
        if self.path.endswith("/embeddings"):
            self._watching(seen, lambda: self._embed(seen))
            return
        self._watching(seen, lambda: self._play(owner.reply_for(seen), seen))

    def _seen(self, body: dict[str, Any]) -> Seen:
        return Seen(self.path, body, key_hash(self._key()), tuple(name.lower() for name in self.headers))

    def _key(self) -> str:
        return str(self.headers.get("authorization") or "").removeprefix("Bearer ")

    def _watching(self, seen: Seen, play: Callable[[], None]) -> None:
        """Play; note when the client goes away meanwhile."""
        try:
            play()
        except (ClientGoneError, BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server.owner.note(lambda: setattr(seen, "aborted", True))

    def _embed(self, seen: Seen) -> None:
        """Vectors of the words of each text, in reverse order (the index counts); or what the script says."""
        owner = self.server.owner
        reply = next((reply for reply in owner.script if reply.role == "embeddings"), Reply())
        if reply in owner.script and not reply.always:
            owner.script.remove(reply)
        vectors = [{"index": at, "embedding": words_vector(text, owner.dimensions)} for at, text in enumerate(seen.body["input"])]
        if reply.mode in STATUSES:
            self._status(reply)
        elif reply.mode == "hang":
            self._hang()
        elif reply.mode == "dropped":
            self._drop()
        else:
            self._whole(200, reply.content if reply.content is not None else json.dumps({"data": vectors[::-1]}))

    def _play(self, reply: Reply, seen: Seen) -> None:
        own: dict[str, Callable[[str], None]] = {
            "hang": lambda _: self._hang(),
            "hang after headers": lambda _: self._stream([], then=self._hang),
            "keep-alive": lambda _: self._stream([], then=self._keep_alive),
            "slow": lambda text: self._stream(said(text), pause_s=PAUSE_S),
            "endless": lambda _: self._stream([], then=lambda: self._go_on(content=" ")),
            "endless thinking": lambda _: self._stream([], then=lambda: self._go_on(reasoning_content="hm ")),
            "flood": lambda _: self._stream([delta(content="x" * 1_000_000)] * 5, then=self._hang),
            "half a whole": lambda text: self._half(text),
            "dropped": lambda _: self._drop(),
            "cut": lambda text: self._stream(list(said(text))[:2], then=self._drop),
            "broken sse": lambda text: self._stream(list(said(text))[:2], then=lambda: self._event('{"id": "c1", "choi')),
            "error in stream": lambda text: self._stream([*list(said(text))[:2], failing("overloaded", kind="server_error")]),
        }
        text = seen.answer = self.server.owner.content_of(reply, seen)
        if reply.mode in STATUSES:
            self._status(reply)
        elif reply.mode in WHOLE:
            self._whole(200, json.dumps(WHOLE[reply.mode](text, seen.schema_name)), reply.headers)
        elif reply.mode in own:
            own[reply.mode](text)
        else:
            self._stream(MODES[reply.mode](text, seen.schema_name))

    def _status(self, reply: Reply) -> None:
        status, body = STATUSES[reply.mode]
        text = body if isinstance(body, str) else json.dumps(body)
        headers = {**reply.headers, **({"Retry-After": reply.retry_after} if reply.retry_after is not None else {})}
        self._whole(status, text.replace("{key}", self._key()), headers, is_html=isinstance(body, str))

    def _whole(self, status: int, text: str, headers: Mapping[str, str] | None = None, *, is_html: bool = False) -> None:
        kind = "text/html" if is_html else "application/json"
        self._head(status, {"Content-Type": kind, "Content-Length": str(len(text.encode())), **(headers or {})})
        self.wfile.write(text.encode())

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, chunks: Iterable[dict[str, Any]], *, pause_s: float = 0, then: Callable[[], None] | None = None) -> None:
        """Server-sent events; `then` plays on after the last chunk instead of the end."""
        self._head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        for chunk in chunks:
            self._event(json.dumps(chunk))
            if pause_s:
                time.sleep(pause_s)
        if then is not None:
            then()
        else:
            self._event("[DONE]")
        if not self.close_connection:
            self.wfile.write(b"0\r\n\r\n")

    def _event(self, text: str) -> None:
        self._piece(f"data: {text}\n\n")

    def _piece(self, text: str) -> None:
        sent = text.encode()
        self.wfile.write(f"{len(sent):x}\r\n".encode() + sent + b"\r\n")
        self.wfile.flush()

    def _hang(self) -> None:
        """Wait until the client goes away. Raises: ClientGoneError."""
        while not self.server.owner.stopping.is_set():
            self._raise_when_gone()

    def _keep_alive(self) -> None:
        while not self.server.owner.stopping.is_set():
            self._piece(": keep-alive\n\n")
            self._raise_when_gone()

    def _go_on(self, **fields: str) -> None:
        while not self.server.owner.stopping.is_set():
            self._event(json.dumps(delta(**fields)))
            self._raise_when_gone()

    def _half(self, text: str) -> None:
        """The beginning of a JSON body, and no more of it."""
        body = json.dumps(WHOLE["whole"](text, "")).encode()
        self._head(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self._hang()

    def _raise_when_gone(self) -> None:
        readable, _, _ = select.select([self.connection], [], [], POLL_S)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ClientGoneError

    def _drop(self) -> None:
        """Close without an end."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
