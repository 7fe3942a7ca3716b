"""What a task costs: model calls and tokens, beside a loop that asks a model at every step.

    python -m benchmarks.cost

The real program against the scripted server of the tests: the answers are fixed, so calls and the text that is sent are exact. Tokens
are counted as a quarter of the characters, for both columns alike. The loop that is compared with sends each paste through
"manager, reviewer, manager, fixer, manager", without a memory, and shows the manager what the others have answered; it is computed
from the same prompts and answers. An embedding endpoint is configured, and must not be asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.report import Measured, show
from schema.record import TaskRecord
from schema.task import Task
from tests.model_server import ModelServer, Seen
from wiring import build_app, load

CHARACTERS_PER_TOKEN: Final = 4
LOOP_CALLS: Final = 5
CALLS_ALLOWED: Final = {"NONE": 3}
"""By what memory knows; 0 for all others."""

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
TASKS: Final = (
    ("new", BUGGY),
    ("pasted again", BUGGY),
    ("other layout", OTHER_LAYOUT),
    ("locals renamed", RENAMED),
    ("renamed, a line more", NEAR),
)

QUOTE = "range(len(values) - width)"
ANSWERS: Mapping[str, dict[str, Any]] = {
    "plan": {"thoughts": "A window slides over a list.", "steps": ["Check the last window.", "Check an empty list.", "Check the width."]},
    "review": {
        "summary": "The last window is left out.",
        "findings": [
            {
                "quote": QUOTE,
                "message": "`running_mean` never looks at the last window, so its mean is missing.",
                "severity": "high",
                "category": "bug",
                "suggestion": "Add one to the end of the range.",
                "confidence": 0.9,
            }
        ],
    },
    "fix": {"fixed_code": FIXED, "explanation": "The range ended one window too early."},
}


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
    with tempfile.TemporaryDirectory() as home, ModelServer(answers=dict(ANSWERS)) as server:
        outcomes = asyncio.run(measure(Path(home), server))
        others = sum(not seen.path.endswith("/chat/completions") for seen in server.requests)
    print("| paste | match | calls | tokens | calls of the loop | tokens of the loop |")
    print("|---|---|---|---|---|---|")
    for done in outcomes:
        match = done.record.match
        known = f"{match.status}{f' ({match.tier})' if match.tier else ''}"
        print(f"| {done.what} | {known} | {done.here.calls} | {done.here.tokens:,} | {done.loop.calls} | {done.loop.tokens:,} |")
    total = [sum(values) for values in zip(*((d.here.calls, d.here.tokens, d.loop.calls, d.loop.tokens) for d in outcomes), strict=True)]
    print("| all | | " + " | ".join(f"{value:,}" for value in total) + " |\n")
    rows = [
        Measured(f"model calls: {done.what}", done.here.calls, "calls", CALLS_ALLOWED.get(done.record.match.status, 0)) for done in outcomes
    ]
    return show("cost", [*rows, Measured("requests that are no chat (embeddings)", others, "requests", 0)])


async def measure(home: Path, server: ModelServer) -> list[Outcome]:
    """The tasks, one after another in one session."""
    environment = {
        "CODEMIND_HOME": str(home),
        "LLM_BASE_URL": server.url,
        "LLM_MODEL": "m",
        "LLM_API_KEY": "scripted",
        "EMBEDDING_BASE_URL": server.url,
        "EMBEDDING_API_KEY": "scripted",
    }
    app = build_app(load({}, environment).settings)
    outcomes: list[Outcome] = []
    async with app.driver() as session:
        for number, (what, code) in enumerate(TASKS, 1):
            before = len(server.chats)
            record = await session.run_task(Task(str(number), code, "python"))
            here = spent(server.chats[before:])
            outcomes.append(Outcome(what, record, here, outcomes[0].loop if outcomes else looped(server.chats)))
    return outcomes


def spent(chats: list[Seen]) -> Spent:
    """What these requests and their answers took."""
    return Spent(len(chats), sum(tokens(seen.text) for seen in chats), sum(tokens(json.dumps(ANSWERS[seen.role])) for seen in chats))


def looped(chats: list[Seen]) -> Spent:
    """The five-call loop over the same paste: the manager reads it three times, each time with what was answered since."""
    asked = {seen.role: tokens(seen.text) for seen in chats}
    said = {role: tokens(json.dumps(answer)) for role, answer in ANSWERS.items()}
    manager = [
        asked["plan"],
        asked["plan"] + said["plan"] + said["review"],
        asked["plan"] + 2 * said["plan"] + said["review"] + said["fix"],
    ]
    return Spent(LOOP_CALLS, sum(manager) + asked["review"] + asked["fix"], 3 * said["plan"] + said["review"] + said["fix"])


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


if __name__ == "__main__":
    sys.exit(main())
