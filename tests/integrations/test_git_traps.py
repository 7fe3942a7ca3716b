"""Nothing of a repository runs: every trap that Git can be made to step into, planted and not sprung."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from errors import GitFailedError, ToolMissingError
from integrations.git_blobs import BlobReader
from integrations.git_program import find_git, git_environment
from integrations.git_repository import open_history
from schema.git_history import Commit, Window
from tests.git_repositories import Step, git, make_repository
from tests.integrations.git_traps import CODE, LIVE, MENDED, PLANTED, fired, step_into, trap, trapped_repository


def subject(place: Path) -> str:
    """Of the last commit, as Git says it when it is asked plainly; empty when it refuses."""
    done = subprocess.run(["git", "-C", str(place), "log", "-1", "--format=%s"], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "ignore").replace("\0", "").strip().rpartition("\n")[2]  # its configuration asks for UTF-16


def read_all(place: Path) -> list[Commit]:
    """Everything that seeding asks of a repository: commits, reverts, counts, contents."""
    with open_history(place) as history:
        commits = list(history.commits(Window()))
        list(history.reverts())
        assert history.count(Window(paths=("app.py",))) >= 1
        assert history.has(history.head)
        for commit in commits:
            for change in commit.changes:
                history.blob(change.new_blob)
        return commits


@pytest.mark.parametrize(("command", "traps"), LIVE, ids=lambda value: "-".join(value) if isinstance(value, tuple) else "")
def test_the_traps_are_live(tmp_path: Path, command: tuple[str, ...], traps: frozenset[str]) -> None:
    """Git's ordinary commands step into them: else the tests below would prove nothing."""
    repository, marks = trapped_repository(tmp_path)
    step_into(repository, command)
    assert traps <= set(fired(marks))


def test_each_trap_that_is_planted_is_shown_to_be_live() -> None:
    """None stands there for show."""
    assert frozenset().union(*(traps for _, traps in LIVE)) == PLANTED


def test_no_trap_goes_off(tmp_path: Path) -> None:
    """Hooks, monitor, pager, filters, textconv, external diff, signature programs, aliases, submodules."""
    repository, marks = trapped_repository(tmp_path)
    before = sorted(path for path in (repository / ".git").rglob("*") if path.is_file())
    commits = read_all(repository)
    assert [commit.subject for commit in commits] == ["Begin", "Tidy", "Fix the index of the first item"]
    assert [(each.status, each.path) for each in commits[-1].changes] == [("modified", "app.py")]
    assert fired(marks) == []
    assert sorted(path for path in (repository / ".git").rglob("*") if path.is_file()) == before
    assert (repository / "app.py").read_text() == "dirty = 1\n"


def test_contents_are_those_of_the_history(tmp_path: Path) -> None:
    """Neither the dirty working tree nor a filter changes what is read."""
    repository, _ = trapped_repository(tmp_path)
    with open_history(repository) as history:
        change = list(history.commits(Window()))[-1].changes[0]
        assert history.blob(change.old_blob) == CODE.encode()
        assert history.blob(change.new_blob) == MENDED.encode()


def test_a_stray_environment_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_DIR of another repository, and programs that GIT_* and others name."""
    repository, marks = trapped_repository(tmp_path)
    other = tmp_path / "other"
    make_repository(other, [Step("Another history", {"x.py": "x = 1\n"})])
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    assert subject(repository) == "Fix the index of the first item"
    program = trap(tmp_path, "exec-path")
    for name in ("git-rev-list", "git-diff-tree", "git-cat-file", "git-rev-parse"):
        (fakes / name).write_text(f"#!/bin/sh\nexec {program}\n")
        (fakes / name).chmod(0o755)
    strays = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"),
        "GIT_INDEX_FILE": str(other / ".git/index"),
        "GIT_NAMESPACE": "elsewhere",
        "GIT_EXEC_PATH": str(fakes),
        "GIT_TRACE": str(marks / "trace"),
        "GIT_TRACE2": str(marks / "trace2"),
        "GIT_TRACE_SETUP": str(marks / "trace-setup"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(trap(tmp_path, "environment")),
        "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=" + str(trap(tmp_path, "parameters")) + "'",
        "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1",
        **{
            name: str(trap(tmp_path, name))
            for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR")
        },
    }
    monkeypatch.setenv("GIT_DIR", strays["GIT_DIR"])
    assert subject(repository) == "Another history"
    for name, value in strays.items():
        monkeypatch.setenv(name, value)
    subject(repository)
    assert fired(marks) != []
    for mark in marks.iterdir():
        mark.unlink()
    assert read_all(repository)[0].subject == "Begin"
    assert fired(marks) == []


def test_the_environment_of_git_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the user's but those that find programs and temporary folders."""
    monkeypatch.setenv("GIT_SSH", "x")
    monkeypatch.setenv("API_TOKEN", "x")
    environment = git_environment()
    assert not {"GIT_SSH", "API_TOKEN", "HOME"} & set(environment)
    assert environment["GIT_OPTIONAL_LOCKS"] == "0"
    assert environment["GIT_ALLOW_PROTOCOL"] == ""


