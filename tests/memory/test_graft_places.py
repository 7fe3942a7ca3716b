"""Where a grafted edit goes when the paste has more or less than the stored text around it."""

from __future__ import annotations

import pytest

from memory.fitting import NO_CONTEXT
from memory.graft import graft
from memory.transfer import transfer


def grafted(buggy: str, fixed: str, paste: str, language: str) -> str:
    """The fixed paste; fails with the reason when there is none."""
    done = graft(buggy, fixed, paste, language)
    assert done.code is not None, done.why_not
    return done.code


BODIES = {
    "php": (
        "function doubled($items) {\n  foreach ($items as &$item) {\n    $item *= 2;\n  }\n  return $items;\n}\n",
        "  return $items",
        "  unset($item);\n  return $items",
        "    foreach ($rows as &$row) {\n        $row *= 2;\n    }\n    return $rows;\n",
        "    foreach ($rows as &$row) {\n        $row *= 2;\n    }\n    unset($row);\n    return $rows;\n",
    ),
    "ruby": (
        "def ranked(list)\n  sorted = list.sort!\n  sorted.first\nend\n",
        "sort!",
        "sort",
        "    result = names.sort!\n    result.first\n",
        "    result = names.sort\n    result.first\n",
    ),
    "swift": (
        "func last(list: [Int]) -> Int {\n    let size = list.count\n    return list[size]\n}\n",
        "list[size]",
        "list[size - 1]",
        "  let n = xs.count\n  return xs[n]\n",
        "  let n = xs.count\n  return xs[n - 1]\n",
    ),
    "java": (
        'static String csv(List<String> rows) {\n    String text = "";\n    return text + rows.size();\n}\n',
        '""',
        '"#"',
        '    String text = "";\n    return text + rows.size();\n',
        '    String text = "#";\n    return text + rows.size();\n',
    ),
    "csharp": (
        "static void Save(string path)\n{\n    var writer = Open(path);\n    writer.Flush();\n}\n",
        "    var",
        "    using var",
        "{\n    var writer = Open(path);\n    writer.Flush();\n}\n",
        "{\n    using var writer = Open(path);\n    writer.Flush();\n}\n",
    ),
}


@pytest.mark.parametrize("language", BODIES)
def test_a_body_without_its_header_gets_the_fix(language: str) -> None:
    """What the paste cuts off at its ends is not asked for."""
    buggy, old, new, paste, expected = BODIES[language]

    assert grafted(buggy, buggy.replace(old, new), paste, language) == expected


def test_what_is_cut_off_where_the_fix_changes_it_is_missed() -> None:
    """A fix of a header and a body is no fix of the body alone."""
    buggy = "def add(x, items=[]):\n    items.append(x)\n    return items\n"
    fixed = buggy.replace("=[]):\n", "=None):\n    if items is None:\n        items = []\n")

    assert graft(buggy, fixed, "    items.append(x)\n    return items\n", "python").code is None


def test_an_import_is_not_put_before_a_body_without_its_header() -> None:
    """Both of its neighbours are cut off."""
    buggy = "import os\n\n\ndef f(a):\n    b = g(a)\n    c = h(b)\n    return c\n"

    done = graft(buggy, buggy.replace("import os\n", "import os\nimport sys\n"), "    b = g(a)\n    c = h(b)\n    return c\n", "python")

    assert (done.code, done.why_not) == (None, NO_CONTEXT)


def test_go_first_line_of_a_body_is_replaced_behind_another_one() -> None:
    """There a line ends before it that ended not in the stored text, where a brace stood."""
    buggy = "func group(xs []int) map[int]int {\n\tvar seen map[int]int\n\tfor _, x := range xs {\n\t\tseen[x]++\n\t}\n\treturn seen\n}\n"
    fixed = buggy.replace("var seen map[int]int", "seen := make(map[int]int)")
    paste = buggy.replace("\tvar seen", '\tlog.Println("group")\n\tvar seen')

    assert grafted(buggy, fixed, paste, "go") == paste.replace("var seen map[int]int", "seen := make(map[int]int)")


def test_ruby_lines_stay_where_they_are_behind_a_line_under_def() -> None:
    """The paste's steps are its own, though nothing but indentation shows its blocks."""
    buggy = "def add(list)\n  list.each do |each|\n    each.push(1)\n  end\n  list\nend\n"
    fixed = buggy.replace("  list.each", "  return list if list.frozen?\n  list.each")
    paste = "def add(list)\n    puts 'adding'\n    list.each do |each|\n        each.push(1)\n    end\n    list\nend\n"

    assert grafted(buggy, fixed, paste, "ruby") == paste.replace("    list.each", "    return list if list.frozen?\n    list.each")


def test_a_word_that_no_longer_begins_its_line_keeps_its_meaning() -> None:
    """In languages where blanks count, a blank comes before it."""
    buggy, paste = "def f(a)\n  a.strip\n  a\nend\n", "def f(b)\n    b.strip # mine\n    b\nend\n"

    assert transfer(buggy, buggy.replace("a.strip", "a = a.strip"), paste, "ruby").code == paste.replace("b.strip", "b = b.strip")


def test_sql_with_a_clause_less_gets_the_fix() -> None:
    """A line that the paste does not have at all is no other context."""
    buggy = "SELECT name\nFROM users\nWHERE id NOT IN (SELECT user_id FROM bans)\nORDER BY name;\n"
    fixed = buggy.replace("bans", "bans WHERE user_id IS NOT NULL")

    assert grafted(buggy, fixed, buggy.replace("\nORDER BY name", ""), "sql") == fixed.replace("\nORDER BY name", "")


