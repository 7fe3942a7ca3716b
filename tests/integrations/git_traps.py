"""A repository in which everything that Git can be made to run leaves a mark: one file a trap, beside the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.git_repositories import Step, git, make_repository

CODE = "def first(items):\n    return items[1]\n"
MENDED = "def first(items):\n    return items[0]\n"

_HOOKS = (
    "post-index-change", "reference-transaction", "post-checkout", "post-commit", "pre-commit", "post-merge", "pre-auto-gc", "post-rewrite",
    "fsmonitor-watchman", "pre-receive", "update", "proc-receive", "post-update", "push-to-checkout", "sendemail-validate",
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
    "interactive.diffFilter": "diff-filter",
    "gpg.program": "gpg",
    "gpg.ssh.program": "gpg-ssh",
    "diff.external": "external-diff",
    "diff.evil.command": "diff-command",
    "diff.evil.textconv": "textconv",
    "filter.evil.clean": "clean",
    "filter.evil.smudge": "smudge",
    "merge.evil.driver": "merge-driver",
    "uploadpack.packObjectsHook": "pack-objects",
    "trailer.sign.command": "trailer",
    "trailer.sign.cmd": "trailer",
    "credential.helper": "credential",
}
_COMMANDS = {
    "alias.rev-list": "alias",
    "alias.diff-tree": "alias",
    "alias.cat-file": "alias",
    "alias.log": "alias",
    "submodule.inner.update": "submodule",
}
_SETTINGS = {
    "log.showSignature": "true",
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


def trapped_repository(folder: Path) -> tuple[Path, Path]:
    """The repository, and the folder of marks. Its last commit carries a signature that Git would have checked."""
    marks, repository = folder / "marks", folder / "trapped"
    marks.mkdir(parents=True)
    steps = [
        Step("Begin", {"app.py": CODE, ".gitattributes": "*.py diff=evil filter=evil merge=evil\n"}),
        Step(
            "Tidy",
            {"notes.py": "def noted():\n    return 1\n", ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c x\n'},
        ),
        Step("Fix the index of the first item\n\nSign: x", {"app.py": MENDED}),
    ]
    make_repository(repository, steps)
    _sign_head(repository)
    _set_traps(repository, folder)
    return repository, marks


def trap(folder: Path, mark: str) -> Path:
    """A program that leaves its mark and passes on what it is given; one file each, as some settings take a path and no arguments."""
    script = folder / f"trap-{mark}"
    script.write_text(f"#!/bin/sh\necho fired >> '{folder}/marks/{mark}'\ncat 2>/dev/null\nexit 0\n", encoding="utf-8")
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


def _set_traps(repository: Path, folder: Path) -> None:
    """Written straight into the file: `git config` would be the first to fall for some of them."""
    lines = []
    for name, value in [
        *((name, str(trap(folder, mark))) for name, mark in _PROGRAMS.items()),
        *((name, f"!{trap(folder, mark)}") for name, mark in _COMMANDS.items()),
        *_SETTINGS.items(),
    ]:
        section, _, key = name.rpartition(".")
        outer, _, inner = section.partition(".")
        lines.append(f'[{outer} "{inner}"]' if inner else f"[{outer}]")
        lines.append(f'\t{key} = "{value}"')
    with (repository / ".git/config").open("a", encoding="utf-8") as config:
        config.write("\n".join(lines) + "\n")
    for hook in _HOOKS:
        path = repository / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        program = trap(folder, f"hook-{hook}")
        path.write_text(f"#!/bin/sh\nexec {program}\n", encoding="utf-8")
        path.chmod(0o755)
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/attributes").write_text("* diff=evil filter=evil\n", encoding="utf-8")
    (repository / "app.py").write_text("dirty = 1\n", encoding="utf-8")
