"""Runs a user's test command on a fix, in bubblewrap: no network, no other files, no keys, limits on all that can run away.

    sandbox = BubblewrapSandbox(timeout_s=60)
    sandbox.mode()                                      "bubblewrap", or "unavailable: why"
    sandbox.run("pytest -q", "/home/me/p/a.py", text, "python")

The project is read-only with the changed file laid over the real one, so a test can't change what it tests. Where bubblewrap
does not work (macOS, Windows, many containers) nothing runs, unless the user said so: resource limits alone are no sandbox.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from errors import InputInvalidError, InterruptedTaskError, SandboxUnavailableError
from integrations.bounded_run import BoundedRunner
from integrations.files import read_source_file
from integrations.sandbox_view import View, is_too_wide, project_root, view_of
from schema.ports import SandboxRun

TMP = Path("/tmp")  # noqa: S108  inside of the sandbox: a private file system
WORK = TMP / "work"
"""Where a paste is put, under a name with its language's ending."""
SUFFIXES: Mapping[str, str] = {
    "python": ".py",
    "javascript": ".js",
    "jsx": ".jsx",
    "typescript": ".ts",
    "tsx": ".tsx",
    "java": ".java",
    "go": ".go",
    "c": ".c",
    "cpp": ".cpp",
    "rust": ".rs",
    "csharp": ".cs",
    "ruby": ".rb",
    "php": ".php",
    "bash": ".sh",
    "kotlin": ".kt",
    "swift": ".swift",
    "scala": ".scala",
    "lua": ".lua",
    "sql": ".sql",
}
PROBE_TIMEOUT_S = 10.0
STOPPED = "the task was stopped: the command was not started"
_stopped: ContextVar[Event | None] = ContextVar("stopped", default=None)
"""Set once the task that works in this context is cancelled. Threads get it from the task that started them."""
MAX_COPIED_BYTES = 200 << 20


@dataclass(frozen=True)
class Limits:
    """Of each process, except `tmp_bytes`, which all share. Memory is address space: a virtual machine reserves gigabytes."""

    cpu_s: int = 60
    memory_bytes: int = 4 << 30
    file_bytes: int = 64 << 20
    open_files: int = 512
    processes: int = 4096
    tmp_bytes: int = 512 << 20

    def as_shell(self) -> str:
        """`ulimit` lines: set inside of the sandbox, where nothing has the right to raise them again.

        Blocks are 512 bytes in dash and 1,024 in bash. The number of processes has another letter in each, and does not bind
        root; it is a second line behind the time limit.
        """
        return (
            f"ulimit -c 0; ulimit -t {self.cpu_s}; ulimit -v {self.memory_bytes // 1024}; ulimit -f {self.file_bytes // 512}; "
            f"ulimit -n {self.open_files}; ulimit -u {self.processes} 2>/dev/null || ulimit -p {self.processes} 2>/dev/null || :; "
        )


