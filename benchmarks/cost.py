"""What a task costs: model calls and tokens, beside a loop that asks a model at every step.

    python -m benchmarks.cost

The real program against the scripted server of the tests: the answers are fixed, so calls and the text that is sent are exact. A token is
taken as four characters of the messages and of the answers, for both columns alike. The loop that is compared with (`five_calls.py`) runs
against the same server. An embedding endpoint is configured, and must not be asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.five_calls import Loop
from benchmarks.report import Measured, show
from errors import ConfigInvalidError
from schema.record import TaskRecord
from schema.task import Task
from settings import Settings
from tests.model_replies import Reply
from tests.model_server import ModelServer, Seen
from wiring import build_app, load
from wiring_model import ModelEvents, build_model

CHARACTERS_PER_TOKEN: Final = 4
NO_TRANSFER: Final = "near, its fix does not carry over"
CALLS_ALLOWED: Final = {"new": 3, "new, nothing wrong": 3, NO_TRANSFER: 1}
"""0 for all others."""

BUGGY = '''def running_mean(values, width):
    """Means of `width` neighbours."""
    means = []
    for start in range(len(values) - width):
        window = values[start : start + width]
        means.append(sum(window) / width)
    return means
'''
FIXED = BUGGY.replace("len(values) - width)", "len(values) - width + 1)")
OTHER_LAYOUT = BUGGY.replace("    means = []\n", "    means = []   # what is returned\n\n")
RENAMED = BUGGY.replace("values", "samples").replace("width", "size").replace("means", "averages").replace("window", "part")
NEAR = RENAMED.replace("    averages = []\n", "    averages = []\n    samples = list(samples)\n")
NEAR_FIXED = NEAR.replace("len(samples) - size)", "len(samples) - size + 1)")
ELSEWHERE = NEAR.replace("    for start in range(len(samples) - size):", "    last = len(samples) - size\n    for start in range(last):")
"""What the past fix changes stands in another line here, so it is no more than an example."""
ELSEWHERE_FIXED = ELSEWHERE.replace("len(samples) - size\n", "len(samples) - size + 1\n")
RIGHT = """def last_word(text):
    words = text.split()
    return words[-1] if words else ""
"""
TASKS: Final = (
    ("new", BUGGY),
    ("pasted again", BUGGY),
    ("other layout", OTHER_LAYOUT),
    ("locals renamed", RENAMED),
    ("renamed, a line more", NEAR),
    (NO_TRANSFER, ELSEWHERE),
    ("new, nothing wrong", RIGHT),
)

PLAN: Final = {
    "thoughts": "A window slides over a list.",
    "steps": ["Check the last window.", "Check an empty list.", "Check the width."],
}
NOTHING: Final = {"summary": "Nothing is wrong.", "findings": []}


def found(quote: str) -> dict[str, Any]:
    """The reviewer's answer."""
    finding = {
        "quote": quote,
        "message": "`running_mean` never looks at the last window, so its mean is missing.",
        "severity": "high",
        "category": "bug",
        "suggestion": "Add one to the end of the range.",
        "confidence": 0.9,
    }
    return {"summary": "The last window is left out.", "findings": [finding]}


def mended(code: str) -> dict[str, Any]:
    """The fixer's answer."""
    return {"fixed_code": code, "explanation": "The range ended one window too early."}


def answer(role: str, said: dict[str, Any], about: str = "") -> Reply:
    """What a role says of code with that text in it."""
    return Reply(content=json.dumps(said), role=role, about=about, always=True)


SCRIPT: Final = (
    answer("plan", PLAN),
    answer("review", NOTHING, "last_word"),
    answer("review", found("len(samples) - size"), "samples"),
    answer("review", found("len(values) - width")),
    answer("fix", mended(RIGHT), "last_word"),
    answer("fix", mended(ELSEWHERE_FIXED), "in range(last)"),
    answer("fix", mended(NEAR_FIXED), "list(samples)"),
    answer("fix", mended(NEAR_FIXED.replace("    samples = list(samples)\n", "")), "samples"),
    answer("fix", mended(FIXED)),
)


@dataclass(frozen=True)
class Spent:
    """Calls, and tokens sent and received."""

    calls: int
    sent: int
    received: int

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.sent + self.received


@dataclass(frozen=True)
class Outcome:
    """One task: what it was, its record, and what it cost here and in the loop."""

    what: str
    record: TaskRecord
    here: Spent
    loop: Spent


def main() -> int:
    """Print the tables; 1 when a limit is broken."""
    with tempfile.TemporaryDirectory() as home, ModelServer(*SCRIPT) as server:
        outcomes = asyncio.run(measure(Path(home), server))
        embeddings = sum(not seen.path.endswith("/chat/completions") for seen in server.requests)
    print("| paste | match | calls | tokens | calls of the loop | tokens of the loop |")
    print("|---|---|---|---|---|---|")
    for done in outcomes:
        match = done.record.match
        known = f"{match.status}{f' ({match.tier})' if match.tier else ''}"
        print(f"| {done.what} | {known} | {done.here.calls} | {done.here.tokens:,} | {done.loop.calls} | {done.loop.tokens:,} |")
    total = [sum(values) for values in zip(*((d.here.calls, d.here.tokens, d.loop.calls, d.loop.tokens) for d in outcomes), strict=True)]
    print("| all | | " + " | ".join(f"{value:,}" for value in total) + " |\n")
    rows = [Measured(f"model calls: {done.what}", done.here.calls, "calls", CALLS_ALLOWED.get(done.what, 0)) for done in outcomes]
    return show("cost", [*rows, Measured("requests that are no chat (embeddings)", embeddings, "requests", 0)])


async def measure(home: Path, server: ModelServer) -> list[Outcome]:
    """The tasks, one after another in one session, and each through the loop."""
    environment = {
        "CODEMIND_HOME": str(home),
        "LLM_BASE_URL": server.url,
        "LLM_MODEL": "m",
        "LLM_API_KEY": "scripted",
        "EMBEDDING_BASE_URL": server.url,
        "EMBEDDING_API_KEY": "scripted",
    }
    settings = load({}, environment).settings
    app = build_app(settings)
    outcomes: list[Outcome] = []
    async with app.driver() as session:
        for number, (what, code) in enumerate(TASKS, 1):
            task = Task(str(number), code, "python")
            before = len(server.chats)
            record = await session.run_task(task)
            here = spent(server.chats[before:])
            outcomes.append(Outcome(what, record, here, await looped(server, settings, task)))
    return outcomes


async def looped(server: ModelServer, settings: Settings, task: Task) -> Spent:
    """The same paste through the five-call loop."""
    model = build_model(settings, save=False, events=ModelEvents())
    if model is None:
        raise ConfigInvalidError("The settings name no model.")
    before = len(server.chats)
    await Loop(model, task).run()
    return spent(server.chats[before:])


def spent(chats: list[Seen]) -> Spent:
    """What these requests and their answers took."""
    return Spent(len(chats), sum(tokens(seen.text) for seen in chats), sum(tokens(seen.answer) for seen in chats))


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


if __name__ == "__main__":
    sys.exit(main())
