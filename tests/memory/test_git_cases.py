"""Seeding from repositories of every kind that people have: the same fixes, the real names, nothing wrong learnt, or one clear line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from errors import GitFailedError
from memory.ledger import Ledger
from schema.source import Source
from tests.git_repositories import Step, git, make_repository
from tests.memory.git_learning import BUGGY, FIXED, METHOD, empty_ledger, learn, memory, simple, stored


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty one."""
    return empty_ledger(tmp_path)


def bug(number: int) -> str:
    """A function with a bug that no other number has."""
    return f"def last_{number}(items):\n    offset = {number}\n    return items[len(items)] + offset\n"


def mended(number: int) -> str:
    """The same with its fix."""
    return bug(number).replace("[len(items)]", "[len(items) - 1]")


def mended_one_by_one(folder: Path, count: int) -> list[str]:
    """A repository whose first commit has all the bugs, and each later one mends one; the ids."""
    steps = [Step("Begin", {f"f{n}.py": bug(n) for n in range(count)})]
    steps += [Step(f"Fix the crash at the end of {n}", {f"f{n}.py": mended(n)}) for n in range(count)]
    return make_repository(folder, steps, checkout=False)


def loose(folder: Path) -> None:
    """Every object in a file of its own."""
    packs = list((folder / ".git/objects/pack").glob("*.pack"))
    for pack in packs:
        content = pack.read_bytes()
        for ending in (".pack", ".idx", ".rev"):
            pack.with_suffix(ending).unlink(missing_ok=True)
        subprocess.run(["git", "-C", str(folder), "unpack-objects", "-q"], input=content, check=True)


@pytest.mark.parametrize("name", ["naïve.py", "two words.py", 'a"b.py', "line\nbreak.py", "back\\slash.py", "tab\there.py", "日本/x.py"])
def test_a_fix_is_filed_under_its_real_path(tmp_path: Path, ledger: Ledger, name: str) -> None:
    """Never quoted, never the name of the file before it."""
    files: dict[str | bytes, str | bytes | None] = {name: BUGGY, "other.py": "x = 1\n"}
    ids = make_repository(tmp_path / "shop", [Step("Begin", files), Step("Fix the last item", {name: FIXED})], checkout=False)
    learn(ledger, tmp_path / "shop")
    assert [each.provenance.ref for each in stored(ledger)] == [f"shop@{ids[1]}:{name}"]
    assert memory(ledger).recall(Source(METHOD, "python")).match.status == "IDENTICAL"


def test_the_boundary_of_a_shallow_clone_is_not_learnt(tmp_path: Path, ledger: Ledger) -> None:
    """Its parent is not here, so what it did is not known: it counts neither as a fix nor as a commit that adds everything."""
    ids = mended_one_by_one(tmp_path / "shop", 5)
    git(tmp_path, "clone", "-q", "--depth", "3", (tmp_path / "shop").as_uri(), "shallow")
    report = learn(ledger, tmp_path / "shallow")
    assert {each.provenance.ref.partition("@")[2][:40] for each in stored(ledger)} == set(ids[-2:])
    assert dict(report.not_taken) == {"first commit": 1}
    assert "shallow" in report.notes[0]


def test_what_a_shallow_clone_lacked_is_learnt_when_it_is_there(tmp_path: Path, ledger: Ledger) -> None:
    """`--since last` would skip older commits: the whole history is read again once it is deepened."""
    mended_one_by_one(tmp_path / "shop", 5)
    git(tmp_path, "clone", "-q", "--depth", "3", (tmp_path / "shop").as_uri(), "shallow")
    learn(ledger, tmp_path / "shallow", is_incremental=True)
    assert learn(ledger, tmp_path / "shallow", is_incremental=True).commits == 0
    git(tmp_path / "shallow", "fetch", "-q", "--deepen", "1")
    assert learn(ledger, tmp_path / "shallow", is_incremental=True).stored.added == 1
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert learn(ledger, tmp_path / "shallow", is_incremental=True).stored.added == 2
    assert len(stored(ledger)) == 5


def bare(folder: Path) -> Path:
    """A clone without files."""
    git(folder, "clone", "-q", "--bare", "shop", "bare.git")
    return folder / "bare.git"


def worktree(folder: Path) -> Path:
    """A second working tree."""
    git(folder / "shop", "worktree", "add", "-q", "--detach", str(folder / "tree"))
    return folder / "tree"


