"""An interactive session without its prompt: the real counter in a home of its own, commands given as the prompt gives them."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Coroutine
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from cli.commands.registry import find
from cli.console import of_bytes
from cli.counter import Counter
from cli.options import TaskOptions
from settings import load_settings
from tests.model_server import ModelServer

MODEL_KEY = "sk-proj-" + "T3st" * 8


@dataclass
class Commanded:
    """What a session has printed, and how to give it more to do."""

    counter: Counter
    printed: io.StringIO
    errors: io.StringIO
    said: str = field(default="", init=False)
    runner: asyncio.Runner = field(default_factory=asyncio.Runner, init=False)
    """What the last of them printed."""

    def paste(self, code: str) -> str:
        """Serve a paste; its report."""
        return self.run(self.counter.serve(code))

    def do(self, line: str) -> str:
        """Obey `/word rest`; what it printed."""
        name, _, rest = line.partition(" ")
        command = find(name)
        assert command is not None, name
        return self.run(getattr(import_module(command.module), command.function)(self.counter, rest))

    def run(self, work: Coroutine[Any, Any, None]) -> str:
        """Do it; what it printed, with wrapped lines put together."""
        for stream in (self.printed, self.errors):
            stream.seek(0)
            stream.truncate()
        self.runner.run(work)
        self.said = re.sub(r"\n(?=\S)", " ", self.printed.getvalue() + self.errors.getvalue())
        return self.said

    def close(self) -> None:
        """End the session as /quit does."""
        self.runner.run(self.counter.close())
        self.runner.close()


def commanded(home: Path, server: ModelServer | None = None, *, save: bool = True, **environment: str) -> Commanded:
    """A session with an empty memory, static or with that server as its model. Close it."""
    variables = {"CODEMIND_HOME": str(home), **environment}
    if server is not None:
        variables |= {"LLM_BASE_URL": server.url, "LLM_API_KEY": MODEL_KEY, "LLM_MODEL": "m"}
    printed, errors = io.StringIO(), io.StringIO()
    console = of_bytes(io.BytesIO(), printed, errors, variables)
    settings = load_settings({}, variables, []).settings
    return Commanded(Counter(settings, TaskOptions(save=save), console), printed, errors)
