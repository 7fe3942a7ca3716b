"""How well bug fixes are told from other commits of a history. `python -m benchmarks.git_selection REPO LABELS.jsonl`

A line of the labels is `{"commit": <full id>, "is_fix": true|false}`. Counted are the labelled commits only: precision and recall of what
would be taken, what is missed and why, and whether both sides of each function stand in the files of the commit and of its parent.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from errors import CodeMindError
from integrations.git_repository import open_history
from memory.git_reading import Reading, read_commit
from schema.git_history import History, Window


@dataclass
class Selection:
    """Counts over the labelled commits; `inexact` are functions that don't stand in their files as they were cut out."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: Counter[str] = field(default_factory=Counter)
    functions: int = 0
    inexact: int = 0

    @property
    def precision(self) -> float:
        """Share of the taken commits that are fixes (0-1)."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """Share of the fixes that are taken (0-1)."""
        return self.right / max(1, self.right + self.missed.total())


def measure(history: History, labels: Mapping[str, bool]) -> Selection:
    """Read the whole history, judge the labelled commits."""
    found = Selection()
    for commit in history.commits(Window()):
        if commit.id not in labels:
            continue
        reading = read_commit(commit, history.blob)
        if labels[commit.id] and reading.why:
            found.missed[reading.why] += 1
        elif labels[commit.id]:
            found.right += 1
        elif not reading.why:
            found.wrong.append(commit.subject)
        found.functions += len(reading.pairs)
        found.inexact += _inexact(history, reading)
    return found


def _inexact(history: History, reading: Reading) -> int:
    """Functions whose text is not in the blobs that the commit names, byte for byte."""
    blobs = {change.path: (history.blob(change.old_blob) or b"", history.blob(change.new_blob) or b"") for change in reading.commit.changes}
    sides = [(each.pair.before.encode(), each.pair.after.encode(), *blobs[each.path]) for each in reading.pairs]
    return sum(before not in old or after not in new for before, after, old, new in sides)


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 2 for wrong usage."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m benchmarks.git_selection REPO LABELS.jsonl\n")
        return 2
    lines = [json.loads(line) for line in Path(arguments[1]).read_text(encoding="utf-8").splitlines() if line.strip()]
    labels = {str(line["commit"]): bool(line["is_fix"]) for line in lines}
    try:
        with open_history(Path(arguments[0])) as history:
            found = measure(history, labels)
    except CodeMindError as error:
        sys.stderr.write(f"{error.message}\n")
        return error.exit_code
    print(f"labelled {len(labels)}: precision {found.precision:.2f}, recall {found.recall:.2f}")
    print(f"functions {found.functions}, not exact {found.inexact}")
    for why, count in found.missed.most_common():
        print(f"missed {count:>4}  {why}")
    for subject in found.wrong:
        print(f"wrong  {subject}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