class BubblewrapSandbox:
    """Implements `schema.ports.Sandbox`. `environ` is the user's environment; only an allow-list of it passes."""

    def __init__(
        self,
        *,
        timeout_s: float = 60.0,
        allow_unsandboxed: bool = False,
        limits: Limits | None = None,
        environ: Mapping[str, str] | None = None,
        bwrap: str | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._allow_unsandboxed = allow_unsandboxed
        self._limits = limits or Limits(cpu_s=max(1, round(timeout_s)))
        self._environ = dict(os.environ if environ is None else environ)
        self._bwrap = bwrap
        self._runner = BoundedRunner()
        self._running_task = Event()
        self._mode = ""
        self._options: tuple[str, ...] = ()
        self._probing = Lock()

    def mode(self) -> str:
        """`bubblewrap`, `unsandboxed` or `unavailable: why`. The first call tries it with the real arguments (some 15 ms)."""
        with self._probing:
            if not self._mode:
                why = self._probe()
                self._mode = "bubblewrap" if not why else "unsandboxed" if self._allow_unsandboxed else f"unavailable: {why}"
        return self._mode

    def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
        """Run `command` through `sh -c`; `{file}` becomes the quoted path of the file that holds `text`.

        Raises: SandboxUnavailableError when nothing may run here, or bubblewrap fails on this project; InterruptedTaskError when the
        task was cancelled: a thread that is still at work for it starts nothing more.
        """
        mode = self.mode()
        if _is_stopped():
            raise InterruptedTaskError(STOPPED)
        if mode.startswith("unavailable"):
            raise SandboxUnavailableError(f"{mode.partition(': ')[2]}; --allow-unsandboxed runs the command without protection")
        try:
            with tempfile.TemporaryDirectory(prefix="codemind-run-") as private:
                place = _place(Path(private), file, text, language, self._environ)
                return self._run_sandboxed(command, place) if mode == "bubblewrap" else self._run_bare(command, place)
        except OSError as error:
            raise SandboxUnavailableError(f"the command can't be started: {(error.strerror or 'unknown reason').lower()}") from error

    def begin(self) -> None:
        """A task starts in this context; `cancel` is about the newest one."""
        self._running_task = Event()
        _stopped.set(self._running_task)

    def cancel(self) -> None:
        """Kill whatever runs now, from another thread, and start nothing more for that task."""
        self._running_task.set()
        self._runner.cancel()

    def _run_sandboxed(self, command: str, place: Place) -> SandboxRun:
        arguments = self._arguments(view_of(place.root, self._environ), place)
        inside = self._limits.as_shell() + 'exec sh -c "$1"'
        argv = [*arguments, "--chdir", str(place.folder), "--", "/bin/sh", "-c", inside, "sh", _expanded(command, place.target)]
        run = self._runner.run(argv, env={}, cwd=Path("/"), timeout_s=self._timeout_s, is_cancelled=_is_stopped)
        if run.exit_code not in (None, 0) and run.output.startswith("bwrap: "):
            raise SandboxUnavailableError(f"bubblewrap failed: {run.output.removeprefix('bwrap: ').splitlines()[0][:200]}")
        return run

    def _arguments(self, view: View, place: Place | None) -> list[str]:
        """Mounts in order: what comes later lies over what came before."""
        arguments = [self._bwrap or "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
        for name, value in view.environment.items():
            arguments += ["--setenv", name, value]
        arguments += ["--proc", "/proc", "--dev", "/dev", *self._options, "--tmpfs", str(TMP)]
        for path in view.visible:
            arguments += ["--ro-bind-try", str(path), str(path)]
        for path in view.hidden:
            arguments += ["--ro-bind", os.devnull, str(path)]
        if place is not None:
            arguments += ["--ro-bind", str(place.content), str(place.target)]
        # The root itself is a file system in memory: writing there would get round the limit of /tmp.
        return [*arguments, "--remount-ro", "/"]

    def _probe(self) -> str:
        """Why bubblewrap does not work here; empty when it does."""
        if not sys.platform.startswith("linux"):
            return "bubblewrap needs Linux"
        self._bwrap = self._bwrap or shutil.which("bwrap")
        if self._bwrap is None:
            return "bubblewrap is not installed (package bubblewrap)"
        said = ""
        # --size came with bubblewrap 0.7; without it /tmp is bound by the file size limit only.
        for options in (("--size", str(self._limits.tmp_bytes)), ()):
            self._options = options
            argv = [*self._arguments(view_of(None, self._environ), None), "--", "/bin/sh", "-c", "exit 0"]
            try:
                run = self._runner.run(argv, env={}, cwd=Path("/"), timeout_s=PROBE_TIMEOUT_S)
            except OSError as error:
                return f"bubblewrap can't be started: {(error.strerror or '').lower()}"
            if run.exit_code == 0:
                return ""
            said = run.output.strip().removeprefix("bwrap: ").split("\n")[0][:160] or "it took too long"
        return f"bubblewrap does not work here: {said}"

    def _run_bare(self, command: str, place: Place) -> SandboxRun:
        """Without protection: on a copy of the project, so that at least the real file is not changed."""
        with _copied(place) as (folder, target):
            environment = {**view_of(None, self._environ).environment, "PATH": self._environ.get("PATH", os.defpath)}
            private = {name: str(folder) for name in ("HOME", "TMPDIR")}
            argv = ["/bin/sh", "-c", self._limits.as_shell() + 'exec sh -c "$1"', "sh", _expanded(command, target)]
            env = {**environment, **private}
            return self._runner.run(argv, env=env, cwd=folder, timeout_s=self._timeout_s, is_cancelled=_is_stopped)


def _is_stopped() -> bool:
    """True in a thread whose task was cancelled."""
    stopped = _stopped.get()
    return stopped is not None and stopped.is_set()


@dataclass(frozen=True)
class Place:
    """Where a text is run: `content` holds it on the host, `target` is its path for the command, which starts in `folder`.

    `root` is the project that is shown; None for a paste, and for a file whose folder holds more than a project (a home).
    """

    content: Path
    target: Path
    folder: Path
    root: Path | None


def _place(private: Path, file: str | None, text: str, language: str, environ: Mapping[str, str]) -> Place:
    if file is None:
        name = f"paste{SUFFIXES.get(language, '.txt')}"
        (private / name).write_text(text, encoding="utf-8", errors="replace", newline="")
        return Place(private / name, WORK / name, WORK, None)
    target = Path(file).resolve()
    content = private / "content"
    content.write_bytes(_as_the_file(target, text))
    root = project_root(target)
    if is_too_wide(root, environ):
        return Place(content, target, target.parent, None)
    here = Path.cwd()
    return Place(content, target, here if here == root or root in here.parents else root, root)


def _as_the_file(target: Path, text: str) -> bytes:
    """In the encoding and with the line ends of the real file, when that can be read."""
    try:
        return read_source_file(target).encode(text)
    except InputInvalidError:
        return text.encode("utf-8", "replace")


def _expanded(command: str, target: Path) -> str:
    return command.replace("{file}", shlex.quote(str(target)))


@contextmanager
def _copied(place: Place) -> Iterator[tuple[Path, Path]]:
    """A copy of the project with the text in it: (folder to start in, the file). Big tool folders are linked, not copied."""
    with tempfile.TemporaryDirectory(prefix="codemind-copy-") as copy:
        if place.root is None:
            target = Path(copy) / place.target.name
            shutil.copyfile(place.content, target)
            yield Path(copy), target
            return
        root = Path(copy) / "project"
        _copy_tree(place.root, root)
        target = root / place.target.relative_to(place.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copyfile(place.content, target)
        yield root / place.folder.relative_to(place.root), target


_LINKED = frozenset({".git", ".venv", "venv", "node_modules", "target", ".tox", "build", "dist"})


def _copy_tree(source: Path, destination: Path) -> None:
    """Raises: SandboxUnavailableError when the project is larger than MAX_COPIED_BYTES."""
    total = 0
    for folder, folders, files in os.walk(source):
        below = destination / Path(folder).relative_to(source)
        below.mkdir(parents=True, exist_ok=True)
        for name in [name for name in folders if name in _LINKED or (Path(folder) / name).is_symlink()]:
            (below / name).symlink_to(Path(folder) / name)
            folders.remove(name)
        for name in files:
            path = Path(folder) / name
            if not path.is_file():
                continue
            total += path.stat().st_size
            if total > MAX_COPIED_BYTES:
                raise SandboxUnavailableError(f"the project is too large to copy: over {MAX_COPIED_BYTES >> 20} MB; install bubblewrap")
            shutil.copy2(path, below / name)
