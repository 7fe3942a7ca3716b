"""Reading histories of every kind: names and messages as they are, in bounded memory, or one clear line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from errors import GitFailedError, NotARepositoryError
from integrations.git_blobs import BlobReader
from integrations.git_pipe import GitPipe
from integrations.git_program import find_git
from integrations.git_repository import open_history
from schema.git_history import Commit, Window
from tests.git_repositories import FIRST_DAY, Step, git, make_repository

A, B = "def f():\n    return 1\n", "def f():\n    return 2\n"


def read(place: Path, window: Window | None = None) -> list[Commit]:
    """All commits of a window."""
    with open_history(place) as history:
        commits = list(history.commits(window or Window()))
        assert history.count(window or Window()) == len(commits)
        return commits


def test_commits_come_oldest_first_with_what_they_changed(tmp_path: Path) -> None:
    """Author, time, whole message, parents; a rename with its old name."""
    ids = make_repository(
        tmp_path / "r",
        [
            Step("Begin", {"a.py": A, "b.py": "x = 1\n" * 20}, author="Bo Lindqvist"),
            Step("Fix f\n\nBecause.\n\n:000 odd line\n", {"a.py": B}),
            Step("Move b", {"b.py": None, "lib/c.py": "x = 1\n" * 19 + "x = 2\n"}),
            Step("Drop", {"a.py": None}),
        ],
    )
    commits = read(tmp_path / "r")
    assert [commit.id for commit in commits] == ids
    assert (commits[0].author, commits[0].time, commits[0].parents) == ("Bo Lindqvist", FIRST_DAY + 86_400, ())
    assert commits[1].message.strip() == "Fix f\n\nBecause.\n\n:000 odd line"
    assert [(each.status, each.old_path, each.path) for commit in commits[1:] for each in commit.changes] == [
        ("modified", "a.py", "a.py"),
        ("renamed", "b.py", "lib/c.py"),
        ("deleted", "a.py", "a.py"),
    ]


def test_paths_are_what_they_are_called(tmp_path: Path) -> None:
    """Quotes, blanks, line breaks, other scripts, a leading colon, and bytes that are no UTF-8: never the name before."""
    names = ["naïve.py", "two words.py", 'a"b.py', "line\nbreak.py", ":000 x.py", "日本.py", "-option.py", " lead.py"]
    make_repository(tmp_path / "r", [Step("Begin", {name: A for name in names}), Step("Fix", {name: B for name in names})], checkout=False)
    assert sorted(each.path for each in read(tmp_path / "r")[1].changes) == sorted(names)


def test_a_path_that_is_not_utf8_is_shown_with_its_bytes(tmp_path: Path) -> None:
    """No surrogate reaches anything that is stored."""
    make_repository(tmp_path / "r", [Step("Begin", {b"caf\xe9.py": A})], checkout=False)
    assert read(tmp_path / "r")[0].changes[0].path == "caf\\xe9.py"


def test_messages_that_are_not_utf8_are_read(tmp_path: Path) -> None:
    """By the encoding that the commit names, else with marks for what can't be read."""
    make_repository(tmp_path / "r", [Step(b"Fix the caf\xe9", {"a.py": A})])
    assert read(tmp_path / "r")[0].subject == "Fix the caf\ufffd"


def test_an_empty_and_an_enormous_message(tmp_path: Path) -> None:
    """Of the long one the beginning is kept, and the commits behind it are not lost."""
    make_repository(tmp_path / "r", [Step("", {"a.py": A}), Step("x" * 3_000_000, {"a.py": B}), Step("Last", {"a.py": A})])
    commits = read(tmp_path / "r")
    assert [len(commit.message) < 200_000 for commit in commits] == [True, True, True]
    assert [commit.subject[:4] for commit in commits] == ["", "xxxx", "Last"]


def test_links_and_submodules_are_no_files(tmp_path: Path) -> None:
    """They are told of, and marked."""
    steps = [
        Step("Begin", {"link.py": "a.py", "inner": "1" * 40, "a.py": A}, modes={"link.py": "120000", "inner": "160000"}),
        Step("Fix", {"link.py": "b.py", "inner": "2" * 40, "a.py": B}, modes={"link.py": "120000", "inner": "160000"}),
    ]
    make_repository(tmp_path / "r", steps, checkout=False)
    assert {each.path: each.is_file for each in read(tmp_path / "r")[1].changes} == {"a.py": True, "link.py": False}


def test_a_merge_has_two_parents_and_no_changes(tmp_path: Path) -> None:
    """What it brings was told of before."""
    make_repository(tmp_path / "r", [Step("A", {"a.py": A}), Step("B", {"a.py": B}), Step("Merge", {"b.py": A}, merges=1)])
    merge = read(tmp_path / "r")[-1]
    assert (len(merge.parents), merge.changes) == (2, ())


def test_windows_choose_commits(tmp_path: Path) -> None:
    """After a commit, by time, by path, the newest few."""
    ids = make_repository(tmp_path / "r", [Step(f"c{n}", {f"d{n % 2}/a.py": f"x = {n}\n"}) for n in range(1, 9)])
    folder = tmp_path / "r"

    def chosen(window: Window) -> list[int]:
        return [ids.index(commit.id) + 1 for commit in read(folder, window)]

    assert chosen(Window(after=ids[5])) == [7, 8]
    assert chosen(Window(since=FIRST_DAY + 86_400 * 7)) == [7, 8]
    assert chosen(Window(until=FIRST_DAY + 86_400 * 2)) == [1, 2]
    assert chosen(Window(paths=("d0",))) == [2, 4, 6, 8]
    assert chosen(Window(most=3)) == [6, 7, 8]
    assert chosen(Window(paths=("--all", ":(top)x"))) == []


