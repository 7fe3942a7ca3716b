"""Keys of long-term memory."""

from __future__ import annotations

import pytest

from memory.keys import exact_key, experience_id, renamed_key

CODE = "def purge(db, day):\n    db.execute('DELETE FROM logs WHERE day < ' + day)\n    return db.total\n"


def test_a_key_is_32_hex_digits_and_the_id_is_the_exact_key() -> None:
    """The id is derived from the code, never given."""
    assert len(exact_key(CODE, "python")) == 32
    assert int(exact_key(CODE, "python"), 16) >= 0
    assert experience_id(CODE, "python") == exact_key(CODE, "python")
    assert exact_key(CODE, "python") != renamed_key(CODE, "python")


def test_the_language_is_part_of_the_key() -> None:
    """The same text in two languages is two programs."""
    assert exact_key("x = 1", "python") != exact_key("x = 1", "javascript")


def test_another_string_is_another_key() -> None:
    """A fix for one statement is never offered for another one."""
    other = CODE.replace("DELETE FROM logs", "UPDATE users SET seen = 0")
    assert exact_key(other, "python") != exact_key(CODE, "python")
    assert renamed_key(other, "python") != renamed_key(CODE, "python")


def test_a_suppression_comment_is_part_of_the_key() -> None:
    """The same call with and without `# noqa` is not the same code."""
    call = "def run(cmd):\n    return call(cmd, shell=True)"
    assert exact_key(f"{call}  # noqa: S602\n", "python") != exact_key(f"{call}\n", "python")
    assert renamed_key(f"{call}  # noqa: S602\n", "python") != renamed_key(f"{call}\n", "python")
    assert exact_key(f"{call}  # as asked for\n", "python") == exact_key(f"{call}\n", "python")


def test_tabs_against_spaces_is_layout_and_tabs_mixed_with_spaces_is_not() -> None:
    """Of one indentation it is the same code; a TabError is another program than the code that mends it."""
    spaces = "def count(words):\n    seen = {}\n    for w in words:\n        seen[w] = 1\n    return seen\n"
    tabs = spaces.replace("    ", "\t")
    mixed = tabs.replace("\treturn", "        return")
    assert exact_key(tabs, "python") == exact_key(spaces, "python")
    assert len({exact_key(text, "python") for text in (tabs, mixed, spaces.replace("    return", "return"))}) == 3


def test_a_renaming_has_the_renamed_key_only() -> None:
    """Locals may have any names, in any script."""
    other = CODE.replace("day", "tag_für_heute").replace("purge", "löschen").replace("db", "क्षेत्र")
    other = other.replace("WHERE tag_für_heute", "WHERE day")
    assert exact_key(other, "python") != exact_key(CODE, "python")
    assert renamed_key(other, "python") == renamed_key(CODE, "python")


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n", "'", '"""', "\\", "(((((", "\ud800"])
def test_every_text_has_keys(text: str) -> None:
    """Broken, empty and odd texts, too."""
    for language in ("python", "javascript", "no such language"):
        assert exact_key(text, language)
        assert renamed_key(text, language)
