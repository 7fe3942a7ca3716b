"""CodeMind's entry point: `python main.py ...` from a clone, `codemind ...` once installed.

python main.py                  paste code, get it reviewed and fixed, have it remembered
python main.py --json < FILE    the same without a terminal
python main.py --help           everything else
"""

from __future__ import annotations

import gc
import sys

FEWER_COLLECTIONS = (20_000, 20, 20)
"""Thresholds of the garbage collector: at its defaults a tenth of the start goes into looking through what was just imported."""


def main() -> int:
    """Run the command line of this process and return its exit status."""
    gc.set_threshold(*FEWER_COLLECTIONS)
    try:
        # Imported in here: Ctrl-C while this goes on is no traceback either.
        import signal

        signal.signal(signal.SIGTERM, signal.default_int_handler)
        from cli.app import main as run
        from cli.leaving import leave

        return leave(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stderr.write("codemind: interrupted: stopped before anything was done\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
