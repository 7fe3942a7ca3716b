"""The shared memory's side of the wiring: what `memory sync` does by hand, and a session in the background.

sharing_of(settings)             None unless CHROMA_URL is set; opens nothing
care.sync(...)                   pull and push now
care.queue()                     what waits; asks nobody
background_sharing(settings)     the same from time to time, in a process of its own
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError, MemoryLockedError
from settings import Secret, Settings
from wiring import open_ledger, vector_index

if TYPE_CHECKING:
    from integrations.background_child import BackgroundChild
    from integrations.chroma_server import ChromaServer
    from memory.ledger import Ledger
    from memory.sharing_report import Progress
    from memory.sharing_report import SyncReport as SyncReport

WAIT_S = 60.0
"""How long `memory sync` waits for a session that is at it."""
CHILD_S = 600.0
"""Longest one run in the background: a first pull of many thousand fixes takes minutes."""
GRACE_S = 3.0
"""How long the end of a session waits for what it has saved to be sent; what is not sent by then is sent by the next one."""


@dataclass(frozen=True)
class SharingCare:
    """A ledger and the server that it shares with."""

    ledger: Ledger
    server: ChromaServer
    author: str

    def sync(
        self, *, from_start: bool = False, wait_s: float = WAIT_S, report: SyncReport | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Pull what colleagues have shared and push what is ours; counts of both, and of the vector index.

        Raises SharingFailedError, MemoryLockedError when another process of this home is at it, and what the ledger raises. `report` then
        says what was done.
        """
        from memory.sharing import only_one, sync
        from memory.sharing_report import SyncReport

        done = report if report is not None else SyncReport()
        with only_one(self.ledger, wait_s):
            try:
                sync(
                    self.ledger,
                    self.server,
                    author=self.author,
                    from_start=from_start,
                    report=done,
                    progress=progress or (lambda report: None),
                )
            finally:
                self.server.close()
                _log(done)
        return {**done.as_plain(), "index": self._indexed() if done.pulled or done.removed else ""}

    def queue(self) -> dict[str, Any]:
        """What waits to be sent, what is held back by reason, and when the server was last asked (ISO 8601, empty for never)."""
        from memory.sharing import queue

        found = queue(self.ledger, self.server.host)
        return {"waiting": found.waiting, "held": found.held, "synced_at": found.synced_at}

    def versions(self) -> tuple[str, str]:
        """Of the client and of the server. Raises SharingFailedError."""
        from integrations.chroma_server import client_version

        try:
            return client_version(), self.server.version()
        finally:
            self.server.close()

    def _indexed(self) -> str:
        """A sentence about the index; whatever fails there, what was pulled is safe."""
        try:
            done = vector_index(self.ledger).refresh()
        except CodeMindError as error:
            return f"not up to date: {error.message}"
        return f"{done.said}, {done.rows} vectors"


def sharing_of(settings: Settings) -> SharingCare | None:
    """None unless CHROMA_URL is set. Opens nothing."""
    if not settings.chroma_url:
        return None
    from integrations.chroma_server import ChromaServer

    server = ChromaServer(settings.chroma_url, settings.chroma_token.reveal)
    return SharingCare(open_ledger(settings), server, settings.memory_author or login_name())


def login_name() -> str:
    """The user's name on this machine; empty when nobody knows it."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


class BackgroundSharing:
    """Synchronises beside a session. `wake` after each save; `notes` are sentences for the user, each said once."""

    def __init__(self, settings: Settings) -> None:
        self._host = settings.shared_host
        self._told = json.dumps(
            {
                "codemind_home": str(settings.codemind_home),
                "chroma_url": settings.chroma_url,
                "chroma_token": settings.chroma_token.reveal(),
                "memory_author": settings.memory_author,
                "memory_lock_timeout_seconds": settings.memory_lock_timeout_seconds,
            }
        )
        self._child: BackgroundChild | None = None
        self._has_saved = False
        self._failed = ""
        self._notes: list[str] = []

    def begin(self) -> None:
        """Pull and push at the start of a session. Returns at once."""
        if self._child is None:
            from integrations.background_child import BackgroundChild  # late: only who shares needs it

            self._child = BackgroundChild("wiring_sharing", self._told, self._heard, CHILD_S)
        self._child.wake()

    def saved(self) -> None:
        """Something was saved: send it."""
        self._has_saved = True
        self.begin()

    def take_notes(self) -> list[str]:
        """Sentences that were not yet said."""
        notes, self._notes = self._notes, []
        return notes

    def end(self) -> None:
        """The session ends: what it has saved gets a moment to be sent, unless the server is known to be away."""
        if self._child is not None:
            self._child.stop(GRACE_S if self._has_saved and not self._failed else 0.0)

    def _heard(self, line: str) -> None:
        """What a run came to: said when it is news."""
        try:
            said = json.loads(line)
        except ValueError:
            return
        failed, waiting = str(said.get("failed", "")), said.get("waiting", 0)
        if failed and failed != self._failed:
            queued = (
                f"{waiting} saved fix{' waits' if waiting == 1 else 'es wait'} here and will be sent later"
                if waiting
                else "nothing is lost"
            )
            self._notes.append(f"{failed} {queued[0].upper()}{queued[1:]}.")
        elif not failed and self._failed:
            self._notes.append(f"The shared memory at {self._host} answers again: everything is sent.")
        self._failed = failed


def background_sharing(settings: Settings, *, save: bool) -> BackgroundSharing | None:
    """None unless CHROMA_URL is set and something may be left behind."""
    return BackgroundSharing(settings) if save and settings.chroma_url else None


def main() -> int:
    """The child of a session: one run, and one line of JSON about it."""
    from integrations.background_child import read_told

    told = json.loads(read_told())
    settings = replace(
        Settings(),
        codemind_home=Path(told["codemind_home"]),
        chroma_url=told["chroma_url"],
        chroma_token=Secret(told["chroma_token"]),
        memory_author=told["memory_author"],
        memory_lock_timeout_seconds=told["memory_lock_timeout_seconds"],
    )
    care = sharing_of(settings)
    if care is None:
        return 0
    print(json.dumps(_one_run(care)), flush=True)
    return 0


def _one_run(care: SharingCare) -> dict[str, Any]:
    try:
        done = care.sync(wait_s=0)
    except MemoryLockedError:
        return {}  # another session of this home is at it
    except CodeMindError as error:
        return {"failed": error.message, "waiting": _waiting(care)}
    return {name: done[name] for name in ("pulled", "pushed", "waiting")}


def _waiting(care: SharingCare) -> int:
    try:
        return int(care.queue()["waiting"])
    except CodeMindError:
        return 0


def _log(done: SyncReport) -> None:
    from logging import getLogger

    counts = {name: value for name, value in done.as_plain().items() if isinstance(value, int)}
    getLogger("codemind.memory").info("synchronised: %s", " ".join(f"{name}={value}" for name, value in counts.items()))
