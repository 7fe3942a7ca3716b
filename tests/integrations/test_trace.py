"""The trace on disk."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from errors import StorageFailedError
from integrations.trace import TraceWriter


def test_each_line_is_one_object_in_a_private_file(tmp_path: Path) -> None:
    """ASCII, so that any tool reads it."""
    writer = TraceWriter(tmp_path / "log")

    writer.write({"node": "manager"})
    writer.write({"node": "größe"})

    file = tmp_path / "log" / "trace.jsonl"
    assert [json.loads(line)["node"] for line in file.read_text("ascii").splitlines()] == ["manager", "größe"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_full_file_is_put_aside(tmp_path: Path) -> None:
    """Two files at most, the older one is replaced."""
    writer = TraceWriter(tmp_path, rotate_at_bytes=20)

    for number in range(4):
        writer.write({"number": f"{number:20}"})

    assert sorted(file.name for file in tmp_path.glob("*.jsonl")) == ["trace.1.jsonl", "trace.jsonl"]
    assert int(json.loads((tmp_path / "trace.jsonl").read_text())["number"]) == 3
    assert int(json.loads((tmp_path / "trace.1.jsonl").read_text())["number"]) == 2


def test_a_trace_that_can_t_be_written_is_a_storage_failure(tmp_path: Path) -> None:
    """The driver gives the trace up then."""
    (tmp_path / "file").write_text("x")

    with pytest.raises(StorageFailedError):
        TraceWriter(tmp_path / "file").write({})


def test_a_secret_in_an_id_is_not_kept(tmp_path: Path) -> None:
    """The id of a task is the user's own text."""
    TraceWriter(tmp_path).write({"task": "ghp_" + "a1B2" * 9, "node": "manager"})

    assert "a1B2" not in (tmp_path / "trace.jsonl").read_text("ascii")
