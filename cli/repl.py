"""The interactive session: prompt, review, prompt. Heavy imports happen in the background while the user types."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cli.commands.registry import Command, find, suggest
from cli.console import Console, ReaderGoneError
from cli.crash import crashed
from cli.help_text import WELCOME, fitted, help_page
from cli.options import TaskOptions
from cli.progress import progress_for
from cli.prompt_bar import bar
from cli.prompt_completion import CommandCompleter
from cli.prompt_history import SessionHistory
from cli.quiet_keys import keys_unseen
from cli.running import cancel_on_signal, in_daemon_thread, run_async, stop_by_signal
from cli.terminal import Prompt
from cli.typed import Typed
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
    session = Repl(settings, options, console, prompt)
    where = where_session_goes(settings.host, settings.shared_host if options.save else "")
    console.out(fitted(WELCOME.format(where=where), console.columns()))
    with cancel_on_signal(signal.SIGTERM), stop_by_signal(session.interrupt, signal.SIGINT):
        try:
            # Not at once: its imports would hold the interpreter while the prompt is drawn.
            session.prompt.once_shown(session.begin)
            while await session.answer_next():
                pass
        finally:
            await session.close()
    return session.status


def where_session_goes(host: str, shared_host: str) -> str:
    """What the first line says: where code goes, and where what is saved goes."""
    shared = f"saved fixes go to {visible(shared_host)}" if shared_host else ""
    if not host:
        return f"S{shared[1:]}" if shared else "Nothing leaves this machine"
    return "; ".join(filter(None, (f"Code goes to {visible(host)}", shared)))


class Repl:
    """The loop's parts. The counter, and with it everything heavy, is made in the background by `begin`."""

    def __init__(self, settings: Settings, options: TaskOptions, console: Console, prompt: Prompt | None = None) -> None:
        self.status = EXIT_CLEAN
        self._settings = settings
        self._options = options
        self._console = console
        self.prompt = prompt or Prompt(
            history=SessionHistory(settings.codemind_home if options.save else None),
            completer=CommandCompleter(lambda: self._opened.ids() if self._opened else ()),
            bar=self._bar,
            language=lambda: (self._opened or self).options.lang,
        )
        self._opened: Counter | None = None
        self._opening = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        self._work: asyncio.Future[None] | None = None

    @property
    def options(self) -> TaskOptions:
        """How tasks are served as long as no command has changed it."""
        return self._options

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
            self._console.out("(discarded; the up arrow brings it back)\n" if self.prompt.discarded else "(/quit leaves)\n")
            return True
        if self.prompt.is_stopped:
            self._console.out("(stopped before it began; the up arrow brings it back)\n")
            return True
        if typed.is_command:
            return await self._obey(typed)
        if typed.text.strip():
            await self._interruptible(lambda counter: counter.serve(typed.text))
        return True

    async def close(self) -> None:
        """End the session as /quit does; a task that was stopped by a signal stays to be resumed."""
        if self._background is not None and not self._background.done():
            self._background.cancel()
        if self._opened is not None:
            await self._opened.close()

    def interrupt(self) -> None:
        """Ctrl-C while no prompt reads keys: it ends what runs, and never the session."""
        if self._work is not None:
            self._work.cancel()

    async def _obey(self, typed: Typed) -> bool:
        """Answer a command; False for /quit."""
        command = find(typed.name)
        if command is None:
            self._console.out(fitted(_unknown(typed.name), self._console.columns()))
        elif command.name == "/help":
            self._help(typed.rest)
        elif command.argument == "none" and typed.rest:
            self._console.out(fitted(f"{command.name} takes nothing behind it: nothing was done.\n", self._console.columns()))
        elif command.name == "/quit":
            return False
        else:
            await self._interruptible(lambda counter: _run(command, counter, typed.rest))
        return True

    def _help(self, topic: str) -> None:
        page = help_page(topic, self._console.columns())
        self._console.out(page or fitted(_unknown(f"/{topic.removeprefix('/')}"), self._console.columns()))

    async def _interruptible(self, answer: Answer) -> None:
        """Run it; Ctrl-C ends it, drops its task and comes back to the prompt."""
        self._work = work = asyncio.ensure_future(self._answered(answer))
        self._listen()
        try:
            with keys_unseen(self._console.interactive):
                await work
        except ReaderGoneError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end the user's session
            self._console.complain(error if isinstance(error, CodeMindError) else crashed(error, self._console, save=self._options.save))
        except asyncio.CancelledError:
            if _is_ending():
                raise
            await self._drop()
        finally:
            self._work = None

    def _listen(self) -> None:
        """Take Ctrl-C again: the prompt, which reads it as a key, has taken it away."""
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self.interrupt)

    async def _answered(self, answer: Answer) -> None:
        if self._opened is None:
            with progress_for(self._console, is_text=True):  # what is imported first may take seconds
                await self._counter()
        counter = await self._counter()
        await answer(counter)
        self.status = EXIT_FINDINGS if counter.met_limit else EXIT_CLEAN

    async def _drop(self) -> None:
        again = ""
        if self._opened is not None:
            await self._opened.drop()
            shown = self._opened.shown
            again = "; /retry runs it again" if shown is not None and shown.served is None else ""
        self._console.out(f"\n(stopped; nothing of it was saved{again})\n")

    async def _counter(self) -> Counter:
        """The counter; whoever comes first makes it."""
        async with self._opening:
            if self._opened is None:
                self._opened = await in_daemon_thread(self._make_counter)
                for note in self._opened.notes:
                    await self._say(note)
            self.prompt.refresh()
        return self._opened

    async def _say(self, sentence: str) -> None:
        """Above the prompt, broken between words: a terminal breaks in the midst of them."""
        await self.prompt.say(fitted(visible(sentence), self._console.columns()).rstrip("\n").replace("\n", "\r\n"))

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
            counter.sitting.share()
            if may_be_some and (sentence := await counter.offer()):
                await self._say(sentence)
            if sentence := await counter.starter_offer():
                await self._say(sentence)
        except Exception:  # noqa: BLE001 - it fails again where it is needed, and is reported there
            return

    def _bar(self, width: int) -> str:
        target = self._settings.target
        status = self._opened.status() if self._opened is not None else None
        shared_host = self._settings.shared_host if self._options.save else ""
        return bar(target.model if target else self._settings.engine, self._settings.host, status, width, shared_host=shared_host)


def _is_ending() -> bool:
    """True when it was not the work that was cancelled, but the whole session, and the work with it."""
    session = asyncio.current_task()
    return session is not None and session.cancelling() > 0


async def _run(command: Command, counter: Counter, rest: str) -> None:
    """Call the command's function; its module is imported in a thread, so that Ctrl-C need not wait for that either."""
    module = await in_daemon_thread(lambda: import_module(command.module))
    await getattr(module, command.function)(counter, rest)


def _unknown(name: str) -> str:
    meant = suggest(name)
    return f"There is no command {visible(name)}; " + (f"did you mean {meant}?" if meant else "/help lists them.") + "\n"