@pytest.mark.parametrize(
    ("language", "paste", "expected"),
    [
        ("javascript", "go(b);\naudit(7);\nend(b);\n", "if (b) {\n  go(b);\n}\naudit(7);\nend(b);\n"),
        ("python", "go(b)\naudit(7)\nend(b)\n", "if b:\n    go(b)\naudit(7)\nend(b)\n"),
        ("ruby", "go(b)\naudit(7)\nfinish(b)\n", "if b\n  go(b)\nend\naudit(7)\nfinish(b)\n"),
    ],
)
def test_a_block_closes_right_behind_what_it_was_put_around(language: str, paste: str, expected: str) -> None:
    """A statement of the paste's own behind it is not in the block."""
    buggy, fixed = (
        text.replace("audit(7)\n", "").replace("audit(7);\n", "").replace("b", "a").replace("au7", "") for text in (paste, expected)
    )

    assert grafted(buggy, fixed, paste, language) == expected


@pytest.mark.parametrize(
    ("language", "paste", "expected"),
    [
        ("javascript", "\tgo(b);\n\taudit(b);\n\twait(b);\n", "\tif (b) {\n\t\tgo(b);\n\t\taudit(b);\n\t\twait(b);\n\t}\n"),
        ("python", "\tgo(b)\n\taudit(b)\n\twait(b)\n", "\tif b:\n\t\tgo(b)\n\t\taudit(b)\n\t\twait(b)\n"),
    ],
)
def test_a_statement_of_its_own_goes_into_a_block_with_its_neighbours(language: str, paste: str, expected: str) -> None:
    """Both of them go: so does what stands between them."""
    buggy, fixed = (text.replace("\t", "  ").replace("(b)", "(a)").replace("if b", "if a") for text in (paste, expected))
    audit = "  audit(a);\n" if language == "javascript" else "  audit(a)\n"

    assert grafted(buggy.replace(audit, ""), fixed.replace("  " + audit, ""), paste, language) == expected


@pytest.mark.parametrize(
    ("language", "buggy", "line", "own"),
    [
        ("javascript", "if (a) {\n  first(a);\n  last(a);\n}\nend(a);\n", "  first(a);\n", "while (a < 9) {\n  audit(9);\n}\n"),
        ("python", "if a:\n    first(a)\n    last(a)\nend(a)\n", "    first(a)\n", "while a < 9:\n    audit(9)\n"),
    ],
)
def test_a_line_that_moves_to_the_end_of_its_block_stays_in_it(language: str, buggy: str, line: str, own: str) -> None:
    """Not in the block of the paste's own that follows."""
    last = line.replace("first", "last")
    end = last + "}\n" if language == "javascript" else last
    moved = end.replace(last, last + line)
    fixed = buggy.replace(line, "").replace(end, moved)

    assert grafted(buggy, fixed, buggy.replace(end, end + own), language) == fixed.replace(moved, moved + own)


def test_no_block_loses_its_head() -> None:
    """Where the paste's own statements come between a new head and its block, nothing is handed out."""
    buggy = "def f(a):\n    if a:\n        go(a)\n    end(a)\n"
    fixed = "def f(a):\n    if not a:\n        end(a)\n"
    paste = "def f(a):\n    if a:\n        go(a)\n    while a < 9:\n        audit(9)\n    end(a)\n"

    done = graft(buggy, fixed, paste, "python")

    assert done.code is None
    assert done.why_not


def test_a_last_line_may_be_followed_by_statements_of_the_paste() -> None:
    """The stored text ends with what its fix changes; this code goes on."""
    buggy, paste = "a = read(b)\nc = run(a % b)\n", "a = read(b)\nc = run(a % b)\naudit(9)\n"

    assert grafted(buggy, buggy.replace("run(a % b)", "run(a) % b"), paste, "python") == paste.replace("run(a % b)", "run(a) % b")


def test_a_last_line_that_goes_on_is_another_line() -> None:
    """What follows it here belongs to it."""
    buggy, paste = "a = read(b)\nc = run(a % b)\n", "a = read(b)\nc = run(a % b) + audit(9)\n"

    assert graft(buggy, buggy.replace("run(a % b)", "run(a) % b"), paste, "python").why_not == NO_CONTEXT


def test_a_comment_that_tools_obey_is_no_neighbour_where_the_paste_has_none() -> None:
    """It stands beside the edit in the stored text only."""
    buggy = "def f(a):\n    x = g(a)  # type: ignore\n    y = x\n    return y\n"
    paste = "def f(a):\n    audit(9)\n    x = g(a)\n    y = x\n    return y\n"

    assert grafted(buggy, buggy.replace("g(a)", "g(a, 1)"), paste, "python") == paste.replace("g(a)", "g(a, 1)")


@pytest.mark.parametrize(
    ("language", "call", "new", "own", "expected"),
    [
        ("python", "g(a)", "g(a, 'strict')", '"f"', 'g(a, "strict")'),
        ("javascript", "g(a)", 'g(a, "strict")', "'f'", "g(a, 'strict')"),
        ("python", "g(a)", "g(a, 'it\\'s')", '"f"', "g(a, 'it\\'s')"),
        ("java", "g(a)", "g(a, 'c')", '"f"', "g(a, 'c')"),
    ],
)
def test_new_strings_have_the_quotes_of_the_paste(language: str, call: str, new: str, own: str, expected: str) -> None:
    """Where both kinds say the same, and nothing in the string minds."""
    end = "" if language == "python" else ";"
    buggy = f"x = {call}{end}\ny = x{end}\nrun(y){end}\n"
    paste = f"log({own}){end}\n{buggy}"

    assert grafted(buggy, buggy.replace(call, new), paste, language) == paste.replace(call, expected)
