"""/memory, /show, /forget, and the verdicts that the memory keeps: /accept, /reject, /ignore."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commanding import Commanded, commanded
from tests.cli.harness import AVERAGE, KEEP

TWO = "import os\n\n\n" + KEEP


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commanded]:
    """A session in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    opened = commanded(tmp_path / "home")
    yield opened
    opened.close()


def saved_id(session: Commanded) -> str:
    """Id of what the last report saved."""
    shown = session.counter.shown
    assert shown is not None
    assert shown.served is not None
    return str(shown.served.record.saved.id)


def test_the_memory_is_searched_and_listed(session: Commanded) -> None:
    """Every word must be there; without words the newest come with their number."""
    assert "The memory is empty" in session.do("/memory")
    session.paste(KEEP)
    session.paste(AVERAGE)
    assert "2 pieces of code with their fixes" in session.do("/memory")
    assert session.said.index("Handle the empty case") < session.said.index("Use None")
    assert "Handle the empty case" not in session.do("/memory SEEN append")
    assert "Use None" in session.said
    assert "Nothing in the memory holds these words" in session.do("/memory 100% nonsense_")


def test_one_memory_is_shown_with_its_evidence(session: Commanded) -> None:
    """Trust, level with its checks, where it came from, and the diff."""
    session.paste(KEEP)
    said = session.do(f"/show {saved_id(session)[:6]}")
    for part in ("plausible (level clean)", "Evidence: level clean; parses passed", "From session", "+    if seen is None:"):
        assert part in said
    assert "Which one?" in session.do("/show")
    assert "No remembered fix has an id that begins with 'ffffff': see /memory" in session.do("/show ffffff")


def test_undo_after_forget_does_not_take_back_something_else(session: Commanded) -> None:
    """It says that forgetting is for good, and what a second /undo would take back; then it does."""
    session.paste(KEEP)
    session.paste(AVERAGE)
    session.do(f"/forget {saved_id(session)[:8]}")
    assert "can't be taken back. /undo once more takes back the save of paste 1" in session.do("/undo")
    assert "Taken back: the save of paste 1" in session.do("/undo")


def test_what_is_forgotten_stays_forgotten(session: Commanded) -> None:
    """Six characters at least; it says what went; the same paste is not learnt again, and its save is not to be taken back."""
    session.paste(KEEP)
    key = saved_id(session)
    assert "at least 6 characters" in session.do(f"/forget {key[:5]}")
    assert f"Forgotten for good: {key[:12]} (python, 1 fix: Use None" in session.do(f"/forget {key[:6]}")
    assert session.counter.status().memories == 0
    assert "gone for good and can't be taken back" in session.do("/undo")
    assert "nothing to take back" in session.do("/undo")
    assert "not saved" in session.paste(KEEP)
    assert "No remembered fix has an id" in session.do(f"/forget {key[:6]}")


def test_accepting_makes_a_fix_proved(session: Commanded) -> None:
    """Once; /undo gives it its former trust, and then it can be judged again."""
    session.paste(KEEP)
    key = saved_id(session)
    assert "Accepted" in session.do("/accept")
    assert "proved (accepted by you" in session.do(f"/show {key[:8]}")
    assert "You have accepted this fix already" in session.do("/reject")
    assert "Taken back: your verdict (accepted) on the fix of paste 1 (python, 3 lines)" in session.do("/undo")
    assert "plausible (level clean)" in session.do(f"/show {key[:8]}")
    assert "Rejected" in session.do("/reject")


def test_accepting_what_is_not_saved_says_so(session: Commanded) -> None:
    """After its save was taken back a fix can't come first."""
    session.paste(KEEP)
    session.do("/undo")
    assert "this fix is not saved" in session.do("/accept")
    assert "Taken back: your verdict (accepted)" in session.do("/undo")


def test_a_rejected_fix_is_not_offered_again(session: Commanded) -> None:
    """For that code, whoever makes it; after /undo it is."""
    session.paste(KEEP)
    session.do("/reject")
    report = session.paste(KEEP)
    assert "+def keep(x, seen=None):" not in report
    assert "IDENTICAL" not in report
    assert "There is no fix for paste 2" in session.do("/accept")
    assert "Taken back: your verdict (rejected)" in session.do("/undo")
    assert "IDENTICAL" in session.paste(KEEP)


def test_a_fix_from_memory_is_judged_where_it_is_stored(session: Commanded) -> None:
    """The paste saved nothing; the verdict reaches the experience that was offered, also under other names."""
    session.paste(KEEP)
    key = saved_id(session)
    assert "SIMILAR" in session.paste(KEEP.replace("seen", "known"))
    assert "Accepted" in session.do("/accept")
    assert "proved (accepted by you" in session.do(f"/show {key[:8]}")


def test_an_ignored_finding_is_not_reported_again(session: Commanded) -> None:
    """For that code; /undo brings it back."""
    session.paste(TWO)
    assert "Ignored: ruff/F401" in session.do("/ignore 1")
    assert "It is ignored already" in session.do("/ignore 1")
    report = session.paste(TWO)
    assert "ruff/F401" not in report
    assert "ignored finding" in report
    assert "Taken back: ignoring ruff/F401" in session.do("/undo")
    assert "ruff/F401" in session.paste(TWO)


def test_ignoring_names_the_numbers_of_the_report(session: Commanded) -> None:
    """Out of range, none, or a report without findings: one line."""
    session.paste(TWO)
    assert "There is no finding 3: the report has findings 1 to 2" in session.do("/ignore 3")
    assert "Which findings?" in session.do("/ignore")
    session.paste("x = 1\n")
    assert "nothing to ignore" in session.do("/ignore 1")


def test_a_session_that_saves_nothing_keeps_no_verdict(tmp_path: Path) -> None:
    """--no-save: told, and nothing is written; the memory can be read all the same."""
    session = commanded(tmp_path / "home", save=False)
    session.paste(KEEP)
    for line in ("/accept", "/reject", "/ignore 1"):
        assert "This session saves nothing (--no-save)" in session.do(line)
    assert "The memory is empty" in session.do("/memory")
    assert "nothing to take back" in session.do("/undo")
    session.close()
    assert not (tmp_path / "home").exists()


def test_a_damaged_memory_is_no_end_of_the_session(tmp_path: Path) -> None:
    """What can't be counted is not known; a command on it says what to do, code is reviewed all the same."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "ledger.sqlite3").write_bytes(b"this is no database" * 100)
    session = commanded(home)
    session.counter.warm_up()
    assert session.counter.status().memories is None
    assert "bugs/mutable-default" in session.paste(KEEP)
    session.close()
