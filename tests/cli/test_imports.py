"""Commands that answer at once don't import what they don't need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.harness import KEEP, PROJECT, CommandLine

HEAVY = ("langgraph", "langchain_core", "chromadb", "pydantic", "rich", "prompt_toolkit")
SCRIPT = f"""
import sys
from cli.app import main
status = main(sys.argv[1:])
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["memory", "list"], ["recall", "-"], ["--nonsense"]], ids=" ".join)
def test_a_light_command_imports_nothing_heavy(codemind: CommandLine, arguments: list[str]) -> None:
    """No graph, no index, no model library, no terminal library."""
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, input=KEEP.encode(), capture_output=True, cwd=PROJECT, env=codemind.variables(), check=False)
    assert done.stderr.decode().splitlines()[-1] == "[]"


def test_the_prompt_waits_for_nothing_heavy() -> None:
    """What is imported before the first prompt: the terminal library, but neither graph nor parser nor ledger."""
    heavy = ("langgraph", "ast_grep_py", "sqlite3", "pydantic", "rich")
    script = f"import sys, main, cli.session, cli.repl; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=PROJECT, check=True)
    assert done.stdout.decode().strip() == "[]"
