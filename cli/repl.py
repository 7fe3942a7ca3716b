"""The interactive session: prompt, review, prompt. Heavy imports happen in the background while the user types."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from cli.console import Console, ReaderGoneError
from cli.crash import crashed
from cli.help_text import EXAMPLE, HELP, WELCOME, fitted
from cli.options import TaskOptions
from cli.running import cancel_on_signal, in_daemon_thread, run_async, stop_by_signal
from cli.terminal import Prompt
from errors import EXIT_CLEAN, EXIT_FINDINGS, CodeMindError
from settings import Settings
from utils.terminal import visible

if TYPE_CHECKING:
    from cli.counter import Counter

SESSIONS_FILE = "sessions.sqlite3"
Answer = Callable[["Counter"], Coroutine[Any, Any, None]]


def run_repl(settings: Settings, options: TaskOptions, console: Console) -> int:
    """The session on this process's terminal."""
    return run_async(repl(settings, options, console))


async def repl(settings: Settings, options: TaskOptions, console: Console, prompt: Prompt | None = None) -> int:
    """Serve until /quit or Ctrl-D at an empty prompt. 1 when --fail-on was met: all else was said when it happened."""
    session = Repl(settings, options, console, prompt or Prompt())
    where = f"Code goes to {visible(settings.host)}" if settings.host else "Nothing leaves this machine"
    console.out(fitted(WELCOME.format(where=where), console.columns()))
    with cancel_on_signal(signal.SIGTERM):
        try:
            # Not at once: its imports would hold the interpreter while the prompt is drawn.
            session.prompt.once_shown(session.begin)
            while await session.answer_next():
                pass
        finally:
            await session.close()
    return session.status


class Repl:
    """The loop's parts. The counter, and with it everything heavy, is made in the background by `begin`."""

    def __init__(self, settings: Settings, options: TaskOptions, console: Console, prompt: Prompt) -> None:
        self.status = EXIT_CLEAN
        self._settings = settings
        self._options = options
        self._console = console
        self.prompt = prompt
        self._opened: Counter | None = None
        self._opening = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        self._answers: dict[str, Answer] = {"/example": _example, "/undo": self._undo, "/resume": _resume, "/discard": _discard}

    def begin(self) -> None:
        """Start what the user need not wait for."""
        self._background = asyncio.create_task(self._prepare())

    async def answer_next(self) -> bool:
        """Read one submission and answer it; False when the user leaves."""
        try:
            typed = await self.prompt.read()
        except EOFError:
            return False
        except KeyboardInterrupt:
            self._console.out("(discarded; /quit leaves)\n")
            return True
        if typed.is_command:
            return await self._obey(typed.text)
        if typed.text.strip():
            await self._interruptible(lambda counter: counter.serve(typed.text))
        return True

    async def close(self) -> None:
        """End the session as /quit does; a task that was stopped by a signal stays to be resumed."""
        if self._background is not None and not self._background.done():
            self._background.cancel()
        if self._opened is not None:
            await self._opened.close()

    async def _obey(self, command: str) -> bool:
        """Answer a command; False for /quit."""
        if command == "/quit":
            return False
        if command == "/help":
            self._console.out(fitted(HELP, self._console.columns()))
        elif command in self._answers:
            await self._interruptible(self._answers[command])
        else:
            self._console.out(f"There is no command {visible(command)}; /help lists them.\n")
        return True

    async def _interruptible(self, answer: Answer) -> None:
        """Run it; Ctrl-C ends it, drops its task and comes back to the prompt."""
        work = asyncio.ensure_future(self._answered(answer))
        with stop_by_signal(work.cancel, signal.SIGINT):
            try:
                await work
            except ReaderGoneError:
                raise
            except Exception as error:  # noqa: BLE001 - a fault of ours must not end the user's session
                self._console.complain(error if isinstance(error, CodeMindError) else crashed(error, self._console))
            except asyncio.CancelledError:
                if not work.cancelled():
                    raise  # It was not the work that was cancelled, but the whole session.
                await self._drop()

    async def _answered(self, answer: Answer) -> None:
        counter = await self._counter()
        await answer(counter)
        self.status = EXIT_FINDINGS if counter.met_limit else EXIT_CLEAN

    async def _drop(self) -> None:
        if self._opened is not None:
            await self._opened.drop()
        self._console.out("\n(stopped; nothing of it was saved)\n")

    async def _counter(self) -> Counter:
        """The counter; whoever comes first makes it."""
        async with self._opening:
            if self._opened is None:
                self._opened = await in_daemon_thread(self._make_counter)
                for note in self._opened.notes:
                    await self.prompt.say(visible(note))
        return self._opened

    def _make_counter(self) -> Counter:
        from cli.counter import Counter

        counter = Counter(self._settings, self._options, self._console)
        counter.warm_up()
        return counter

    async def _prepare(self) -> None:
        """Make the counter, and offer what an earlier session left. What fails here is reported where it is needed."""
        may_be_some = self._options.save and (self._settings.codemind_home / SESSIONS_FILE).exists()
        try:
            counter = await self._counter()
            if may_be_some and (sentence := await counter.offer()):
                await self.prompt.say(sentence)
        except Exception:  # noqa: BLE001 - it fails again where it is needed, and is reported there
            return

    async def _undo(self, counter: Counter) -> None:
        self._console.out(visible(await counter.undo()) + "\n")


async def _example(counter: Counter) -> None:
    await counter.serve(EXAMPLE, is_example=True)


async def _resume(counter: Counter) -> None:
    await counter.resume()


async def _discard(counter: Counter) -> None:
    await counter.discard()
