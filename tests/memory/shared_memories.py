"""A shared memory in this process, which fails when it is told to, for what needs no server."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from errors import SharingFailedError
from memory import admin
from memory.ledger import Ledger
from memory.records import Prepared
from schema.fix import Verification
from schema.sharing import SharedDocument, SharedHead
from tests.memory.rows import MEAN, MEAN_FIXED, an_experience, prepared


class FakeShared:
    """Implements `schema.sharing.SharedMemory`. `failing` names how the next writes fail: `before` or `after` the document is there."""

    host = "memory.example"

    def __init__(self) -> None:
        self.documents: dict[str, SharedDocument] = {}
        self.id = uuid.uuid4().hex
        self.failing: list[str] = []
        self.writes = 0
        self.is_away = False

    def collection(self) -> str:
        """Its id."""
        self._refuse()
        return self.id

    def newer(self, seen: Mapping[str, int], own: str) -> list[SharedHead]:
        """All that is newer."""
        self._refuse()
        heads = [each.head for each in self.documents.values()]
        return [head for head in heads if head.client != own and head.seq > seen.get(head.client, 0)]

    def own(self, client: str, since: int) -> list[SharedHead]:
        """One client's."""
        self._refuse()
        return [each.head for each in self.documents.values() if each.head.client == client and each.head.seq >= since]

    def fetch(self, ids: Sequence[str]) -> list[SharedDocument]:
        """By id."""
        self._refuse()
        return [self.documents[key] for key in ids if key in self.documents]

    def write(self, documents: Sequence[SharedDocument]) -> None:
        """All or none."""
        self._refuse()
        how = self.failing.pop(0) if self.failing else ""
        if how == "before":
            raise SharingFailedError("gone before it was written")
        self.documents |= {each.head.id: each for each in documents}
        self.writes += len(documents)
        if how == "after":
            raise SharingFailedError("gone before it was acknowledged")

    def _refuse(self) -> None:
        if self.is_away:
            raise SharingFailedError("away")


def own(code: str = MEAN, fixed: str = MEAN_FIXED) -> Prepared:
    """A fix that was made and tested in a session."""
    return prepared(an_experience(code, fixed, trust="proved", kind="session", verification=Verification("tested", basis="b")))


def fixes(ledger: Ledger) -> set[tuple[str, str]]:
    """Code and fix of everything that would be offered."""
    return {(each.code, each.fixed_code) for found in admin.list_experiences(ledger) for each in found.alternatives if each.is_offered}
