"""Forgetting for good: out of the memory, out of its copies, and out of the other files of CODEMIND_HOME."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wiring import LOCKS_FOLDER, SESSIONS_FILE, vector_index

if TYPE_CHECKING:
    from memory.ledger import Ledger


def forget_everywhere(ledger: Ledger, prefix: str) -> dict[str, Any]:
    """Delete one experience, in plain values (JSON).

    `dropped_tasks` counts interrupted tasks of ended sessions with just that code, which went too; `leftovers` are files that may still
    hold its text. Raises InputInvalidError when not exactly one id begins with `prefix`, and what the ledger raises.
    """
    from logging import getLogger

    from integrations.session_texts import drop_tasks_with
    from memory.admin import forget
    from memory.forgetting import holding
    from memory.index import FOLDER_NAME
    from memory.records import to_lf

    gone = forget(ledger, prefix)
    home = ledger.path.parent
    texts = [to_lf(text) for text in (*gone.traces.codes, *gone.traces.fixes)]
    dropped = drop_tasks_with(home / SESSIONS_FILE, home / LOCKS_FOLDER, texts)
    getLogger("codemind.memory").info("forgotten: alternatives=%d dropped_tasks=%d", gone.alternatives, dropped)
    found = holding(home, gone.traces, skipped_names=(ledger.path.stem, FOLDER_NAME))
    return {
        "id": gone.id,
        "alternatives": gone.alternatives,
        "dropped_tasks": dropped,
        "leftovers": [str(path) for path in dict.fromkeys((*gone.leftovers, *found))],
        "index": vector_index(ledger).forget(),
    }
