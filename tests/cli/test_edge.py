"""The edge: what the user has, what the graph sees, and the way back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cli.edge import Entry, Origin, enter, leave
from cli.options import TaskOptions, known_language
from errors import InputInvalidError
from schema.fix import Fix, Verification
from schema.match import Match, Region
from schema.record import TaskRecord
from settings import Settings
from tests.cli.harness import KEEP, KEPT
from tests.reports.sample import finding

SETTINGS = Settings(codemind_home=Path("unused"))
SECRET = "ghp_" + "a1B2" * 9


def entered(text: str | bytes, origin: Origin | None = None) -> Entry:
    """The entry of a paste."""
    return enter(text, origin or Origin("1"), TaskOptions(), SETTINGS)


def record(fixed: str | None = None) -> TaskRecord:
    """A record with one finding on line 1 and perhaps a fix."""
    fix = None if fixed is None else Fix(fixed, "", "rules", Verification("clean"))
    return TaskRecord("1", "python", "static", findings=(finding(line=1, text="def keep(x, seen=[]):", columns=(13, 20)),), fix=fix)


def test_the_graph_sees_no_secret() -> None:
    """Neither in the code nor in anything that is checkpointed."""
    assert SECRET not in str(entered(f'TOKEN = "{SECRET}"\n{KEEP}').task.as_plain())


def test_a_secret_comes_back_where_it_stood() -> None:
    """In the user's own copy, and in the code that the diff starts from."""
    entry = entered(f'TOKEN = "{SECRET}"\n{KEEP}')
    served = leave(entry, record(entry.task.code.replace(KEEP, KEPT)))
    assert served.record.fix is not None
    assert served.record.fix.code == f'TOKEN = "{SECRET}"\n{KEPT}'
    assert served.before == f'TOKEN = "{SECRET}"\n{KEEP}'
    assert served.placeholders == 0


def test_a_secret_that_was_moved_stays_a_placeholder() -> None:
    """A fix can't carry it into a log call; the record says so."""
    entry = entered(f'TOKEN = "{SECRET}"\n{KEEP}')
    (secret,) = entry.secrets
    served = leave(entry, record(f"{KEPT}print({secret.placeholder!r})\n"))
    assert served.record.fix is not None
    assert SECRET not in served.record.fix.code
    assert served.placeholders == 1
    assert "placeholders" in served.record.notes[-1]


def test_positions_are_those_of_the_paste() -> None:
    """Lines and columns of findings and regions behind prompts, with the evidence as it stands there."""
    entry = entered("\n\n>>> def keep(x, seen=[]):\n...     seen.append(x)\n...     return seen\n...\n>>> keep(1)\n[1]\n")
    region = Region(1, 3, "IDENTICAL", "exact", "e", 1, "proved", None)
    served = leave(entry, replace(record(), match=Match(regions=(region,)))).record
    found = served.findings[0]
    assert (found.start_line, found.start_column, found.end_column) == (3, 17, 24)
    assert found.evidence == ">>> def keep(x, seen=[]):"
    assert (served.match.regions[0].start_line, served.match.regions[0].end_line) == (3, 5)


def test_a_resumed_task_has_the_places_and_line_ends_of_its_paste() -> None:
    """What stood beside the code died with its session: blanks stand for a prompt, placeholders for secrets."""
    entry = Entry.resumed(entered(">>> def keep(x, seen=[]):\r\n...     seen.append(x)\r\n...     return seen\r\n").task)
    served = leave(entry, record(KEPT)).record
    assert served.findings[0].start_column == 17
    assert served.findings[0].evidence == "    def keep(x, seen=[]):"
    assert served.fix is not None
    assert served.fix.code == KEPT.replace("\n", "\r\n")


def test_a_whole_file_is_known_to_be_whole() -> None:
    """Only then may the fix replace it."""
    assert leave(entered(KEEP, Origin("1", "keep.py")), record()).is_whole
    assert not leave(entered(f"Why?\n\n```python\n{KEEP}```\n"), record()).is_whole


@pytest.mark.parametrize("text", ["", "\ufeff\n", "x = '\ud800'", "x\x00", b"\xff", '{"cells": [], "nbformat": 4, "metadata": {}}'])
def test_what_is_no_code_is_refused(text: str | bytes) -> None:
    """Empty, lone surrogates, NUL, not UTF-8, a notebook."""
    with pytest.raises(InputInvalidError):
        entered(text)


def test_languages_have_one_name() -> None:
    """Aliases are resolved, typing errors refused."""
    assert known_language("py") == "python"
    assert known_language(None) is None
    with pytest.raises(InputInvalidError):
        known_language("pyhton")