def test_the_users_own_settings_count_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A global configuration may name programs, too."""
    repository, marks = trapped_repository(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    program = trap(tmp_path, "global")
    (home / ".gitconfig").write_text(f'[core]\n\tfsmonitor = "{program}"\n[trace2]\n\teventTarget = {marks}/events\n')
    monkeypatch.setenv("HOME", str(home))
    read_all(repository)
    assert fired(marks) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can give files away")
def test_a_foreign_owner_is_read(tmp_path: Path) -> None:
    """The same commits as one's own: nothing of it runs, so nothing is refused."""
    repository, marks = trapped_repository(tmp_path)
    for path in (repository, *repository.rglob("*")):
        os.lchown(path, 12345, 12345)
    assert subject(repository) == ""
    assert len(read_all(repository)) == 3
    assert fired(marks) == []


@pytest.mark.parametrize("is_included", [False, True], ids=["in its configuration", "in a file that this includes"])
def test_nothing_is_fetched_for_a_partial_clone(tmp_path: Path, is_included: bool) -> None:
    """It is refused, and the program that would answer for its remote does not run; asked plainly, Git runs it."""
    repository, missing = partial_clone(tmp_path, is_included=is_included)
    with pytest.raises(GitFailedError, match="partial clone"):
        read_all(repository)
    with pytest.raises(GitFailedError), BlobReader(find_git(), repository / ".git") as blobs:
        blobs.read(missing)
    assert fired(tmp_path / "marks") == []
    subprocess.run(["git", "-C", str(repository), "cat-file", "blob", missing], capture_output=True, check=False)
    assert fired(tmp_path / "marks") == ["upload-pack"]


def partial_clone(folder: Path, *, is_included: bool) -> tuple[Path, str]:
    """A clone without contents whose remote is served by a trap, and the id of a content that it lacks."""
    (folder / "marks").mkdir()
    make_repository(folder / "whole", [Step("Begin", {"app.py": CODE}), Step("Fix it", {"app.py": MENDED})])
    git(folder / "whole", "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "-q", "--bare", "--filter=blob:none", (folder / "whole").as_uri(), "partial/.git")
    settings = folder / "partial/.git/config"
    git(folder / "partial", "config", "remote.origin.uploadpack", str(trap(folder, "upload-pack")))
    if is_included:
        settings.rename(settings.with_name("rest"))
        settings.write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n[include]\n\tpath = rest\n", encoding="utf-8")
    return folder / "partial", git(folder / "whole", "rev-parse", "HEAD~1:app.py").strip()


def test_a_missing_object_is_not_fetched(tmp_path: Path) -> None:
    """Even when only a remote says that it has it."""
    repository, marks = trapped_repository(tmp_path)
    with open_history(repository) as history:
        change = list(history.commits(Window()))[-1].changes[0]
        assert history.blob("0" * 39 + "1") is None
        assert history.blob("--batch") is None
        assert history.blob(change.new_blob) == MENDED.encode()
    assert fired(marks) == []


def test_git_is_not_looked_for_where_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative folder on PATH could be the repository itself."""
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_git({"PATH": f".{os.pathsep}{os.environ['PATH']}"}) != str(fake)
    with pytest.raises(ToolMissingError):
        find_git({"PATH": "."})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_files_that_never_end_are_not_opened(tmp_path: Path) -> None:
    """Named pipes where Git's friendlier commands look for names, attributes and exclusions."""
    repository, _ = trapped_repository(tmp_path)
    for name in (".mailmap", ".gitattributes", ".git/info/attributes", ".git/info/exclude", ".git/index", ".git/info/sparse-checkout"):
        (repository / name).unlink(missing_ok=True)
        os.mkfifo(repository / name)
    assert len(read_all(repository)) == 3


def test_replaced_objects_and_notes_are_not_shown(tmp_path: Path) -> None:
    """The history is the one that was committed."""
    repository = tmp_path / "r"
    first, second = make_repository(repository, [Step("Begin", {"a.py": CODE}), Step("Fix it", {"a.py": MENDED})])
    git(repository, "notes", "add", "-m", "a note", second)
    git(repository, "replace", second, first)
    with open_history(repository) as history:
        assert [commit.subject for commit in history.commits(Window())] == ["Begin", "Fix it"]
