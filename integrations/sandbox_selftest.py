"""Twelve attacks on the sandbox, each of which must fail: for a test and for `doctor --sandbox`. Takes some eight seconds."""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from integrations.sandbox import BubblewrapSandbox, Limits
from schema.ports import SandboxRun

LIMITS = Limits(cpu_s=2, memory_bytes=1 << 30, file_bytes=8 << 20, tmp_bytes=64 << 20)
TIMEOUT_S = 4.0
GONE_WITHIN_S = 2.0
CANARY = "CODEMIND_SELFTEST_API_KEY"

Outcome = tuple[str, bool, str]
"""Name of the attack, whether it was stopped, and what was seen."""


@dataclass(frozen=True)
class Attack:
    """`script` is Python; `stopped` judges the run.

    A script that gets through prints REACHED, written in two parts so that a traceback that quotes it is not taken for it.
    """

    name: str
    script: str
    stopped: Callable[[SandboxRun], bool]


def selftest(environ: dict[str, str] | None = None) -> list[Outcome]:
    """Run all attacks. One outcome that says so when there is no sandbox."""
    sandbox = BubblewrapSandbox(timeout_s=TIMEOUT_S, limits=LIMITS, environ={**(environ or dict(os.environ)), CANARY: "canary"})
    if sandbox.mode() != "bubblewrap":
        return [("sandbox", False, sandbox.mode())]
    marker = secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as host, socket.create_server(("127.0.0.1", 0)) as listener:
        (Path(host) / "secret.txt").write_text(marker, encoding="utf-8")
        return [_run(sandbox, attack) for attack in _attacks(host, listener.getsockname()[1], marker)]


def _run(sandbox: BubblewrapSandbox, attack: Attack) -> Outcome:
    command = f"{shlex.quote(os.path.realpath(sys.executable))} -I {{file}}"
    run = sandbox.run(command, None, attack.script, "python")
    said = run.output.strip().splitlines()
    detail = f"exit {run.exit_code}, {run.elapsed_s:.1f} s{': ' + said[-1][:80] if said else ''}"
    return attack.name, attack.stopped(run), detail


def _attacks(host: str, port: int, marker: str) -> list[Attack]:
    return [
        Attack("network", f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)\nprint('REA' 'CHED')", _unreached),
        Attack("read host files", f"print('REA' 'CHED', open({str(Path(host) / 'secret.txt')!r}).read())", _unreached),
        Attack("read /etc/passwd", "print('REA' 'CHED', len(open('/etc/passwd').read()))", _unreached),
        Attack("environment leak", f"import os\nprint('REA' 'CHED' if {CANARY!r} in os.environ else sorted(os.environ))", _unreached),
        Attack("memory bomb", "x = bytearray(8 << 30)\nprint('REA' 'CHED')", _unreached),
        Attack("processor loop", "while True: pass", _was_ended),
        Attack("sleep", "import time\ntime.sleep(60)\nprint('REA' 'CHED')", lambda run: run.timed_out and _unreached(run)),
        Attack("file bomb", _FILE_BOMB, _unreached),
        Attack("output flood", "while True: print('x' * 1000)", _was_ended),
        Attack("kill parent", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)", _unreached),
        Attack("write outside", _WRITE_OUTSIDE, lambda run: _unreached(run) and run.exit_code == 0),
        Attack("orphan", _ORPHAN.format(marker=marker), lambda run: "left" in run.output and _is_gone(marker)),
    ]


_FILE_BOMB = "with open('/tmp/big', 'wb') as f:\n    for _ in range(64): f.write(b'0' * 1048576)\nprint('REA' 'CHED')"
_WRITE_OUTSIDE = """
import pathlib, sys
for folder in ('/', '/usr', '/usr/bin', '/etc', sys.prefix, str(pathlib.Path(__file__).parent)):
    try:
        pathlib.Path(folder, 'codemind-selftest').write_text('x')
    except OSError:
        continue
    if not folder.startswith('/tmp'):
        print('REA' 'CHED', folder)
try:
    open(__file__, 'a').write('x')
except OSError:
    print('read-only')
else:
    print('REA' 'CHED', __file__)
"""
_ORPHAN = """
import subprocess, sys
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)', '{marker}'], start_new_session=True)
print('left')
"""


def _unreached(run: SandboxRun) -> bool:
    return "REACHED" not in run.output


def _was_ended(run: SandboxRun) -> bool:
    return run.exit_code != 0 and run.elapsed_s < TIMEOUT_S + GONE_WITHIN_S


def _is_gone(marker: str) -> bool:
    """True when no process of this machine has the marker among its arguments; a killed one may need a moment."""
    deadline = time.monotonic() + GONE_WITHIN_S
    while time.monotonic() < deadline:
        if not _runs(marker):
            return True
        time.sleep(0.05)
    return False


def _runs(marker: str) -> bool:
    for arguments in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in arguments.read_bytes():
                return True
        except OSError:
            continue
    return False
