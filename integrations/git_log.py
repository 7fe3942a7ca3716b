"""A repository's history through Git's plumbing: commits oldest first, with what they changed, streamed in bounded memory.

`rev-list` feeds `diff-tree`, which writes fields that end with NUL: a header for each commit, then for each changed path what it was and
became, and its name or names. So no name and no message has to be unquoted, and none is taken for something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from errors import GitFailedError
from integrations.bounded_run import end_group
from integrations.git_blobs import BlobReader
from integrations.git_pipe import GitPipe, stopped
from integrations.git_program import COUNT_TIMEOUT_S, ask_git, start_git
from schema.git_history import Commit, FileChange, Status, Window

MAX_CHANGES = 400
"""Changes of one commit that are kept; one that touches more files is no bug fix."""
_MAX_FIELD = 100_000
"""Bytes of a message or a path that are kept."""
_HEADER = "--format=%H%n%P%n%an%n%at%n%B"
_DIFF = ("diff-tree", "--stdin", "-z", "-r", "--root", "--always", "--raw", "--no-abbrev", "--encoding=UTF-8", _HEADER)
_RENAMES = ("-M", "-l400", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_REVERT = r"^(This reverts commit|(Revert|Reapply)[ :])"
_STATUS: dict[str, Status] = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "C": "copied"}
_REGULAR = frozenset({"100644", "100755", "100664"})
_NONE = "000000"
_RAW_WORDS = 5


@dataclass(frozen=True)
class GitHistory:
    """See `schema.git_history.History`; made by `integrations.git_repository.open_history`."""

    git: str
    git_dir: Path
    name: str
    key: str
    head: str
    is_shallow: bool
    folder: Path
    """The top of the working tree, or the repository itself where there is none."""
    blobs: BlobReader = field(repr=False)
    issues: str = ""

    def blob(self, blob: str) -> bytes | None:
        """A file's content; None when it is too large or not here."""
        return self.blobs.read(blob)

    def has(self, commit: str) -> bool:
        """Whether the commit is here."""
        return self.blobs.has_commit(commit)

    def count(self, window: Window) -> int:
        """How many commits `commits` gives."""
        if not self.head:
            return 0
        status, answer = ask_git(self.git, self.git_dir, ["rev-list", "--count", *self._chosen(window)], timeout_s=COUNT_TIMEOUT_S)
        if status:
            raise stopped(status)
        return int(answer)

    def commits(self, window: Window) -> Iterator[Commit]:
        """Oldest first."""
        return self._read(["rev-list", "--reverse", *self._chosen(window)], [*_DIFF, *_RENAMES])

    def reverts(self) -> Iterator[Commit]:
        """Commits that say they revert another, oldest first; without their changes."""
        named = ["--extended-regexp", f"--grep={_REVERT}", self.head, "--"]
        return self._read(["rev-list", "--reverse", *named], [*_DIFF, "-s"])

    def _chosen(self, window: Window) -> list[str]:
        """What `rev-list` is asked for; every word of the user's stands where it can't be an option."""
        chosen = [f"--max-age={window.since}"] if window.since is not None else []
        chosen += [f"--min-age={window.until}"] if window.until is not None else []
        chosen += [f"--max-count={window.most}"] if window.most is not None else []
        chosen += ["--full-history"] if window.paths else []
        return [*chosen, self.head, *([f"^{window.after}"] if window.after else []), "--", *window.paths]

    def _read(self, listing: list[str], showing: list[str]) -> Iterator[Commit]:
        if not self.head:
            return
        with self._pipe(listing, showing) as pipe:
            yield from read_commits(pipe.fields(_MAX_FIELD))

    @contextmanager
    def _pipe(self, listing: list[str], showing: list[str]) -> Iterator[GitPipe]:
        """Both processes, one feeding the other; both must end well."""
        source = start_git(self.git, self.git_dir, listing)
        try:
            sink = start_git(self.git, self.git_dir, showing, stdin=source.stdout)  # type: ignore[arg-type]
        except GitFailedError:
            end_group(source)
            raise
        source.stdout.close()  # type: ignore[union-attr] # only the other one reads it: when that ends, this one is told
        pipe = GitPipe(sink)
        try:
            yield pipe
            status = pipe.end() or source.wait()
            if status:
                raise stopped(status)
        finally:
            end_group(sink)
            end_group(source)


def read_commits(fields: Iterator[bytes]) -> Iterator[Commit]:
    """Headers and changes as `diff-tree -z` writes them. The first change of a commit has a line break before it."""
    commit: Commit | None = None
    changes: list[FileChange] = []
    count = 0
    for each in fields:
        if not each.lstrip(b"\n").startswith(b":"):
            if commit is not None:
                yield _with(commit, changes, count)
            commit, changes, count = _commit(each), [], 0
            continue
        change = _change(each.lstrip(b"\n").decode("ascii", "replace"), fields)
        count += 1
        if len(changes) < MAX_CHANGES:
            changes.append(change)
    if commit is not None:
        yield _with(commit, changes, count)


def _with(commit: Commit, changes: list[FileChange], count: int) -> Commit:
    return Commit(commit.id, commit.parents, commit.author, commit.time, commit.message, tuple(changes), count)


def _commit(header: bytes) -> Commit:
    """What Git could not turn into UTF-8 becomes U+FFFD."""
    words = header.decode("utf-8", "replace").lstrip("\n").split("\n", 4)
    words += [""] * (5 - len(words))
    name, parents, author, when, message = words
    return Commit(name, tuple(parents.split()), author.strip(), int(when) if when.lstrip("-").isdecimal() else 0, message)


def _change(record: str, fields: Iterator[bytes]) -> FileChange:
    """`:<mode> <mode> <blob> <blob> <status>`, and the path, or two of them for a rename."""
    words = record[1:].split(" ")
    if len(words) != _RAW_WORDS:
        raise stopped(0)
    old_mode, mode, old_blob, blob, letter = words
    old_path = _path(next(fields, b""))
    path = _path(next(fields, b"")) if letter[:1] in "RC" else old_path
    is_file = {old_mode, mode} <= {*_REGULAR, _NONE}
    return FileChange(_STATUS.get(letter[:1], "other"), old_path, path, old_blob, blob, is_file)


def _path(raw: bytes) -> str:
    r"""A name that is not UTF-8 is shown with `\xff` for the bytes that are none."""
    return raw.decode("utf-8", "backslashreplace")
