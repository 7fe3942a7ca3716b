"""The end of a run's output."""

from __future__ import annotations

import io
from dataclasses import replace

from cli.console import of_bytes
from cli.edge import Served
from cli.options import TaskOptions
from cli.report import HINT_FINDINGS, HINT_FIX, HINT_UNSAVED_FIX, Reporter
from schema.experience import Saved
from tests.reports.gallery import PICTURES


def reported(*names: str, on_terminal: bool = True, in_session: bool = True) -> str:
    """What is written of these reports, one after the other."""
    out = io.StringIO()
    console = replace(of_bytes(io.BytesIO(), out, io.StringIO(), {"TERM": "dumb"}), paints=on_terminal)
    reporter = Reporter(TaskOptions(), console, "static", in_session=in_session)
    for name in names:
        reporter.report(Served(PICTURES[name].record, PICTURES[name].code))
    return out.getvalue()


def test_a_session_says_once_what_can_be_done_now() -> None:
    """Below the first report with a fix, and below the first that has findings only."""
    written = reported("nothing", "group", "three-findings", "group", "identical")
    assert written.count(HINT_FIX) == written.count(HINT_FINDINGS) == 1
    assert written.index(HINT_FINDINGS) < written.index(HINT_FIX)


def test_nothing_found_makes_nothing_possible() -> None:
    """No hint."""
    assert "Next:" not in reported("nothing")


def test_only_a_session_on_a_terminal_has_commands() -> None:
    """A pipe and `fix FILE` have none to offer."""
    assert "Next:" not in reported("three-findings", on_terminal=False)
    assert "Next:" not in reported("three-findings", in_session=False)


def test_where_nothing_is_saved_there_is_nothing_to_judge() -> None:
    """The example: its fix can be looked at and written, no more; the next report offers the rest."""
    out = io.StringIO()
    console = replace(of_bytes(io.BytesIO(), out, io.StringIO(), {"TERM": "dumb"}), paints=True)
    reporter = Reporter(TaskOptions(), console, "static", in_session=True)
    picture = PICTURES["three-findings"]
    reporter.report(Served(replace(picture.record, saved=Saved("skipped", why="no_save")), picture.code))

    assert "/accept" not in out.getvalue()
    assert HINT_UNSAVED_FIX in out.getvalue()
    reporter.report(Served(picture.record, picture.code))
    assert HINT_FIX in out.getvalue()
