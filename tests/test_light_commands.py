"""Commands that must answer at once import nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_architecture import ROOT

HEAVY = {"langgraph", "langchain_core", "langchain_openai", "chromadb", "openai", "pydantic", "rich", "prompt_toolkit", "numpy"}
CODE = "def mean(xs):\n    return sum(xs) / len(xs)\n"
WATCHED = """
import sys
from main import main
sys.argv = ["codemind", *sys.argv[1:]]
status = main()
print("imported:", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["memory", "list"], ["memory", "stats"], ["recall", "-"]], ids=" ".join)
def test_command_imports_nothing_heavy(arguments: list[str], home: Path) -> None:
    """Neither the graph nor an index nor a terminal library stands between these commands and their answer."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments], input=CODE, capture_output=True, text=True, cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    imported = set(done.stderr.rpartition("imported:")[2].split())
    assert "main" in imported
    assert not imported & HEAVY
    assert arguments[0] == "recall" or not list(home.glob("*.sqlite3"))


def test_known_code_needs_no_numpy_and_no_index(home: Path, tmp_path: Path) -> None:
    """With a seeded memory and its index in place: exact and renamed hits import neither."""
    pair = {"code": CODE, "fixed_code": CODE.replace("    return", "    if not xs:\n        return 0\n    return"), "explanation": "Empty."}
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(json.dumps({**pair, "language": "python"}) + "\n", encoding="utf-8")
    subprocess.run([sys.executable, "main.py", "memory", "seed", "--jsonl", str(seeds)], cwd=ROOT, check=True, timeout=120)

    for paste, status in ((CODE, "IDENTICAL"), (CODE.replace("xs", "items"), "SIMILAR")):
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, "recall", "-", "--json"], input=paste, capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert json.loads(done.stdout)["match"]["status"] == status
        assert not set(done.stderr.rpartition("imported:")[2].split()) & HEAVY
