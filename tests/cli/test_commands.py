"""Commands that review, show and set: each says what it did, and what is missing when it can't."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.needs import CannotError, the_numbers, the_path
from cli.commands.registry import COMMANDS, find, suggest
from tests.cli.commanding import Commanded, commanded
from tests.cli.harness import KEEP, KEPT
from tests.fakes import a_quoted, a_review
from tests.model_server import ModelServer

TWO = "import os\n\n\n" + KEEP
OFF_BY_ONE = "def last_index(xs):\n    return len(xs)\n"
ANSWERS = {
    "review": a_review(a_quoted("return len(xs)")),
    "fix": {"fixed_code": OFF_BY_ONE.replace("len(xs)", "len(xs) - 1"), "explanation": "subtract one"},
}
NEED_A_REPORT = ("/diff", "/copy", "/write a.py", "/fix 1", "/ignore 1", "/accept", "/reject", "/retry")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commanded]:
    """A session in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    opened = commanded(tmp_path / "home")
    yield opened
    opened.close()


def test_every_command_has_its_function() -> None:
    """But for those of the loop itself; names are unique and a usage begins with its name."""
    from importlib import import_module

    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    assert [command.name for command in COMMANDS if not command.module] == ["/help", "/quit"]
    for command in COMMANDS:
        assert command.usage.startswith(command.name)
        assert command == find(command.name)
        assert not command.module or callable(getattr(import_module(command.module), command.function))


def test_a_slip_of_the_hand_is_answered_with_a_name() -> None:
    """The beginning of a command, or letters in another order."""
    assert [suggest(word) for word in ("/mem", "/wriet", "/xyzzy", "/")] == ["/memory", "/write", "", ""]


def test_without_a_report_one_line_says_so(session: Commanded) -> None:
    """And nothing happens."""
    for line in NEED_A_REPORT:
        assert session.do(line) == "Nothing was reviewed yet: paste code, or /example\n"
    assert "nothing to take back" in session.do("/undo")
    assert not Path("a.py").exists()


def test_the_diff_is_shown_again(session: Commanded) -> None:
    """As the report had it; a text without a fix says so."""
    session.paste(KEEP)
    assert "+    if seen is None:" in session.do("/diff")
    assert "Fix of paste 1 (python, 3 lines), level clean" in session.said
    session.paste("x = 1\n")
    assert session.do("/diff") == "There is no fix for paste 2 (python, 1 line).\n"


def test_the_example_is_looked_at_and_not_kept(session: Commanded) -> None:
    """/diff and /write work; a verdict is refused; the memory stays empty, and there is no save to take back."""
    session.do("/example")
    assert "Fix of the example" in session.do("/diff")
    for line in ("/accept", "/reject", "/ignore 1"):
        assert "Nothing of the example is saved" in session.do(line)
    assert session.counter.status().memories == 0
    assert "nothing to take back" in session.do("/undo")


def test_retry_goes_past_the_memory(session: Commanded) -> None:
    """Also for a file, and in the language that was set since."""
    Path("a.py").write_text(KEEP)
    session.do("/load a.py")
    assert "IDENTICAL" in session.do("/load a.py")
    assert "memory was not asked" in session.do("/retry")
    assert "a.py (python)" in session.said
    assert "Wrote a.py" in session.do("/write")
    assert "/retry reviews it as go" in session.do("/lang golang")
    assert "a.py (go)" in session.do("/retry")
    assert session.counter.status().memories == 1


def test_a_language_is_for_pastes_and_a_file_tells_its_own(session: Commanded) -> None:
    """/lang sets, shows and drops it; a name that is none changes nothing."""
    Path("a.py").write_text(KEEP)
    session.do("/lang js")
    assert "(javascript)" in session.paste("let x = 1;\n")
    assert "a.py (python)" in session.do("/load a.py")
    assert "There is no language 'klingon'" in session.do("/lang klingon")
    assert "read as javascript" in session.do("/lang")
    assert "is found out" in session.do("/lang auto")
    assert "(python)" in session.paste(KEEP)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "no such file"), (b"\xff\xfe\x00", "UTF-16"), (b"x = '\xe9'\n", "not UTF-8"), (b"", "is empty"), (b"\x00", "binary")],
)
def test_a_file_that_can_not_be_read_is_one_line(session: Commanded, content: bytes | None, why: str) -> None:
    """It says why; the report before it stays."""
    session.paste(KEEP)
    if content is not None:
        Path("a.py").write_bytes(content)
    assert why in session.do("/load a.py")
    assert "Which file?" in session.do("/load")
    assert "+    if seen is None:" in session.do("/diff")


