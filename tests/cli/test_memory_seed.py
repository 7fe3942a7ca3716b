"""`memory seed` by a pair, through standard input, interrupted, and with progress; the starter pack in a session."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli.console import Console
from cli.options import TaskOptions
from cli.repl import repl
from cli.seed_progress import SeedProgress
from cli.terminal import Prompt
from cli.typed import Typed
from memory.seed_report import SeedReport
from memory.starter_offer import OFFER
from settings import Settings
from tests.cli.commanding import commanded
from tests.cli.harness import KEEP, KEPT, CommandLine


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


class Seconds:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def seed_line(number: int = 0) -> str:
    """One past fix; each number is another."""
    code = KEEP.replace("keep", f"keep{number}")
    return json.dumps({"code": code, "fixed_code": KEPT.replace("keep", f"keep{number}"), "language": "python"}) + "\n"


def two_files(folder: Path, fixed: str = KEPT) -> tuple[str, str]:
    """The code before and after."""
    (folder / "before.py").write_text(KEEP, encoding="utf-8")
    (folder / "after.py").write_text(fixed, encoding="utf-8")
    return str(folder / "before.py"), str(folder / "after.py")


def test_a_pair_is_recalled_with_its_explanation(codemind: CommandLine, tmp_path: Path) -> None:
    """Two files are a past fix; the language is found out by their names."""
    ran = codemind.run("memory", "seed", "--pair", *two_files(tmp_path), "--explanation", "A default is made once.")

    assert (ran.status, ran.out.startswith("lines 1, added 1,")) == (0, True)
    answer = codemind.run("recall", "-", "--json", stdin=KEEP).record
    assert (answer["match"]["status"], answer["fix"]["explanation"]) == ("IDENTICAL", "A default is made once.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pair", "{before}", "{before}"], "the same code"),
        (["--pair", "{before}", "nowhere.py"], "nowhere.py"),
        (["--pair", "{before}", "{folder}"], "{folder}"),
        (["--pair", "{before}", "{after}", "--lang", "klingon"], "no language"),
        (["--pair", "{before}"], "--pair"),
        (["--jsonl", "x.jsonl", "--explanation", "why"], "--pair"),
        (["--starter", "--pair", "{before}", "{after}"], "--starter"),
        (["--jsonl", "{folder}"], "is a directory"),
        (["--jsonl", "-"], "standard input is empty"),
    ],
)
def test_what_teaches_nothing_is_one_line(codemind: CommandLine, tmp_path: Path, arguments: list[str], words: str) -> None:
    """Exit 2, nothing on standard output, no home is made."""
    before, after = two_files(tmp_path)
    known = {"before": before, "after": after, "folder": str(tmp_path)}

    ran = codemind.run("memory", "seed", *(each.format(**known) for each in arguments))

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words.format(**known) in ran.err
    assert not (codemind.home / "ledger.sqlite3").exists()


def test_standard_input_is_seeded(codemind: CommandLine) -> None:
    """As the file would be."""
    ran = codemind.run("memory", "seed", "--jsonl", "-", "--json", stdin=seed_line(1) + "{\n" + seed_line(2))
    assert (ran.status, ran.record["added"], ran.record["bad_lines"]) == (2, 2, [{"line": 2, "reason": "not JSON"}])


def test_the_first_ten_bad_lines_are_named_and_the_rest_counted(codemind: CommandLine) -> None:
    """A file of another format does not fill the screen, and the user is told what a seed file is."""
    ran = codemind.run("memory", "seed", "--jsonl", "-", stdin="nonsense\n" * 25)
    assert [line for line in ran.out.splitlines() if line.startswith("line ")] == [f"line {n}: not JSON" for n in range(1, 11)]
    assert "and 15 more bad lines\n" in ran.out
    assert '{"code": ..., "fixed_code": ...' in ran.err


def test_ctrl_c_says_what_is_safe_and_the_rest_is_added_later(codemind: CommandLine, tmp_path: Path) -> None:
    """Exit 130, no traceback; the ledger holds exactly what was reported, the same command completes it."""
    file = tmp_path / "many.jsonl"
    file.write_text("".join(map(seed_line, range(3_000))), encoding="utf-8")
    process = codemind.start("memory", "seed", "--jsonl", str(file))
    deadline = time.monotonic() + 60
    while not (codemind.home / "ledger.sqlite3").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (130, b"")
    said = int(err.decode().split("interrupted: ")[1].split()[0])
    held = codemind.run("memory", "stats", "--json").record["alternatives"]
    assert held in {said, said + 200}  # a slice that was written and not yet counted
    assert held < 3_000
    rest = codemind.run("memory", "seed", "--jsonl", str(file), "--json").record
    assert (rest["duplicate"], rest["added"]) == (held, 3_000 - held)


def test_a_terminal_sees_a_live_line_that_goes_away() -> None:
    """Share and time left; erased at the end."""
    stderr, clock = Terminal(), Seconds()
    with SeedProgress(Console(lambda: b"", io.StringIO(), stderr), clock) as progress:
        progress(SeedReport(lines=200, added=200, read_bytes=10, total_bytes=100))
        assert stderr.getvalue() == ""
        clock.now = 10.0
        progress(SeedReport(lines=500, added=450, updated=10, read_bytes=25, total_bytes=100))
        assert "learning: 500 lines, 460 new, 25 %, about 30 s left" in stderr.getvalue()
        progress(SeedReport(lines=900, added=900, read_bytes=100, total_bytes=100))
        assert stderr.getvalue().endswith("learnt: 900 lines, 900 new; now the vector index\r")
    assert stderr.getvalue().endswith("\r\x1b[J")


def test_a_pipe_gets_a_line_every_ten_seconds() -> None:
    """Without control characters; a size that is not known has no share."""
    stderr, clock = io.StringIO(), Seconds()
    with SeedProgress(Console(lambda: b"", io.StringIO(), stderr), clock) as progress:
        for clock.now in (4.0, 9.9, 10.0, 15.0, 19.9):
            progress(SeedReport(lines=7, added=7))
        for _ in range(2):
            progress(SeedReport(lines=9, added=8, read_bytes=5, total_bytes=5))
    assert stderr.getvalue() == "codemind: learning: 7 lines, 7 new\ncodemind: learnt: 9 lines, 8 new; now the vector index\n"


def test_a_session_with_an_empty_memory_offers_the_pack_once(tmp_path: Path) -> None:
    """And fills it on demand; a session that saves nothing does neither."""
    quiet = commanded(tmp_path / "home", save=False)
    assert quiet.runner.run(quiet.counter.starter_offer()) == ""
    assert "saves nothing" in quiet.do("/memory --starter")
    quiet.close()
    session = commanded(tmp_path / "home")
    try:
        assert [session.runner.run(session.counter.starter_offer()) for _ in range(2)] == [OFFER, ""]
        assert "/memory --starter" in session.do("/memory")
        assert "classic bugs with their fixes are remembered" in session.do("/memory --starter")
        assert session.counter.status().memories == session.counter.care.count() > 80
        assert "Nothing new" in session.do("/memory --starter")
    finally:
        session.close()


class Listening(Prompt):
    """A prompt that begins the session's background work, and ends the session once a sentence was said above it."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.said: asyncio.Queue[str] = asyncio.Queue()
        self._begin: Callable[[], object] = int

    def once_shown(self, begin: Callable[[], object]) -> None:
        """It is, with the first `read`."""
        self._begin = begin

    async def read(self) -> Typed:
        """Ctrl-D, after the sentence."""
        self._begin()
        assert await asyncio.wait_for(self.said.get(), 30) == OFFER
        raise EOFError

    async def say(self, sentence: str) -> None:
        """Remember it, whatever lines it was broken into."""
        await self.said.put(" ".join(sentence.split()))


async def test_the_offer_is_said_above_the_prompt(tmp_path: Path) -> None:
    """By the session's own background work: nobody waits for an answer."""
    settings = Settings(codemind_home=tmp_path / "home", reviewer_provider="static")
    console = Console(read=bytes, stdout=io.StringIO(), stderr=io.StringIO())
    with create_pipe_input() as keys:
        assert await repl(settings, TaskOptions(), console, Listening(source=keys, screen=DummyOutput())) == 0
