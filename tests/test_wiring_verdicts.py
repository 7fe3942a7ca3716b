"""Verdicts and choices through the whole session: real graph, real engine, real memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin
from schema.fix import REJECTED_NOTE
from schema.record import TaskRecord
from schema.task import Task
from settings import Settings
from tests.fakes import a_task
from wiring import App, build_app

BUGGY = "def add(item, items=[]):\n    items.append(item)\n    return items\n"
RENAMED = "def push(value, stack=[]):\n    stack.append(value)\n    return stack\n"
TWO = "def add(item, items=[]):\n    if item == None:\n        return items\n    items.append(item)\n    return items\n"


@pytest.fixture
def app(tmp_path: Path) -> App:
    """The static engine on an empty home."""
    return build_app(replace(Settings(), codemind_home=tmp_path, reviewer_provider="static"))


async def served(app: App, *tasks: Task) -> list[TaskRecord]:
    """What each task ends in, one after the other in one session."""
    async with app.driver() as driver:
        return [await driver.run_task(task) for task in tasks]


def paste(code: str = BUGGY, **changes: object) -> Task:
    """A Python paste."""
    return a_task(code, **changes)


@pytest.mark.parametrize("again", [BUGGY, "# mine\n" + BUGGY.replace("item, items", "item,  items")])
@pytest.mark.parametrize("use_memory", [True, False])
async def test_a_rejected_fix_does_not_come_back(app: App, again: str, use_memory: bool) -> None:
    """Not from memory, and not when the rules make the very same fix again; the findings are still there, and the record says why."""
    (first,) = await served(app, paste())
    assert first.fix is not None
    judged = app.memory.judge(first.saved.alternative_id, accepted=False, source=paste().source, fixed_code=first.fix.code)

    (second,) = await served(app, paste(again, use_memory=use_memory))

    assert (second.fix, second.match.status) == (None, "NONE")
    assert (second.saved.status, second.saved.why) == ("skipped", "rejected")
    assert REJECTED_NOTE in second.notes
    assert second.findings
    assert judged is not None
    assert app.memory.take_back(judged)
    (third,) = await served(app, paste())
    assert third.match.status == "IDENTICAL"
    assert third.fix is not None


async def test_a_rejected_transfer_is_not_made_by_the_rules_instead(app: App) -> None:
    """The rules' fix of the renamed paste is what memory had carried over."""
    await served(app, paste())
    (carried,) = await served(app, paste(RENAMED))
    assert carried.match.tier == "renamed"
    assert carried.fix is not None
    region = carried.match.regions[0]
    app.memory.judge(region.alternative_id, accepted=False, source=paste(RENAMED).source, fixed_code=carried.fix.code)

    (again,) = await served(app, paste(RENAMED))

    assert (again.fix, again.saved.why) == (None, "rejected")


async def test_an_accepted_fix_is_proved_when_it_is_offered_again(app: App) -> None:
    """The trust of the next answer says so."""
    (first,) = await served(app, paste())
    app.memory.judge(first.saved.alternative_id, accepted=True)

    (second,) = await served(app, paste())

    assert (first.match.trust, second.match.trust) == (None, "proved")


async def test_ignored_findings_are_neither_reported_nor_mended(app: App) -> None:
    """For that code; what stands beside them is. Taken back, they are reported again."""
    (first,) = await served(app, paste(TWO))
    assert app.verdicts is not None
    loser = next(found for found in first.findings if found.start_line == 1)
    app.verdicts.dismiss(paste(TWO).source, [loser])
    app.memory.undo(first.saved)

    second, third = await served(app, paste(TWO), paste(TWO))

    for record in (second, third):
        assert 1 not in {found.start_line for found in record.findings}
        assert "1 ignored finding not shown" in record.notes
        assert record.fix is not None
        assert "items=[]" in record.fix.code
    assert third.match.status == "IDENTICAL"
    app.verdicts.restore(paste(TWO).source, [loser])
    (fourth,) = await served(app, paste(TWO, use_memory=False))
    assert 1 in {found.start_line for found in fourth.findings}


async def test_a_look_into_the_memory_does_not_show_what_was_ignored(app: App) -> None:
    """`recall` reports as the session does."""
    (first,) = await served(app, paste())
    assert app.verdicts is not None
    app.verdicts.dismiss(paste().source, list(first.findings))

    record = app.recall(paste(), inspect=True)

    assert record.findings == ()
    assert f"{len(first.findings)} ignored finding{'s' * (len(first.findings) != 1)} not shown" in record.notes


async def test_chosen_findings_make_one_more_fix_of_the_same_code(app: App) -> None:
    """Straight to the fixer; both fixes are kept under one experience."""
    (first,) = await served(app, paste(TWO))
    wanted = [found for found in first.findings if found.start_line == 2]

    (second,) = await served(app, paste(TWO, chosen=tuple(found.as_plain() for found in wanted)))

    assert [step for step in second.route if step in {"reviewer", "fixer"}] == ["fixer"]
    assert second.fix is not None
    assert "items=[]" in second.fix.code
    assert "item is None" in second.fix.code
    assert (second.saved.status, second.saved.id) == ("updated", first.saved.id)
    assert len(admin.show(app.ledger, first.saved.id or "").alternatives) == 2


def test_nothing_is_dismissed_without_a_place_to_keep_it(tmp_path: Path) -> None:
    """--no-save has no verdicts."""
    assert build_app(replace(Settings(), codemind_home=tmp_path), save=False).verdicts is None
