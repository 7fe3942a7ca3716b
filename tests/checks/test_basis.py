"""checks.basis: when a stored level has to be earned anew."""

from __future__ import annotations

import shutil
from pathlib import Path

from checks.basis import digest_of


def rules_in(folder: Path) -> Path:
    """A folder with one rule below it."""
    (folder / "rules" / "sets").mkdir(parents=True)
    (folder / "rules" / "engine.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "rules" / "sets" / "one.yaml").write_text("id: a/b\n", encoding="utf-8")
    return folder / "rules"


def test_the_same_files_give_the_same_digest_wherever_they_lie(tmp_path: Path) -> None:
    """A program that was moved, or installed twice, keeps the levels that it gave; what Python compiled doesn't count."""
    rules = rules_in(tmp_path / "here")
    moved = shutil.copytree(rules, tmp_path / "there" / "rules")
    (moved / "__pycache__").mkdir()
    (moved / "__pycache__" / "engine.pyc").write_bytes(b"0")

    assert digest_of([rules], ["ruff 1"]) == digest_of([moved], ["ruff 1"])


def test_every_change_of_what_decides_changes_the_digest(tmp_path: Path) -> None:
    """A rule's text or name, a line of code, a new rule, another version of the linter, another file."""
    rules = rules_in(tmp_path)
    seen = [digest_of([rules], ["ruff 1"]), digest_of([rules], ["ruff 2"]), digest_of([rules, rules / "engine.py"], ["ruff 1"])]

    (rules / "engine.py").write_text("x = 2\n", encoding="utf-8")
    seen.append(digest_of([rules], ["ruff 1"]))
    (rules / "sets" / "two.yaml").write_text("id: a/c\n", encoding="utf-8")
    seen.append(digest_of([rules], ["ruff 1"]))
    (rules / "sets" / "two.yaml").rename(rules / "sets" / "three.yaml")
    seen.append(digest_of([rules], ["ruff 1"]))

    assert len(set(seen)) == len(seen)
