"""Git repositories for tests, made commit by commit through `git fast-import`: a hundred commits take a few milliseconds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
FIRST_DAY = 1_600_000_000


@dataclass(frozen=True)
class Step:
    """One commit: its message, the files that it writes (None deletes), by their paths, and what else it descends from."""

    message: str | bytes
    files: Mapping[str | bytes, str | bytes | None] = field(default_factory=dict)
    author: str = "Ada"
    merges: int | tuple[int, ...] | None = None
    """The number (from 1) of a second parent, or the numbers of all others."""
    modes: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    """What the commit says that its message is encoded in."""


def git(folder: Path, *arguments: str) -> str:
    """Run Git as a user would, without his settings; its output."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True, text=True, errors="replace").stdout


def make_repository(folder: Path, steps: Sequence[Step], *, checkout: bool = True) -> list[str]:
    """A repository of these commits, one a day; their ids, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    stream = b"".join(_commit(number, step) for number, step in enumerate(steps, start=1))
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, env=_ENVIRONMENT, check=True)
    if checkout and steps:
        git(folder, "checkout", "-q", "-f", "main")
    return git(folder, "rev-list", "--topo-order", "--reverse", "main").split() if steps else []


def _commit(number: int, step: Step) -> bytes:
    when = FIRST_DAY + 86_400 * number
    head = f"commit refs/heads/main\nmark :{number}\nauthor {step.author} <{step.author.split()[0].lower()}@example.org> {when} +0000\n"
    head += f"committer Ada <ada@example.org> {when} +0000\n" + (f"encoding {step.encoding}\n" if step.encoding else "")
    others = step.merges if isinstance(step.merges, tuple) else (step.merges,) if step.merges else ()
    parents = (f"from :{number - 1}\n" if number > 1 else "") + "".join(f"merge :{other}\n" for other in others)
    changes = b"".join(_change(path, content, step.modes) for path, content in step.files.items())
    return head.encode() + _counted(_bytes(step.message)) + parents.encode() + changes + b"\n"


def _change(path: str | bytes, content: str | bytes | None, modes: Mapping[str, str]) -> bytes:
    name = _quoted(_bytes(path))
    if content is None:
        return b"D " + name + b"\n"
    mode = modes.get(path, "100644") if isinstance(path, str) else "100644"
    if mode == "160000":
        return b"M 160000 " + _bytes(content) + b" " + name + b"\n"
    return f"M {mode} inline ".encode() + name + b"\n" + _counted(_bytes(content))


def _counted(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"


def _quoted(name: bytes) -> bytes:
    return b'"' + name.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text
