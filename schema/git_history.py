"""A Git history as the memory reads it: commits with what they changed, and the contents of files. No path here is ever opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

Status = Literal["added", "deleted", "modified", "renamed", "copied", "other"]
"""`renamed` and `copied` as Git sees them: by how like the files are. `other`: the kind of entry changed."""


@dataclass(frozen=True)
class FileChange:
    """One path that a commit changed. `path` is the name after it, `old_path` before; ids are those of blobs, zeros for none."""

    status: Status
    old_path: str
    path: str
    old_blob: str
    new_blob: str
    is_file: bool = True
    """False when either side is a symbolic link or a submodule."""


@dataclass(frozen=True)
class Commit:
    """One commit. Of very many changes only the first are kept; `changed_files` counts all. `time` is the author's, in seconds."""

    id: str
    parents: tuple[str, ...]
    author: str
    time: int
    message: str
    changes: tuple[FileChange, ...] = ()
    changed_files: int = 0

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.strip().partition("\n")[0].strip()


@dataclass(frozen=True)
class Window:
    """Which commits: after `after` (an id; not what it can reach), committed from `since` to `until` (seconds), at most the newest `most`.

    `paths` are files and folders below the repository's top, taken literally; none means all.
    """

    after: str = ""
    since: int | None = None
    until: int | None = None
    paths: tuple[str, ...] = ()
    most: int | None = None


class History(Protocol):
    """A repository that is read and never changed, and of which nothing runs. Raises GitFailedError when Git fails or hangs."""

    @property
    def name(self) -> str:
        """The repository's name, for people."""

    @property
    def key(self) -> str:
        """Tells repositories of this machine apart, and a shallow one from itself with more commits."""

    @property
    def head(self) -> str:
        """The commit that is checked out; empty when there is none yet."""

    @property
    def is_shallow(self) -> bool:
        """True when older commits are missing here."""

    @property
    def issues(self) -> str:
        """The web address of its issues, to which a number is added; empty where its remotes don't tell."""

    def has(self, commit: str) -> bool:
        """Whether the commit (its id, or seven digits and more of it) is here."""

    def count(self, window: Window) -> int:
        """How many commits `commits` gives."""

    def commits(self, window: Window) -> Iterator[Commit]:
        """Oldest first, in bounded memory."""

    def reverts(self) -> Iterator[Commit]:
        """Commits of the whole history whose message says that they revert another, oldest first; without their changes."""

    def blob(self, blob: str) -> bytes | None:
        """A file's content; None when it is too large or not here."""
