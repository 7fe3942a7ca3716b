"""Ctrl-C while a model is asked: the request is broken off at the server, and the session goes on."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.harness import CommandLine
from tests.cli.screen import opened
from tests.cli.test_interrupt import stream
from tests.cli.test_model_session import ANSWERS, FIRST, SECOND, with_model
from tests.model_replies import Reply
from tests.model_server import ModelServer

PATIENCE_S = 60


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that never answers about the first paste."""
    with ModelServer(Reply("keep-alive", about="first_index", always=True), answers=ANSWERS) as started:
        yield started


def test_control_c_breaks_off_the_call_and_comes_back_to_the_prompt(codemind: CommandLine, server: ModelServer) -> None:
    """Twice in a row; nothing is saved of them, and the next paste is reviewed and saved."""
    with opened(with_model(codemind, server)) as screen:
        assert f"Code goes to {server.host}" in " ".join(screen.printed.decode().split())
        for times in (1, 2):
            screen.type(FIRST.replace("\n", "\r") + "EOF\r")
            assert server.wait_until(lambda seen, times=times: len(seen.chats) == times, PATIENCE_S)  # type: ignore[misc]  # a default
            screen.type("\x03")
            screen.wait_for("stopped; nothing of it was saved")
            assert server.wait_until(lambda seen, times=times: seen.aborted == times, PATIENCE_S)  # type: ignore[misc]  # as above
            screen.wait_for("code>")
        screen.type(SECOND.replace("\n", "\r") + "EOF\r")
        assert "saved as" in screen.wait_for(f"code goes to {server.host}")
        screen.type("/quit\r")
    assert codemind.run("memory", "list").out.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_piped_process_ends_at_once(codemind: CommandLine, server: ModelServer, number: signal.Signals, tmp_path: Path) -> None:
    """Exit 130, one line, the request broken off."""
    process: subprocess.Popen[bytes] = with_model(codemind, server).start("--json", cwd=tmp_path)
    stream(process.stdin).write(FIRST.encode() + b"EOF\n")
    stream(process.stdin).flush()
    assert server.wait_until(lambda seen: len(seen.chats) == 1, PATIENCE_S)

    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert server.wait_until(lambda seen: seen.aborted == 1, PATIENCE_S)