def test_a_test_command_is_kept_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes and all; it runs on the report that is there, and on the next pastes until it is dropped."""
    monkeypatch.chdir(tmp_path)
    session = commanded(tmp_path / "home", ALLOW_UNSANDBOXED="true")
    assert "There is no test command" in session.do("/test")
    session.paste(KEEP)
    command = """grep -q  "seen is  None" {file} || test 'a  b' = "a  b" """.strip()
    report = session.do(f"/test {command}")
    assert "level tested" in report
    assert session.counter.options.test_cmd == command
    assert "level tested" in session.paste(KEEP)
    session.do("/test off")
    assert "There is no test command" in session.do("/test")
    session.close()


def test_chosen_findings_are_mended_alone(session: Commanded) -> None:
    """By the numbers of the report, in the terms of the paste: prose before the code moves no number."""
    session.paste(f"This is my code:\n\n```python\n{TWO}```\n")
    report = session.do("/fix 2")
    assert "1 finding" in report
    assert "+def keep(x, seen=None):" in report
    assert "-import os" not in report
    session.do("/retry")
    assert "2 findings" in session.said
    for line, why in (
        ("/fix 3", "There is no finding 3"),
        ("/fix", "Which findings?"),
        ("/fix 2-1", "no finding 2-1"),
        ("/fix x", "no number"),
    ):
        assert why in session.do(line)
    session.paste("x = 1\n")
    assert "nothing to mend" in session.do("/fix all")


def test_numbers_are_read_as_people_write_them() -> None:
    """Blanks, commas, ranges, all; each once."""
    assert the_numbers("1 3 5-7", 9, "/fix N..") == [1, 3, 5, 6, 7]
    assert the_numbers("3,1, 1-2", 3, "/fix N..") == [1, 2, 3]
    assert the_numbers("all", 2, "/fix N..") == [1, 2]
    for wrong in ("0", "1-", "-1", "1.5", "999999999", "all 1", "²"):
        with pytest.raises(CannotError):
            the_numbers(wrong, 3, "/fix N..")


def test_paths_are_read_as_a_shell_reads_them() -> None:
    """Quotes off, escaped blanks joined, all other blanks kept."""
    assert [the_path(text, "/load PATH") for text in (" a b.py ", '"a b.py"', "'a b.py'", "a\\ b.py")] == ["a b.py"] * 4
    for wrong in ("", "  ", '""', "~no-such-user-here/x"):
        with pytest.raises(CannotError):
            the_path(wrong, "/load PATH")


def test_the_summary_is_shown_and_emptied(session: Commanded) -> None:
    """One line a review; the memory of fixes stays."""
    assert "no summary yet" in session.do("/summary")
    session.paste(KEEP)
    assert "bugs/mutable-default" in session.do("/summary")
    session.do("/summary clear")
    assert "no summary yet" in session.do("/summary")
    assert session.counter.status().memories == 1


def test_the_trace_shows_the_steps_of_the_last_task(session: Commanded) -> None:
    """Fitted to the terminal."""
    assert "No review has run yet" in session.do("/trace")
    session.paste(KEEP)
    assert "retrieve_memory" in session.do("/trace")


def test_the_provider_is_said_without_its_key(session: Commanded, tmp_path: Path) -> None:
    """Static: nothing leaves. A model: which, where, limits, prices; the key is named by its variable only."""
    assert "Nothing leaves this machine." in session.do("/provider")
    with ModelServer(answers=ANSWERS) as server:
        other = commanded(tmp_path / "other", server, LLM_PRICE_INPUT="1", LLM_PRICE_OUTPUT="2")
        said = other.do("/provider")
        other.close()
    for part in ("Model: m.", server.host, "LLM_API_KEY", "8 calls a task", "1 USD for a million tokens in, 2 out"):
        assert part in said
    assert "T3st" not in said


def test_what_a_session_cost_and_what_memory_spared(tmp_path: Path) -> None:
    """Three calls for a new paste; the same again costs none, and what the first had cost was spared."""
    with ModelServer(answers=ANSWERS) as server:
        session = commanded(tmp_path / "home", server, LLM_PRICE_INPUT="1", LLM_PRICE_OUTPUT="2")
        session.paste(OFF_BY_ONE)
        first = session.counter.status()
        session.paste(OFF_BY_ONE)
        second = session.counter.status()
        session.close()
    assert (first.calls, first.calls_spared, first.memories) == (3, 0, 1)
    assert (second.calls, second.calls_spared) == (3, 3)
    assert first.cost_usd
    assert (second.cost_usd, second.spared_usd) == (first.cost_usd, first.cost_usd)
    assert session.counter.ids()[0][1].startswith("python: ")


def test_unknown_prices_say_unknown(tmp_path: Path) -> None:
    """Never nothing where something was paid."""
    with ModelServer(answers=ANSWERS) as server:
        session = commanded(tmp_path / "home", server)
        session.paste(OFF_BY_ONE)
        session.paste(OFF_BY_ONE)
        status = session.counter.status()
        session.close()
    assert (status.cost_usd, status.calls_spared, status.spared_usd) == (None, 3, None)


async def stopped(session: Commanded, code: str) -> None:
    """Serve a paste and stop it, as Ctrl-C does, while its test command sleeps."""
    begun = asyncio.Event()
    work = asyncio.ensure_future(session.counter.serve(code))
    asyncio.get_running_loop().call_later(0.5, begun.set)
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    await session.counter.drop()


def test_a_stopped_review_can_be_tried_again(tmp_path: Path) -> None:
    """There is no report on it, and that of the paste before is not taken for it; nothing of it can be taken back."""
    session = commanded(tmp_path / "home", ALLOW_UNSANDBOXED="true")
    session.paste("x = 1\n")
    session.do("/test sleep 60")
    session.run(stopped(session, KEEP))
    assert "There is no report on paste 3" in session.do("/diff")
    assert "Paste 3 was not finished: /retry reviews it with this test." in session.do("/test true")
    assert "nothing to take back" in session.do("/undo")
    session.do("/test off")
    assert "+def keep(x, seen=None):" in session.do("/retry")
    assert "NONE: nothing is stored yet" in session.said
    session.close()


def test_nothing_printed_moves_the_cursor(session: Commanded) -> None:
    """Names of files, words and test commands are outside text like any other."""
    bad = "\x1b[2J\u202e"
    session.paste(KEEP)
    for line in (
        f"/load {bad}",
        f"/memory {bad}",
        f"/show {bad}123456",
        f"/forget {bad}123456",
        f"/lang {bad}",
        f"/fix {bad}",
        f"/write {bad}/x",
    ):
        said = session.do(line)
        assert said.strip()
        assert "\x1b" not in said
        assert "\u202e" not in said
    Path(f"a{bad}.py").write_text(KEEP)
    assert "\x1b" not in session.do(f"/write a{bad}.py")


def test_lines_fit_a_narrow_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty columns, also for rows of the memory and of the trace."""
    monkeypatch.chdir(tmp_path)
    session = commanded(tmp_path / "home")
    session.counter.console = replace(session.counter.console, paints=True, columns=lambda: 40, environment={"NO_COLOR": "1"})
    session.paste(KEEP)
    for line in ("/memory", "/memory seen", "/trace", "/provider", "/summary", "/undo", "/lang", "/test", "/copy", "/write kept.py"):
        session.do(line)
        plain = session.printed.getvalue().split("\x07")[-1]
        assert max(map(len, plain.splitlines())) <= 40, line
    session.close()


def test_copy_tells_the_terminal(tmp_path: Path) -> None:
    """Where no program has a clipboard, the terminal is asked; without a terminal one line says what to do."""
    session = commanded(tmp_path / "home")
    session.paste(KEEP)
    assert "There is no clipboard here" in session.do("/copy")
    session.counter.console = replace(session.counter.console, paints=True, environment={})
    session.do("/copy")
    assert session.printed.getvalue().startswith("\x1b]52;c;")
    assert KEPT not in session.printed.getvalue()
    session.close()
