"""The parser class of every command: wrong usage is one line, and building it is cheap."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn

from errors import ConfigInvalidError
from utils.terminal import visible

_COLUMNS = 80


class Parser(argparse.ArgumentParser):
    """Wrong usage becomes one line and exit status 2, like every other wrong input."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": Formatter, **options})

    def error(self, message: str) -> NoReturn:
        """Raise ConfigInvalidError instead of printing the usage and leaving."""
        first_line = message.splitlines()[0] if message else "wrong usage"
        raise ConfigInvalidError(f"{visible(first_line)} (see {self.prog} --help)")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """As its base, which asks `shutil` for the width: argparse makes one for each option, and 5 ms went into that."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"width": columns() - 2, **options})


def columns() -> int:
    """COLUMNS, else the width of the terminal that help is printed on, else 80."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS if sys.__stdout__ else _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS
