"""Reading a seed in several processes: the same answers, in the same order, whatever becomes of the workers."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.seed_rows import Origin, SeedLine, read_seed_line
from memory.seed_workers import PARALLEL_BYTES, Worker, read_seed_lines, workers_for
from tests.memory.rows import Clock, numbered

ORIGIN = Origin("project", "team.jsonl", "ab" * 32)


def lines() -> list[bytes]:
    """Usable lines with a bad one, a blank one and an unchanged one among them."""
    rows = [json.dumps({"code": row.code, "fixed_code": row.fixed_code}).encode() for row in map(numbered, range(130))]
    rows[40:43] = [b"{\n", b"\n", json.dumps({"code": "x = 1\n", "fixed_code": "x = 1 # same\n", "language": "python"}).encode()]
    return rows


def one_by_one() -> list[SeedLine]:
    """What a single process makes of them."""
    return [read_seed_line(raw, Clock()(), ORIGIN) for raw in lines()]


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_the_answers_are_those_of_one_process_in_its_order(workers: int) -> None:
    """More workers than chunks included."""
    with read_seed_lines(lines(), Clock(), ORIGIN, workers) as found:
        assert list(found) == one_by_one()


def test_what_a_dead_worker_had_is_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that the system kills costs time and nothing else."""
    given = Worker.give

    def give_and_die(self: Worker, *chunk: object) -> None:
        given(self, *chunk)  # type: ignore[arg-type]
        self.process.kill()

    monkeypatch.setattr(Worker, "give", give_and_die)
    with read_seed_lines(lines(), Clock(), ORIGIN, 2) as found:
        assert list(found) == one_by_one()


def test_a_worker_that_is_busy_ends_with_its_block() -> None:
    """An interrupt in the middle leaves no process behind."""
    with Worker() as busy:
        busy.give(lines() * 20, Clock()(), ORIGIN)
        assert busy.process.poll() is None
    assert busy.process.poll() is not None


def test_a_killed_seed_leaves_no_worker_behind(tmp_path: Path) -> None:
    """kill -9 takes away the process that would end them: they see the end of their input."""
    said = tmp_path / "workers"
    program = (
        "import sys, time, pathlib; from memory.seed_workers import Worker; workers = [Worker(), Worker()];"
        "pathlib.Path(sys.argv[1]).write_text(' '.join(str(each.process.pid) for each in workers)); print('up', flush=True); time.sleep(60)"
    )
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", program, str(said)], cwd=root, stdout=subprocess.PIPE) as seed:
        assert seed.stdout
        assert seed.stdout.readline() == b"up\n"
        workers = [int(each) for each in said.read_text().split()]
        seed.send_signal(signal.SIGKILL)
    for pid in workers:
        for _ in range(200):
            if not _is_running(pid):
                break
            time.sleep(0.05)
        assert not _is_running(pid)


def _is_running(pid: int) -> bool:
    """A process that has ended and was not yet collected counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_only_large_seeds_start_processes() -> None:
    """Starting them takes as long as some hundred lines."""
    assert workers_for(PARALLEL_BYTES - 1) == 1
    assert 1 <= workers_for(PARALLEL_BYTES) <= 4
