"""The commands that care for the memory, each with a home in which it has something to do: what `benchmarks.kill_upkeep` kills."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.programs import asked, program
from benchmarks.sessions import run
from memory import connections
from memory.ledger import LEDGER_NAME, Ledger
from memory.schema_sql import MIGRATIONS
from tests.git_repositories import Step, make_repository

PAGE_BYTES = 4096
FORGOTTEN = "walrus_in_the_attic"
"""A word that only the experience which is forgotten has."""
_OTHERS = 100_000
"""Programs from this number on are in the memory before anything is seeded."""
_META = ("uuid", "generation", "normaliser", "embedder")
"""What earlier schemas kept in `meta`; the last of them not the first one."""


@dataclass(frozen=True)
class Chore:
    """A command, and the home that it finds.

    `again` are the exit states of one that may have been done before, `then` is what is run after it, killed or not. `may_refuse`: until
    it has ended, the memory may say that it is damaged. `gone`: a word of which nothing may stay.
    """

    home: Path
    command: tuple[str, ...]
    given: str = ""
    again: frozenset[int] = frozenset({0})
    then: tuple[str, ...] = ()
    may_refuse: bool = False
    gone: str = ""


@dataclass(frozen=True)
class Workshop:
    """Makes the homes under `folder`, once each. `rows`: how many programs the largest has."""

    folder: Path
    rows: int

    def makers(self) -> dict[str, Callable[[], Chore]]:
        """For each command what makes its home, when it is asked to; the ten of the short run first."""
        first: dict[str, Callable[[], Chore]] = {
            "seed --jsonl": self._seed_jsonl,
            "seed --git": lambda: Chore(self._few(), ("memory", "seed", "--git", str(self._repository()))),
            "import": lambda: Chore(self._few(), ("memory", "import", str(self._backup()))),
            "rebuild": lambda: Chore(self._stored(), ("memory", "rebuild")),
            "compact": lambda: Chore(self._changed("wasteful", _repeat_imports), ("memory", "compact")),
            "migration from 1": partial(self._migration, 1),
            "recover": lambda: Chore(self._changed("damaged", _break), ("memory", "recover"), may_refuse=True),
            "calibrate": lambda: Chore(self._stored(), ("memory", "calibrate", "--target-precision", "0.5")),
            "forget": self._forget,
            "re-key": self._rekey,
            "seed --starter": lambda: Chore(self._few(), ("memory", "seed", "--starter")),
            "import --restore": lambda: Chore(self._few(), ("memory", "import", "--restore", str(self._backup()))),
            "reembed": lambda: Chore(self._changed("unembedded", _drop_vectors), ("memory", "reembed")),
        }
        later = {f"migration from {version}": partial(self._migration, version) for version in range(2, len(MIGRATIONS))}
        return {**first, **later}

    def _seed_jsonl(self) -> Chore:
        return Chore(self._few(), ("memory", "seed", "--jsonl", str(_seed_file(self.folder / "seeds.jsonl", 0, self.rows))))

    def _backup(self) -> Path:
        """What the large memory exports."""
        path = self.folder / "backup.jsonl"
        if not path.exists():
            path.write_text(run(self._stored(), ["memory", "export"]).stdout, encoding="utf-8")
        return path

    def _stored(self) -> Path:
        """A memory of `rows` programs with its index."""
        return self._seeded("stored", range(self.rows))

    def _few(self) -> Path:
        """A memory that has something already."""
        return self._seeded("few", range(_OTHERS, _OTHERS + 20))

    def _seeded(self, name: str, numbers: range) -> Path:
        home = self.folder / name
        if not home.exists():
            home.mkdir()
            seeds = _seed_file(self.folder / f"{name}.jsonl", numbers.start, len(numbers))
            _must(home, ["memory", "seed", "--jsonl", str(seeds)])
        return home

    def _changed(self, name: str, change: Callable[[Path], None]) -> Path:
        """A copy of the large memory, changed."""
        home = self.folder / name
        shutil.copytree(self._stored(), home)
        change(home / LEDGER_NAME)
        return home

    def _migration(self, version: int) -> Chore:
        home = self._changed(f"schema-{version}", lambda ledger: _age(ledger, version))
        return Chore(home, ("memory", "list", "--json"))

    def _forget(self) -> Chore:
        home = self._seeded("forgetful", range(_OTHERS, _OTHERS + 20))
        buggy = f"def {FORGOTTEN}(x, seen=[]):\n    seen.append(x)\n    return seen\n"
        line = {"language": "python", "code": buggy, "fixed_code": buggy.replace("[]", "()"), "explanation": f"The {FORGOTTEN}."}
        _must(home, ["memory", "seed", "--jsonl", "-"], json.dumps(line) + "\n")
        (found,) = map(json.loads, run(home, ["memory", "search", FORGOTTEN, "--json"]).stdout.splitlines())
        return Chore(home, ("memory", "forget", found["id"]), again=frozenset({0, 2}), then=("memory", "rebuild"), gone=FORGOTTEN)

    def _rekey(self) -> Chore:
        text, language = asked(0, "unrelated", self.rows)
        home = self._changed("other-normaliser", _other_normaliser)
        return Chore(home, ("recall", "-", "--lang", language, "--json"), given=text)

    def _repository(self) -> Path:
        folder = self.folder / "repository"
        if not folder.exists():
            make_repository(folder, list(_steps(self.rows // 2)), checkout=False)
        return folder


def _must(home: Path, arguments: list[str], given: str = "") -> None:
    """Raises RuntimeError when the command fails."""
    done = run(home, arguments, given)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-500:]}")


def _seed_file(path: Path, first: int, rows: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for source in map(program, range(first, first + rows)):
            line = {"language": source.language, "code": source.written(), "fixed_code": source.written(fixed=True)}
            file.write(json.dumps(line) + "\n")
    return path


def _steps(fixes: int) -> Iterator[Step]:
    """One bug fix a commit."""
    programs = [source for source in map(program, range(200_000, 200_000 + 12 * fixes)) if source.language == "python"][:fixes]
    yield Step("Begin", {f"m{number}.py": source.written() for number, source in enumerate(programs)})
    for number, source in zip(count(), programs, strict=False):
        yield Step(f"Fix wrong comparison in m{number}", {f"m{number}.py": source.written(fixed=True)})


def _age(ledger: Path, version: int) -> None:
    """Put a ledger of an earlier schema in its place, with all that such a one can hold."""
    new = ledger.with_name("present.sqlite3")
    _settle(ledger)
    ledger.rename(new)
    connections.create_file(ledger, MIGRATIONS[:version])
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS new", (str(new),))
        connection.execute("DELETE FROM meta")
        triggers = connection.execute("SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER main.{name}")  # they would write rows of their own
        tables = [name for (name,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for table in tables:
            if not table.startswith("sqlite_"):
                columns = ", ".join(sorted(_columns(connection, "main", table) & _columns(connection, "new", table)))
                connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")  # noqa: S608 - our own names
        for _, statement in triggers:
            connection.execute(statement)
        kept = _META if version > 1 else _META[:-1]
        connection.execute(f"DELETE FROM meta WHERE name NOT IN {kept}")  # noqa: S608 - our own names
    new.unlink()


def _columns(connection: sqlite3.Connection, schema: str, table: str) -> set[str]:
    return {str(row[1]) for row in connection.execute(f"PRAGMA {schema}.table_info({table})")}


def _settle(ledger: Path) -> None:
    """Bring what is in the write-ahead log into the file."""
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _break(ledger: Path) -> None:
    """Overwrite three pages in the middle."""
    _settle(ledger)
    pages = ledger.stat().st_size // PAGE_BYTES
    with ledger.open("r+b") as file:
        for page in (pages // 4, pages // 2, pages // 4 * 3):
            file.seek(page * PAGE_BYTES)
            file.write(b"\xa5" * PAGE_BYTES)


def _other_normaliser(ledger: Path) -> None:
    """Let every key and id look as if other rules had made it."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("UPDATE meta SET value = 'other' WHERE name = 'normaliser'")
        connection.execute("UPDATE experiences SET id = 'f00d' || substr(id, 5)")
        for table in ("keys", "vectors"):
            connection.execute(f"UPDATE {table} SET hash = 'f00d' || substr(hash, 5)")  # noqa: S608 - our own names
        connection.commit()


def _repeat_imports(ledger: Path) -> None:
    """Half of the programs once more with other names: duplicates up to names."""
    rows = len(_ids(ledger))
    seeds = ledger.with_name("renamed.jsonl")
    with seeds.open("w", encoding="utf-8") as file:
        for source in map(program, range(rows // 2)):
            line = {"language": source.language, "code": source.written(names=1), "fixed_code": source.written(fixed=True, names=1)}
            file.write(json.dumps(line) + "\n")
    _must(ledger.parent, ["memory", "seed", "--jsonl", str(seeds)])
    seeds.unlink()


def _drop_vectors(ledger: Path) -> None:
    """As if another embedder had been in force."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("UPDATE vectors SET embedder = 'other'")
        connection.execute("UPDATE meta SET value = 'other' WHERE name = 'embedder'")
        connection.commit()


def _ids(ledger: Path) -> list[str]:
    with Ledger(ledger).reading() as connection:
        return [key for (key,) in connection.execute("SELECT id FROM experiences")]
