"""memory.captures: names in Rust's format strings are carried over with their variables."""

from __future__ import annotations

import pytest

from memory.captures import Captures
from memory.graft import graft
from memory.script import read_script
from memory.transfer import transfer

BUGGY = """\
fn parse_port(text: &str) -> Result<u16, String> {
    let trimmed = text.trim();
    let port = trimmed.parse::<u16>().unwrap();
    Ok(port + 1)
}
"""
FIXED = BUGGY.replace(".unwrap()", '.map_err(|error| format!("{text}: {error}"))?')
PASTE = BUGGY.replace("text", "input").replace("port =", "number =").replace("port +", "number +")


def test_a_captured_name_is_the_one_of_the_paste() -> None:
    """Else the fix would not compile."""
    assert transfer(BUGGY, FIXED, PASTE, "rust").code == PASTE.replace(".unwrap()", '.map_err(|error| format!("{input}: {error}"))?')


def test_a_captured_name_is_carried_over_to_code_with_more_in_it() -> None:
    """The paste has a statement of its own."""
    paste = PASTE.replace("    Ok(", '    println!("{number}");\n    Ok(')
    assert graft(BUGGY, FIXED, paste, "rust").code == paste.replace(".unwrap()", '.map_err(|error| format!("{input}: {error}"))?')


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('println!("{a}")', "{b}"),
        ('write!(f, "{a:?} {c} {{a}} {} {0}", a)', "{b:?} {c} {{a}} {} {0}"),
        ('panic!["{:>a$.a$} {a:a$}", x]', "{:>b$.b$} {b:b$}"),
        ('format!("\\u{a} a {a }")', "\\u{a} a {b }"),
        ('text.replace("{a}", &a)', "{a}"),
        ('format!("x", text.replace("{a}", "b"))', "x"),
        ('vec!["{a}"]', "{a}"),
        ('!("{a}")', "{a}"),
    ],
)
def test_holes_of_format_strings_are_renamed_and_nothing_else(call: str, said: str) -> None:
    """Widths, too; not what is escaped, nor what is just a string."""
    script = read_script(call + ";\n", "rust")
    literal = next(element.token.text for element in script.elements if element.token.kind == "string")
    assert Captures(script).of(literal, lambda name: "b" if name == "a" else name) == f'"{said}"'


def test_in_other_languages_a_string_is_a_string() -> None:
    """Their interpolations are tokens."""
    assert Captures(read_script('format!("{a}")', "ruby")).of('"{a}"', str.upper) == '"{a}"'


def test_unclosed_brackets_break_nothing() -> None:
    """Any text."""
    assert Captures(read_script(')) format!("{a}"', "rust")).of('"{a}"', str.upper) == '"{A}"'
