"""What Tab completes."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from cli.commands.registry import COMMANDS
from cli.prompt_completion import CommandCompleter, completes

IDS = [("4fa1b2c3d4e5", "python: None as the default"), ("4f00aa11bb22", "go: a\nnil map \x1b[2J")]


def completed(text: str) -> list[str]:
    """The lines that Tab would make of it."""
    found = CommandCompleter(lambda: IDS).get_completions(Document(text), CompleteEvent(completion_requested=True))
    return [text[: len(text) + each.start_position] + each.text for each in found]


@pytest.mark.parametrize(
    ("begun", "lines"),
    [
        ("/lo", ["/load "]),
        ("/re", ["/reject", "/retry", "/resume"]),
        ("/help wr", ["/help write"]),
        ("/lang ty", ["/lang typescript"]),
        ("/lang au", ["/lang auto"]),
        ("/show 4fa", ["/show 4fa1b2c3d4e5"]),
        ("/forget 4f", ["/forget 4fa1b2c3d4e5", "/forget 4f00aa11bb22"]),
        ("/summary ", ["/summary clear"]),
        ("/undo ", []),
        ("/nonsense ", []),
        ("/memory 4f", []),
    ],
)
def test_names_and_what_they_take(begun: str, lines: list[str]) -> None:
    """A command that takes something is completed with a blank behind it."""
    assert completed(begun) == lines


def test_a_slash_alone_lists_all_commands() -> None:
    """In the registry's order."""
    assert [line.strip() for line in completed("/")] == [command.name for command in COMMANDS]


@pytest.mark.parametrize("code", ["", "x", "// a", "/* a */", "/load a\n", "x = 1\n/lo", "import o", " /lo"])
def test_code_is_never_completed(code: str) -> None:
    """Tab is indentation there."""
    assert not completes(code)
    assert completed(code) == []


def test_paths_are_completed_in_folders_and_behind_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder ends in a slash, blanks need no quotes, hidden files only when asked for; an untypable name is left out."""
    (tmp_path / "src").mkdir()
    for name in ("src/a b.py", "src/.hidden", "src/bad\nname.py", "setup.py"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)

    assert completed("/load s") == ["/load setup.py", "/load src/"]
    assert completed("/load src/") == ["/load src/a b.py"]
    assert completed("/load src/.h") == ["/load src/.hidden"]
    assert completed("/load src/a ") == ["/load src/a b.py"]
    assert completed(f"/write --over {tmp_path}/se") == [f"/write --over {tmp_path}/setup.py"]


def test_what_is_said_of_an_id_is_one_visible_line() -> None:
    """It comes from the memory, and so from pastes."""
    found = CommandCompleter(lambda: IDS).get_completions(Document("/show 4f00"), CompleteEvent())
    assert [each.display_meta_text for each in found] == ["go: a nil map \\x1b[2J"]
