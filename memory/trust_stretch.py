"""Where a fix changes the code: from its first to its last changed line."""

from __future__ import annotations

AROUND = 1
"""Lines beside it that are looked at, too: a statement may begin or end there."""


def changed_stretches(buggy: str, fixed: str) -> tuple[str, str]:
    """Both sides from the first to the last change, with a line around: outside of it nothing is new and nothing is lost."""
    old, new = buggy.splitlines(), fixed.splitlines()
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    first = max(0, head - AROUND)
    return "\n".join(old[first : len(old) - tail + AROUND]), "\n".join(new[first : len(new) - tail + AROUND])
