"""Trace lines as a tree to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def trace_tree(lines: Sequence[Mapping[str, Any]]) -> str:
    """Each task with its nodes below it: duration, outcome, model use. Lines are those of `integrations.trace`."""
    return "\n".join(row for task, nodes in grouped(lines) for row in task_rows(task, nodes))


def grouped(lines: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Lines of one session and task together, in the order they came."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for line in lines:
        groups.setdefault((str(line["session"]), str(line["task"])), []).append(line)
    return [(task, nodes) for (_, task), nodes in groups.items()]


def task_rows(task: str, nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """A head line and one row a node."""
    total = sum(node["duration_ms"] for node in nodes)
    width = max(len(node["node"]) for node in nodes)
    rows = [f"task {task}  {total} ms"]
    for index, node in enumerate(nodes):
        branch = "`--" if index == len(nodes) - 1 else "|--"
        rows.append(f"{branch} {node['node']:<{width}}  {node['duration_ms']:>6} ms  {details(node)}".rstrip())
    return rows


def details(node: Mapping[str, Any]) -> str:
    """Outcome and model use of one node, as `name=value`."""
    pairs = {**node.get("outcome", {}), **{name: value for name, value in node.get("usage", {}).items() if value}}
    return " ".join(f"{name}={value}" for name, value in pairs.items())
