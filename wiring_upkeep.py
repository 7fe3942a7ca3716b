"""What a user does to keep the memory in order: pins, verdicts by hand, its history, an audit, compaction, new vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError
from wiring import static_basis, vector_index

if TYPE_CHECKING:
    from memory.endpoint_vectors import EndpointVectors
    from memory.ledger import Ledger

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


@dataclass(frozen=True)
class Upkeep:
    """The upkeep of a ledger, in plain values (JSON). Every method raises what `memory.ledger.Ledger` raises, those with an id also
    InputInvalidError. Fixes are counted from 1, as `memory show` numbers them; None is the best one."""

    ledger: Ledger
    endpoint: EndpointVectors | None = None

    def pin(self, prefix: str, number: int | None = None) -> dict[str, Any]:
        """Offer a fix first, and keep it from purge and compaction."""
        from memory.upkeep import pin  # late, here and below: each command needs one of them

        return pin(self.ledger, prefix, number).as_plain()

    def unpin(self, prefix: str, number: int | None = None) -> dict[str, Any]:
        """Take `pin` back."""
        from memory.upkeep import unpin

        return unpin(self.ledger, prefix, number).as_plain()

    def accept(self, prefix: str, number: int | None = None) -> dict[str, Any]:
        """The fix is right, as `/accept` says it."""
        from memory.upkeep import accept

        return accept(self.ledger, prefix, number).as_plain()

    def reject(self, prefix: str, number: int | None = None) -> dict[str, Any]:
        """The fix is wrong, as `/reject` says it."""
        from memory.upkeep import reject

        return reject(self.ledger, prefix, number).as_plain()

    def history(self, prefix: str | None, *, whole: bool) -> list[dict[str, Any]]:
        """What was done, newest last: to one experience, or of all the newest, `whole` all."""
        from memory.history import NEWEST, history

        return [told.as_plain() for told in history(self.ledger, prefix, None if whole else NEWEST)]

    def audit(self, days: int | None = None, progress: Progress | None = None) -> Iterator[dict[str, Any]]:
        """What deserves a look, with the command that would mend it. Changes nothing."""
        from memory.audit import UNUSED_DAYS, audit

        unused = UNUSED_DAYS if days is None else days
        return (found.as_plain() for found in audit(self.ledger, static_basis(), unused, progress or (lambda done, total: None)))

    def compact(self, *, older_than: int | None = None, keep: int | None = None, dry_run: bool = False) -> dict[str, Any]:
        """Merge, expire, drop what nothing leads to, give space back; or say what would be. `note` is empty when all of it was done."""
        from memory.compacting import Request, compact_entries, plan_compaction
        from memory.old_backups import outdated_backups, size_of

        before, request, backups = self._bytes(), Request(older_than, keep), outdated_backups(self.ledger.path)
        sizes = {file: size_of([file]) for file in backups}
        if dry_run or not self.ledger.path.exists():
            done, after, index, note = plan_compaction(self.ledger, request), None, "", ""
        else:
            self._back_up()
            done = compact_entries(self.ledger, request)
            _log("compacted: merged=%d expired=%d fixes=%d", done.merged, done.expired, done.fixes)
            note, index = self._space_given_back(backups), self._indexed()
            sizes = {file: size for file, size in sizes.items() if not file.exists()}
            after = self._bytes()
        return {
            **done.as_plain(),
            "compacted": after is not None,
            "backups": [str(file) for file in sizes],
            "backup_bytes": sum(sizes.values()),
            "bytes_before": before,
            "bytes_after": after,
            "index": index,
            "note": note,
        }

    def reembed(self, progress: Progress | None = None) -> dict[str, Any]:
        """Make all vectors anew for the embedder in force, then the index. Raises ModelError when an endpoint fails: the old ones stay."""
        from memory.calibration import thresholds_in_force
        from memory.reembedding import reembed

        done = reembed(self.ledger, self.endpoint, progress or (lambda done, total: None))
        with self.ledger.reading() as connection:
            is_calibrated = thresholds_in_force(connection, done.embedder) is not None
        _log("embedded anew: vectors=%d resumed=%d", done.vectors, done.resumed)
        return {
            "vectors": done.vectors,
            "resumed": done.resumed,
            "embedder": done.embedder,
            "by": "the built-in embedder" if self.endpoint is None else self.endpoint.said,
            "calibrated": is_calibrated,
            "index": self._indexed(),
        }

    def _back_up(self) -> None:
        """Before much is deleted. Never raises: without a backup the ledger is as safe as it was."""
        from memory.backup import back_up_when_due

        back_up_when_due(self.ledger)

    def _space_given_back(self, backups: list[Path]) -> str:
        """A sentence when that failed; the entries are in order then all the same."""
        from memory.old_backups import remove_backups

        try:
            remove_backups(backups)
            self.ledger.compact()
        except CodeMindError as error:
            return f"the space is not given back yet: {error.message}"
        return ""

    def _bytes(self) -> int:
        from memory.files import with_side_files
        from memory.old_backups import size_of

        return size_of(with_side_files(self.ledger.path))

    def _indexed(self) -> str:
        """A sentence about the index; whatever fails there, the memory is in order."""
        try:
            done = vector_index(self.ledger).refresh()
        except CodeMindError as error:
            return f"not up to date: {error.message}"
        return f"{done.said}, {done.rows} vectors"


def _log(sentence: str, *values: object) -> None:
    from logging import getLogger

    getLogger("codemind.memory").info(sentence, *values)
