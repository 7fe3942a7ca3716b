"""What goes wrong is one line, the right exit status, and never a traceback; nothing half-made is saved."""

from __future__ import annotations

import fcntl
import io
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.app import EXIT_READER_GONE, main
from cli.console import Console
from cli.crash import crash_text, crashed, write_crash
from tests.cli.harness import KEEP, PROJECT, CommandLine, Ran

LATIN = "# café\n".encode("latin-1") + KEEP.encode()


def assert_one_line(ran: Ran, code: str, status: int) -> None:
    """Exactly one line on standard error, with the code."""
    assert ran.status == status
    assert ran.err.startswith(f"codemind: {code}: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("given", [b"", b"\n \n", b"EOF\n", b"\xef\xbb\xbf"])
def test_nothing_pasted(codemind: CommandLine, given: bytes) -> None:
    """An empty block is no task, an input without a task is wrong input."""
    ran = codemind.run("--json", stdin=given)
    assert_one_line(ran, "input_invalid", 2)
    assert ran.out == ""


@pytest.mark.parametrize(
    "given",
    [LATIN, KEEP.encode("utf-16"), b'x = "\xed\xba\xad"\n', b"\x7fELF\x02\x01\x00\x00", b"x = 1\x00\n", b"x" * 5_000_000],
    ids=["latin-1", "utf-16", "surrogate", "binary", "nul", "5 MB"],
)
def test_text_that_can_not_be_read(codemind: CommandLine, given: bytes) -> None:
    """A record with input_invalid, a line that says what to do, nothing stored."""
    ran = codemind.run("--json", stdin=given)
    assert_one_line(ran, "input_invalid", 2)
    assert ran.record["error"]["code"] == "input_invalid"
    assert ran.record["saved"]["status"] == "skipped"
    assert not (codemind.home / "ledger.sqlite3").exists()


def test_the_next_block_is_served_all_the_same(codemind: CommandLine) -> None:
    """One bad block spoils nothing but the exit status."""
    ran = codemind.run("--json", stdin=LATIN + b"EOF\n" + KEEP.encode())
    assert [record["error"] is None for record in ran.records] == [False, True]
    assert ran.status == 2


def test_a_bad_block_as_text_has_no_report(codemind: CommandLine) -> None:
    """Its line on standard error is all."""
    assert codemind.run(stdin=LATIN).out == ""


def test_deep_nesting_ends_nothing(codemind: CommandLine) -> None:
    """Three records; the third is reviewed as usual."""
    deep = "x = " + "(" * 3000 + "1" + ")" * 3000 + "\nEOF\ny = 1" + " + 1" * 60_000 + "\nEOF\n" + KEEP
    ran = codemind.run("--json", "--lang", "python", stdin=deep)
    assert len(ran.records) == 3
    assert [finding["start_line"] for finding in ran.records[2]["findings"]] == [1]
    assert ran.status in {0, 2}


def test_an_unknown_language_is_named(codemind: CommandLine) -> None:
    """A typing error is not reviewed as if it were a language."""
    assert_one_line(codemind.run("--lang", "pyhton", stdin=KEEP), "input_invalid", 2)


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["--nonsense"], ["fix"], ["batch", "-", "--jobs", "0"], ["--fail-on", "bad"], ["memory"]]
)
def test_wrong_usage_is_one_line(codemind: CommandLine, arguments: list[str]) -> None:
    """Exit 2."""
    assert_one_line(codemind.run(*arguments), "config_invalid", 2)


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    """The variable, never its value."""
    ran = CommandLine(tmp_path, (("MAX_FINDINGS", "many"),)).run(stdin=KEEP)
    assert_one_line(ran, "config_invalid", 2)
    assert "MAX_FINDINGS" in ran.err


def test_a_damaged_ledger_is_put_aside_and_never_started_anew(codemind: CommandLine) -> None:
    """The review is there, the failure is in its record, and the next run still says so."""
    codemind.home.mkdir()
    (codemind.home / "ledger.sqlite3").write_bytes(b"this is no database" * 1000)
    for _ in range(2):
        ran = codemind.run("--json", stdin=KEEP)
        assert ran.record["error"]["code"] == "memory_damaged"
        assert ran.status == 3
    assert list(codemind.home.glob("ledger.damaged-*"))


