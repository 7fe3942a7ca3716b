"""What the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import CommandLine


@pytest.fixture
def codemind(tmp_path: Path) -> CommandLine:
    """The command line with an empty home."""
    return CommandLine(tmp_path / "home")
