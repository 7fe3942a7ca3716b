"""The trace as a tree."""

from __future__ import annotations

from utils.trace_tree import trace_tree


def a_line(task: str, node: str, **more: object) -> dict[str, object]:
    """One line as the driver writes it."""
    return {"session": "s", "task": task, "node": node, "duration_ms": 12, "sizes": {}, "hashes": {}, "outcome": {}, "usage": {}, **more}


def test_each_task_is_a_tree_of_its_nodes() -> None:
    """Durations add up; outcomes and model use stand beside the node."""
    lines = [
        a_line("1", "manager", outcome={"next_worker": "reviewer"}),
        a_line("1", "reviewer", usage={"calls": 1, "input_tokens": 0}),
        a_line("2", "manager"),
    ]

    assert trace_tree(lines).splitlines() == [
        "task 1  24 ms",
        "|-- manager       12 ms  next_worker=reviewer",
        "`-- reviewer      12 ms  calls=1",
        "task 2  12 ms",
        "`-- manager      12 ms",
    ]


def test_no_lines_make_no_tree() -> None:
    """An empty trace prints nothing."""
    assert trace_tree([]) == ""
