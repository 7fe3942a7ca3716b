"""The prompt: multi-line input with bracketed paste, ended by a line EOF, Esc-Enter or Ctrl-D.

Imports prompt_toolkit, so only the interactive session imports this module. Lines that arrive as key strokes (a terminal
without bracketed paste) are kept as they are: no auto-indent, tabs are inserted, nothing is submitted before the end mark.
The history is kept in memory only: pasted code and secrets never reach a history file.
"""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.output import Output

from cli.typed import Typed, ends_block, is_command, submitted

PROMPT = "code> "
_DECEPTIVE = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{INVERTED QUESTION MARK}")


class Prompt:
    """Reads one block or command at a time."""

    def __init__(self, source: Input | None = None, screen: Output | None = None) -> None:
        """`source` and `screen` are the terminal's own unless a test hands in others."""
        self._session: PromptSession[str] = PromptSession(
            multiline=True,
            prompt_continuation="",
            history=InMemoryHistory(),
            key_bindings=_bindings(),
            input_processors=[_ShowDirectionMarks()],
            enable_suspend=True,
            input=source,
            output=screen,
        )

    async def read(self) -> Typed:
        """The next submission. Raises KeyboardInterrupt on Ctrl-C, EOFError on Ctrl-D at an empty prompt."""
        return submitted(await self._session.prompt_async(PROMPT))

    def once_shown(self, begin: Callable[[], object]) -> None:
        """Call `begin`, in the loop's thread, as soon as the prompt stands on the screen for the first time."""
        rendered = self._session.app.after_render

        def first(_: object) -> None:
            rendered.remove_handler(first)
            begin()

        rendered.add_handler(first)

    async def say(self, sentence: str) -> None:
        """Print a line of our own above the prompt, where one is shown, without disturbing what is typed."""
        await run_in_terminal(lambda: self._session.output.write_raw(sentence + "\r\n") or self._session.output.flush())


class _ShowDirectionMarks(Processor):
    """Shows characters that change the direction of writing as one visible sign each, while they are edited."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """One sign for one character, so that cursor positions stay true."""
        fragments: StyleAndTextTuples = [(f[0], f[1].translate(_DECEPTIVE)) for f in transformation_input.fragments]
        return Transformation(fragments)


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter", filter=~is_searching)
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if _finished(buffer):
            buffer.validate_and_handle()
        else:
            buffer.newline(copy_margin=False)

    @bindings.add("tab")
    def _tab(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\t")

    @bindings.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        pasted = event.data.replace("\r\n", "\n").replace("\r", "\n")
        buffer.insert_text(pasted)
        if "\n" in pasted and buffer.document.is_cursor_at_the_end and ends_block(buffer.text.rstrip()):
            buffer.validate_and_handle()

    @bindings.add("c-d", filter=Condition(lambda: bool(_current_text())))
    def _submit(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return bindings


def _current_text() -> str:
    return get_app().current_buffer.text


def _finished(buffer: Buffer) -> bool:
    """True when Enter submits: at the end of a command or of the end mark's line."""
    document = buffer.document
    return not document.text_after_cursor.strip() and (is_command(document.text) or ends_block(document.text))
