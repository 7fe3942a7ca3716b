"""What `memory sync` can be told. Light: every command builds the whole parser."""

from __future__ import annotations

import argparse


def add_sync(parser: argparse.ArgumentParser) -> None:
    """Its one option."""
    parser.add_argument(
        "--from-start", action="store_true", help="read and send everything again; changes nothing that is right on both sides"
    )
