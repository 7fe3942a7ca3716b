"""A repository in which everything that Git can be made to run leaves a mark: one file a trap, beside the repository."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.git_repositories import Step, git, make_repository

CODE = "def first(items):\n    return items[1]\n"
MENDED = "def first(items):\n    return items[0]\n"

_HOOKS = (
    "post-index-change", "reference-transaction", "post-checkout", "post-commit", "pre-commit", "prepare-commit-msg", "commit-msg",
    "post-rewrite",
)  # fmt: skip
_PROGRAMS = {
    "core.fsmonitor": "fsmonitor",
    "core.pager": "pager",
    "core.editor": "editor",
    "core.askPass": "askpass",
    "core.sshCommand": "ssh",
    "core.gitProxy": "proxy",
    "core.alternateRefsCommand": "alternates",
    "pager.log": "pager",
    "pager.rev-list": "pager",
    "pager.diff-tree": "pager",
    "gpg.program": "gpg",
    "gpg.ssh.program": "gpg-ssh",
    "diff.evil.command": "diff-command",
    "diff.evil.textconv": "textconv",
    "filter.evil.clean": "clean",
    "filter.evil.smudge": "smudge",
    "filter.talking.process": "process",
    "trailer.sign.cmd": "trailer",
    "credential.helper": "credential",
}
_WHO = ("AUTHOR", "COMMITTER")
_TALKERS = frozenset({"ssh", "proxy", "upload-pack"})
_COMMANDS = {
    "alias.rev-list": "alias",
    "alias.diff-tree": "alias",
    "alias.cat-file": "alias",
    "alias.log": "alias",
    "alias.evil": "alias",
}
_INCLUDED = {"diff.external": "external-diff"}
"""Written into a file that the configuration includes."""
_SETTINGS = {
    "log.showSignature": "true",
    "gpg.ssh.allowedSignersFile": "/dev/null",
    "trailer.sign.key": "Sign",
    "remote.far.url": "ssh://127.0.0.1/x",
    "remote.plain.url": "git://127.0.0.1/x",
    "log.mailmap": "true",
    "mailmap.blob": "HEAD:.mailmap",
    "diff.renames": "copies",
    "diff.noprefix": "true",
    "diff.relative": "true",
    "diff.ignoreSubmodules": "none",
    "diff.submodule": "log",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "core.fsmonitorHookVersion": "2",
    "core.quotePath": "true",
    "core.untrackedCache": "true",
    "filter.evil.required": "true",
    "i18n.logOutputEncoding": "UTF-16",
    "format.pretty": "%(trailers:key=sign)",
    "gpg.format": "openpgp",
    "fetch.recurseSubmodules": "true",
    "advice.detachedHead": "true",
}


LIVE: tuple[tuple[tuple[str, ...], frozenset[str]], ...] = (
    (("status",), frozenset({"fsmonitor", "clean", "hook-post-index-change"})),
    (("log", "-p", "-3"), frozenset({"gpg", "textconv", "smudge"})),
    (("show", "-s", "--format=%P"), frozenset({"gpg"})),
    (("diff", "HEAD~1", "HEAD"), frozenset({"diff-command", "smudge"})),
    (("diff",), frozenset({"external-diff", "process"})),
    (("diff-tree", "-r", "HEAD~1", "HEAD"), frozenset({"fsmonitor"})),
    (("update-ref", "refs/heads/new", "HEAD"), frozenset({"hook-reference-transaction"})),
    (("commit", "-q", "-m", "x", "--allow-empty"), frozenset(f"hook-{name}" for name in _HOOKS[3:7])),
    (("commit", "-q", "--amend", "-m", "x"), frozenset({"hook-post-rewrite"})),
    (("checkout", "-q", "-f", "other"), frozenset({"hook-post-checkout"})),
    (("tag", "-a", "x"), frozenset({"editor"})),
    (("credential", "fill"), frozenset({"askpass", "credential"})),
    (("ls-remote", "far"), frozenset({"ssh"})),
    (("ls-remote", "plain"), frozenset({"proxy"})),
    (("rev-list", "--alternate-refs"), frozenset({"alternates"})),
    (("evil",), frozenset({"alias"})),
    (("verify-tag", "signed"), frozenset({"gpg-ssh"})),
    (("interpret-trailers", "--trailer", "Sign: y"), frozenset({"trailer"})),
    (("--paginate", "log"), frozenset({"pager"})),
)
"""What Git runs of its own accord in that repository, by the command that makes it do so."""
PLANTED = frozenset({*_PROGRAMS.values(), *_COMMANDS.values(), *_INCLUDED.values(), *(f"hook-{name}" for name in _HOOKS)})


def step_into(repository: Path, command: tuple[str, ...]) -> None:
    """Give a command as a user at a terminal would."""
    master, slave = pty.openpty()
    try:
        subprocess.run(
            ["git", "-C", str(repository), *command],
            input=b"protocol=https\nhost=127.0.0.1\n\n",
            stdout=slave,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TERM": "xterm", **{f"GIT_{who}_{what}": "a@example.org" for who in _WHO for what in ("NAME", "EMAIL")}},
            timeout=30,
            check=False,
        )
    finally:
        os.close(slave)
        os.close(master)


def trapped_repository(folder: Path) -> tuple[Path, Path]:
    """The repository, and the folder of marks. Its last commit carries a signature that Git would have checked."""
    marks, repository = folder / "marks", folder / "trapped"
    marks.mkdir(parents=True)
    steps = [
        Step(
            "Begin",
            {
                "app.py": CODE,
                "plain.txt": "one\n",
                "talk.dat": "one\n",
                ".gitattributes": "*.py diff=evil filter=evil\n*.dat filter=talking\n",
            },
        ),
        Step(
            "Tidy",
            {"notes.py": "def noted():\n    return 1\n", ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c x\n'},
        ),
        Step("Fix the index of the first item\n\nSign: x", {"app.py": MENDED}),
    ]
    make_repository(repository, steps)
    _lend(repository, folder / "lender")
    _sign_head(repository)
    _set_traps(repository, folder)
    return repository, marks


def trap(folder: Path, mark: str) -> Path:
    """A program that leaves its mark and passes on what it is given; one file each, as some settings take a path and no arguments.

    Those that Git would talk with end at once.
    """
    script = folder / f"trap-{mark}"
    ending = "exit 1" if mark in _TALKERS else "cat 2>/dev/null\nexit 0"
    script.write_text(f"#!/bin/sh\necho fired >> '{folder}/marks/{mark}'\n{ending}\n", encoding="utf-8")
    script.chmod(0o755)
    return script


def fired(marks: Path) -> list[str]:
    """The traps that went off."""
    return sorted(path.name for path in marks.iterdir())


def _sign_head(repository: Path) -> None:
    """Give the last commit a signature, as `git commit -S` writes it."""
    head = subprocess.run(["git", "-C", str(repository), "cat-file", "commit", "HEAD"], check=True, capture_output=True).stdout
    top, body = head.split(b"\n\n", 1)
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ=\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "-C", str(repository), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=top + signature + b"\n\n" + body,
        check=True,
        capture_output=True,
    ).stdout.decode()
    git(repository, "update-ref", "refs/heads/main", made.strip())


def _lend(repository: Path, lender: Path) -> None:
    """Another repository whose objects this one uses, with a branch that this one lacks."""
    make_repository(lender, [Step("Another history", {"lent.py": CODE})])
    info = repository / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{lender}/.git/objects\n", encoding="utf-8")
    git(repository, "branch", "other", "main~1")
    git(repository, "tag", "-a", "-m", "Signed\n-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----", "signed")


def _set_traps(repository: Path, folder: Path) -> None:
    """Written straight into the file: `git config` would be the first to fall for some of them."""
    included = repository / ".git/included"
    included.write_text(_configuration((name, str(trap(folder, mark))) for name, mark in _INCLUDED.items()), encoding="utf-8")
    with (repository / ".git/config").open("a", encoding="utf-8") as config:
        config.write(_configuration((name, str(trap(folder, mark))) for name, mark in _PROGRAMS.items()))
        config.write(_configuration((name, f"!{trap(folder, mark)}") for name, mark in _COMMANDS.items()))
        config.write(_configuration(_SETTINGS.items()))
        config.write(_configuration([("include.path", "included")]))
    for hook in _HOOKS:
        path = repository / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        program = trap(folder, f"hook-{hook}")
        path.write_text(f"#!/bin/sh\nexec {program}\n", encoding="utf-8")
        path.chmod(0o755)
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/attributes").write_text("*.py diff=evil filter=evil\n", encoding="utf-8")
    for name in ("app.py", "plain.txt", "talk.dat"):
        (repository / name).write_text("dirty = 1\n", encoding="utf-8")


def _configuration(settings: Iterable[tuple[str, str]]) -> str:
    """As Git writes it."""
    lines = []
    for name, value in settings:
        section, _, key = name.rpartition(".")
        outer, _, inner = section.partition(".")
        lines.append(f'[{outer} "{inner}"]' if inner else f"[{outer}]")
        lines.append(f'\t{key} = "{value}"')
    return "\n".join(lines) + "\n"
