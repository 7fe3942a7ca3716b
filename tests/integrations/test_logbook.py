"""The log on disk: whole lines from several processes, redacted, of our own sentences; it never disturbs and never prints."""

from __future__ import annotations

import logging
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.logbook import Logbook, Silence, current_logbook, keep_silent, open_logbook
from integrations.rotated_file import RotatedFile
from integrations.trace import NOT_WRITTEN
from tests.test_architecture import ROOT

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d (DEBUG|INFO|WARNING|ERROR) \d+ codemind\.tests: (.*)")
WRITER = """
import sys
from pathlib import Path
from integrations.rotated_file import RotatedFile
name, path = sys.argv[1], Path(sys.argv[2])
file = RotatedFile(path, limit_bytes=2_000, kept=400)
sys.stdin.read(1)
for number in range(600):
    file.append(f"{name} {number} " + "x" * (number % 70) + " end")
"""


@pytest.fixture(autouse=True)
def root_as_it_was() -> Iterator[None]:
    """The root logger of this process, without what a test hung there."""
    own = logging.getLogger("codemind")
    level = own.level
    yield
    for handler in [*logging.getLogger().handlers]:
        if isinstance(handler, Logbook | Silence):
            logging.getLogger().removeHandler(handler)
    logging.captureWarnings(False)
    own.setLevel(level)


def lines_in(folder: Path) -> list[str]:
    """What was logged."""
    return (folder / "codemind.log").read_text(encoding="utf-8").splitlines()


