"""Commands that must answer at once import nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_architecture import ROOT

HEAVY = {"langgraph", "langchain_core", "langchain_openai", "chromadb", "openai", "pydantic", "rich", "prompt_toolkit", "numpy"}
NOT_FOR_A_KNOWN_FILE = HEAVY | {"yaml", "asyncio", "ast_grep_py", "rules"}
"""What answering from memory does without: while the stored level holds, nothing is parsed, run or verified."""
CODE = "def mean(xs):\n    return sum(xs) / len(xs)\n"
WATCHED = """
import sys
from main import main
sys.argv = ["codemind", *sys.argv[1:]]
status = main()
print("imported:", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(status)
"""


def run_watched(*arguments: str, given: str = CODE) -> tuple[str, set[str]]:
    """Standard output of a command that must succeed, and the packages that it had imported at its end."""
    command = [sys.executable, "-c", WATCHED, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    imported = set(done.stderr.rpartition("imported:")[2].split())
    assert "main" in imported
    return done.stdout, imported


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["memory", "list"], ["memory", "stats"], ["recall", "-"]], ids=" ".join)
def test_command_imports_nothing_heavy(arguments: list[str], home: Path) -> None:
    """Neither the graph nor an index nor a terminal library stands between these commands and their answer."""
    _, imported = run_watched(*arguments)
    assert not imported & HEAVY
    assert arguments[0] == "recall" or not list(home.glob("*.sqlite3"))


def test_recall_of_a_known_file_imports_no_engine(tmp_path: Path) -> None:
    """The level that was stored with the fix is reused, so neither rules nor linter nor parser are loaded to say it again."""
    known = tmp_path / "known.py"
    known.write_text(CODE, encoding="utf-8")
    run_watched("--json", given=CODE)

    answer, imported = run_watched("recall", str(known), "--json")

    record = json.loads(answer)
    assert record["match"]["status"] == "IDENTICAL"
    assert record["fix"]["verification"]["level"] == "clean"
    assert not imported & NOT_FOR_A_KNOWN_FILE


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
