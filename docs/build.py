"""Write the generated parts of the documentation: `python -m docs.build` (`make docs`), `--check` only compares.

What is generated stands between `<!-- NAME:start -->` and `<!-- NAME:end -->`; `.env.example` is generated as a whole.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import get_args, get_type_hints

import settings
from cli.arguments import build_parser
from cli.commands.registry import COMMANDS
from rules.load import load_rules

ROOT = Path(__file__).resolve().parent.parent

HELP_COLUMNS = "100"

ENV_HEAD = """\
# Every setting of CodeMind. Copy this file to `.env` beside main.py (or into CODEMIND_HOME) and take the `#` away
# where you want another value. Flags go before the environment, that before `.env`. A blank value counts as unset.
# `.env` is never read from the working directory or a reviewed repository. Keep keys out of version control.
"""


@dataclass(frozen=True)
class Row:
    """One setting as a reader needs it."""

    variable: str
    values: str
    default: str
    text: str


def field_docstrings() -> dict[str, str]:
    """The docstring under each field of Settings."""
    tree = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    pairs = pairwise(body)
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def values_of(hint: object) -> str:
    """What may stand there: the words of a closed set, or the kind of value."""
    kinds = {bool: "true or false", int: "whole number", Path: "folder", settings.Secret: "secret", str: "text"}
    words = [word for word in get_args(hint) if isinstance(word, str)]
    return " ".join(words) or next((text for kind, text in kinds.items() if hint is kind), "number")


def shown_default(value: object) -> str:
    """A default as it would stand in `.env`; empty when there is none."""
    if value is MISSING or value is None or value == Path():
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def rows() -> list[Row]:
    """Every setting, in the order of the class. Raises KeyError for a field without a docstring."""
    hints, texts = get_type_hints(settings.Settings), field_docstrings()
    return [
        Row(field.name.upper(), values_of(hints[field.name]), shown_default(field.default), texts[field.name])
        for field in fields(settings.Settings)
    ]


def settings_table() -> str:
    """The settings as a Markdown table."""
    lines = ["| variable | values | default | meaning |", "|---|---|---|---|"]
    for row in rows():
        default = f"`{row.default}`" if row.default else ""
        lines.append(f"| `{row.variable}` | {row.values} | {default} | {row.text} |")
    return "\n".join(lines)


def env_example() -> str:
    """The text of `.env.example`: every line of it is a comment until somebody changes it."""
    blocks = [f"# {row.text} ({row.values})\n# {row.variable}={row.default}\n" for row in rows()]
    return ENV_HEAD + "\n" + "\n".join(blocks)


def help_text() -> str:
    """What `--help` prints, 100 columns wide."""
    os.environ["COLUMNS"] = HELP_COLUMNS
    return f"```text\n{build_parser().format_help().rstrip()}\n```"


def commands_table() -> str:
    """What can be typed in the session, as a Markdown table."""
    rows = [f"| `{command.usage.replace('|', chr(92) + '|')}` | {command.text} |" for command in COMMANDS]
    return "\n".join(["| in the session | does |", "|---|---|", *rows])


def rules_table() -> str:
    """The rules as a Markdown table; `fix`: some case of the rule mends what it finds."""
    lines = ["| rule | severity | category | languages | fix |", "|---|---|---|---|---|"]
    for rule in load_rules():
        cases = (case for adapter in rule.adapters.values() for found in adapter.capabilities.values() for case in found)
        mends = "yes" if any(case.fix is not None for case in cases) else ""
        lines.append(f"| `{rule.id}` | {rule.severity} | {rule.category} | {' '.join(rule.adapters)} | {mends} |")
    return "\n".join(lines)


def filled(text: str, name: str, block: str) -> str:
    """The text with a new block between the two marks. Raises ValueError when they are not there."""
    pattern = re.compile(rf"(<!-- {name}:start[^>]*-->\n).*?(<!-- {name}:end -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"no marks for {name}")
    return pattern.sub(lambda marks: f"{marks[1]}{block}\n{marks[2]}", text)


def documents() -> Iterator[tuple[Path, str]]:
    """Every file with generated parts, as it should be."""
    configuration, readme, rules = ROOT / "docs" / "configuration.md", ROOT / "README.md", ROOT / "docs" / "rules.md"
    yield ROOT / ".env.example", env_example()
    yield configuration, filled(configuration.read_text(encoding="utf-8"), "settings", settings_table())
    yield readme, filled(filled(readme.read_text(encoding="utf-8"), "help", help_text()), "commands", commands_table())
    yield rules, filled(rules.read_text(encoding="utf-8"), "rules", rules_table())


def stale() -> list[Path]:
    """Files that are not as they should be."""
    return [path for path, text in documents() if not path.exists() or path.read_text(encoding="utf-8") != text]


def main(arguments: list[str]) -> int:
    """Write what is stale; with --check only say so, and exit with 1."""
    wanted = dict(documents())
    old = stale()
    if "--check" in arguments:
        for path in old:
            print(f"{path.relative_to(ROOT)} is stale: run `make docs`")
        return 1 if old else 0
    for path in old:
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
