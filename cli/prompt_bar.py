"""The line below the prompt: who reviews, where code goes, what is remembered, what it cost and what memory spared."""

from __future__ import annotations

from typing import Protocol

from utils.terminal import cell_width, clip, visible

_BETWEEN = " | "
_CENT = 0.01


class Status(Protocol):
    """The numbers of the session so far; money is None where the price isn't known."""

    @property
    def memories(self) -> int | None: ...
    @property
    def cost_usd(self) -> float | None: ...
    @property
    def calls(self) -> int: ...
    @property
    def calls_spared(self) -> int: ...
    @property
    def spared_usd(self) -> float | None: ...
    @property
    def answers(self) -> int: ...


def bar(reviewer: str, host: str, status: Status | None, width: int, *, shared_host: str = "") -> str:
    """One line of at most `width` cells; what there is no room for is left out. `reviewer` is the model, or what stands for one.

    `shared_host` is where saved fixes go, empty when they stay here.
    """
    stays = f"saved fixes -> {shared_host}" if shared_host else "code stays here"
    line = clip(visible(f"{reviewer}: code -> {host}" if host else f"{reviewer}: {stays}"), width)
    shared = [visible(f"saved fixes -> {shared_host}")] if host and shared_host else []
    for part in [*shared, *([] if status is None else _numbers(status))]:
        longer = f"{line}{_BETWEEN}{part}"
        if cell_width(longer) <= width:
            line = longer
    return line


def _numbers(status: Status) -> list[str]:
    """The parts, the most telling first."""
    parts = [] if status.memories is None else [_counted(status.memories, "memory", "memories")]
    if status.calls:
        parts.append(f"{_counted(status.calls, 'call', 'calls')}, {_money(status.cost_usd)}")
    if status.calls_spared:
        spared = "" if status.spared_usd is None else f", {_money(status.spared_usd)}"
        parts.append(f"memory spared {_counted(status.calls_spared, 'call', 'calls')}{spared}")
    elif status.answers:
        parts.append(f"{_counted(status.answers, 'answer', 'answers')} from memory")
    return parts


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _money(usd: float | None) -> str:
    if usd is None:
        return "cost unknown"
    return f"${usd:.2f}" if usd >= _CENT or not usd else f"${usd:.4f}"
