"""Starting Git on a repository that nobody vouches for: nothing that the repository holds or configures may run.

Which command sets off what was measured with git 2.39. Only plumbing is used (rev-parse, rev-list, diff-tree, cat-file): it converts no
file, so filters and textconv have nothing to do, asks for no signature, and shows no pager. What is left is switched off below: hooks,
the file system monitor, an index (it is what makes a diff ask that monitor), fetching of missing objects, replaced objects, and whatever
stands in the user's environment and in his own Git configuration.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from errors import GitFailedError, ToolMissingError

COMMAND_TIMEOUT_S = 30.0
"""For a command that answers in one line."""
COUNT_TIMEOUT_S = 600.0
"""For one that walks through the whole history before it does."""

_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_SWITCHES = {
    "GIT_ALLOW_PROTOCOL": "",  # not even the protocol of a local path: a partial clone would fetch what is missing
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_GRAFT_FILE": os.devnull,  # parents that were not committed
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_CONFIGURATION = (
    "core.hooksPath=" + os.devnull,
    "core.attributesFile=" + os.devnull,
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.commitGraph=false",  # a cache that may be damaged, or lie
    "core.askPass=",
    "core.sshCommand=false",
    "core.pager=",
    "core.gitProxy=",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "mailmap.file=",
    "mailmap.blob=",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.directory=*",  # a folder of another user's: fit to be read, as nothing of it runs
    "submodule.recurse=false",
)
_NO_INDEX = "codemind-reads-no-index"


def find_git(environment: Mapping[str, str] | None = None) -> str:
    """The program's absolute path, never one in a folder that PATH names relative to the user's place. Raises ToolMissingError."""
    path = (os.environ if environment is None else environment).get("PATH", os.defpath)
    folders = os.pathsep.join(folder for folder in path.split(os.pathsep) if Path(folder).is_absolute())
    found = shutil.which("git", path=folders)
    if found is None:
        raise ToolMissingError("Git is not installed: `memory seed --git` needs the program `git` on PATH.")
    return found


def git_environment(git_dir: Path | None = None) -> dict[str, str]:
    """What Git may see of the user's environment, and the switches. Built anew: a stray GIT_DIR, GIT_TRACE or PAGER is not in it."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    index = {} if git_dir is None else {"GIT_INDEX_FILE": str(git_dir / _NO_INDEX)}
    return {**kept, **_SWITCHES, **index}


def git_command(git: str, place: Path, arguments: Sequence[str], *, is_git_dir: bool) -> list[str]:
    """The whole command line; `place` is where to look for a repository, or the Git folder itself."""
    switches = [part for each in _CONFIGURATION for part in ("-c", each)]
    where = [f"--git-dir={place}"] if is_git_dir else ["-C", str(place)]
    return [git, "--no-pager", "--no-replace-objects", *switches, *where, *arguments]


def start_git(git: str, git_dir: Path, arguments: Sequence[str], *, stdin: int | IO[bytes] = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """A Git process whose output is read as it comes. Raises GitFailedError when it can't start."""
    try:
        return subprocess.Popen(
            git_command(git, git_dir, arguments, is_git_dir=True),
            cwd=git_dir,
            env=git_environment(git_dir),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise GitFailedError(f"Git can't be started: {(error.strerror or 'no access').lower()}.") from error


def ask_git(
    git: str, place: Path, arguments: Sequence[str], *, is_git_dir: bool = True, timeout_s: float = COMMAND_TIMEOUT_S
) -> tuple[int, str]:
    """Exit status and output of a command that answers in a line or two. Raises GitFailedError when it hangs or can't start."""
    try:
        done = subprocess.run(
            git_command(git, place, arguments, is_git_dir=is_git_dir),
            cwd=place,
            env=git_environment(place if is_git_dir else None),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GitFailedError(f"Git gave no answer for {timeout_s:.0f} s: see whether `git log` works in that repository.") from error
    except OSError as error:
        raise GitFailedError(f"Git can't be started: {(error.strerror or 'no access').lower()}.") from error
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")
