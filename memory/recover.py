"""`memory recover`: mend the ledger by hand. What is readable of the damaged one, and what the backup has; the damaged file stays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from errors import MemoryDamagedError
from memory.damage import RECOVER_COMMAND, Identity, lost_error, quarantine, quarantined_file
from memory.healing import Healed, heal, is_sound_ledger, take_note
from memory.ledger import Ledger


@dataclass(frozen=True)
class Recovery:
    """What was done: alternatives in the memory now, alternatives lost (at most), and where the damaged file lies (None: no damage).

    `from_backup` of the saved ones only the automatic backup had, which was made at `made_at` (empty: there is none).
    """

    saved: int
    lost: int
    quarantined: Path | None
    from_backup: int = 0
    made_at: str = ""
    was_damaged: bool = True


def recover(ledger: Ledger, *, empty: bool = False) -> Recovery:
    """Make a new ledger of what can be read in the damaged one and in the backup, and lift the block; `empty` starts without trying.

    A file that nobody has found damaged yet is read whole first. When it is sound nothing is done; a good ledger that the user
    put in place is kept. Raises MemoryDamagedError when nothing could be read and `empty` was not asked for, StorageFailedError
    when the new ledger can't be written.
    """
    _look_for_damage(ledger)
    with ledger.exclusive():
        place = quarantined_file(ledger.path)
        if place is None and not ledger.is_lost():
            return Recovery(0, 0, None, was_damaged=False)
        done = heal(ledger, empty=empty)
        if done is None:
            raise _nothing_readable(ledger.path, place)
    take_note(ledger.path)  # the report says it
    return _report(done)


def _look_for_damage(ledger: Ledger) -> None:
    """Move a ledger aside whose broken pages no command has met so far."""
    if quarantined_file(ledger.path) is not None or not ledger.path.exists():
        return
    if ledger.path.is_dir():
        with ledger.reading():  # no ledger, so its own sentence
            return
    seen = Identity.of(ledger.path)
    if not is_sound_ledger(ledger.path):
        with ledger.exclusive():
            quarantine(ledger.path, seen, ledger.clock)


def _nothing_readable(path: Path, place: Path | None) -> MemoryDamagedError:
    if place is None:
        return lost_error(path)
    return MemoryDamagedError(
        f"Nothing could be read in {place}, and there is no automatic backup. Put a copy of yours in its place as {path} and run "
        f"`{RECOVER_COMMAND}`, or start an empty memory with `{RECOVER_COMMAND} --empty`."
    )


def _report(done: Healed) -> Recovery:
    return Recovery(done.fixes, done.missing, done.aside, done.from_backup, done.made_at)
