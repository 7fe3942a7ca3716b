"""Source files: read strictly, written back as they were but for the change.

Encoding, byte order mark, line ends, permissions and links stay; a write is whole or not at all, and a file that changed since
it was read is left alone.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from errors import InputInvalidError, StorageFailedError
from utils.newlines import newline_of, restore_newlines, to_lf

MAX_FILE_BYTES = 4 << 20
"""A larger file is generated or no source; it would be reviewed for minutes."""

_BOM = codecs.BOM_UTF8
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_COOKIE_SUFFIXES = frozenset({".py", ".pyi", ".pyw", ".rb"})


@dataclass(frozen=True)
class FileIdentity:
    """What tells that a file is still the one that was read."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        """From a stat result."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read. `text` has LF ends and no byte order mark; `path` is the link's target when it is a link."""

    path: Path
    raw: bytes
    text: str
    encoding: str
    has_bom: bool
    newline: str
    """LF, CRLF, CR or "mixed"."""
    identity: FileIdentity
    mode: int

    def encode(self, text: str) -> bytes:
        """`text` with this file's line ends, encoding and byte order mark. Raises: InputInvalidError."""
        original = self.raw.removeprefix(_BOM).decode(self.encoding)
        try:
            encoded = restore_newlines(original, text).encode(self.encoding)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            raise InputInvalidError(
                f"{self.path} is {self.encoding}, which has no {character!r}: convert the file to UTF-8 or change the fix"
            ) from error
        return (_BOM if self.has_bom else b"") + encoded


@dataclass(frozen=True)
class Written:
    """A write that `unwrite` can take back. `before` is None for a file that was created; `path` is the link's target."""

    path: Path
    before: bytes | None
    after: bytes

    def __repr__(self) -> str:
        """Without the content: it may hold the user's secrets."""
        return f"Written({self.path})"


def read_source_file(path: str | Path, *, may_be_empty: bool = False) -> SourceFile:
    """Read a source file. Raises: InputInvalidError that says what is wrong with it and what to do."""
    target, status = _target(Path(path))
    if status.st_size > MAX_FILE_BYTES:
        raise InputInvalidError(f"{path} is too large: {status.st_size} bytes, at most {MAX_FILE_BYTES} are read")
    try:
        with target.open("rb") as opened:
            status = os.fstat(opened.fileno())
            raw = opened.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InputInvalidError(f"{path} can't be read: {_reason(error)}") from error
    text, encoding = _decode(raw, path, target.suffix)
    if not text.strip() and not may_be_empty:
        raise InputInvalidError(f"{path} is empty")
    identity = FileIdentity.of(status)
    return SourceFile(target, raw, to_lf(text), encoding, raw.startswith(_BOM), newline_of(text), identity, stat.S_IMODE(status.st_mode))


def write_atomically(file: SourceFile, new_text: str) -> Written:
    """Replace the file's text; the file is either the old or the new one at every moment, also when the power fails.

    Raises: InputInvalidError when it changed since it was read or the text doesn't fit its encoding, StorageFailedError when it
    can't be written (read-only, full disk); then the original is as it was.
    """
    content = file.encode(new_text)
    _put_in_place(file.path, content, lambda: _refuse_when_changed(file))
    return Written(file.path, file.raw, content)


def create_file(path: str | Path, content: bytes) -> Written:
    """Make a new file, whole or not at all. Raises: InputInvalidError when something is there, StorageFailedError."""
    target = Path(path)
    try:
        if not target.parent.is_dir():
            raise InputInvalidError(f"{path} can't be written: there is no folder {target.parent}")
        target = target.parent.resolve() / target.name
        _write_new(target, content)
    except FileExistsError as error:
        raise InputInvalidError(f"{path} is there already, or is a link that leads nowhere: nothing was written") from error
    except (OSError, ValueError) as error:
        reason = _reason(error) if isinstance(error, OSError) else "not a usable path"
        raise StorageFailedError(f"{path} can't be written: {reason}") from error
    return Written(target, None, content)


def unwrite(written: Written) -> None:
    """Put back what was there before a write. Raises: InputInvalidError when the file changed since, StorageFailedError."""
    _refuse_when_rewritten(written)
    if written.before is not None:
        _put_in_place(written.path, written.before, lambda: _refuse_when_rewritten(written))
        return
    try:
        written.path.unlink()
    except OSError as error:
        raise StorageFailedError(f"{written.path} can't be deleted: {_reason(error)}") from error


