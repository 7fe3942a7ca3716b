"""`memory seed --starter`."""

from __future__ import annotations

import pytest

from memory.starter import classic_bugs
from tests.cli.harness import CommandLine

MINE = """\
def empty_cells(row, found=[]):
    for place, cell in enumerate(row.split(",")):
        if not cell.strip():
            found.append(f"field {place} is empty")
    return found
"""


def test_the_starter_pack_answers_a_paste_and_is_stored_once(codemind: CommandLine) -> None:
    """Counts as for a file; again adds nothing; the user's own names are in the fix."""
    size = len(list(classic_bugs()))

    first = codemind.run("memory", "seed", "--starter", "--json")
    second = codemind.run("memory", "seed", "--starter")

    assert (first.status, first.record["added"], first.record["bad"], first.record["quarantined"]) == (0, size, 0, 0)
    assert first.record["index"].endswith(" vectors")
    assert f"added 0, updated 0, duplicate {size}" in second.out
    answer = codemind.run("recall", "-", "--json", stdin=MINE).record
    assert (answer["match"]["tier"], "if found is None:" in answer["fix"]["code"]) == ("renamed", True)


@pytest.mark.parametrize("arguments", [[], ["--starter", "--jsonl", "x.jsonl"]], ids=["neither", "both"])
def test_seeding_wants_one_source(codemind: CommandLine, arguments: list[str]) -> None:
    """A file or the pack: without, or with both, it is a wrong use."""
    ran = codemind.run("memory", "seed", *arguments)

    assert ran.status == 2
    assert "--starter" in ran.err
    assert not codemind.home.exists()
