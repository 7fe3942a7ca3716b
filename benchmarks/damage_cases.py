"""What is broken in the damage benchmark, one function a case: files of the vector index, and the ledger itself."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

LEDGER = "ledger.sqlite3"
PAGE = 4096
MARKED = "The fix of number {}."
"""The explanation that is stored with each fix: by it a row is found in the file."""
RANDOM_BYTES = 500
ELEMENT = 1292
SHORT = {
    "chroma.sqlite3 of 0 bytes",
    "the same, left open by a process that was killed",
    "every file zeros from byte 100 on",
    "half of the files deleted",
    "cut to half",
    "deleted",
    "500 random bytes at 0%",
    "a broken page among the fixes",
    "damaged while it was mended (killed)",
}
Damage = Callable[[Path], None]
"""Breaks something in a home. Raises LookupError when the file to be broken is not there."""


@dataclass(frozen=True)
class Case:
    """One row: `code` is the error that is expected of both pastes (empty: they are answered), `survives` how many fixes must be back."""

    name: str
    damage: Damage
    survives: str = "all"
    code: str = ""

    @property
    def is_short(self) -> bool:
        """True for one of each kind, which the short form runs."""
        return self.name in SHORT


def index_cases() -> list[Case]:
    """Every row of what was measured to happen to Chroma's files, and two cases that overwrite or delete many of them."""
    database, vectors, graph = "chroma.sqlite3", "data_level0.bin", "link_lists.bin"
    cases: list[tuple[str, Damage]] = [
        ("chroma.sqlite3 cut to half", partial(_each, database, _half)),
        ("chroma.sqlite3 is a text", partial(_each, database, _text)),
        ("chroma.sqlite3 of 0 bytes", partial(_each, database, _empty)),
        ("chroma.sqlite3 deleted", partial(_each, database, Path.unlink)),
        ("500 random bytes in chroma.sqlite3", partial(_each, database, partial(_random, share=0.5))),
        ("HNSW folder deleted", partial(_folders, shutil.rmtree)),
        ("HNSW folder emptied", partial(_folders, _emptied)),
        ("index_metadata.pickle deleted", partial(_each, "index_metadata.pickle", Path.unlink)),
        ("data_level0.bin cut to half", partial(_each, vectors, _half)),
        ("data_level0.bin of 0 bytes", partial(_each, vectors, _empty)),
        ("random bytes all over data_level0.bin", partial(_each, vectors, _all_random)),
        ("500 random bytes in data_level0.bin", partial(_each, vectors, partial(_random, share=0.37))),
        ("random links in data_level0.bin, which kill who opens them", partial(_each, vectors, _wild_links)),
        ("the same, left open by a process that was killed", _wild_links_left_open),
        ("header.bin emptied", partial(_each, "header.bin", _empty)),
        ("header.bin of random bytes", partial(_each, "header.bin", _all_random)),
        ("index_metadata.pickle cut", partial(_each, "index_metadata.pickle", _half)),
        ("length.bin cut", partial(_each, "length.bin", _half)),
        ("link_lists.bin of random bytes", partial(_each, graph, _all_random)),
        ("link_lists.bin larger than data_level0.bin", partial(_each, graph, _huge)),
        ("a file where the folder should be", _file_for_folder),
        ("every file zeros from byte 100 on", _zeroed),
        ("half of the files deleted", _halved),
    ]
    return [Case(name, damage) for name, damage in cases]


def ledger_cases() -> list[Case]:
    """The ledger's own damage. The backup has all fixes but the newest; those are back when they can still be read."""
    of = _of_ledger
    return [
        Case("cut to half", of(_half), "backup"),
        Case("of 0 bytes", of(_empty), "backup"),
        Case("deleted", of(Path.unlink), "backup"),
        Case("a text", of(_text), "backup"),
        *(Case(f"500 random bytes at {share:.0%}", of(partial(_random, share=share)), "backup") for share in (0, 0.25, 0.5, 0.75, 0.99)),
        Case("header of random bytes", of(_header)),
        Case("first page of random bytes", of(_first_page)),
        Case("a broken page among the fixes", of(_broken_page), "backup"),
        Case("garbage in its write-ahead log", partial(_log, damage=_all_random)),
        Case("its write-ahead log deleted", partial(_log, damage=Path.unlink)),
        Case("another program's SQLite file", of(_other_program), "backup"),
        Case("a folder in its place", of(_folder), "backup"),
        Case("of a newer schema", of(_newer), code="memory_mismatch"),
        Case("damaged, and the backup too", _both, "some"),
        Case("damaged while it was mended (killed)", _half_mended),
    ]


