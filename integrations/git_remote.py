"""The web address under which a repository's issues are, read from its remotes without asking them: nothing is fetched.

Only forges whose addresses are known count, and nothing of a remote's user, password, port or query is kept.
"""

from __future__ import annotations

import re
from pathlib import Path

from integrations.git_program import ask_git

_REMOTE = re.compile(r"^(?:(?:https?|ssh|git)://(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+)?/|(?:[\w.-]+@)(?P<scp>[\w.-]+):)(?P<path>\S+)$")
_PATH = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)+", re.ASCII)
_ISSUES = {
    "github": "/issues/",
    "gitlab": "/-/issues/",
    "gitea": "/issues/",
    "forgejo": "/issues/",
    "codeberg": "/issues/",
    "bitbucket": "/issues/",
}
"""By the first part of the host's name: a forge of one's own is mostly called `gitlab.example.org`."""
_PREFERRED = ("upstream", "origin")
_LONGEST = 300


def issues_of(git: str, git_dir: Path) -> str:
    """`https://host/owner/name/issues/`, to which a number is added; empty where no remote tells. Raises GitFailedError."""
    status, answer = ask_git(git, git_dir, ["config", "--null", "--get-regexp", r"^remote\..*\.url$"])
    found = dict(line.split("\n", 1) for line in answer.split("\0") if "\n" in line) if status == 0 else {}
    remotes = {name.removeprefix("remote.").removesuffix(".url"): issues_address(url) for name, url in found.items()}
    named = [remotes[name] for name in _PREFERRED if remotes.get(name)]
    return named[0] if named else next(iter(remotes.values())) if len(remotes) == 1 else ""


def issues_address(remote: str) -> str:
    """The same for a remote's URL, in any of the forms that Git takes."""
    found = _REMOTE.match(remote.strip()) if len(remote) <= _LONGEST else None
    if found is None:
        return ""
    host, path = (found["host"] or found["scp"]).lower(), found["path"].strip("/").removesuffix(".git")
    ending = _ISSUES.get(host.split(".")[0])
    if ending is None or "." not in host or _PATH.fullmatch(path) is None:
        return ""
    return f"https://{host}/{path}{ending}"