def test_a_line_has_time_level_process_and_our_sentence(tmp_path: Path) -> None:
    """In a file and a folder that only the user can read."""
    open_logbook(tmp_path / "log", "info")
    logging.getLogger("codemind.tests").info("task: id=%s findings=%d", '"1"', 2)

    (line,) = lines_in(tmp_path / "log")
    matched = LINE.fullmatch(line)
    assert matched
    assert matched.groups() == ("INFO", 'task: id="1" findings=2')
    assert stat.S_IMODE((tmp_path / "log" / "codemind.log").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700


def test_every_line_is_redacted_and_one_line(tmp_path: Path) -> None:
    """Also what a task's id or an exception brought in, and nothing in it moves a cursor when the log is shown."""
    secret = "ghp_" + "a1B2" * 9
    open_logbook(tmp_path, "info")
    logging.getLogger("codemind.tests").warning("id=%s", f"{secret}\n2020-01-01 forged\x1b[2J\u202e")

    (line,) = lines_in(tmp_path)
    assert "a1B2a1B2a1B2" not in line
    assert "\\n2020-01-01 forged\\x1b[2J<U+202E>" in line


def test_a_long_line_is_cut_behind_its_redaction(tmp_path: Path) -> None:
    """No part of a secret stays at the end of a line."""
    open_logbook(tmp_path, "info")
    for shift in range(60):
        logging.getLogger("codemind.tests").info("%s ghp_%s", "x" * (1_880 + shift), "a1B2" * 9)

    assert "a1B2" not in "".join(lines_in(tmp_path))
    assert max(map(len, lines_in(tmp_path))) == 2_000


def test_the_level_decides_what_is_kept(tmp_path: Path) -> None:
    """Debug lines only when they were asked for; the level can change."""
    for level in ("info", "debug", "info"):
        open_logbook(tmp_path, level)
        logging.getLogger("codemind.tests").debug("at %s", level)

    assert [line.rpartition(": ")[2] for line in lines_in(tmp_path)] == ["at debug"]


def test_opening_it_twice_is_opening_it_once(tmp_path: Path) -> None:
    """No line is doubled; another folder takes its place."""
    assert open_logbook(tmp_path / "a", "info")
    assert not open_logbook(tmp_path / "a", "info")
    logging.getLogger("codemind.tests").info("one")
    assert open_logbook(tmp_path / "b", "info")
    logging.getLogger("codemind.tests").info("two")

    assert (len(lines_in(tmp_path / "a")), len(lines_in(tmp_path / "b"))) == (1, 1)


def test_other_libraries_are_kept_by_name_and_class_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their text may hold a prompt, an address or a key. Nothing of theirs is printed, and chatter is dropped."""
    open_logbook(tmp_path, "debug")
    library = logging.getLogger("some.library")
    library.info("POST https://example.com/v1/secret-path")
    library.warning("your prompt was: %s", "def f(): pass")
    library.error("failed with %s", "def f(): pass", exc_info=KeyError("def f(): pass"))
    logging.getLogger("https://example.com/secret-path").error("x")
    logging.basicConfig()

    said = [line.split(" ", 3)[3] for line in lines_in(tmp_path)]
    assert said == ["some.library: a warning", "some.library: KeyError", "a library: a warning"]
    assert capsys.readouterr() == ("", "")


def test_silence_keeps_and_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As with --no-save."""
    open_logbook(tmp_path / "log", "info")
    keep_silent()
    logging.getLogger("codemind.tests").error("own")
    logging.getLogger("some.library").error("theirs")

    assert current_logbook() is None
    assert not (tmp_path / "log").exists()
    assert capsys.readouterr() == ("", "")


def test_a_message_that_does_not_fit_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong line of ours costs the line, never the task."""
    Logbook(tmp_path).handle(logging.LogRecord("codemind.tests", logging.INFO, "", 1, "%d", ("no number",), None))

    assert lines_in(tmp_path)[0].endswith("a message that does not fit its values")
    assert capsys.readouterr() == ("", "")


def test_a_log_that_can_not_be_written_says_so_once(tmp_path: Path) -> None:
    """A folder that is a file: nothing is raised; when it can be written again, it is."""
    place = tmp_path / "log"
    place.write_text("", encoding="utf-8")
    open_logbook(place, "info")
    notes = []
    for _ in range(3):
        logging.getLogger("codemind.tests").info("x")
        logbook = current_logbook()
        assert logbook is not None
        notes.append(logbook.take_note())
    place.unlink()
    logging.getLogger("codemind.tests").info("again")

    assert notes == [NOT_WRITTEN, "", ""]
    assert lines_in(place)[0].endswith("again")


def test_full_files_are_put_aside_and_the_oldest_goes(tmp_path: Path) -> None:
    """At most `kept` beside the one that is written; each within its limit."""
    file = RotatedFile(tmp_path / "codemind.log", limit_bytes=100, kept=2)
    for number in range(30):
        file.append(f"line {number:02} {'x' * 30}")

    found = {path.name: path.read_text() for path in tmp_path.glob("codemind*.log")}
    assert sorted(found) == ["codemind.1.log", "codemind.2.log", "codemind.log"]
    assert all(len(text) <= 100 for text in found.values())
    lines = (found["codemind.2.log"] + found["codemind.1.log"] + found["codemind.log"]).splitlines()
    assert [int(line.split()[1]) for line in lines] == list(range(30 - len(lines), 30))


def test_a_line_longer_than_the_limit_has_a_file_of_its_own(tmp_path: Path) -> None:
    """It is not refused, and empty files are not put aside."""
    file = RotatedFile(tmp_path / "codemind.log", limit_bytes=10, kept=2)
    file.append("x" * 50)
    file.append("y")

    assert (tmp_path / "codemind.1.log").read_text() == "x" * 50 + "\n"
    assert (tmp_path / "codemind.log").read_text() == "y\n"


def test_a_line_that_was_cut_swallows_no_other(tmp_path: Path) -> None:
    """As a full disk leaves it."""
    (tmp_path / "codemind.log").write_text("whole\ncut in the mid", encoding="utf-8")
    RotatedFile(tmp_path / "codemind.log", limit_bytes=1_000, kept=2).append("next")

    assert (tmp_path / "codemind.log").read_text() == "whole\ncut in the mid\nnext\n"


def test_processes_that_write_at_once_lose_and_tear_nothing(tmp_path: Path) -> None:
    """Three of them, through some sixty rotations: every line of each is there, whole, once."""
    path = tmp_path / "log" / "codemind.log"
    command = [sys.executable, "-c", WRITER]
    writers = [subprocess.Popen([*command, name, str(path)], stdin=subprocess.PIPE, cwd=ROOT) for name in ("a", "b", "c")]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go")
        writer.stdin.close()
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]

    aside = sorted(path.parent.glob("codemind.*.log"), key=lambda file: -int(file.suffixes[0][1:]))
    lines = [line.split(" ") for file in [*aside, path] for line in file.read_text().splitlines()]
    assert len(aside) > 20
    for name in ("a", "b", "c"):
        own = [(int(number), text, end) for writer, number, text, end in lines if writer == name]
        assert sorted(own) == [(number, "x" * (number % 70), "end") for number in range(600)]
