"""What is written to the streams: sentences that fit a terminal, and nothing that another encoding would garble."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cli.console import Console
from errors import InputInvalidError
from tests.cli.harness import CommandLine

LONG = "No remembered fix has an id that begins with 'ffffffff': see `codemind memory list`."
ACCENTED = "def keep_caf\u00e9(x, seen=[]):\n    seen.append('\u00fc \u4e2d')\n    return seen\n"


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        """Yes."""
        return True


def complained(stderr: io.StringIO, columns: int = 40) -> list[str]:
    """The lines of an error with a long sentence."""
    Console(lambda: b"", io.StringIO(), stderr, columns=lambda: columns).complain(InputInvalidError(LONG))
    return stderr.getvalue().splitlines()


def test_an_error_fits_a_narrow_terminal() -> None:
    """Broken between words, every word kept."""
    lines = complained(Terminal())
    assert len(lines) > 1
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == f"codemind: input_invalid: {LONG}"


def test_an_error_in_a_pipe_is_one_line() -> None:
    """Whoever reads it by program looks for one, however narrow the terminal of standard output is."""
    assert complained(io.StringIO()) == [f"codemind: input_invalid: {LONG}"]


def test_what_is_laid_out_is_left_as_it_is() -> None:
    """A tree of steps has its own lines."""
    stderr = Terminal()
    tree = "  " + "step " * 20
    Console(lambda: b"", io.StringIO(), stderr, columns=lambda: 40).note(tree)
    assert stderr.getvalue() == tree + "\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "koi8-r", "ascii", "utf-16"])
def test_a_stream_of_another_encoding_gets_ascii(codemind: CommandLine, tmp_path: Path, encoding: str) -> None:
    """With backslashes for the rest: letters of another encoding would be read as something else."""
    path = tmp_path / "caf\u00e9.py"
    path.write_text(ACCENTED, encoding="utf-8")
    other = CommandLine(codemind.home, (("PYTHONIOENCODING", encoding), ("PYTHONUTF8", "0")))
    with other.start("fix", str(path)) as process:
        out, err = process.communicate()

    assert "keep_caf\\xe9" in out.decode("ascii")
    assert "Traceback" not in err.decode("ascii")


def test_unicode_stays_unicode(codemind: CommandLine, tmp_path: Path) -> None:
    """UTF-8 is what nearly every terminal has."""
    path = tmp_path / "a.py"
    path.write_text(ACCENTED, encoding="utf-8")
    other = CommandLine(codemind.home, (("PYTHONIOENCODING", "UTF8"), ("PYTHONUTF8", "0")))
    with other.start("fix", str(path)) as process:
        out, _ = process.communicate()

    assert "keep_caf\u00e9" in out.decode("utf-8")
