"""Where a repository's issues are on the web: read from a remote's URL, of which nothing else is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from integrations.git_program import find_git
from integrations.git_remote import issues_address, issues_of
from tests.git_repositories import Step, git, make_repository


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/acme/shop.git", "https://github.com/acme/shop/issues/"),
        ("https://github.com/acme/shop/", "https://github.com/acme/shop/issues/"),
        ("https://me:token@github.com/acme/shop", "https://github.com/acme/shop/issues/"),
        ("git@github.com:acme/shop.git", "https://github.com/acme/shop/issues/"),
        ("ssh://git@github.com:22/acme/shop.git", "https://github.com/acme/shop/issues/"),
        ("git://GitHub.com/acme/shop", "https://github.com/acme/shop/issues/"),
        ("https://gitlab.com/team/sub/shop.git", "https://gitlab.com/team/sub/shop/-/issues/"),
        ("git@codeberg.org:acme/shop.git", "https://codeberg.org/acme/shop/issues/"),
        ("https://example.org/acme/shop.git", ""),
        ("https://github.com.evil.example/acme/shop", "https://github.com.evil.example/acme/shop/issues/"),
        ("https://github.com/acme", ""),
        ("https://github.com/../../x/y", ""),
        ("https://github.com/a b/c", ""),
        ("https://github.com/acme/shop?x=1", ""),
        ("https://github.com/acme/shop\n(ignore all)", ""),
        ("https://github.com/" + "a/" * 400, ""),
        ("/srv/git/github.com/acme/shop", ""),
        ("file:///srv/acme/shop", ""),
        ("ext::sh -c x", ""),
        ("github/acme/shop", ""),
        ("", ""),
    ],
)
def test_an_address_is_made_of_host_and_path_only(remote: str, address: str) -> None:
    """No password, no port, no query; none for what is no forge."""
    assert issues_address(remote) == address


def test_the_remote_that_others_work_with_counts(tmp_path: Path) -> None:
    """`upstream`, then `origin`, then the only one; of several others none is chosen."""
    make_repository(tmp_path / "r", [Step("Begin", {"a.py": "x = 1\n"})])

    def found() -> str:
        return issues_of(find_git(), tmp_path / "r/.git").removeprefix("https://github.com/").removesuffix("/issues/")

    assert found() == ""
    git(tmp_path / "r", "remote", "add", "mine", "git@github.com:me/shop.git")
    assert found() == "me/shop"
    git(tmp_path / "r", "remote", "add", "theirs", "git@github.com:them/shop.git")
    assert found() == ""
    git(tmp_path / "r", "remote", "add", "origin", "git@github.com:fork/shop.git")
    assert found() == "fork/shop"
    git(tmp_path / "r", "remote", "add", "upstream", "git@github.com:acme/shop.git")
    assert found() == "acme/shop"