def test_a_locked_ledger_says_who_holds_it(codemind: CommandLine) -> None:
    """The findings are reported, the save failed, exit 3."""
    codemind.home.mkdir(mode=0o700)
    impatient = CommandLine(codemind.home, (("MEMORY_LOCK_TIMEOUT_SECONDS", "0"),))
    with (codemind.home / "ledger.lock").open("w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = impatient.run("--json", stdin=KEEP)
    assert ran.record["error"]["code"] == "memory_locked"
    assert ran.record["findings"]
    assert ran.status == 3
    assert impatient.run("--json", stdin=KEEP).record["saved"]["status"] == "added"


def small_files() -> None:
    """No file of this process may grow beyond 4 kB, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_a_full_disk_loses_no_review(codemind: CommandLine) -> None:
    """Findings and fix are printed, storage_failed says that nothing was saved, exit 3."""
    ran = codemind.spawn("--json", stdin=KEEP.encode(), preexec_fn=small_files)
    assert ran.record["error"]["code"] == "storage_failed"
    assert ran.record["findings"]
    assert ran.record["saved"]["status"] == "skipped"
    assert ran.status == 3
    assert "Traceback" not in ran.err


def namespaces_work() -> bool:
    """True where an unprivileged mount namespace can be made."""
    bwrap = shutil.which("bwrap")
    return bwrap is not None and subprocess.run([bwrap, "--ro-bind", "/", "/", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not namespaces_work(), reason="needs bubblewrap, to make the whole file system read-only for root too")
def test_a_read_only_home_loses_no_review(codemind: CommandLine) -> None:
    """The same without a place to write at all."""
    command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", sys.executable, str(PROJECT / "main.py"), "--json"]
    codemind.home.mkdir()
    done = subprocess.run(command, input=KEEP.encode(), capture_output=True, env=codemind.variables(), check=False)
    ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert ran.record["error"]["code"] == "storage_failed"
    assert ran.record["findings"]
    assert ran.status == 3
    assert "Traceback" not in ran.err


class BrokenPipe(io.StringIO):
    """A reader that has gone."""

    def flush(self) -> None:
        """What the system answers."""
        raise BrokenPipeError


def console_on(out: io.StringIO, err: io.StringIO, read: Callable[[], bytes], home: Path) -> Console:
    """A console for one of the following tests."""
    return Console(read=read, stdout=out, stderr=err, environment={"CODEMIND_HOME": str(home)})


def test_a_reader_that_has_gone_ends_it_in_silence(tmp_path: Path) -> None:
    """As SIGPIPE would."""
    err = io.StringIO()
    assert main(["--version"], console_on(BrokenPipe(), err, lambda: b"", tmp_path)) == EXIT_READER_GONE
    assert err.getvalue() == ""


def test_head_gets_one_whole_line(codemind: CommandLine) -> None:
    """And nothing is printed about the pipe."""
    blocks = "".join(f"def keep{number}(x, seen=[]):\n    return seen\nEOF\n" for number in range(40))
    process = codemind.start("--json")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    reader = process.stdin.write(blocks.encode())
    assert reader == len(blocks)
    process.stdin.close()
    assert process.stdout.readline().endswith(b"}\n")
    process.stdout.close()
    assert process.wait(timeout=60) in {0, EXIT_READER_GONE}
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_unexpected_error_is_one_line_and_a_file_without_code(tmp_path: Path) -> None:
    """The file has places, no message: an exception may quote the paste."""

    def broken() -> bytes:
        raise KeyError("secret code")

    err = io.StringIO()
    assert main(["fix", "-"], console_on(io.StringIO(), err, broken, tmp_path)) == 4
    assert err.getvalue().startswith("codemind: internal_error: ")
    (crash,) = (tmp_path / "log").glob("crash-*.txt")
    text = crash.read_text(encoding="utf-8")
    assert "KeyError" in text
    assert "secret code" not in text


@pytest.mark.parametrize(("name", "code"), [("no_such_library.part", "tool_missing"), ("cli.no_such_part", "internal_error")])
def test_a_library_that_is_not_installed_is_named(tmp_path: Path, name: str, code: str) -> None:
    """Another Python than the one that was set up is the user's to change; a part of ours that is missing is our error."""
    console = console_on(io.StringIO(), io.StringIO(), bytes, tmp_path)
    assert crashed(ModuleNotFoundError(name=name), console).code == code


def test_a_crash_that_can_not_be_written_is_left(tmp_path: Path) -> None:
    """The line on the screen is enough then."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    assert write_crash(ValueError("x"), blocked / "log") is None
    assert crash_text(ValueError("x")).endswith("ValueError\n")


def test_standard_input_that_is_closed_is_one_line(codemind: CommandLine) -> None:
    """As in `codemind <&-`."""
    script = f'exec "{sys.executable}" "{PROJECT / "main.py"}" --json <&-'
    done = subprocess.run(["sh", "-c", script], capture_output=True, env=codemind.variables(), check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert os.fsdecode(done.stderr).startswith("codemind: input_invalid: ")


@pytest.mark.skipif(os.name == "nt", reason="descriptors are closed by a shell of POSIX")
@pytest.mark.parametrize(("closed", "status"), [("1", 3), ("0", 2), ("2", 0)])
def test_streams_that_are_closed_are_no_crash(codemind: CommandLine, closed: str, status: int) -> None:
    """Without output the lost report is a failure; without input there is nothing to review; without errors all goes on."""
    shell = ["/bin/sh", "-c", f'"$0" "$1" --json {closed}>&-', sys.executable, str(PROJECT / "main.py")]
    ran = subprocess.run(shell, input=KEEP.encode(), capture_output=True, env=codemind.variables(), timeout=60, check=False)
    assert ran.returncode == status
    assert b"Traceback" not in ran.stderr
    assert ran.stderr.count(b"\n") <= 1


def test_a_home_that_is_a_file_loses_no_review(tmp_path: Path) -> None:
    """The record is there and says what is wrong; nothing claims that a memory was moved."""
    home = tmp_path / "home"
    home.write_text("x", encoding="utf-8")
    ran = CommandLine(home).run("--json", stdin=KEEP)
    assert ran.status == 3
    assert ran.record["findings"]
    assert "moved" not in ran.out
    assert "not a directory" in ran.out
