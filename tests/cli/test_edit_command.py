"""/edit on a real pseudo terminal, with an editor that is a small program of the test."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from errors import ToolMissingError
from integrations.editor import editor_command
from tests.cli.commanding import commanded
from tests.cli.harness import KEEP, KEPT, CommandLine
from tests.cli.screen import Screen, opened

OWN = "def keep(x, seen=None):\n    seen = [] if seen is None else seen\n    seen.append(x)\n    return seen\n"
TAKEN = "takes it back."
"""The end of the sentence: nothing of it is wrapped."""
REPORTED = "leaves this machine"
SECRET = "ghp_" + "a1B2" * 9


def an_editor(folder: Path, *lines: str) -> str:
    """A command line that starts a program with `path` and `text` (what is in the file) at hand."""
    program = folder / "my editor.py"
    head = ["import sys, pathlib", "path = pathlib.Path(sys.argv[-1])", "text = path.read_text()"]
    program.write_text("\n".join([*head, *lines]) + "\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}"


@contextmanager
def session(codemind: CommandLine, *lines: str, **variables: str) -> Iterator[Screen]:
    """A session whose editor does what the lines say."""
    command = an_editor(codemind.home.parent, *lines)
    environment = tuple({"EDITOR": "does-not-count", "VISUAL": command, **variables}.items())
    with opened(replace(codemind, environment=environment), columns=100) as screen:
        yield screen
        screen.type("/quit\r")


def obey(screen: Screen, line: str, answer: str) -> str:
    """Type a command and wait for its answer, and for the prompt behind it."""
    screen.type(line + "\r")
    printed = screen.wait_for(answer)
    screen.wait_for("code>")
    screen.quiet()
    return printed


def reviewed(screen: Screen, code: str) -> str:
    """Paste and wait for the report, and for the prompt behind it."""
    screen.paste(code)
    printed = screen.wait_for(REPORTED)
    screen.wait_for("code>")
    screen.quiet()
    return printed


def fixes(codemind: CommandLine) -> list[tuple[str, str, int]]:
    """Fixed code, trust and corrections of each fix of the only experience, the best first."""
    (stored,) = codemind.run("memory", "list", "--json").records
    return [(each["fixed_code"], each["trust"], each["corrected"]) for each in stored["alternatives"]]


def test_the_edit_is_offered_first_and_the_fix_that_it_corrects_comes_behind_it(codemind: CommandLine) -> None:
    """Proved, with the user's reason; the other one is not rejected. /undo puts everything back."""
    with session(codemind, f"path.write_text({OWN!r})") as screen:
        reviewed(screen, KEEP)
        said = obey(screen, "/edit one line is enough", TAKEN)
        assert "+    seen = [] if seen is None else seen" in said
        assert "The fix that it corrects comes behind it." in said
        assert fixes(codemind) == [(OWN, "proved", 0), (KEPT, "plausible", 1)]
        printed = reviewed(screen, KEEP)
        assert "+    seen = [] if seen is None else seen" in printed
        assert "one line is enough" in printed
        obey(screen, "/undo", "Taken back: your edit of the fix of paste 1 (python, 3 lines)")
        assert fixes(codemind) == [(KEPT, "plausible", 0)]
        assert "+    if seen is None:" in reviewed(screen, KEEP)


def test_the_edit_of_a_fix_from_memory_is_written_and_can_be_edited_again(codemind: CommandLine) -> None:
    """Another session knows the code: its fix is edited twice, and what is on the screen is the newest."""
    codemind.run(stdin=KEEP)
    mends = "path.write_text(text + '# end\\n' if '# mine' in text else text.replace('return seen', 'return  seen  # mine'))"
    with session(codemind, mends) as screen:
        assert "IDENTICAL" in reviewed(screen, KEEP)
        obey(screen, "/edit", TAKEN)
        obey(screen, "/edit", TAKEN)
        obey(screen, "/write out.py", "Wrote out.py")
        assert "You have accepted this fix already" in obey(screen, "/reject", "already")
    written = Path("out.py")
    try:
        assert written.read_text().endswith("return  seen  # mine\n# end\n")
    finally:
        written.unlink()


@pytest.mark.parametrize(
    ("does", "answer"),
    [
        ("pass", "Nothing was changed."),
        ("path.write_text('')", "Nothing was changed: the text is empty."),
        (f"path.write_text({KEEP!r})", "That is the code as it was before the fix: /reject says that the fix is wrong."),
        ("sys.exit(3)", "The editor ended with status 3: nothing was changed."),
        ("path.write_bytes(b'\\xff\\xfe')", "What the editor wrote is no UTF-8 text: nothing was changed."),
        ("path.unlink()", "The editor has left no file: nothing was changed."),
        ("path.unlink(); path.mkdir()", "The editor has left no file: nothing was changed."),
        ("import os; path.unlink(); os.mkfifo(path)", "The editor has left no file: nothing was changed."),
        ("import os; os.kill(os.getpid(), 9)", "The editor was ended by signal 9: nothing was changed."),
    ],
)
def test_what_is_no_edit_changes_nothing(codemind: CommandLine, does: str, answer: str) -> None:
    """One sentence, and the fix of before is still there."""
    with session(codemind, does) as screen:
        reviewed(screen, KEEP)
        obey(screen, "/edit", answer)
        assert "+    if seen is None:" in obey(screen, "/diff", "return seen")
    assert fixes(codemind) == [(KEPT, "plausible", 0)]


