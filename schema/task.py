"""One task as it enters the graph: the paste, already prepared, in plain values that may be checkpointed.

Secrets are placeholders in here; the process that prepared the paste keeps what they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from schema.source import Source


@dataclass(frozen=True)
class Task:
    """`code` has LF line ends and no byte order mark; it is the snapshot that becomes the memory key.

    `line_map[i]` = (pasted line, columns to add) of code line i + 1; empty when code and paste have the same lines.
    `findings` (plain) are those made while preparing (hard-coded secrets); `notes` are sentences for the user.
    """

    id: str
    code: str
    language: str
    language_reason: str = ""
    path: str = "paste"
    newline: str = "\n"
    line_map: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    test_cmd: str | None = None
    use_memory: bool = True
    save: bool = True
    context_text: str = ""
    """What stood around the code in the paste (a traceback, prose): for a model, never code."""
    chosen: tuple[dict[str, Any], ...] = ()
    """Findings (plain, in positions of `code`) that the user wants mended, and nothing else. When there are any, the memory is not
    asked, nothing is reviewed, and the fixer mends just these, whatever their severity."""

    @property
    def source(self) -> Source:
        """The code as the analysers want it."""
        return Source(self.code, self.language, self.path)

    @property
    def file(self) -> str | None:
        """The file that a test command sees changed; None for a paste."""
        return None if self.path == "paste" else self.path

    def as_plain(self) -> dict[str, Any]:
        """A JSON object for `Command(resume=...)`."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Task:
        """Read what `as_plain` wrote, also after a checkpoint made lists of the tuples."""
        values = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain}
        values["line_map"] = tuple((line, shift) for line, shift in plain.get("line_map", ()))
        values["notes"] = tuple(plain.get("notes", ()))
        values["chosen"] = tuple(plain.get("chosen", ()))
        return cls(**values)
