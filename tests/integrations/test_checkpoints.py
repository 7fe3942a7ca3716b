"""The pruning saver on its file."""

from __future__ import annotations

import logging
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from errors import StorageFailedError
from integrations.checkpoints import PruningSaver, open_checkpoints, scratch_checkpoints


async def put(saver: PruningSaver, thread_id: str, count: int, **values: Any) -> RunnableConfig:
    """Write some checkpoints with a pending write each; the config of the last."""
    config: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    for number in range(count):
        checkpoint = empty_checkpoint()
        checkpoint["id"] = f"{number:04}"
        checkpoint["channel_values"] = {"number": number, **values}
        config = await saver.aput(config, checkpoint, {"step": number}, {})
        await saver.aput_writes(config, [("channel", f"write {number}")], "task")
    return config


async def test_pruning_keeps_the_newest_checkpoint_with_what_is_pending(tmp_path: Path) -> None:
    """Other threads are left alone."""
    async with open_checkpoints(tmp_path / "s.sqlite3") as (saver, _):
        await put(saver, "one", 3)
        await put(saver, "two", 2)

        await saver.aprune(["one"])

        left = [(found.config["configurable"]["thread_id"], found.checkpoint["id"]) async for found in saver.alist(None)]
        newest = await saver.aget_tuple({"configurable": {"thread_id": "one", "checkpoint_ns": ""}})
    assert sorted(left) == [("one", "0002"), ("two", "0000"), ("two", "0001")]
    assert newest is not None
    assert newest.pending_writes == [("task", "channel", "write 2")]


async def test_a_deleted_thread_leaves_no_text_in_the_files(tmp_path: Path) -> None:
    """Not even in the write-ahead log."""
    path = tmp_path / "s.sqlite3"
    async with open_checkpoints(path) as (saver, _):
        await put(saver, "one", 2, code="the-secret-text" * 100)

        await saver.adelete_thread("one")

        assert b"the-secret-text" not in path.read_bytes()
        assert b"the-secret-text" not in (tmp_path / "s.sqlite3-wal").read_bytes()


async def test_pruning_refuses_a_strategy_that_it_does_not_know() -> None:
    """Rather than keep or drop by accident."""
    async with scratch_checkpoints() as (saver, _):
        with pytest.raises(ValueError, match="keep_oldest"):
            await saver.aprune(["one"], strategy="keep_oldest")


async def test_the_file_is_the_user_s_alone(tmp_path: Path) -> None:
    """0600 in a 0700 folder: it holds code."""
    path = tmp_path / "home" / "s.sqlite3"
    async with open_checkpoints(path) as (saver, _):
        await put(saver, "one", 1)

        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_damaged_file_is_moved_aside_and_said(tmp_path: Path) -> None:
    """It only holds unfinished tasks; a second damaged one does not overwrite the first."""
    path = tmp_path / "s.sqlite3"
    notes = []
    for content in (b"no database at all" * 100, b"another one" * 100):
        path.write_bytes(content)
        async with open_checkpoints(path) as (saver, note):
            notes.append(note)
            await put(saver, "one", 1)

    assert notes == [
        "the file of unfinished tasks was damaged; it was moved to s.sqlite3.damaged-1",
        "the file of unfinished tasks was damaged; it was moved to s.sqlite3.damaged-2",
    ]
    assert (tmp_path / "s.sqlite3.damaged-1").read_bytes().startswith(b"no database")


async def test_a_folder_that_can_t_be_made_is_a_storage_failure(tmp_path: Path) -> None:
    """The driver then goes on in memory."""
    (tmp_path / "file").write_text("x")

    with pytest.raises(StorageFailedError):
        async with open_checkpoints(tmp_path / "file" / "s.sqlite3"):
            pass


async def test_whatever_sqlite_says_is_a_storage_failure(tmp_path: Path) -> None:
    """Reading, writing and pruning alike; here the tables were taken away behind its back."""
    path = tmp_path / "s.sqlite3"
    async with open_checkpoints(path) as (saver, _):
        config = await put(saver, "one", 1)
        with sqlite3.connect(path) as other:
            other.executescript("DROP TABLE checkpoints; DROP TABLE writes;")
        other.close()

        for failing in (put(saver, "one", 1), saver.aget_tuple(config), saver.aprune(["one"]), saver.adelete_thread("one")):
            with pytest.raises(StorageFailedError):
                await failing
        with pytest.raises(StorageFailedError):
            await saver.aput_writes(config, [("channel", 1)], "task")
        with pytest.raises(StorageFailedError):
            [found async for found in saver.alist(None)]


async def test_messages_come_back_without_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """State holds plain values and langchain's own messages, which the serializer knows."""
    async with open_checkpoints(tmp_path / "s.sqlite3") as (saver, _):
        with caplog.at_level(logging.WARNING):
            config = await put(saver, "one", 1, messages=[HumanMessage("h"), AIMessage("a")], task={"code": "x"})
            found = await saver.aget_tuple(config)

    assert found is not None
    assert [message.content for message in found.checkpoint["channel_values"]["messages"]] == ["h", "a"]
    assert caplog.records == []


async def test_the_scratch_saver_works_without_a_file() -> None:
    """For --no-save, and where nothing can be written."""
    async with scratch_checkpoints() as (saver, note):
        config = await put(saver, "one", 2)
        await saver.aprune(["one"])

        assert await saver.aget_tuple(config) is not None
        assert note == ""
