"""All commands of the terminal by name: what each takes, what help says of it, and where its function is.

Plain strings and nothing heavy: help and completion are built from these before the rest of the program is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Argument = Literal["none", "path", "language", "id", "number", "text"]
"""What stands behind the command, for completion."""


@dataclass(frozen=True)
class Command:
    """One command. `function` of `module` is an async function of the counter and the text behind the command's name."""

    name: str
    usage: str
    text: str
    argument: Argument
    module: str
    function: str
    """Empty, as `module`, for the commands of the loop itself: /help and /quit."""
    beside: str = ""
    """The command whose line in /help tells of it, too; empty for one that has a line of its own."""


_CODE = "cli.commands.code"
_FIXES = "cli.commands.fixes"
_EDIT = "cli.commands.edit"
_FILES = "cli.commands.files"
_VERDICTS = "cli.commands.verdicts"
_MEMORY = "cli.commands.memory"
_SESSION = "cli.commands.session"

COMMANDS = (
    Command("/help", "/help", "this page", "none", "", ""),
    Command("/example", "/example", "review a built-in example; nothing of it is saved", "none", _CODE, "example"),
    Command("/load", "/load PATH", "review a file", "path", _CODE, "load"),
    Command("/lang", "/lang [NAME|auto]", "show or set the language of the next pastes", "language", _CODE, "lang"),
    Command("/diff", "/diff", "show the last fix's changes again", "none", _FIXES, "diff"),
    Command("/copy", "/copy", "put the fixed code on the clipboard", "none", _FIXES, "copy"),
    Command("/write", "/write [--over] [PATH]", "write the fixed code into the loaded file, or into PATH", "path", _FILES, "write"),
    Command("/test", "/test [CMD|off]", "show or set the command that a fix must pass, and try it", "text", _CODE, "test"),
    Command("/edit", "/edit [WHY]", "change the fix in an editor: yours is offered first", "text", _EDIT, "edit"),
    Command("/fix", "/fix N..", "mend just these findings: 2, or 1 3-5, or all", "number", _FIXES, "fix"),
    Command("/ignore", "/ignore N..", "don't report these findings for this code again", "number", _VERDICTS, "ignore"),
    Command("/accept", "/accept", "the fix is right: offer it first from now on", "none", _VERDICTS, "accept"),
    Command("/reject", "/reject", "the fix is wrong: don't offer it for this code again", "none", _VERDICTS, "reject"),
    Command("/retry", "/retry", "review the last code again, past the memory", "none", _CODE, "retry"),
    Command("/undo", "/undo", "take back the last save, write, edit or verdict", "none", _FILES, "undo"),
    Command("/memory", "/memory [WORDS|--starter]", "search the memory, or list the newest; --starter fills it", "text", _MEMORY, "search"),
    Command("/show", "/show ID", "show one remembered fix and the evidence for it", "id", _MEMORY, "show"),
    Command("/forget", "/forget ID", "delete one remembered fix for good", "id", _MEMORY, "forget"),
    Command("/summary", "/summary [clear]", "show or empty what this session remembers of its tasks", "text", _SESSION, "summary"),
    Command("/provider", "/provider", "who reviews, where code goes, and how to change that", "none", _SESSION, "provider"),
    Command("/trace", "/trace", "show the steps of the last task", "none", _SESSION, "trace"),
    Command("/resume", "/resume", "finish the interrupted task; /discard forgets it", "none", _SESSION, "resume"),
    Command("/discard", "/discard", "forget the task that was interrupted", "none", _SESSION, "discard", "/resume"),
    Command("/quit", "/quit", "leave", "none", "", ""),
)

_BY_NAME = {command.name: command for command in COMMANDS}


def find(word: str) -> Command | None:
    """The command of exactly this name, slash and all."""
    return _BY_NAME.get(word)


def suggest(word: str) -> str:
    """The name that was probably meant; empty when none is near."""
    import difflib  # late: the registry is imported before the prompt shows

    begun = [name for name in _BY_NAME if name.startswith(word)] if len(word) > 1 else []
    near = begun or difflib.get_close_matches(word, _BY_NAME, n=1, cutoff=0.6)
    return near[0] if near else ""
