"""Fixes that bring an import along, in a paste that is more than the function."""

from __future__ import annotations

from pathlib import Path

import pytest

from schema.source import Source
from tests.memory.recalls import empty_memory, python
from tests.memory.rows import an_experience

AREA = "def area(self):\n    return 3.14 * self.r ** 2\n"
AREA_FIXED = "import math\n\n\ndef area(self):\n    return math.pi * self.r ** 2\n"
IN_CLASS = "class Disc:\n    def area(self):\n        return 3.14 * self.r ** 2\n\n    def name(self):\n        return 'disc'\n"


def test_an_import_never_lands_in_a_class(tmp_path: Path) -> None:
    """There it would be an attribute that the method doesn't see: the past fix is an example only."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(AREA, AREA_FIXED))

    recalled = memory.recall(python(IN_CLASS))

    assert (recalled.match.status, recalled.fix) == ("SIMILAR", None)
    assert recalled.example is not None
    assert "import" in recalled.match.regions[0].why_not


def test_an_import_that_the_paste_has_is_not_repeated(tmp_path: Path) -> None:
    """Nor are the blank lines left that followed it."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(AREA, AREA_FIXED))

    fix = memory.recall(python("import math\n\n\n" + IN_CLASS)).fix

    assert fix is not None
    assert fix.code == "import math\n\n\n" + IN_CLASS.replace("3.14", "math.pi")


FIND = "static String find(String a) {\n    return a.trim();\n}\n"
FIND_FIXED = "import java.util.Objects;\n\nstatic String find(String a) {\n    return Objects.requireNonNull(a).trim();\n}\n"
GO_FIND = "func find(a string) error {\n\treturn nil\n}\n"
GO_FIXED = 'import "errors"\n\nfunc find(a string) error {\n\tif a == "" {\n\t\treturn errors.New("empty")\n\t}\n\treturn nil\n}\n'


@pytest.mark.parametrize(
    ("language", "code", "fixed", "paste"),
    [
        ("java", FIND, FIND_FIXED, "class A {\n    int k;\n\n" + "".join("    " + line for line in FIND.splitlines(keepends=True)) + "}\n"),
        ("go", GO_FIND, GO_FIXED, "package a\n\nvar k = 1\n\n" + GO_FIND + "\nfunc other() {}\n"),
    ],
)
def test_an_import_below_the_top_is_no_fix_where_the_language_forbids_it(
    tmp_path: Path, language: str, code: str, fixed: str, paste: str
) -> None:
    """Java, Go and C# take imports at the top only."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(code, fixed, language=language))

    recalled = memory.recall(Source(paste, language))

    assert (recalled.match.status, recalled.fix) == ("SIMILAR", None)


def test_a_part_whose_fix_left_its_import_behind_is_not_put_into_a_file(tmp_path: Path) -> None:
    """The import stood at the top of the stored file; a file that lacks it would not compile."""
    rest = "\nstatic int k() {\n    return 1;\n}\n"
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(FIND + rest, FIND_FIXED + rest, language="java"))

    alone = memory.recall(Source(FIND, "java"))
    in_file = memory.recall(Source("static int z() {\n    return 2;\n}\n\n" + FIND, "java"))

    assert alone.fix is not None
    assert in_file.fix is None
