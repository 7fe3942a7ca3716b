"""integrations.sandbox: what a command sees and may do, and that it ends."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

from errors import InterruptedTaskError, SandboxUnavailableError
from integrations.sandbox import BubblewrapSandbox, Limits
from integrations.sandbox_selftest import selftest

needs_bubblewrap = pytest.mark.skipif(
    not BubblewrapSandbox().mode().startswith("bubblewrap"), reason="bubblewrap does not work on this machine"
)
QUICK = Limits(cpu_s=5)


def sandbox(**values: object) -> BubblewrapSandbox:
    """A sandbox with short limits."""
    return BubblewrapSandbox(timeout_s=5.0, limits=QUICK, **values)  # type: ignore[arg-type]  # whatever a test varies


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a module, its test, a `.env` and a neighbour outside."""
    root = tmp_path / "my project"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("def one():\n    return 2\n")
    (root / "check.py").write_text("import sys\nsys.path.insert(0, 'src')\nimport a\nassert a.one() == 1, a.one()\n")
    (root / ".env").write_text("API_KEY=canary\n")
    (tmp_path / "outside.txt").write_text("canary\n")
    return root


@needs_bubblewrap
def test_the_fixed_text_lies_over_the_real_file(project: Path) -> None:
    """The command sees the fix, the file on disk stays as it is."""
    file = project / "src" / "a.py"

    unfixed = sandbox().run("python3 check.py", str(file), file.read_text(), "python")
    fixed = sandbox().run("python3 check.py", str(file), "def one():\n    return 1\n", "python")

    assert (unfixed.exit_code, fixed.exit_code) == (1, 0)
    assert "AssertionError: 2" in unfixed.output
    assert file.read_text() == "def one():\n    return 2\n"


@needs_bubblewrap
def test_the_file_expands_quoted_also_with_blanks_in_its_path(project: Path) -> None:
    """`{file}` is one word for the shell."""
    run = sandbox().run("cat {file}", str(project / "src" / "a.py"), "fixed\n", "python")

    assert (run.exit_code, run.output) == (0, "fixed\n")


@needs_bubblewrap
def test_a_crlf_file_is_run_as_crlf(project: Path) -> None:
    """The test sees the bytes that would be written."""
    file = project / "src" / "a.py"
    file.write_bytes(b"x = 1\r\n")

    assert sandbox().run("od -c {file}", str(file), "x = 2\n", "python").output.count("\\r") == 1


@needs_bubblewrap
def test_a_paste_is_a_file_of_its_language() -> None:
    """Without a file there is a work folder with paste.<ending>."""
    run = sandbox().run("pwd; ls; cat {file}", None, "print(1)\n", "python")

    assert run.output.split("\n")[1:] == ["paste.py", "print(1)", ""]


@needs_bubblewrap
def test_the_project_is_read_only_and_the_rest_is_not_there(project: Path) -> None:
    """No write into the project, no `.env`, no neighbour, no home."""
    command = f"touch x; cat .env; cat '{project.parent}/outside.txt'; ls ~; echo done"

    run = sandbox().run(command, str(project / "src" / "a.py"), "x = 1\n", "python")

    assert "canary" not in run.output
    assert run.output.endswith("done\n")
    assert not (project / "x").exists()


@needs_bubblewrap
def test_variables_with_keys_stay_outside(project: Path) -> None:
    """Only the allow-list passes."""
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "SECRET_TOKEN": "canary", "LANG": "C.UTF-8"}

    run = sandbox(environ=environ).run("env", None, "", "python")

    assert "canary" not in run.output
    assert "HOME=/tmp\n" in run.output


@needs_bubblewrap
def test_the_time_limit_ends_a_command() -> None:
    """It says that it timed out, and has no exit status."""
    run = BubblewrapSandbox(timeout_s=0.5).run("sleep 30", None, "", "bash")

    assert run.timed_out
    assert run.exit_code is None
    assert run.elapsed_s < 5


@needs_bubblewrap
def test_another_thread_can_cancel() -> None:
    """The run returns at once, neither passed nor timed out."""
    box = BubblewrapSandbox(timeout_s=30)
    threading.Timer(0.3, box.cancel).start()

    run = box.run("sleep 30", None, "", "bash")

    assert run.exit_code is None
    assert not run.timed_out


@needs_bubblewrap
def test_a_file_in_a_wide_folder_is_shown_alone(tmp_path: Path) -> None:
    """A script in the home folder does not open the home folder."""
    (tmp_path / "key").write_text("canary")
    (tmp_path / "a.sh").write_text("echo no\n")

    run = sandbox(environ={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}).run(
        "ls; sh {file}", str(tmp_path / "a.sh"), "echo yes\n", "bash"
    )

    assert run.output == "a.sh\nyes\n"


@needs_bubblewrap
def test_all_twelve_attacks_fail() -> None:
    """Network, files, environment, memory, processor, time, disk, output, signals, writes and orphans."""
    outcomes = selftest()

    assert len(outcomes) == 12
    assert [outcome for outcome in outcomes if not outcome[1]] == []


def test_without_bubblewrap_nothing_runs(tmp_path: Path) -> None:
    """A bubblewrap that fails is told, with the way out."""
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    box = sandbox(bwrap=str(broken))

    assert box.mode() == "unavailable: bubblewrap does not work here: setting up uid map: Permission denied"
    with pytest.raises(SandboxUnavailableError, match="allow-unsandboxed"):
        box.run("true", None, "", "python")


def test_unsandboxed_runs_on_a_copy_and_says_so(tmp_path: Path, project: Path) -> None:
    """Only when it is allowed; the real file is not touched."""
    if shutil.which("python3") is None:
        pytest.skip("python3 is not on PATH")
    box = sandbox(bwrap=str(tmp_path / "none"), allow_unsandboxed=True)
    file = project / "src" / "a.py"

    run = box.run("python3 check.py && touch made", str(file), "def one():\n    return 1\n", "python")

    assert box.mode() == "unsandboxed"
    assert run.exit_code == 0
    assert file.read_text() == "def one():\n    return 2\n"
    assert not (project / "made").exists()


def test_endless_output_is_cut_in_the_middle() -> None:
    """The head and the tail are kept, the size of the gap is told."""
    run = sandbox(bwrap="/nonexistent", allow_unsandboxed=True).run("echo first; seq 1 200000; echo last", None, "", "bash")

    assert run.output.startswith("first\n")
    assert run.output.endswith("last\n")
    assert "bytes left out" in run.output
    assert len(run.output) < 110_000


@needs_bubblewrap
async def test_a_cancelled_task_starts_no_further_command() -> None:
    """A thread that is still at work for it is refused; the next task is not, and neither is who belongs to none."""
    box = sandbox()
    box.begin()
    goes_on = threading.Event()

    def works_on() -> None:
        goes_on.wait(10)
        box.run("true", None, "x", "python")

    working = asyncio.ensure_future(asyncio.to_thread(works_on))
    await asyncio.sleep(0)
    box.cancel()
    box.begin()
    goes_on.set()
    with pytest.raises(InterruptedTaskError):
        await working

    assert (await asyncio.to_thread(box.run, "true", None, "x", "python")).exit_code == 0
    assert sandbox().run("true", None, "x", "python").exit_code == 0