def test_a_commit_of_very_many_files_is_counted_and_not_kept(tmp_path: Path) -> None:
    """A sweep over thousands of files takes no memory."""
    make_repository(tmp_path / "r", [Step("All", {f"f{n}.py": "x = 1\n" for n in range(1000)})], checkout=False)
    commit = read(tmp_path / "r")[0]
    assert (len(commit.changes), commit.changed_files) == (400, 1000)


def test_reverts_are_found_by_what_they_say(tmp_path: Path) -> None:
    """Over the whole history, with their messages."""
    steps = [Step("Fix x", {"a.py": B}), Step('Revert "Fix x"\n\nThis reverts commit 1234567.', {"a.py": A}), Step("Other", {"a.py": B})]
    make_repository(tmp_path / "r", steps)
    with open_history(tmp_path / "r") as history:
        assert [commit.subject for commit in history.reverts()] == ['Revert "Fix x"']


def test_subfolders_bare_and_linked_repositories_open(tmp_path: Path) -> None:
    """As Git itself finds them; a bare one has a name of its own."""
    make_repository(tmp_path / "r", [Step("Begin", {"lib/a.py": A})])
    git(tmp_path / "r", "clone", "-q", "--bare", ".", str(tmp_path / "plain.git"))
    git(tmp_path / "r", "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    for place, name in (
        (tmp_path / "r/lib", "r"),
        (tmp_path / "plain.git", "plain"),
        (tmp_path / "tree", "tree"),
        (tmp_path / "r/.git", "r"),
    ):
        with open_history(place) as history:
            assert history.name == name
            assert len(list(history.commits(Window()))) == 1


def test_a_detached_head_is_what_is_read(tmp_path: Path) -> None:
    """The commits that led to what is checked out."""
    ids = make_repository(tmp_path / "r", [Step("One", {"a.py": A}), Step("Two", {"a.py": B})])
    git(tmp_path / "r", "checkout", "-q", "--detach", ids[0])
    assert [commit.subject for commit in read(tmp_path / "r")] == ["One"]


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    """And gives what is there."""
    make_repository(tmp_path / "r", [Step(f"c{n}", {"a.py": f"x = {n}\n"}) for n in range(5)])
    git(tmp_path, "clone", "-q", "--depth", "2", (tmp_path / "r").as_uri(), "s")
    with open_history(tmp_path / "s") as history:
        assert history.is_shallow
        assert len(list(history.commits(Window()))) == 2


def test_an_empty_repository_has_no_head(tmp_path: Path) -> None:
    """Nothing to read is no failure."""
    make_repository(tmp_path / "r", [])
    with open_history(tmp_path / "r") as history:
        assert (history.head, list(history.commits(Window())), history.count(Window())) == ("", [], 0)


@pytest.mark.parametrize("name", ["missing", "file", "plain"])
def test_what_is_no_repository_is_said(tmp_path: Path, name: str) -> None:
    """A folder, a file, or nothing at all."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotARepositoryError, match=name), open_history(tmp_path / name):
        pass


def test_a_broken_git_folder_is_a_failure_of_git(tmp_path: Path) -> None:
    """A `.git` that names nothing, and one without its parts."""
    (tmp_path / "r").mkdir()
    (tmp_path / "r/.git").write_text("gitdir: /nowhere/at/all\n")
    with pytest.raises(GitFailedError), open_history(tmp_path / "r"):
        pass


def test_a_damaged_repository_stops_with_one_line(tmp_path: Path) -> None:
    """A commit whose parent is gone."""
    ids = make_repository(tmp_path / "r", [Step("One", {"a.py": A}), Step("Two", {"a.py": B}), Step("Three", {"a.py": A})])
    loose = tmp_path / "r/.git/objects" / ids[0][:2] / ids[0][2:]
    loose.unlink()
    with pytest.raises(GitFailedError, match="git fsck"):
        read(tmp_path / "r")


def test_large_files_are_left_out(tmp_path: Path) -> None:
    """By their size, before they are read."""
    make_repository(tmp_path / "r", [Step("Begin", {"big.py": "x = 1\n" * 2000, "small.py": A})])
    with open_history(tmp_path / "r") as history, BlobReader(history.git, history.git_dir, most_bytes=5000) as blobs:
        sizes = {each.path: blobs.read(each.new_blob) for each in next(history.commits(Window())).changes}
    assert sizes == {"big.py": None, "small.py": A.encode()}


def test_a_silent_git_is_given_up(tmp_path: Path) -> None:
    """A repository can hold a file that never ends; the process is ended too."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE, start_new_session=True)
    with pytest.raises(GitFailedError, match="no answer"):
        GitPipe(process, silence_s=0.1).line()
    assert process.poll() is not None


def test_leaving_early_leaves_no_process(tmp_path: Path) -> None:
    """A caller may stop after the first commit."""
    make_repository(tmp_path / "r", [Step(f"c{n}", {"a.py": f"x = {n}\n"}) for n in range(50)])
    before = _children()
    with open_history(tmp_path / "r") as history:
        commits = history.commits(Window())
        assert next(commits).subject == "c0"
        commits.close()  # type: ignore[attr-defined]
    assert _children() == before


def _children() -> set[str]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == os.getpid():
            found.add(entry.parent.name)
    return found


def test_git_is_found() -> None:
    """By its absolute path."""
    assert Path(find_git()).is_absolute()
