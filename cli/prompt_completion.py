"""What Tab completes in a command: its name, a path, an id, a language. Never anything in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from utils.terminal import visible

Ids = Callable[[], Sequence[tuple[str, str]]]
"""The ids of what is remembered, each with a few words about it. Answers at once."""
_BEGUN = re.compile(r"/[a-z]*")
_FLAG = re.compile(r"(?:--\w+[ \t]+)*")
_FIXED = {"/summary": ("clear",), "/test": ("off",)}
"""Words that commands of the argument `text` know."""


def completes(text: str) -> bool:
    """True when Tab completes: a command has been begun, and nothing but that."""
    return "\n" not in text and _BEGUN.match(text) is not None and not text.startswith(("//", "/*"))


def completes_at_once(text: str) -> bool:
    """True when nothing need be read from a disk for it."""
    from cli.commands.registry import find  # late: not before the first Tab

    name, blank, _ = text.partition(" ")
    command = find(name)
    return not (blank and command is not None and command.argument == "path")


def nothing_yet() -> Sequence[tuple[str, str]]:
    """The ids before the memory is there."""
    return ()


class CommandCompleter(Completer):
    """Completes one line that begins with a slash."""

    def __init__(self, ids: Ids = nothing_yet) -> None:
        self._ids = ids
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may stand where the cursor is."""
        line = document.text_before_cursor
        if not completes(document.text):
            return []
        name, blank, rest = line.partition(" ")
        return self._arguments(name, rest.lstrip(), complete_event) if blank else _names(name)

    def _arguments(self, name: str, begun: str, event: CompleteEvent) -> Iterable[Completion]:
        from cli.commands.registry import COMMANDS, find  # late, as above

        command = find(name)
        if name == "/help":
            return _words(begun, [(other.name.removeprefix("/"), other.text) for other in COMMANDS])
        if command is None:
            return []
        if command.argument == "path":
            return self._files(_FLAG.sub("", begun, count=1), event)
        if command.argument == "id":
            return _words(begun, self._ids())
        if command.argument == "language":
            return _words(begun, [(language, "") for language in ("auto", *_languages())])
        return _words(begun, [(word, "") for word in _FIXED.get(name, ())])

    def _files(self, begun: str, event: CompleteEvent) -> Iterator[Completion]:
        """Paths that can be typed: one whose name holds a line end or a control character can't. Hidden ones are asked for by a dot."""
        hidden = begun.rpartition("/")[2].startswith(".")
        for found in self._paths.get_completions(Document(begun), event):
            if found.text.isprintable() and (hidden or not found.display_text.startswith(".")):
                yield Completion(found.text + ("/" if found.display_text.endswith("/") else ""), found.start_position, found.display)


def _names(begun: str) -> Iterator[Completion]:
    from cli.commands.registry import COMMANDS  # late, as above

    for command in COMMANDS:
        if command.name.startswith(begun):
            end = "" if command.argument == "none" else " "
            yield Completion(command.name + end, -len(begun), command.usage, command.text)


def _words(begun: str, known: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    for word, about in known:
        if word.startswith(begun) and word != begun:
            yield Completion(word, -len(begun), display_meta=visible(about).replace("\n", " "))


def _languages() -> Sequence[str]:
    from utils.language_names import CODE  # late, as above

    return CODE