def test_an_edit_that_does_not_parse_is_kept_for_the_next_one(codemind: CommandLine) -> None:
    """It is not taken over, and not lost: the editor opens with it again."""
    mends = f"path.write_text({OWN!r} if text == 'def keep(\\n' else 'def keep(\\n')"
    with session(codemind, mends) as screen:
        reviewed(screen, KEEP)
        assert "Not taken over: " in obey(screen, "/edit", "the fix of before stays.")
        assert fixes(codemind) == [(KEPT, "plausible", 0)]
        obey(screen, "/edit", TAKEN)
    assert fixes(codemind)[0] == (OWN, "proved", 0)


def test_secrets_are_not_in_the_file_that_the_editor_gets(codemind: CommandLine, tmp_path: Path) -> None:
    """The user's own copy has them in their places afterwards; what the editor was given, and the home, have not."""
    seen = tmp_path / "seen.txt"
    does = f"pathlib.Path({str(seen)!r}).write_text(text); path.write_text(text.replace('return seen', 'return list(seen)'))"
    with session(codemind, does) as screen:
        reviewed(screen, f'TOKEN = "{SECRET}"\n{KEEP}')
        obey(screen, "/edit", TAKEN)
        obey(screen, f"/write {tmp_path / 'out.py'}", "Wrote ")
    assert SECRET not in seen.read_text()
    assert f'TOKEN = "{SECRET}"' in (tmp_path / "out.py").read_text()
    assert not [path for path in codemind.home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_the_file_is_private_and_gone_afterwards(codemind: CommandLine, tmp_path: Path) -> None:
    """0600 in a folder of 0700, under an ending that tells the editor the language."""
    seen = tmp_path / "seen.txt"
    does = f"pathlib.Path({str(seen)!r}).write_text(f'{{path.stat().st_mode & 0o777:o}} {{path.parent.stat().st_mode & 0o777:o}} {{path}}')"
    with session(codemind, does) as screen:
        reviewed(screen, KEEP)
        obey(screen, "/edit", "Nothing was changed")
    mode, folder_mode, path = seen.read_text().split(" ", 2)
    assert (mode, folder_mode) == ("600", "700")
    assert path.endswith("/fix.py")
    assert not Path(path).parent.exists()


def test_an_editor_that_asks_on_the_terminal_is_heard_and_seen(codemind: CommandLine) -> None:
    """What is typed for it shows, and the prompt works afterwards."""
    with session(codemind, "word = input('what then? ')", "path.write_text(text.replace('seen.append', word + '.append'))") as screen:
        reviewed(screen, KEEP)
        screen.type("/edit\r")
        screen.wait_for("what then? ")
        screen.type("seen[:0]\r")
        screen.wait_for("seen[:0]")
        screen.wait_for(TAKEN)
        screen.wait_for("code>")


def test_ctrl_c_ends_a_simple_editor_and_not_the_session(codemind: CommandLine) -> None:
    """Nothing is changed, and no file is left."""
    with session(codemind, "print('open'); sys.stdout.flush()", "import time; time.sleep(60)") as screen:
        reviewed(screen, KEEP)
        screen.type("/edit\r")
        screen.wait_for("open")
        screen.type("\x03")
        screen.wait_for("code>")
        screen.quiet()
        assert "+    if seen is None:" in obey(screen, "/diff", "return seen")
    assert fixes(codemind) == [(KEPT, "plausible", 0)]


def test_an_editor_that_is_not_there_is_named_by_its_variable(codemind: CommandLine) -> None:
    """The user knows what to set."""
    with session(codemind, VISUAL="", EDITOR="no-such-editor -w") as screen:
        reviewed(screen, KEEP)
        obey(screen, "/edit", "The editor that EDITOR names is no program that can be run: set EDITOR")


def test_a_command_line_that_no_shell_could_read_is_called_that() -> None:
    """Its program may well be there."""
    with pytest.raises(ToolMissingError, match="VISUAL has a quotation mark or backslash"):
        editor_command({"VISUAL": "vim -c 'set tw=0"})


def test_a_terminal_that_shows_no_screen_gets_the_editor_that_is_named_only() -> None:
    """The usual ones would paint over it."""
    with pytest.raises(ToolMissingError, match="set VISUAL or EDITOR"):
        editor_command({"TERM": "dumb"}, find=lambda name: name)
    assert editor_command({"TERM": "dumb", "EDITOR": "ed -s"}, find=lambda name: name) == ["ed", "-s"]


def test_a_session_that_saves_nothing_takes_the_edit_over_and_remembers_nothing(codemind: CommandLine) -> None:
    """For /copy and /write."""
    command = an_editor(codemind.home.parent, f"path.write_text({OWN!r})")
    with opened(replace(codemind, environment=(("VISUAL", command),)), "--no-save", columns=100) as screen:
        reviewed(screen, KEEP)
        obey(screen, "/edit", "nothing of this is saved.")
        assert "+    seen = [] if seen is None else seen" in obey(screen, "/diff", "return seen")
        screen.type("/quit\r")
    assert not (codemind.home / "ledger.sqlite3").exists()


def test_without_a_terminal_there_is_no_editor(tmp_path: Path) -> None:
    """Nothing is started."""
    session = commanded(tmp_path, VISUAL="true")
    try:
        session.paste(KEEP)
        assert "there is no terminal here" in session.do("/edit")
    finally:
        session.close()
