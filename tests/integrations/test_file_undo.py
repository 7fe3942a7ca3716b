"""A write that is taken back, and files that are made anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from errors import InputInvalidError, StorageFailedError
from integrations.files import create_file, read_source_file, unwrite, write_atomically


def test_a_write_is_taken_back_to_the_byte(tmp_path: Path) -> None:
    """Byte order mark, mixed line ends, missing last line end, mode: all as before."""
    path = tmp_path / "a.py"
    content = b"\xef\xbb\xbfx = 1\r\ny = 2\nz = 3"
    path.write_bytes(content)
    path.chmod(0o640)
    written = write_atomically(read_source_file(path), "x = 1\ny = 5\n")
    assert path.read_bytes() != content

    unwrite(written)

    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The write and the way back go to its target."""
    target, link = tmp_path / "a.py", tmp_path / "link.py"
    target.write_bytes(b"x = 1\n")
    link.symlink_to(target)

    written = write_atomically(read_source_file(link), "x = 2\n")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"x = 2\n")
    unwrite(written)
    assert (link.is_symlink(), target.read_bytes()) == (True, b"x = 1\n")


@pytest.mark.parametrize("before", [b"x = 1\n", None])
def test_a_file_that_changed_since_is_left_alone(tmp_path: Path, before: bytes | None) -> None:
    """The user's own change is worth more than the way back."""
    path = tmp_path / "a.py"
    if before is None:
        written = create_file(path, b"x = 2\n")
    else:
        path.write_bytes(before)
        written = write_atomically(read_source_file(path), "x = 2\n")
    path.write_bytes(b"x = 3\n")

    with pytest.raises(InputInvalidError, match="changed since it was written"):
        unwrite(written)

    assert path.read_bytes() == b"x = 3\n"


def test_a_created_file_is_gone_again(tmp_path: Path) -> None:
    """With the mode of any new file while it was there."""
    path = tmp_path / "new.py"
    written = create_file(path, b"x = 1\n")
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask

    unwrite(written)

    assert not path.exists()


def test_nothing_that_is_there_is_created_over(tmp_path: Path) -> None:
    """Neither a file, nor a folder, nor what a link without a target points at."""
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    for name in ("file", "folder", "link"):
        with pytest.raises(InputInvalidError, match="there already"):
            create_file(tmp_path / name, b"x = 1\n")

    assert (tmp_path / "file").read_bytes() == b"mine"
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """None is made: it is most often a slip of the hand."""
    with pytest.raises(InputInvalidError, match="there is no folder"):
        create_file(tmp_path / "nowhere" / "a.py", b"x = 1\n")
    with pytest.raises(StorageFailedError, match="not a usable path"):
        create_file(str(tmp_path) + "/a\0b.py", b"x = 1\n")


def test_an_empty_file_can_be_written(tmp_path: Path) -> None:
    """It is refused as something to review, not as a place to write to."""
    path = tmp_path / "a.py"
    path.write_bytes(b"\n")
    with pytest.raises(InputInvalidError, match="is empty"):
        read_source_file(path)

    written = write_atomically(read_source_file(path, may_be_empty=True), "x = 1\n")
    assert path.read_bytes() == b"x = 1\n"
    unwrite(written)
    assert path.read_bytes() == b"\n"


def test_the_content_is_in_no_repr(tmp_path: Path) -> None:
    """It may hold the user's secrets, and a repr ends up in logs."""
    assert "hush" not in repr(create_file(tmp_path / "a.py", b"hush = 1\n"))
