"""Pastes of which only some functions are known, and functions of which the whole file is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.recall import LongTermMemory
from schema.experience import Experience, Provenance
from schema.finding import Finding
from tests.memory.recalls import FINDING, RENAMED, UNRELATED, empty_memory, python, small_memory
from tests.memory.rows import MEAN, MEAN_FIXED, an_experience


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """One imported fix of `mean`."""
    return small_memory(tmp_path)


def test_a_known_function_among_others_is_a_region(memory: LongTermMemory) -> None:
    """One of three functions is known: SIMILAR, coverage below 1, its lines, and a fix of the whole paste."""
    paste = f"import os\n\n\n{UNRELATED}\n\n{RENAMED}\n\ndef last():\n    return os.getcwd()\n"
    recalled = memory.recall(python(paste))

    (region,) = recalled.match.regions
    assert recalled.match.status == "SIMILAR"
    assert 0.2 < recalled.match.coverage < 0.8
    assert (region.start_line, region.end_line, region.status, region.tier) == (8, 9, "SIMILAR", "renamed")
    assert recalled.fix is not None
    assert recalled.fix.code.startswith(f"import os\n\n\n{UNRELATED}\n\ndef average(numbers):\n")
    assert recalled.fix.code.endswith("\n\ndef last():\n    return os.getcwd()\n")
    assert region.fixed_code is not None
    assert region.fixed_code in recalled.fix.code
    assert [each.start_line for each in recalled.findings] == [9]
    assert recalled.findings[0].evidence == "    return sum(numbers) / len(numbers)"


def test_a_known_method_is_a_region_in_its_own_indentation(memory: LongTermMemory) -> None:
    """A function that was pasted into a class is found there, and its fix is indented as it is."""
    method = MEAN.replace("def mean(values)", "def mean(values)").replace("\n", "\n    ").rstrip()
    recalled = memory.recall(python(f"class Tools:\n    @staticmethod_like\n    def other(a):\n        return a\n\n    {method}\n"))

    (region,) = recalled.match.regions
    assert (region.start_line, region.end_line, region.status) == (6, 7, "IDENTICAL")
    assert region.fixed_code == "\n".join(f"    {line}" for line in MEAN_FIXED.rstrip("\n").split("\n"))
    assert recalled.findings[0].start_column == FINDING.start_column + 4


def test_two_known_functions_explain_everything(memory: LongTermMemory) -> None:
    """Regions that cover every token give coverage 1, and both fixes are in the text."""
    memory.remember(an_experience(UNRELATED, UNRELATED.replace("'-'", "'_'")))
    recalled = memory.recall(python(f"{UNRELATED}\n\n{MEAN}"))

    assert (recalled.match.status, recalled.match.tier, recalled.match.coverage) == ("SIMILAR", "exact", 1.0)
    assert len(recalled.match.regions) == 2
    assert recalled.fix is not None
    assert recalled.fix.code == UNRELATED.replace("'-'", "'_'") + "\n\n" + MEAN_FIXED


def test_a_part_of_a_stored_file_is_found_alone(tmp_path: Path) -> None:
    """The bare function of an experience with other code around it is IDENTICAL to that part, added imports included."""
    memory = empty_memory(tmp_path)
    head, tail = "import os\n\n\n", "\n\ndef last():\n    return os.getcwd()\n"
    root = "def root(x):\n    return x ** 0.5\n"
    fixed = "def root(x):\n    return cmath.sqrt(x)\n"
    finding = Finding.from_plain({**FINDING.as_plain(), "start_line": 5, "end_line": 5, "start_column": 5, "end_column": 20, "fix": None})
    memory.remember(
        Experience("python", head + root + tail, "import cmath\n" + head + fixed + tail, "Negative.", Provenance("jsonl"), (finding,))
    )

    recalled = memory.recall(python(root))

    assert (recalled.match.status, recalled.match.coverage) == ("IDENTICAL", 1.0)
    assert "the function root in" in recalled.match.reason
    assert recalled.fix is not None
    assert recalled.fix.code == "import cmath\n" + fixed
    assert [each.start_line for each in recalled.findings] == [2]


def test_a_fix_that_needs_a_new_function_has_no_parts(tmp_path: Path) -> None:
    """A part is stored only when the function alone holds the whole fix."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(MEAN + UNRELATED, MEAN_FIXED + UNRELATED + "def added():\n    return 1\n"))

    assert memory.recall(python(MEAN)).match.status == "NONE"
