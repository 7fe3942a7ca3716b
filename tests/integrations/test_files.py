"""integrations.files: strict reading, and writing that changes nothing but the text."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from errors import InputInvalidError, StorageFailedError
from integrations.files import read_source_file, write_atomically


def write(folder: Path, content: bytes, name: str = "a.py") -> Path:
    """A file with these bytes."""
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("before", "changed_to", "after"),
    [
        (b"x = 1\ny = 2\n", "x = 3\ny = 2\n", b"x = 3\ny = 2\n"),
        (b"x = 1\r\ny = 2\r\n", "x = 3\ny = 2\n", b"x = 3\r\ny = 2\r\n"),
        (b"\xef\xbb\xbfx = 1\r\n", "x = 3\n", b"\xef\xbb\xbfx = 3\r\n"),
        (b"a\r\nb\nc\r\n", "a\nB\nc\n", None),
        (b"# -*- coding: latin-1 -*-\ns = '\xe9'\n", "# -*- coding: latin-1 -*-\ns = '\xe8'\n", b"# -*- coding: latin-1 -*-\ns = '\xe8'\n"),
        (b"x = 1", "x = 3", b"x = 3"),
    ],
    ids=["lf", "crlf", "bom", "mixed", "latin-1", "no end"],
)
def test_a_write_keeps_everything_but_the_text(tmp_path: Path, before: bytes, changed_to: str, after: bytes | None) -> None:
    """Encoding, byte order mark and line ends are those of the file."""
    file = read_source_file(write(tmp_path, before))

    write_atomically(file, changed_to)

    written = file.path.read_bytes()
    assert written == after if after is not None else written.startswith(b"a\r\n") and written.endswith(b"c\r\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


@pytest.mark.parametrize("content", [b"a\r\nb\nc\r", b"\xef\xbb\xbfa\rb\n", "x = '\u6f22'\r\n\x0c".encode()])
def test_writing_back_what_was_read_changes_no_byte(tmp_path: Path, content: bytes) -> None:
    """The round trip is exact."""
    file = read_source_file(write(tmp_path, content))

    write_atomically(file, file.text)

    assert file.path.read_bytes() == content


def test_the_text_has_lf_and_no_mark(tmp_path: Path) -> None:
    """What the program works on."""
    file = read_source_file(write(tmp_path, b"\xef\xbb\xbfx = 1\r\n"))

    assert (file.text, file.encoding, file.has_bom, file.newline) == ("x = 1\n", "utf-8", True, "\r\n")


def test_mode_and_link_stay(tmp_path: Path) -> None:
    """The link's target is written; the link is still a link and the file still executable."""
    target = write(tmp_path, b"#!/bin/sh\n", "run.sh")
    target.chmod(0o750)
    link = tmp_path / "link.sh"
    link.symlink_to(target)

    write_atomically(read_source_file(link), "#!/bin/sh\nexit 1\n")

    assert link.is_symlink()
    assert target.read_text() == "#!/bin/sh\nexit 1\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"x\x00y", "byte 2 is NUL"),
        ("x = 1\n".encode("utf-16"), "UTF-16"),
        (b"x = '\xe9'\n", r"byte 6 \(line 1\) is 0xe9"),
        (b"a\n\xef\xbb\xff", "line 2"),
        (b"# coding: rot13\nk = '\xff'\n", "not UTF-8"),
    ],
)
def test_what_is_no_source_is_refused_with_a_reason(tmp_path: Path, content: bytes, told: str) -> None:
    """Empty, binary and foreign encodings, each with where and what to do."""
    with pytest.raises(InputInvalidError, match=told):
        read_source_file(write(tmp_path, content))


def test_places_that_hold_no_file_are_refused(tmp_path: Path) -> None:
    """A folder, a missing file, a pipe, a link to itself, a name with NUL."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    for place in (tmp_path, tmp_path / "none.py", tmp_path / "pipe", tmp_path / "loop", "a\x00b"):
        with pytest.raises(InputInvalidError):
            read_source_file(place)


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """Five megabytes are no source file."""
    path = tmp_path / "big.py"
    with path.open("wb") as opened:
        opened.truncate(5 << 20)

    with pytest.raises(InputInvalidError, match="too large"):
        read_source_file(path)


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Also when size and time were put back."""
    path = write(tmp_path, b"x = 1\n")
    file = read_source_file(path)
    before = path.stat()
    path.write_bytes(b"y = 1\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    with pytest.raises(InputInvalidError, match="changed since"):
        write_atomically(file, "x = 2\n")

    assert path.read_bytes() == b"y = 1\n"


def test_a_character_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    """A Latin-1 file can't take a Chinese character: nothing is written."""
    content = b"# coding: latin-1\ns = '\xe9'\n"
    file = read_source_file(write(tmp_path, content))

    with pytest.raises(InputInvalidError, match="iso8859-1"):
        write_atomically(file, "# coding: latin-1\ns = '\u6f22'\n")

    assert file.path.read_bytes() == content


def test_a_full_disk_leaves_the_original(tmp_path: Path) -> None:
    """A size limit of the process stands for the full disk; the file is whole and no remains lie about."""
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from errors import StorageFailedError\n"
        "from integrations.files import read_source_file, write_atomically\n"
        "file = read_source_file(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n    write_atomically(file, 'y' * 1000)\n"
        "except StorageFailedError as error:\n    print(error)\n"
    )
    path = write(tmp_path, b"x = 1\n")

    told = run_python(script, str(path))

    assert "can't be written" in told
    assert path.read_bytes() == b"x = 1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.py"]


def test_a_folder_that_is_gone_is_a_clear_error(tmp_path: Path) -> None:
    """Nothing to write into: told in one line."""
    folder = tmp_path / "sub"
    folder.mkdir()
    file = read_source_file(write(folder, b"x = 1\n"))
    file.path.unlink()
    folder.rmdir()

    with pytest.raises((InputInvalidError, StorageFailedError)):
        write_atomically(file, "x = 2\n")


def run_python(script: str, *arguments: str) -> str:
    """Standard output of a Python process of its own."""

    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=root, capture_output=True, text=True, timeout=60, check=True
    ).stdout
