"""Offering the starter pack to whoever begins with an empty memory: once, and cheaply, as it stands at the start of a session."""

from __future__ import annotations

from contextlib import suppress

from errors import CodeMindError
from memory.files import private_file, private_folder
from memory.ledger import Ledger
from memory.lookup import has_keys

OFFERED_NAME = "starter-offered"
"""An empty file beside the ledger: the pack was offered. Not in the ledger itself, which the first thing learnt makes."""
OFFER = "The memory is empty: /memory --starter fills it with classic bugs and their fixes, in 15 languages."
"""`codemind memory seed --starter` does the same outside of a session."""


def starter_offer(ledger: Ledger, *, remember: bool = True) -> str:
    """One sentence for the start of a session whose memory is empty, and only once; else empty.

    Never raises: a memory that can't be read says so when it is asked. `remember` False (`--no-save`) leaves nothing behind.
    """
    marker = ledger.path.with_name(OFFERED_NAME)
    try:
        if marker.exists():
            return ""
        with ledger.reading() as connection:
            if has_keys(connection):
                return ""
    except (CodeMindError, OSError):
        return ""
    if remember:
        with suppress(OSError):
            private_folder(marker.parent)
            private_file(marker)
    return OFFER
