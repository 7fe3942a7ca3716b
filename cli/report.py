"""Writes what was served, as text or JSON, and keeps the worst exit status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cli.console import Console
from cli.edge import Served, refused
from cli.options import TaskOptions
from errors import EXIT_CLEAN, EXIT_FINDINGS, CodeMindError
from reports.style import Style
from schema.finding import severity_rank
from schema.record import TaskRecord
from utils.terminal import visible

STAYS_HERE = "nothing leaves this machine"
STAYED_HERE = "nothing left this machine"


HINT_FIX = "Next: /diff /copy /write PATH /accept /reject /undo"
HINT_UNSAVED_FIX = "Next: /diff /copy /write PATH"
"""Where saving is off: there is nothing to judge or to take back."""
HINT_FINDINGS = "Next: /fix N /ignore N /retry (N: the number of a finding)"


def where_code_goes(record: TaskRecord, host: str, shared_host: str = "") -> str:
    """The status line's last part. `host` is the model's, `shared_host` that of the shared memory, each empty without one."""
    shared = f"saved fixes go to {shared_host}" if shared_host else ""
    if not host:
        return shared or STAYS_HERE
    asked = f"code goes to {host}" if record.llm.calls else ""
    return "; ".join(filter(None, (asked, shared))) or STAYED_HERE


class Reporter:
    """One run's output. `provider` is what records of refused texts name; `host` is where a model lives,
    `shared_host` where saved fixes go.

    In a session on a terminal the first report of a kind ends with the commands that it makes possible.
    """

    def __init__(
        self, options: TaskOptions, console: Console, provider: str, host: str = "", *, shared_host: str = "", in_session: bool = False
    ) -> None:
        self.status = EXIT_CLEAN
        self.met_limit = False
        """True once a finding was at least as bad as --fail-on."""
        self._options = options
        self._console = console
        self._provider = provider
        self._host = host
        self._shared_host = shared_host if options.save else ""
        self._written = False
        self._hints = [HINT_FIX, HINT_UNSAVED_FIX, HINT_FINDINGS] if in_session and console.paints else []
        """Those that were not shown yet."""

    def report(self, served: Served) -> None:
        """Write a record that came from a task."""
        record = served.record
        self._count(record)
        if record.error is not None:
            self._console.note(f"codemind: {record.error['code']}: {visible(record.error['message'])}")
        self._write(served)

    def refuse(self, error: CodeMindError, task_id: str) -> None:
        """Write the record of a text that is no task; as text its one line on standard error is all."""
        served = refused(error, task_id, self._provider)
        self._count(served.record)
        self._console.complain(error)
        if self._options.format == "json":
            self._write(served)

    @contextmanager
    def refusing(self, task_id: str) -> Iterator[None]:
        """Report an expected failure of the block as this task's record instead of raising it."""
        try:
            yield
        except CodeMindError as error:
            self.refuse(error, task_id)

    def _count(self, record: TaskRecord) -> None:
        limit = self._options.fail_on
        if limit != "never" and record.worst_severity() >= severity_rank(limit):
            self.met_limit = True
        self.status = max(self.status, record.exit_code, EXIT_FINDINGS if self.met_limit else EXIT_CLEAN)

    def _write(self, served: Served) -> None:
        if self._options.format == "json":
            from reports.json import record_line  # late, as are the next two: one run writes one form

            self._console.out(record_line(served.record))
        elif self._options.format == "jsonl":
            from reports.jsonl import finding_lines

            self._console.out(finding_lines(served.record))
        else:
            from reports.text import record_text

            where = visible(where_code_goes(served.record, self._host, self._shared_host))
            style = self._console.style()
            text = record_text(served.record, served.before, path=served.path, where=where, style=style) + self._hint(served.record, style)
            self._console.out("\n" + text if self._written else text)
            self._written = True

    def _hint(self, record: TaskRecord, style: Style) -> str:
        """What can be done now, the first time that it can."""
        hint = HINT_FINDINGS if record.findings else ""
        if record.fix is not None:
            hint = HINT_UNSAVED_FIX if record.saved.why == "no_save" else HINT_FIX
        if hint not in self._hints:
            return ""
        from reports.wrap import wrap

        self._hints.remove(hint)
        return "".join(style.paint("faint", line) + "\n" for line in wrap(hint, style.width))
