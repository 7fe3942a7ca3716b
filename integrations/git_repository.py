"""Finding a repository and opening its history, whoever owns it and wherever the user's own Git settings point."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from errors import GitFailedError, NotARepositoryError
from integrations.git_blobs import BlobReader
from integrations.git_log import GitHistory
from integrations.git_program import ask_git, find_git
from integrations.git_remote import issues_of

_MOST_BOUNDARY = 1_000_000


@contextmanager
def open_history(place: Path) -> Iterator[GitHistory]:
    """The repository that the folder is, or lies in. Its processes end with the block.

    Raises NotARepositoryError, ToolMissingError, and GitFailedError for a repository that is broken or only partly here.
    """
    if not place.is_dir():
        missing = "is a file" if place.exists() else "does not exist"
        raise NotARepositoryError(f"{place} {missing}: give the folder of a Git repository.")
    git = find_git()
    git_dir = _git_dir(git, place)
    _refuse_partial(git, git_dir, place)
    folder = _top(git, place, git_dir)
    status, head = ask_git(git, git_dir, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    if status not in {0, 1}:
        raise GitFailedError(f"Git can't read the repository of {place}: run `git fsck` there.")
    shallow = ask_git(git, git_dir, ["rev-parse", "--is-shallow-repository"])[1].strip() == "true"
    boundary = _boundary(git, git_dir) if shallow else b""
    key = hashlib.sha256(str(git_dir).encode("utf-8", "surrogateescape") + boundary).hexdigest()[:16]
    issues = issues_of(git, git_dir)
    with BlobReader(git, git_dir) as blobs:
        yield GitHistory(git, git_dir, _name(folder), key, head.strip(), shallow, folder, blobs, issues)


def _boundary(git: str, git_dir: Path) -> bytes:
    """Where a shallow clone ends: with older commits fetched it counts as another repository, that nobody has read so far."""
    place = Path(ask_git(git, git_dir, ["rev-parse", "--git-path", "shallow"])[1].strip("\n"))
    file = git_dir / place
    if not file.is_file():
        return b""
    with file.open("rb") as opened:
        return opened.read(_MOST_BOUNDARY)


def _git_dir(git: str, place: Path) -> Path:
    """The Git folder itself, so that no later command looks for one."""
    status, answer = ask_git(git, place, ["rev-parse", "--absolute-git-dir"], is_git_dir=False)
    if status == 0 and answer.strip("\n"):
        return Path(answer.strip("\n"))
    if any((folder / ".git").exists() for folder in (place.resolve(), *place.resolve().parents)):
        raise GitFailedError(f"Git can't read the repository of {place}: see what `git status` says there.")
    raise NotARepositoryError(f"{place} is not in a Git repository: give the folder of one.")


def _refuse_partial(git: str, git_dir: Path, place: Path) -> None:
    """Git would fetch what such a clone leaves out; nothing is fetched here."""
    found = ask_git(git, git_dir, ["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"])
    if found[0] == 0:
        raise GitFailedError(
            f"{place} is a partial clone: contents of files are missing, and nothing is fetched here. Clone it again without --filter."
        )


def _top(git: str, place: Path, git_dir: Path) -> Path:
    """Where the working tree begins; the Git folder of a bare repository."""
    status, answer = ask_git(git, place, ["rev-parse", "--show-toplevel"], is_git_dir=False)
    return Path(answer.strip("\n")) if status == 0 and answer.strip("\n") else git_dir


def _name(folder: Path) -> str:
    """The folder's name without `.git`, safe to be printed and stored."""
    name = folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")
    return name.encode("utf-8", "backslashreplace").decode() or "repository"