def _each(name: str, damage: Callable[[Path], object], home: Path) -> None:
    found = sorted((home / "chroma").rglob(name))
    if not found:
        raise LookupError(name)
    for path in found:
        damage(path)


def _folders(damage: Callable[[Path], object], home: Path) -> None:
    found = [path for path in (home / "chroma").iterdir() if path.is_dir() and any(path.iterdir())]
    if not found:
        raise LookupError("HNSW")
    for path in found:
        damage(path)


def _emptied(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _text(path: Path) -> None:
    path.write_text("this is not a database\n" * 1000, encoding="ascii")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _bytes(count: int) -> bytes:
    return random.Random(count).randbytes(count)  # noqa: S311 - damage that can be repeated, not a secret


def _random(path: Path, share: float) -> None:
    size = path.stat().st_size
    _overwrite(path, int(max(0, size - RANDOM_BYTES) * share), _bytes(min(size, RANDOM_BYTES)))


def _all_random(path: Path) -> None:
    path.write_bytes(_bytes(path.stat().st_size or PAGE))


def _wild_links(path: Path) -> None:
    """A vector takes 1,292 bytes: its neighbours' numbers, itself, its label."""
    content, chance = bytearray(path.read_bytes()), random.Random(7)  # noqa: S311
    for start in range(0, len(content), ELEMENT):
        content[start : start + 260] = (64).to_bytes(4, "little") + chance.randbytes(256)
    path.write_bytes(content)


def _wild_links_left_open(home: Path) -> None:
    _each("data_level0.bin", _wild_links, home)
    state = home / "chroma.json"
    state.write_text(json.dumps({**json.loads(state.read_text(encoding="utf-8")), "opened_by": 2**22 + 1}), encoding="utf-8")


def _overwrite(path: Path, start: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def _huge(path: Path) -> None:
    """Sparse: takes no room."""
    with path.open("r+b") as file:
        file.truncate(10 * path.with_name("data_level0.bin").stat().st_size)


def _file_for_folder(home: Path) -> None:
    shutil.rmtree(home / "chroma")
    (home / "chroma").write_text("no folder", encoding="ascii")


def _zeroed(home: Path) -> None:
    for path in (path for path in (home / "chroma").rglob("*") if path.is_file()):
        content = path.read_bytes()
        path.write_bytes(content[:100] + bytes(max(0, len(content) - 100)))


def _halved(home: Path) -> None:
    for path in sorted(path for path in (home / "chroma").rglob("*") if path.is_file())[::2]:
        path.unlink()


def _of_ledger(damage: Callable[[Path], object]) -> Damage:
    def of_home(home: Path) -> None:
        damage(home / LEDGER)

    return of_home


def _header(path: Path) -> None:
    _overwrite(path, 0, _bytes(100))


def _first_page(path: Path) -> None:
    _overwrite(path, 0, _bytes(PAGE))


def _broken_page(path: Path) -> None:
    place = path.read_bytes().index(MARKED.format(70).encode()) // PAGE * PAGE
    _overwrite(path, place, _bytes(PAGE))


def _log(home: Path, damage: Callable[[Path], object]) -> None:
    """As after the kill of a process that read while another wrote: the log is there, and what is committed stands in the ledger."""
    program = "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('DELETE FROM keys'); c.commit(); os._exit(0)"
    whole = (home / LEDGER).read_bytes()
    subprocess.run([sys.executable, "-c", program, str(home / LEDGER)], check=True)
    (home / LEDGER).write_bytes(whole)
    damage(home / f"{LEDGER}-wal")


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
        connection.commit()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")


def _both(home: Path) -> None:
    _broken_page(home / "ledger.backup-auto.sqlite3")
    _broken_page(home / LEDGER)


def _half_mended(home: Path) -> None:
    """The marker stands, the damaged file lies aside, and the folder of the one who was killed is there."""
    _header(home / LEDGER)
    (home / LEDGER).rename(home / "ledger.damaged-20261130T120000Z.sqlite3")
    (home / "ledger.damaged.json").write_text('{"moved_to": "ledger.damaged-20261130T120000Z.sqlite3"}', encoding="ascii")
    (home / "ledger.healing").mkdir()
    (home / "ledger.healing" / "new.sqlite3").write_bytes(b"half")
