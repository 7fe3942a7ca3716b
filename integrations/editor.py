"""The user's own editor on a text: in a private file that is deleted afterwards, with the terminal for itself."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from errors import InputInvalidError, StorageFailedError, ToolMissingError

VARIABLES = ("VISUAL", "EDITOR")
USUAL = ("sensible-editor", "nano", "vim", "vi")
"""Asked for where no variable names one."""
MOST_BYTES = 4_000_000
_GRACE_S = 2.0

Find = Callable[[str], str | None]


def editor_command(environment: Mapping[str, str], find: Find = shutil.which) -> list[str]:
    """Program and arguments: VISUAL, else EDITOR, split as a shell does, else a usual one. Raises ToolMissingError."""
    for variable in VARIABLES:
        named = environment.get(variable, "").strip()
        if not named:
            continue
        try:
            command = shlex.split(named)
        except ValueError:
            raise ToolMissingError(
                f"{variable} has a quotation mark or backslash that nothing follows: mend it, then /edit again."
            ) from None
        if not command or find(command[0]) is None:
            raise ToolMissingError(f"The editor that {variable} names is no program that can be run: set {variable} to one that is there.")
        return command
    if environment.get("TERM") == "dumb":
        raise ToolMissingError("This terminal shows no usual editor: set VISUAL or EDITOR to one that works here.")
    found = next((name for name in USUAL if find(name)), None)
    if found is None:
        raise ToolMissingError("No editor was found: set VISUAL or EDITOR, for example EDITOR=nano.")
    return [found]


async def edit(text: str, suffix: str, environment: Mapping[str, str]) -> str:
    """The text (LF line ends) after the editor has ended; `suffix` tells it the language. Cancelled, the editor is ended, too.

    The file is 0600 in a folder of its own (0700), and nothing of either is left. Raises ToolMissingError; InputInvalidError when the
    editor reports a failure (then nothing counts as changed) or what it wrote is no UTF-8 text; StorageFailedError.
    """
    command = editor_command(environment)
    try:
        with tempfile.TemporaryDirectory(prefix="codemind-edit-") as folder:
            file = Path(folder) / f"fix{suffix}"
            file.touch(mode=0o600)
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            await _run([*command, str(file)])
            return _read(file)
    except OSError as error:
        raise StorageFailedError("The file for the editor could not be made: is the disk full?") from error


async def _run(command: list[str]) -> None:
    """Raises InputInvalidError, ToolMissingError."""
    try:
        process = await asyncio.create_subprocess_exec(*command)
    except OSError as error:
        raise ToolMissingError(f"The editor {command[0]} could not be started: {os.strerror(error.errno or 0)}.") from error
    try:
        status = await process.wait()
    except asyncio.CancelledError:
        await _end(process)
        raise
    if status < 0:
        raise InputInvalidError(f"The editor was ended by signal {-status}: nothing was changed.")
    if status:
        raise InputInvalidError(f"The editor ended with status {status}: nothing was changed.")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask it to end, then make it."""
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _GRACE_S)
    except TimeoutError:
        process.kill()
        await process.wait()


def _read(file: Path) -> str:
    """What the editor left there. Raises InputInvalidError, OSError."""
    if not file.is_file():  # also a pipe, which would never end
        raise InputInvalidError("The editor has left no file: nothing was changed.")
    content = file.read_bytes()
    if len(content) > MOST_BYTES:
        raise InputInvalidError("What the editor wrote is too large for a fix: nothing was changed.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputInvalidError("What the editor wrote is no UTF-8 text: nothing was changed.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
