"""The seam of a shared memory: documents of a team in one collection, each written by one client and numbered by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SharedHead:
    """A document without its text. `client` wrote it, as its revision `seq`; both are what a stranger says until they are checked."""

    id: str
    client: str
    seq: int


@dataclass(frozen=True)
class SharedDocument:
    """A document: a record as JSON, or what is left of a withdrawn one (`is_gone`), which holds hashes only."""

    head: SharedHead
    text: str
    is_gone: bool = False


class SharedMemory(Protocol):
    """One collection on a server. Every method asks the server, and raises SharingFailedError with a sentence for the user."""

    @property
    def host(self) -> str:
        """Where the records go."""

    def collection(self) -> str:
        """The server's own id of the collection, which is made when it is not there: another id is another, empty collection."""

    def newer(self, seen: Mapping[str, int], own: str) -> list[SharedHead]:
        """The documents of all clients but `own` with a higher revision than was `seen` of their client.

        Complete up to the answer's own moment: a client's revisions become visible in their order.
        """

    def own(self, client: str, since: int) -> list[SharedHead]:
        """The documents of one client from revision `since` on."""

    def fetch(self, ids: Sequence[str]) -> list[SharedDocument]:
        """These documents as they are now, in any order; those that are not there are left out."""

    def write(self, documents: Sequence[SharedDocument]) -> None:
        """Write documents, all or none; one that is there is replaced."""
