"""What a running task does, in words: its step, what the model or a program does in it, and for how long.

Events come from any thread and only set plain values; whoever paints reads them when it paints.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from schema.model_event import ModelEvent, WaitCause
from schema.work_event import WorkEvent
from utils.terminal import visible

Clock = Callable[[], float]
_START = "start"
_STEPS = {
    _START: "starting",
    "retrieve_memory": "asking the memory and the rules",
    "manager": "planning",
    "reviewer": "reviewing",
    "fixer": "looking for a fix",
    "save_experience": "saving",
}
"""What a user can make something of; other steps take no time."""
_ROLES = {"manager": "planning", "reviewer": "reviewing", "fixer": "fixing"}
_LONG_S = 5
"""From so much difference on, the time of the whole task is told beside that of what runs now."""


_CAUSES: dict[WaitCause, tuple[str, str]] = {
    "busy": ("the model is busy", "model busy"),
    "slow": ("the model did not answer in time", "no answer"),
    "failing": ("the model's endpoint has a problem of its own", "model fails"),
    "unreachable": ("there is no connection to the model", "no network"),
    "broken": ("the model's answer broke off", "broken off"),
}
"""Why there is a wait, as a sentence and in ten cells, so that the countdown is seen on a narrow terminal too."""


def waiting_words(event: ModelEvent) -> str:
    """A wait before the next attempt: "the model is busy; attempt 2 of 4 in 3 s"."""
    return f"{_CAUSES[event.cause][0]}; attempt {event.attempt} of {event.attempts} in {event.wait_s:.0f} s"


def model_words(event: ModelEvent) -> str:
    """What a model does: "reviewing: 320 characters so far"."""
    states = {
        "asking": "waiting for the model",
        "thinking": f"the model thinks, {event.characters} characters",
        "writing": f"{event.characters} characters so far",
    }
    if event.kind == "waiting":
        return f"{_CAUSES[event.cause][1]}: attempt {event.attempt} of {event.attempts} in {event.wait_s:.0f} s"
    return f"{_ROLES[event.role]}: {states[event.kind]}"


class Activity:
    """What a task does now. `clock` gives seconds."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self.started = clock()
        self._step = _START
        self._step_began = self.started
        self._call: ModelEvent | None = None
        self._call_began = self.started
        self._works: tuple[tuple[WorkEvent, float], ...] = ()

    def step(self, name: str) -> None:
        """A step begins: what was before it has ended."""
        if name in _STEPS:
            self._step, self._step_began, self._call = name, self._clock(), None

    def model(self, event: ModelEvent) -> None:
        """A model does something; a call's time counts from its question on."""
        if event.kind == "asking" or self._call is None:
            self._call_began = self._clock()
        self._call = event

    def work(self, event: WorkEvent) -> None:
        """A program begins, or has ended."""
        if event.begins:
            self._works = (*self._works, (event, self._clock()))
        else:
            self._works = tuple(work for work in self._works if work[0].name != event.name)

    @property
    def age_s(self) -> float:
        """Seconds since the task began."""
        return self._clock() - self.started

    def words(self) -> str:
        """What it does now."""
        works = self._works
        if works:
            return _work_words(works[-1][0])
        call = self._call
        return model_words(call) if call is not None else _STEPS.get(self._step, "")

    def elapsed(self, *, briefly: bool) -> str:
        """For how long: "12 s", or "12 s of 40 s" when the task began much earlier; empty for a countdown, which says it itself.

        Said `briefly` it is the time of the whole task.
        """
        now, call, works = self._clock(), self._call, self._works
        whole = now - self.started
        if not works and call is not None and call.kind == "waiting":
            return ""
        if briefly:
            return f"{whole:.0f} s"
        began = works[-1][1] if works else self._step_began if call is None else self._call_began
        own = now - began
        return f"{own:.0f} s of {whole:.0f} s" if whole - own >= _LONG_S else f"{own:.0f} s"


def _work_words(event: WorkEvent) -> str:
    return f"running {visible(event.name)}" if event.kind == "tests" else f"checking with {visible(event.name)}"
