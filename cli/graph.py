"""`graph`: the session graph as Mermaid."""

from __future__ import annotations

from argparse import Namespace

from cli.console import Console
from errors import EXIT_CLEAN
from reports.json import json_line
from wiring import session_diagram


def run(given: Namespace, console: Console) -> int:
    """Print the diagram."""
    diagram = session_diagram()
    console.out(json_line({"mermaid": diagram}) if given.json else diagram.rstrip("\n") + "\n")
    return EXIT_CLEAN
