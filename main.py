"""CodeMind's entry point: `python main.py ...` from a clone, `codemind ...` once installed.

    python main.py                  paste code, get it reviewed and fixed, have it remembered
    python main.py --json < FILE    the same without a terminal
    python main.py --help           everything else
"""

from __future__ import annotations

import signal
import sys

from cli.app import main as run
from cli.running import leave


def main() -> int:
    """Run the command line of this process and return its exit status."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return leave(run(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