def submodule(folder: Path) -> Path:
    """Within another repository."""
    make_repository(folder / "outer", [Step("Begin", {"x.py": "x = 1\n"})])
    git(folder / "outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(folder / "shop"), "inner")
    return folder / "outer/inner"


def borrowing(folder: Path) -> Path:
    """Its objects are in another repository."""
    git(folder, "clone", "-q", "--shared", "shop", "borrowing")
    return folder / "borrowing"


def detached(folder: Path) -> Path:
    """No branch is checked out."""
    git(folder / "shop", "checkout", "-q", "--detach")
    return folder / "shop"


def elsewhere(folder: Path) -> Path:
    """Its configuration says that its files are in another folder."""
    (folder / "other").mkdir()
    git(folder / "shop", "config", "core.worktree", str(folder / "other"))
    return folder / "shop"


def packed(folder: Path) -> Path:
    """All in one pack, with a bitmap and a commit graph."""
    git(folder / "shop", "repack", "-adbq")
    git(folder / "shop", "commit-graph", "write", "--reachable")
    return folder / "shop"


def grafted(folder: Path) -> Path:
    """Other parents are given to a commit, in the old way and in the new one."""
    first, *_, before, last = git(folder / "shop", "rev-list", "--reverse", "main").split()
    (folder / "shop/.git/info").mkdir(exist_ok=True)
    (folder / "shop/.git/info/grafts").write_text(f"{last} {first}\n")
    git(folder / "shop", "replace", before, first)
    return folder / "shop"


@pytest.mark.parametrize("made", [bare, worktree, submodule, borrowing, detached, elsewhere, packed, grafted])
def test_every_kind_of_repository_gives_the_same_fixes(tmp_path: Path, ledger: Ledger, made: Callable[[Path], Path]) -> None:
    """From the same commits, exactly the same text."""
    ids = mended_one_by_one(tmp_path / "shop", 4)
    learn(ledger, made(tmp_path))
    assert [(each.code, each.fixed_code) for each in stored(ledger)] == [(bug(n), mended(n)) for n in range(4)]
    assert [each.provenance.ref.partition("@")[2] for each in stored(ledger)] == [f"{ids[n + 1]}:f{n}.py" for n in range(4)]


def test_a_repository_with_long_ids_is_read(tmp_path: Path, ledger: Ledger) -> None:
    """SHA-256: 64 digits."""
    (tmp_path / "shop").mkdir()
    git(tmp_path / "shop", "init", "-q", "-b", "main", "--object-format=sha256")
    ids = mended_one_by_one(tmp_path / "shop", 2)
    learn(ledger, tmp_path / "shop")
    assert [each.provenance.ref for each in stored(ledger)] == [f"shop@{ids[n + 1]}:f{n}.py" for n in range(2)]
    assert {len(each) for each in ids} == {64}


def damaged(file: Path) -> None:
    """Its content is not what it was."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    content[-5] ^= 0xFF
    file.chmod(0o644)
    file.write_bytes(content)


@pytest.mark.parametrize(("what", "before"), [("{}^{{tree}}", 2), ("{}:f2.py", 2), ("{}", 0)], ids=["tree", "blob", "commit"])
def test_a_damaged_object_ends_with_one_line_and_keeps_what_came_before(tmp_path: Path, ledger: Ledger, what: str, before: int) -> None:
    """Also where nothing had been reported yet; repeated, the rest comes once the repository is mended. Git lists all commits first."""
    ids = mended_one_by_one(tmp_path / "shop", 5)
    loose(tmp_path / "shop")
    broken = git(tmp_path / "shop", "rev-parse", what.format(ids[3])).strip()
    file = tmp_path / "shop/.git/objects" / broken[:2] / broken[2:]
    content = file.read_bytes()
    damaged(file)
    with pytest.raises(GitFailedError, match="git fsck"):
        learn(ledger, tmp_path / "shop", is_incremental=True)
    assert len(stored(ledger)) == before
    file.write_bytes(content)
    learn(ledger, tmp_path / "shop", is_incremental=True)
    assert len(stored(ledger)) == 5


def test_a_missing_file_is_left_out_and_counted(tmp_path: Path, ledger: Ledger) -> None:
    """All others are learnt."""
    ids = mended_one_by_one(tmp_path / "shop", 3)
    loose(tmp_path / "shop")
    missing = git(tmp_path / "shop", "rev-parse", f"{ids[2]}:f1.py").strip()
    (tmp_path / "shop/.git/objects" / missing[:2] / missing[2:]).unlink()
    report = learn(ledger, tmp_path / "shop")
    assert [each.code for each in stored(ledger)] == [bug(0), bug(2)]
    assert report.left_out["file too large or missing"] == 1


def test_line_ends_are_those_of_the_history(tmp_path: Path, ledger: Ledger) -> None:
    """Whatever Git would make of them on the way to the disk."""
    before, after = (text.replace("\n", "\r\n") for text in (bug(1), mended(1)))
    steps = [Step("Begin", {"a.py": before, "b.py": bug(2), ".gitattributes": "* text=auto eol=crlf\n"}), Step("Fix it", {"a.py": after})]
    make_repository(tmp_path / "shop", [*steps, Step("Fix that", {"b.py": mended(2)})], checkout=False)
    git(tmp_path / "shop", "config", "core.autocrlf", "true")
    learn(ledger, tmp_path / "shop")
    assert [(each.code, each.fixed_code) for each in stored(ledger)] == [(before, after), (bug(2), mended(2))]


def test_an_author_is_who_the_commit_says(tmp_path: Path, ledger: Ledger) -> None:
    """A .mailmap would let a repository put other names on its commits."""
    steps = [Step("Begin", {"a.py": bug(1), ".mailmap": "Mallory <m@example.org> <grace@example.org>\n"})]
    make_repository(tmp_path / "shop", [*steps, Step("Fix it", {"a.py": mended(1)}, author="Grace Hopper")])
    git(tmp_path / "shop", "config", "log.mailmap", "true")
    learn(ledger, tmp_path / "shop")
    assert [each.provenance.author for each in stored(ledger)] == ["Grace Hopper"]


def test_a_message_is_read_in_the_encoding_that_its_commit_names(tmp_path: Path, ledger: Ledger) -> None:
    """And stored as UTF-8."""
    fix = Step("Fix the naïve last item".encode("latin-1"), {"a.py": mended(1)}, encoding="ISO-8859-1")
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": bug(1)}), fix])
    learn(ledger, tmp_path / "shop")
    assert [each.explanation for each in stored(ledger)] == ["Fix the naïve last item"]


@pytest.mark.parametrize("merged", [2, (1, 2), (1, 2, 3)], ids=["two parents", "three", "four"])
def test_merges_teach_nothing(tmp_path: Path, ledger: Ledger, merged: int | tuple[int, ...]) -> None:
    """Not even one that changes a function itself and is called a fix."""
    steps = [Step("Begin", {"a.py": bug(1)}), Step("Fix it", {"a.py": mended(1)}), Step("More", {"b.py": bug(2)}), Step("Go", {"c.py": ""})]
    make_repository(tmp_path / "shop", [*steps, Step("Fix the crash in b", {"b.py": mended(2)}, merges=merged)])
    report = learn(ledger, tmp_path / "shop")
    assert [each.code for each in stored(ledger)] == [bug(1)]
    assert report.not_taken["merge"] == 1


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Step("Fix it by deleting", {"a.py": None}), "files added, deleted, renamed or moved only"),
        (Step("Fix the mode", {"a.py": bug(1)}, modes={"a.py": "100755"}), "file modes only"),
        (Step("Fix the link", {"a.py": "b.py"}, modes={"a.py": "120000"}), "links or submodules only"),
        (Step("Fix the name", {"a.py": None, "A.py": bug(1)}), "files added, deleted, renamed or moved only"),
        (
            Step("Fix the size", {"a.py": "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n"}),
            "contents can't be used: content kept in Git LFS",
        ),
        (Step("Fix the inner one", {"a.py": "1" * 40}, modes={"a.py": "160000"}), "links or submodules only"),
        (Step("Fix all", {"a.py": mended(1).encode("utf-16")}), "contents can't be used: binary file"),
        (Step("Fix nothing", {}), "changes no file"),
    ],
    ids=lambda value: value.message if isinstance(value, Step) else "",
)
def test_what_mends_no_function_has_its_reason(tmp_path: Path, ledger: Ledger, step: Step, why: str) -> None:
    """And nothing is stored of it."""
    make_repository(tmp_path / "shop", [Step("Begin", {"a.py": bug(1)}), step], checkout=False)
    report = learn(ledger, tmp_path / "shop")
    assert (dict(report.not_taken), stored(ledger)) == ({"first commit": 1, why: 1}, [])


def test_a_fix_in_a_file_that_gets_another_name_is_learnt(tmp_path: Path, ledger: Ledger) -> None:
    """Also where only the case of its name differs; under the name that it has afterwards."""
    rest = "".join(f"LIMIT_{n} = {n}\n" for n in range(30))
    steps = [Step("Begin", {"store.py": rest + bug(1)}), Step("Fix the last item", {"store.py": None, "Store.py": rest + mended(1)})]
    ids = make_repository(tmp_path / "shop", steps, checkout=False)
    learn(ledger, tmp_path / "shop")
    assert [(each.code, each.provenance.ref) for each in stored(ledger)] == [(bug(1), f"shop@{ids[1]}:Store.py")]


@pytest.mark.parametrize(
    ("remote", "said"),
    [
        ("https://me:secret@github.com/acme/shop.git", "(Issue #5: https://github.com/acme/shop/issues/5)"),
        ("git@gitlab.example.org:team/sub/shop.git", "(Issue #5: https://gitlab.example.org/team/sub/shop/-/issues/5)"),
        ("/srv/git/shop.git", "(Issue #5.)"),
        ("https://evil.example.org/acme/shop", "(Issue #5.)"),
    ],
)
def test_the_issue_comes_with_its_address_where_the_remote_tells(tmp_path: Path, ledger: Ledger, remote: str, said: str) -> None:
    """Nothing is asked over the network, and no password is kept."""
    simple(tmp_path / "shop")
    git(tmp_path / "shop", "remote", "add", "origin", remote)
    learn(ledger, tmp_path / "shop")
    assert [each.explanation for each in stored(ledger)] == [f"Fix the last item\n\nIt was past the end.\n\n{said}"]
    assert stored(ledger)[0].trust == "plausible"
