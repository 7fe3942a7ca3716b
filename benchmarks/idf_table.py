"""Build the table of how rare runs of tokens are (`memory/tables/`), from unpacked sources of permissively licensed packages.

    python -m benchmarks.idf_table --sources memory/tables/idf-1.json --root FOLDER --out memory/tables/idf-1

`--sources` lists what is taken: `sources: [{folder, name, version, license, registry}, ...]`, each folder below `--root`. Written are
`OUT.bin`, the weights, and `OUT.json`, the same list with how many functions each source and language gave. Only counts are kept, no code.
The same folders give the same bytes. What a package's licence is must have been looked up: anything but MIT, BSD and Apache is refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.idf import document_counts, packed, weights_of
from memory.keys import NORMALISER, exact_key
from memory.signature import read_signature
from memory.vectors import place_of, runs
from utils.language_names import CODE, EXTENSIONS
from utils.syntax import functions

PERMISSIVE = frozenset({"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MIT OR Apache-2.0", "Apache-2.0 OR BSD-3-Clause"})
FEWEST_TOKENS, MOST_TOKENS = 20, 600
MOST_OF_LANGUAGE = 1_500
MOST_OF_SOURCE = 400
MOST_FILE_BYTES = 300_000
AT_LEAST = 5
"""Runs in fewer functions are as rare as those that were never seen."""
_SKIPPED = frozenset({"node_modules", "dist", "build", "umd", "vendor", "min", "bundles", "third-party", "locales"})


@dataclass(frozen=True)
class Function:
    """One function of a source."""

    key: str
    language: str
    source: str
    text: str


def main() -> int:
    """Write the table and the list; 2 when a source may not be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True, help="JSON: which packages, with version and licence")
    parser.add_argument("--root", type=Path, required=True, help="the folder that the packages were unpacked into")
    parser.add_argument("--out", type=Path, required=True, help="where the table goes, without an ending")
    given = parser.parse_args()
    sources = json.loads(given.sources.read_text(encoding="utf-8"))["sources"]
    refused = [source["name"] for source in sources if source["license"] not in PERMISSIVE]
    if refused:
        print(f"not permissively licensed: {', '.join(refused)}", file=sys.stderr)
        return 2
    chosen = list(choose(function for source in sources for function in functions_below(given.root / source["folder"], source["name"])))
    table = packed(weights_of(document_counts(places_of(each) for each in chosen), len(chosen), AT_LEAST))
    given.out.with_suffix(".bin").write_bytes(table)
    given.out.with_suffix(".json").write_text(notice(sources, chosen, len(table)), encoding="utf-8")
    print(f"{len(chosen):,} functions, {len(table):,} bytes")
    return 0


def functions_below(folder: Path, source: str) -> Iterator[Function]:
    """The functions of a source in the languages that we read, tests included; nothing minified or built."""
    for path in sorted(folder.rglob("*")):
        language = EXTENSIONS.get(path.suffix.lower(), "")
        if path.is_symlink() or language not in CODE or not path.is_file() or _SKIPPED & {part.lower() for part in path.parts}:
            continue
        if ".min." in path.name or path.name.endswith(".d.ts") or path.stat().st_size > MOST_FILE_BYTES:
            continue
        yield from functions_in(path.read_text(encoding="utf-8", errors="replace"), "cpp" if path.suffix == ".h" else language, source)


def functions_in(text: str, language: str, source: str) -> Iterator[Function]:
    """The functions of one file, of a length that says something."""
    lines = text.replace("\r\n", "\n").split("\n")
    for block in functions(text, language):
        own = "\n".join(lines[block.start_line - 1 : block.end_line]) + "\n"
        if FEWEST_TOKENS <= len(read_signature(own, language)) <= MOST_TOKENS:
            yield Function(exact_key(own, language), language, source, own)


def choose(found: Iterable[Function]) -> Iterator[Function]:
    """Each function once, as many of each source and language as may be; which ones, their hash decides."""
    of_language: Counter[str] = Counter()
    of_source: Counter[tuple[str, str]] = Counter()
    for function in sorted({each.key: each for each in found}.values(), key=lambda each: each.key):
        place = (function.source, function.language)
        if of_language[function.language] < MOST_OF_LANGUAGE and of_source[place] < MOST_OF_SOURCE:
            of_language[function.language] += 1
            of_source[place] += 1
            yield function


def places_of(function: Function) -> Iterator[int]:
    """Where the runs of a function stand in the table."""
    return map(place_of, runs(read_signature(function.text, function.language).structural()))


def notice(sources: list[dict[str, Any]], chosen: list[Function], size: int) -> str:
    """What the table was made of, for people and for the next build."""
    of_source = Counter(each.source for each in chosen)
    listed = [{**source, "functions": of_source[source["name"]]} for source in sources]
    languages = dict(sorted(Counter(each.language for each in chosen).items()))
    made = {"normaliser": NORMALISER, "functions": len(chosen), "languages": languages, "bytes": size, "sources": listed}
    return json.dumps(made, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main())
