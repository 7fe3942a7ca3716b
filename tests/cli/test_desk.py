"""The desk, with an App and a session that are fakes."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

from cli.console import of_bytes
from cli.desk import Desk
from cli.edge import Origin
from cli.options import TaskOptions
from cli.report import Reporter
from cli.sitting import Sitting
from schema.record import TaskRecord
from schema.task import Task
from settings import Settings
from wiring import build_app


class FailingSitting(Sitting):
    """Fails at the first task as nothing should, and answers the next ones."""

    async def run(self, task: Task, on_step: object = None) -> TaskRecord:
        """See the class."""
        if task.id == "1":
            raise KeyError("secret code")
        return TaskRecord(task.id, task.language, "static")


def test_a_fault_of_ours_costs_one_task(tmp_path: Path) -> None:
    """Its record says internal_error, the next task is served, and the message quotes nothing."""
    out, err = io.StringIO(), io.StringIO()
    console = of_bytes(io.BytesIO(), out, err, {"CODEMIND_HOME": str(tmp_path)})
    options = TaskOptions(format="json")
    reporter = Reporter(options, console, "static")
    desk = Desk(FailingSitting(build_app(Settings(codemind_home=tmp_path))), options, console, reporter)

    async def serve_two() -> None:
        await desk.serve("x = 1\n", Origin("1"))
        await desk.serve("x = 1\n", Origin("2"))

    asyncio.run(serve_two())
    errors = [json.loads(line)["error"] for line in out.getvalue().splitlines()]
    assert [error and error["code"] for error in errors] == ["internal_error", None]
    assert reporter.status == 4
    assert "secret code" not in out.getvalue() + err.getvalue()
