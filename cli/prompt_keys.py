"""What the keys do at the prompt.

Lines that arrive as key strokes (a terminal without bracketed paste) are kept as they are: no auto-indent, tabs are inserted,
nothing is submitted before the end mark. What follows a bracketed paste without a pause came out of the clipboard too: code
that holds the paste's own end sequence must not press Enter behind a command.
"""

from __future__ import annotations

import asyncio
import itertools

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.filters import Condition, completion_is_selected, is_searching
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from cli.prompt_completion import completes, completes_at_once
from cli.typed import ends_block, is_command

_PAUSE_S = 0.1
"""Without a key for so long, a paste is over. A person can't type so soon behind one, and a terminal sends it in one go."""
_NOT_TYPED = {Keys.CPRResponse, Keys.BracketedPaste, Keys.SIGINT}
"""A terminal also answers questions, and a paste has a key of its own."""
_LINE_ENDS = {Keys.ControlM, Keys.ControlJ}


class Paste:
    """Whether a bracketed paste still goes on."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()
        self._over.set()

    @property
    def goes_on(self) -> bool:
        """True until a pause. What is there to be read is read before the pause can be over."""
        return not self._over.is_set()

    def more(self) -> None:
        """Something of it has just been read."""
        if self._timer is not None:
            self._timer.cancel()
        self._over.clear()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE_S, self._over.set)

    async def rest(self, source: Input) -> bool:
        """Drop what comes behind a submitted paste: it must not be typed into the next prompt. True when there was something."""
        if not self.goes_on:
            return False
        dropped = get_typeahead(source)

        def drop() -> None:
            dropped.extend(source.read_keys())
            if not source.closed:
                self.more()

        with source.raw_mode(), source.attach(drop):
            await self._over.wait()
        return any(pressed.key not in _NOT_TYPED for pressed in dropped)


def stopped_ahead(source: Input) -> bool:
    """True when Ctrl-C is among the keys that were read and not yet used; they are used up to there."""
    ahead = get_typeahead(source)
    at = next((number for number, pressed in enumerate(ahead) if pressed.key == Keys.ControlC), None)
    store_typeahead(source, ahead if at is None else ahead[at + 1 :])
    return at is not None


def bindings(paste: Paste) -> KeyBindings:
    """The keys of ours; all others do what prompt_toolkit lets them do."""
    keys = KeyBindings()
    keys.add("enter", filter=~is_searching)(_enter)
    keys.add("enter", filter=completion_is_selected)(_take_completion)
    keys.add("tab")(_tab)
    keys.add("c-d", filter=Condition(lambda: bool(get_app().current_buffer.text)))(_submit)

    @keys.add(Keys.BracketedPaste)
    def _pasted(event: KeyPressEvent) -> None:
        paste.more()
        _insert_paste(event)

    @keys.add(Keys.Any, filter=Condition(lambda: paste.goes_on and _is_typed()), eager=True)
    def _still_pasted(event: KeyPressEvent) -> None:
        paste.more()
        _insert_key(event)

    return keys


def _enter(event: KeyPressEvent) -> None:
    buffer = event.current_buffer
    if _finished(buffer):
        buffer.validate_and_handle()
    else:
        buffer.newline(copy_margin=False)


def _take_completion(event: KeyPressEvent) -> None:
    """Enter on a line of the menu chooses it; the command is submitted by the next one."""
    event.current_buffer.complete_state = None


def _tab(event: KeyPressEvent) -> None:
    buffer = event.current_buffer
    if not completes(buffer.text):
        buffer.insert_text("\t")
    elif buffer.complete_state:
        buffer.complete_next()
    elif (only := _only_completion(buffer)) is not None:
        buffer.apply_completion(only)  # Enter, which may be typed already, must find it there.
    else:
        buffer.start_completion(insert_common_part=True)


def _only_completion(buffer: Buffer) -> Completion | None:
    """What can be meant without a doubt; paths are looked for in a thread."""
    if not completes_at_once(buffer.text):
        return None
    event = CompleteEvent(completion_requested=True)
    found = list(itertools.islice(buffer.completer.get_completions(buffer.document, event), 2))
    return found[0] if len(found) == 1 else None


def _submit(event: KeyPressEvent) -> None:
    event.current_buffer.validate_and_handle()


def _insert_paste(event: KeyPressEvent) -> None:
    buffer = event.current_buffer
    pasted = event.data.replace("\r\n", "\n").replace("\r", "\n")
    buffer.insert_text(pasted)
    if "\n" in pasted and buffer.document.is_cursor_at_the_end and ends_block(buffer.text.rstrip()):
        buffer.validate_and_handle()


def _insert_key(event: KeyPressEvent) -> None:
    """A key that belongs to a paste is text; only the end mark of a block still ends it."""
    buffer, pressed = event.current_buffer, event.key_sequence[0]
    if pressed.key not in _LINE_ENDS:
        buffer.insert_text(pressed.data)
    elif buffer.document.is_cursor_at_the_end and ends_block(buffer.text):
        buffer.validate_and_handle()
    else:
        buffer.newline(copy_margin=False)


def _is_typed() -> bool:
    """True for what comes, or seems to come, from the keyboard."""
    pressed = get_app().key_processor.key_buffer
    return bool(pressed) and pressed[-1].key not in _NOT_TYPED


def _finished(buffer: Buffer) -> bool:
    """True when Enter submits: at the end of a command or of the end mark's line."""
    document = buffer.document
    return not document.text_after_cursor.strip() and (is_command(document.text) or ends_block(document.text))
