"""The text that is reviewed: one file or one paste, already decoded, with LF line ends and no byte order mark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """`text` has LF line ends. `path` is what findings carry ("paste" when there is no file)."""

    text: str
    language: str
    path: str = "paste"
