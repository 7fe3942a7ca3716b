"""Pastes from a pipe, without a terminal anywhere."""

from __future__ import annotations

import pytest

from tests.cli.harness import AVERAGE, KEEP, KEPT, CommandLine


def test_a_paste_is_reviewed_fixed_and_remembered(codemind: CommandLine) -> None:
    """The finding on its line, a fix that guards it, its evidence level, and the save."""
    ran = codemind.run("--json", stdin=AVERAGE + "EOF\n")
    record = ran.record
    assert ran.status == 0
    assert [finding["start_line"] for finding in record["findings"]] == [5]
    assert record["fix"]["verification"]["level"] == "clean"
    assert record["saved"]["status"] == "added"
    assert ran.err == ""


def test_the_same_paste_again_comes_from_memory(codemind: CommandLine) -> None:
    """Another process, the same fix, no model call, nothing learnt twice."""
    first = codemind.run("--json", stdin=AVERAGE).record
    again = codemind.run("--json", stdin=AVERAGE).record
    assert again["match"]["status"] == "IDENTICAL"
    assert again["fix"]["code"] == first["fix"]["code"]
    assert again["llm"]["calls"] == 0
    assert again["saved"]["status"] == "duplicate"


def test_the_same_paste_with_other_names_is_similar(codemind: CommandLine) -> None:
    """The past fix comes in the new names."""
    codemind.run("--json", stdin=AVERAGE)
    renamed = AVERAGE.replace("numbers", "xs").replace("total", "acc").replace("n in", "v in").replace("+ n\n", "+ v\n")
    record = codemind.run("--json", stdin=renamed).record
    assert (record["match"]["status"], record["match"]["tier"]) == ("SIMILAR", "renamed")
    assert "xs" in record["fix"]["code"]
    assert "numbers" not in record["fix"]["code"]


def test_several_blocks_are_several_tasks(codemind: CommandLine) -> None:
    """One line each, in order, numbered; the last needs no end mark, an empty one is no task."""
    ran = codemind.run("--json", stdin=f"{KEEP}EOF\n\nEOF\n<<END\nx = 1\nEOF = 2\nEND\n{AVERAGE}")
    assert [record["id"] for record in ran.records] == ["1", "2", "3"]
    assert ran.status == 0


def test_windows_line_ends_come_back(codemind: CommandLine) -> None:
    """Evidence without a stray CR, a fix in CRLF, and the same code with LF is the same code."""
    record = codemind.run("--json", stdin=(KEEP + "EOF\n").replace("\n", "\r\n")).record
    assert record["findings"][0]["evidence"] == "def keep(x, seen=[]):"
    assert record["fix"]["code"] == KEPT.replace("\n", "\r\n")
    assert codemind.run("--json", stdin=KEEP).record["match"]["status"] == "IDENTICAL"


def test_a_byte_order_mark_is_no_column(codemind: CommandLine) -> None:
    """No syntax error, and columns count from the code."""
    record = codemind.run("--json", stdin="\ufeffimport os\n" + KEEP).record
    assert all(finding["rule_id"] != "ruff/invalid-syntax" for finding in record["findings"])
    columns = {finding["start_line"]: finding["start_column"] for finding in record["findings"]}
    assert columns.get(1, 8) == 8


def test_prompts_of_an_interactive_session_are_not_code(codemind: CommandLine) -> None:
    """The finding is on the pasted line, with its prompt; the bare function is the same code."""
    session = ">>> def keep(x, seen=[]):\n...     seen.append(x)\n...     return seen\n...\n>>> keep(1)\n[1]\n"
    record = codemind.run("--json", "--lang", "python", stdin=session).record
    (found,) = [finding for finding in record["findings"] if "default" in finding["message"]]
    assert (found["start_line"], found["start_column"]) == (1, 17)
    assert found["evidence"] == ">>> def keep(x, seen=[]):"


def test_text_output_is_for_people(codemind: CommandLine) -> None:
    """Findings beside their lines, a diff, and the closing line."""
    ran = codemind.run("--no-save", stdin=KEEP)
    assert "medium  line 1  " in ran.out
    assert "+    if seen is None:" in ran.out
    assert ran.out.rstrip().endswith("nothing leaves this machine")


def test_no_control_sequence_of_the_code_is_printed(codemind: CommandLine) -> None:
    """It can't repaint the screen, set the title, hide a link, or turn the direction of the text."""
    code = "# \x1b]0;owned\x07\x1b[2K\x1b[1GALL CHECKS PASSED \u202e\ndef calc(expr):\n    return eval(expr)  # \x1b]8;;x\x1b\\\n"
    ran = codemind.run("--no-save", stdin=code)
    assert not set("\x1b\x07\u202e") & set(ran.out + ran.err)
    assert "line 3" in ran.out


def test_findings_alone_are_json_lines(codemind: CommandLine) -> None:
    """--format jsonl prints one finding a line and nothing else."""
    ran = codemind.run("--format", "jsonl", "--no-save", stdin=f"{KEEP}EOF\n{AVERAGE}")
    assert [finding["start_line"] for finding in ran.records] == [1, 5]


@pytest.mark.parametrize(("limit", "status"), [("never", 0), ("high", 0), ("medium", 1), ("low", 1)])
def test_fail_on_sets_the_exit_status(codemind: CommandLine, limit: str, status: int) -> None:
    """1 when a finding is at least that bad."""
    assert codemind.run("--fail-on", limit, "--no-save", stdin=AVERAGE).status == status


def test_no_save_leaves_nothing_behind(codemind: CommandLine) -> None:
    """No memory, no checkpoint, no trace."""
    record = codemind.run("--json", "--no-save", stdin=KEEP).record
    assert record["saved"] == {"status": "skipped", "id": None, "why": "no_save"}
    assert not codemind.home.exists()


def test_no_memory_does_not_ask(codemind: CommandLine) -> None:
    """A wrong first fix must not be for ever."""
    codemind.run("--json", stdin=KEEP)
    again = codemind.run("--json", "--no-memory", stdin=KEEP).record
    assert again["match"]["status"] == "NONE"
    assert "reviewer" in again["route"]
    assert again["saved"]["status"] == "duplicate"


def test_the_trace_is_a_tree_on_standard_error(codemind: CommandLine) -> None:
    """Standard output stays one JSON line."""
    ran = codemind.run("--json", "--trace", "--no-save", stdin=KEEP)
    assert ran.record["id"] == "1"
    assert "retrieve_memory" in ran.err


def test_many_equal_findings_are_grouped_and_cut(codemind: CommandLine) -> None:
    """Fifty in the record, one block in the text, no fix that rewrites them all."""
    code = "".join(f"def call_{number}(x, opts=[]):\n    opts.append(x)\n    return opts\n\n\n" for number in range(70))
    record = codemind.run("--json", "--no-save", stdin=code).record
    assert len(record["findings"]) == 50
    assert any("20" in note for note in record["notes"])
    assert record["fix"] is None
    assert "50 of this kind" in codemind.run("--no-save", stdin=code).out


def test_secrets_stay_with_the_user(codemind: CommandLine) -> None:
    """Put back in the user's own copy of the fix; in no file of the home."""
    secret = "ghp_" + "a1B2" * 9
    record = codemind.run("--json", stdin=f'TOKEN = "{secret}"\n\n\n{KEEP}').record
    assert secret in record["fix"]["code"]
    assert not [path for path in codemind.home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
