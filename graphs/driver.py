"""Drives the session graph: hands tasks in, takes records out, prunes, cancels, and picks up what a dead session left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self

from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from errors import CodeMindError, InputInvalidError, RoundBudgetError, StorageFailedError
from graphs.open_graph import OpenGraph
from graphs.seams import Locks, OpenSaver, TraceSink
from graphs.session import SessionGraph
from graphs.task_log import log_dropped, log_task
from graphs.task_run import Step, TaskRun, ignore_step, whole_route
from graphs.unfinished import NOT_UNFINISHED, LeftBehind, UnfinishedTask
from nodes.session.clear import cleared
from nodes.session.failures import failure
from nodes.session.user_input import QUIT
from schema.record import TaskRecord, Usage
from schema.task import Task
from state import Context, SessionState

SESSION_LOST_NOTE = "this session is no longer kept on disk: an interrupted task can't be resumed"
ROUNDS_SPENT = "The task took more steps than MAX_AGENT_ROUNDS allows; it was ended."


class SessionDriver:
    """One session. Use it as an async context manager; tasks run one after the other."""

    def __init__(  # noqa: PLR0913 - each varies in tests
        self,
        builder: SessionGraph,
        context: Context,
        *,
        open_saver: OpenSaver,
        scratch_saver: OpenSaver,
        locks: Locks | None = None,
        trace: TraceSink | None = None,
        max_rounds: int = 50,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._context = context
        self._open_graph = OpenGraph(builder, context, max_rounds)
        self._open_saver = open_saver
        self._scratch_saver = scratch_saver
        self._locks = locks
        self._trace = trace
        self._clock = clock
        self._pruning: asyncio.Task[None] | None = None
        self.lost: StorageFailedError | None = None
        """Why the session is no longer kept on disk; None while it is."""
        self._lost_said = False
        self._interrupted = False
        self._session: SessionState = {"summary": "", "tasks_done": 0}
        self.notes: list[str] = []
        """Sentences about the session as a whole, for the user; empty it once they were said."""
        self.last_trace: list[dict[str, Any]] = []
        """Trace lines of the last task."""

    async def __aenter__(self) -> Self:
        """As `start`."""
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """As `close`."""
        await self.close()

    async def start(self) -> None:
        """Open the checkpoints and bring the graph to its first input. Where nothing can be written, go on in memory."""
        try:
            if self._locks is not None:
                self._locks.acquire(self.session_id)
            await self._open(self._open_saver)
        except StorageFailedError as error:
            await self._fall_back(error)

    async def close(self) -> None:
        """End the session as /quit does and forget it. Nothing is raised for checkpoints that can't be deleted.

        A task that was interrupted and not cancelled stays on disk, to be offered again.
        """
        try:
            with suppress(StorageFailedError):
                await self._settle()
                if not self._interrupted:
                    async for _ in self._open_graph.events(self.session_id, Command(resume=QUIT)):
                        pass
                    await self._open_graph.drop(self.session_id)
        finally:
            await self._open_graph.close()
            if self._locks is not None:
                self._locks.release(self.session_id)

    @property
    def session_id(self) -> str:
        """Name of the session and of its thread of checkpoints."""
        return self._context.session_id

    @property
    def summary(self) -> str:
        """What the session remembers of its tasks, one line each."""
        return self._session["summary"]

    async def clear_summary(self) -> None:
        """Forget the tasks of this session (the long-term memory stays)."""
        self._session["summary"] = ""
        await self._reset()

    async def run_task(self, task: Task, on_step: Step = ignore_step) -> TaskRecord:
        """Take a task through the graph. An expected failure is in the record; what was found until then is kept.

        Until the caller waits for something else, the task can be offered again: a record that was not shown is not lost.
        Cancelling this coroutine leaves the task where it is: call `cancel_task` to go on with the session.
        """
        run = TaskRun(task, self.session_id, self._clock, on_step)
        self._begin(task)
        await self._settle()
        self._interrupted = True
        await self._take_in(task, run)
        self._interrupted = False
        record = self._finish(run)
        self._pruning = asyncio.create_task(self._prune())
        return record

    async def cancel_task(self) -> None:
        """Drop the task that was interrupted; nothing of it is kept, and the session waits for the next."""
        await self._reset()
        log_dropped()

    async def unfinished(self) -> list[UnfinishedTask]:
        """Tasks of dead sessions, newest first; dead sessions without one are deleted. Raises: StorageFailedError."""
        return await self._left_behind().find() if self._locks is not None else []

    async def resume(self, thread_id: str, on_step: Step = ignore_step) -> TaskRecord:
        """Finish a task of a dead session from where it stopped, or give its record again. Raises: InputInvalidError when there is none."""
        left_behind = self._left_behind()
        left = await left_behind.claim(thread_id)
        try:
            run = TaskRun(left.task, thread_id, self._clock, on_step)
            run.values = dict(left.values)
            self._begin(left.task)
            if not left.finished:
                await self._watched(run, thread_id, None if left.answer is None else Command(resume=left.answer))
            await left_behind.drop(thread_id)
            self._write_trace(run)
            route = run.route if run.failure else whole_route(run.values.get("history", []))
            record = run.record(self._context.provider, route, spent=self._spent(left.task, left.values.get("usage")))
            log_task(left.task, record, run.lines)
            return record
        finally:
            left_behind.release(thread_id)

    async def discard(self, thread_id: str) -> None:
        """Delete a task of a dead session. Raises: InputInvalidError when there is none, StorageFailedError."""
        left_behind = self._left_behind()
        await left_behind.claim(thread_id)
        try:
            await left_behind.drop(thread_id)
        finally:
            left_behind.release(thread_id)

    async def _take_in(self, task: Task, run: TaskRun) -> None:
        """Run the task; when the checkpoints fail, run it again in memory, so that the review is not lost."""
        command: Command[Any] = Command(resume=task.as_plain())
        try:
            await self._watched(run, self.session_id, command)
        except StorageFailedError as error:
            await self._fall_back(error)
            run.restart()
            await self._watched(run, self.session_id, command)
        except Exception:
            await self._reset()
            raise
        if run.failure is not None:
            await self._reset()
        if self.lost is not None and not self._lost_said:
            self._lost_said = True
            run.failure = run.failure or failure(self.lost)
            run.notes.append(SESSION_LOST_NOTE)

    async def _watched(self, run: TaskRun, thread_id: str, command: Command[Any] | None) -> None:
        """Stream the graph into `run`. Expected failures go into it, but for those of the checkpoints themselves."""
        try:
            async for mode, payload in self._open_graph.events(thread_id, command):
                run.see(mode, payload)
        except GraphRecursionError:
            run.failure = failure(RoundBudgetError(ROUNDS_SPENT))
        except StorageFailedError:
            raise
        except CodeMindError as error:
            run.failure = failure(error)

    def _finish(self, run: TaskRun) -> TaskRecord:
        """The record; also takes over what the session remembers, and writes the trace."""
        self._session = {
            "summary": run.values.get("summary", self.summary),
            "tasks_done": run.values.get("tasks_done", self._session["tasks_done"]),
        }
        self._write_trace(run)
        record = run.record(self._context.provider, spent=self._spent(run.task))
        log_task(run.task, record, run.lines)
        return record

    def _begin(self, task: Task) -> None:
        """A task's calls count from nothing."""
        if self._context.model is not None:
            self._context.model.begin(task.id)

    def _spent(self, task: Task, before: Mapping[str, Any] | None = None) -> Usage | None:
        """What the task's calls cost, those that failed too, and `before` it was resumed; None without a model."""
        model = self._context.model
        return None if model is None else Usage(**(before or {})).plus(model.usage(task.id))

    def _write_trace(self, run: TaskRun) -> None:
        """Keep the lines for `--trace`, and write them; a trace that can't be written is given up with one note."""
        self.last_trace = run.lines
        try:
            for line in run.lines if self._trace is not None else ():
                self._trace.write(line)  # type: ignore[union-attr]  # no lines are gone through without a trace
        except StorageFailedError as error:
            self._trace = None
            self.notes.append(error.message)

    async def _open(self, open_saver: OpenSaver) -> None:
        """Compile the graph on a saver, and let it run to its first input. Raises: StorageFailedError."""
        note = await self._open_graph.open(open_saver)
        self.notes += [note] if note else []
        async for _ in self._open_graph.events(self.session_id, self._session):
            pass

    async def _fall_back(self, error: StorageFailedError) -> None:
        """Go on with checkpoints in memory; the next record says so."""
        if self.lost is not None:
            raise error
        self.lost = error
        if self._locks is not None:
            self._locks.release(self.session_id)
            self._locks = None
        with suppress(StorageFailedError):
            await self._open_graph.drop(self.session_id)  # else a task that ends in memory would be offered again
        with suppress(StorageFailedError):
            await self._open_graph.close()
        await self._open(self._scratch_saver)

    async def _reset(self) -> None:
        """Bring the session's thread back to its input with an empty task, whatever it was doing."""
        self._interrupted = False
        values: SessionState = {**cleared(), **self._session}
        try:
            thread = self._open_graph.config(self.session_id)
            await self._open_graph.compiled.aupdate_state(thread, values, as_node="clear")
            async for _ in self._open_graph.events(self.session_id, None):
                pass
        except StorageFailedError as error:
            await self._fall_back(error)

    async def _prune(self) -> None:
        """Keep the newest checkpoint of this session only."""
        await self._open_graph.saver.aprune([self.session_id])

    async def _settle(self) -> None:
        """Wait for the pruning that was begun while the user was reading."""
        pruning, self._pruning = self._pruning, None
        if pruning is None:
            return
        try:
            await pruning
        except StorageFailedError as error:
            await self._fall_back(error)

    def _left_behind(self) -> LeftBehind:
        """The tasks of dead sessions. Raises: InputInvalidError for a session that is not kept on disk."""
        if self._locks is None:
            raise InputInvalidError(NOT_UNFINISHED)
        return LeftBehind(self._open_graph.compiled, self._open_graph.saver, self._locks)
