"""Tables of measurements."""

from __future__ import annotations

import pytest

from benchmarks.report import Measured, show
from benchmarks.soak import paste


def test_broken_limit_is_marked_and_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """CI uses a benchmark as a gate: a limit that does not hold is exit status 1."""
    assert show("x", [Measured("growth", 30.0, "MB", 20)]) == 1
    assert "| growth | 30 MB | 20 MB | **no** |" in capsys.readouterr().out


def test_number_without_limit_is_shown_for_comparison_only(capsys: pytest.CaptureFixture[str]) -> None:
    """It can't fail the run, and its limit and verdict stay empty."""
    assert show("x", [Measured("all imports first", 1.2, "s")], ["A note."]) == 0
    assert "| all imports first | 1.2 s |  |  |" in capsys.readouterr().out


def test_soak_asks_for_the_new_the_known_the_renamed_and_the_sound() -> None:
    """Four tasks in a row take the four ways through the graph."""
    new, known, renamed, sound = (paste(number) for number in range(4, 8))
    assert known == new
    assert renamed != new
    assert renamed.replace("prices", "values").replace("amount", "total") == new
    assert "len(" not in sound
