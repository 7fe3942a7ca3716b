"""The prompt: multi-line input with bracketed paste, ended by a line EOF, Esc-Enter or Ctrl-D.

Imports prompt_toolkit and nothing else that is heavy, so only the interactive session imports this module. What the keys do
is in `prompt_keys`, what Tab completes in `prompt_completion`, what the up arrow recalls in `prompt_history`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, get_app, run_in_terminal
from prompt_toolkit.completion import Completer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.layout.processors import Processor, TabsProcessor, Transformation, TransformationInput
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import is_dumb_terminal

from cli.prompt_colours import STYLES, Colours
from cli.prompt_completion import CommandCompleter
from cli.prompt_history import SessionHistory
from cli.prompt_keys import Paste, bindings, stopped_ahead
from cli.typed import Typed, submitted
from utils.terminal import TAB_CELLS

PROMPT = "code> "
PASTE_CUT = "(what came behind the end of the paste was left out)"
_DECEPTIVE = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{INVERTED QUESTION MARK}")
_STYLES = {
    "prompt": "bold",
    "bottom-toolbar": "noreverse dim",
    "completion-menu": "fg:default bg:default",
    "completion-menu.completion.current": "fg:default bg:default reverse",
    "completion-menu.meta.completion": "fg:default bg:default dim",
    "completion-menu.meta.completion.current": "fg:default bg:default dim",
    "scrollbar.background": "fg:default bg:default",
    "scrollbar.button": "fg:default bg:default reverse",
    "aborting": "fg:default bg:default dim",
    "exiting": "fg:default bg:default dim",
    "control-character": "ansired",
    "nbsp": "underline",
    "search": "fg:default bg:default reverse",
    **STYLES,
}
"""Attributes before colours, and no colour that a light or a dark background swallows."""

_HABITS: dict[str, Any] = {
    "multiline": True,
    "prompt_continuation": "",
    "complete_in_thread": True,
    "complete_while_typing": False,
    "enable_suspend": True,
}


def nothing_chosen() -> str | None:
    """No language was set: it is guessed."""
    return None


class Prompt:
    """Reads one block or command at a time."""

    def __init__(
        self,
        source: Input | None = None,
        screen: Output | None = None,
        *,
        history: SessionHistory | None = None,
        completer: Completer | None = None,
        bar: Callable[[int], str] | None = None,
        language: Callable[[], str | None] = nothing_chosen,
    ) -> None:
        """`source` and `screen` are the terminal's own unless a test hands in others. `bar` is given the width in cells."""
        self._paste = Paste()
        self._history = history or SessionHistory()
        self.discarded = False
        """True when the last Ctrl-C threw something away."""
        self.is_stopped = False
        """True when Ctrl-C was typed right behind what was read last, and read with it."""
        with _screen_of(screen):
            self._session: PromptSession[str] = PromptSession(
                history=self._history,
                completer=completer or CommandCompleter(),
                key_bindings=bindings(self._paste),
                input_processors=[_ShowDirectionMarks(), _ShowTabs()],
                bottom_toolbar=_line_below(bar) if bar else None,
                style=Style.from_dict(_STYLES),
                input=source,
                output=screen,
                **_HABITS,
            )
        colours = Colours(language, self._colour)
        self._session.default_buffer.on_text_changed += lambda buffer: colours.follow(buffer.text)

    async def read(self) -> Typed:
        """The next submission. Raises KeyboardInterrupt on Ctrl-C, EOFError on Ctrl-D at an empty prompt."""
        try:
            typed = submitted(await self._session.prompt_async(PROMPT))
        except KeyboardInterrupt:
            self.discarded = self._history.keep(self._session.default_buffer.text)
            raise
        if await self._paste.rest(self._session.input):
            self._write(PASTE_CUT)
        self.is_stopped = stopped_ahead(self._session.input)
        return typed

    def once_shown(self, begin: Callable[[], object]) -> None:
        """Call `begin`, in the loop's thread, as soon as the prompt stands on the screen for the first time."""
        if is_dumb_terminal():  # nothing is rendered there
            asyncio.get_running_loop().call_soon(begin)
            return
        rendered = self._session.app.after_render

        def first(_: object) -> None:
            rendered.remove_handler(first)
            begin()

        rendered.add_handler(first)

    async def say(self, sentence: str) -> None:
        """Print a line of our own above the prompt, where one is shown, without disturbing what is typed."""
        await run_in_terminal(lambda: self._write(sentence))

    def refresh(self) -> None:
        """Draw again, where a prompt is shown: the line below it has something new to say."""
        self._session.app.invalidate()

    def _write(self, sentence: str) -> None:
        self._session.output.write_raw(sentence + "\r\n")
        self._session.output.flush()

    def _colour(self, lexer: Lexer | None) -> None:
        if lexer is not self._session.lexer:
            self._session.lexer = lexer
            self.refresh()


def _screen_of(given: Output | None) -> AbstractContextManager[object]:
    """While the block runs, the screen that is used where none is given: a dumb terminal needs one of its own."""
    if given is not None or not is_dumb_terminal():
        return nullcontext()
    from cli.prompt_dumb import PlainOutput  # late: there are few such terminals

    return create_app_session(output=PlainOutput(sys.stdout))


def _line_below(bar: Callable[[int], str]) -> Callable[[], str]:
    return lambda: bar(get_app().output.get_size().columns)


class _ShowDirectionMarks(Processor):
    """Shows characters that change the direction of writing as one visible sign each, while they are edited."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """One sign for one character, so that cursor positions stay true."""
        fragments: StyleAndTextTuples = [(f[0], f[1].translate(_DECEPTIVE)) for f in transformation_input.fragments]
        return Transformation(fragments)


class _ShowTabs(Processor):
    """Shows a tab as blanks; the text keeps it."""

    def __init__(self) -> None:
        self._blanks = TabsProcessor(TAB_CELLS, " ", " ", "")

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Only where there is a tab: taking a line apart takes time."""
        if any("\t" in fragment[1] for fragment in transformation_input.fragments):
            return self._blanks.apply_transformation(transformation_input)
        return Transformation(transformation_input.fragments)
