"""`batch FILE.jsonl`: many tasks, several at a time; records come in the order in which tasks end."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.console import CHUNK, Console
from cli.desk import Desk
from cli.edge import Origin
from cli.options import TaskOptions, load, task_options
from cli.piped import in_thread, pieces
from cli.progress import NoteProgress
from cli.report import Reporter
from cli.running import cancel_on_signal, run_async
from cli.sitting import sitting_at
from cli.source import STDIN
from errors import InputInvalidError
from settings import Settings
from wiring import App, build_app

_JSON_GROWTH = 6
"""A character may take six in JSON: only a line beyond that many times the paste limit is too large for certain."""


@dataclass(frozen=True)
class Line:
    """One line by its 1-based number; `raw` is None when it is too large."""

    number: int
    raw: bytes | None


@dataclass(frozen=True)
class Job:
    """What a line asks for."""

    code: str
    origin: Origin


class BadLineError(InputInvalidError):
    """A line that is no task. `task_id` is the line's own id where it could be read, else its number."""

    def __init__(self, message: str, task_id: str) -> None:
        super().__init__(message)
        self.task_id = task_id


def run(given: Namespace, console: Console) -> int:
    """Serve all lines; the worst exit status."""
    loaded = load(given, console.environment)
    return run_async(serve_lines(given, loaded.settings, task_options(given, loaded), console))


async def serve_lines(given: Namespace, settings: Settings, options: TaskOptions, console: Console) -> int:
    """`--jobs` sessions take lines from one queue. Raises InputInvalidError: no such file, no line in it."""
    app = build_app(settings, save=options.save)
    reporter = Reporter(options, console, settings.engine, settings.host, shared_host=settings.shared_host)
    with cancel_on_signal(), _opened(given.file, console) as read:
        lines = in_thread(lines_of(pieces(read), settings.max_paste_kb * 1024 * _JSON_GROWTH))
        queue = _Queue(lines)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(given.jobs):
                    group.create_task(_serve(queue, app, options, console, reporter))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed
    if not queue.taken:
        raise InputInvalidError(f'{given.file}: there is no line in it; lines are {{"id": ..., "code": ...}}')
    return reporter.status


class _Queue:
    """Lines for several takers; counts those that were not blank."""

    def __init__(self, lines: AsyncIterator[Line]) -> None:
        self._lines = lines
        self._lock = asyncio.Lock()
        self.taken = 0

    async def take(self) -> Line | None:
        """The next line that is not blank; None at the end."""
        async with self._lock:
            async for line in self._lines:
                if line.raw is None or line.raw.strip():
                    self.taken += 1
                    return line
        return None


async def _serve(queue: _Queue, app: App, options: TaskOptions, console: Console, reporter: Reporter) -> None:
    """One session that serves lines until there are none left."""
    async with sitting_at(app) as sitting:
        desk = Desk(sitting, options, console, reporter)
        while (line := await queue.take()) is not None:
            try:
                job = job_of(line)
            except BadLineError as error:
                reporter.refuse(error, error.task_id)
            else:
                await desk.serve(job.code, job.origin, NoteProgress(console))  # a live line each would fight for one place


def job_of(line: Line) -> Job:
    """What the line asks for. Raises BadLineError."""
    number = str(line.number)
    if line.raw is None:
        raise BadLineError(f"line {number} is too large: raise MAX_PASTE_KB, or cut the code", number)
    try:
        plain = json.loads(line.raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadLineError(f"line {number} is not JSON in UTF-8", number) from None
    if not isinstance(plain, dict):
        raise BadLineError(f"line {number} is not a JSON object", number)
    task_id = plain.get("id", line.number)
    if isinstance(task_id, bool) or not isinstance(task_id, str | int):
        raise BadLineError(f'line {number}: "id" must be text or a whole number', number)
    code, language = plain.get("code"), plain.get("language")
    if not isinstance(code, str):
        raise BadLineError(f'line {number}: "code" is missing or not text', str(task_id))
    if not isinstance(language, str | None):
        raise BadLineError(f'line {number}: "language" must be text', str(task_id))
    return Job(code, Origin(str(task_id), lang=language or None))


def lines_of(parts: Iterable[bytes], limit: int) -> Iterator[Line]:
    """Lines from pieces that end with LF or are continued; of a line above `limit` bytes nothing is kept."""
    number, size = 1, 0
    kept: list[bytes] = []
    for part in parts:
        size += len(part)
        kept = [*kept, part] if size <= limit else []
        if part.endswith(b"\n"):
            yield Line(number, b"".join(kept) if size <= limit else None)
            number, size, kept = number + 1, 0, []
    if size:
        yield Line(number, b"".join(kept) if size <= limit else None)


@contextmanager
def _opened(name: str, console: Console) -> Iterator[Callable[[], bytes]]:
    """How the file is read, piece by piece. Raises InputInvalidError."""
    if name == STDIN:
        yield console.read
        return
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(Path(name).open("rb"))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a usable path"
            raise InputInvalidError(f"{name} can't be read: {reason.lower()}") from error
        yield lambda: opened.read(CHUNK)