def _put_in_place(path: Path, content: bytes, refuse_when_changed: Callable[[], None]) -> None:
    """Replace a file's content by way of a temporary file beside it; asked twice, as late as can be, whether it may be."""
    refuse_when_changed()
    if not os.access(path, os.W_OK):
        raise StorageFailedError(f"{path} is read-only: it is unchanged")
    temporary: Path | None = None
    try:
        import tempfile  # late: only a write needs it

        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".codemind", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            _keep_owner_and_mode(opened.fileno(), path)
            os.fsync(opened.fileno())
        refuse_when_changed()
        temporary.replace(path)
        temporary = None
        _sync_folder(path.parent)
    except OSError as error:
        raise StorageFailedError(f"{path} can't be written: {_reason(error)}; it is unchanged") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _write_new(target: Path, content: bytes) -> None:
    """Write a file that must not be there yet; one that could not be finished is taken away again. Raises: OSError."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less the umask, as any new file of the user
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            target.unlink()
        raise
    _sync_folder(target.parent)


def _target(path: Path) -> tuple[Path, os.stat_result]:
    """The file behind all links, and its status."""
    try:
        target = path.resolve(strict=True)
        status = target.stat()
    except (OSError, RuntimeError, ValueError) as error:
        reason = _reason(error) if isinstance(error, OSError) else "not a usable path"
        raise InputInvalidError(f"{path} can't be read: {reason}") from error
    if stat.S_ISDIR(status.st_mode):
        raise InputInvalidError(f"{path} is a folder: give a file")
    if not stat.S_ISREG(status.st_mode):
        raise InputInvalidError(f"{path} is not a regular file")
    return target, status


def _decode(raw: bytes, path: str | Path, suffix: str) -> tuple[str, str]:
    """Text without byte order mark, and the encoding's name."""
    if raw.startswith(_UTF16):
        raise InputInvalidError(f"{path} is UTF-16: convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`")
    if b"\x00" in raw:
        raise InputInvalidError(f"{path} is binary: byte {raw.index(0) + 1} is NUL")
    body = raw.removeprefix(_BOM)
    encoding = "utf-8" if raw.startswith(_BOM) or suffix not in _COOKIE_SUFFIXES else _declared(body)
    try:
        return body.decode(encoding), encoding
    except UnicodeDecodeError as error:
        at = error.start + len(raw) - len(body)
        line = raw.count(b"\n", 0, at) + 1
        raise InputInvalidError(
            f"{path} is not {encoding.upper()}: byte {at + 1} (line {line}) is 0x{raw[at]:02x}; convert it to UTF-8, "
            "for example with `iconv -f LATIN1 -t UTF-8`"
        ) from error


def _declared(body: bytes) -> str:
    """The encoding of a `# -*- coding: ... -*-` line (PEP 263: first or second line, only comments before it); else UTF-8."""
    for line in body.split(b"\n", 2)[:2]:
        cookie = _COOKIE.match(line)
        if cookie:
            with contextlib.suppress(LookupError):
                found = codecs.lookup(cookie.group(1).decode("ascii"))
                return found.name if _is_text_encoding(found) and found.name != "utf-8-sig" else "utf-8"
            return "utf-8"
        if not _BLANK_OR_COMMENT.match(line.rstrip(b"\r")):
            break
    return "utf-8"


def _is_text_encoding(found: codecs.CodecInfo) -> bool:
    """False for rot13, hex and their like, and for what changes ASCII: neither is a source encoding to write back in."""
    probe = b"\n#az09"
    try:
        return bool(codecs.decode(probe, found.name) == probe.decode("ascii"))
    except (ValueError, TypeError, LookupError):
        return False


def _refuse_when_changed(file: SourceFile) -> None:
    try:
        status = file.path.stat()
        is_same = FileIdentity.of(status) == file.identity and file.path.read_bytes() == file.raw
    except OSError:
        is_same = False
    if not is_same:
        raise InputInvalidError(f"{file.path} changed since it was read: nothing was written; run it again on the new text")


def _refuse_when_rewritten(written: Written) -> None:
    try:
        is_same = written.path.is_file() and not written.path.is_symlink() and written.path.read_bytes() == written.after
    except OSError:
        is_same = False
    if not is_same:
        raise InputInvalidError(f"{written.path} changed since it was written: it is left as it is")


def _keep_owner_and_mode(descriptor: int, path: Path) -> None:
    """Owner first (it clears set-id bits), then mode. A user who may not give files away keeps the file as their own."""
    if not hasattr(os, "fchmod"):
        return
    status = path.stat()
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; Windows can't open a folder and needs no such step."""
    if os.name == "nt":
        return
    # The file is in place by now: a file system that can't do this has done all it can.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
