"""What a fix cost to make is kept with it, and old ledgers get a place for it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory import admin, rekey
from memory.damage import Identity, quarantine
from memory.export import export_jsonl
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from memory.recover import recover
from memory.schema_sql import FIRST_SCHEMA, MIGRATIONS, VECTORS
from memory.seeding import seed_jsonl
from memory.verdicts import LedgerVerdicts
from schema.usage import Usage
from tests.fakes import a_finding
from tests.memory.recalls import RENAMED, UNRELATED, empty_memory, python
from tests.memory.rows import MEAN, MEAN_FIXED, Clock, an_experience, numbered, prepared

DEAR = Usage(3, 900, 120, 0.5)
UNPRICED = Usage(2, 10, 5, None)
PAIR = f"{MEAN}\n\ndef other(x):\n    return 1 / x\n"
PAIR_FIXED = f"{MEAN_FIXED}\n\ndef other(x):\n    return 1 / x if x else 0\n"


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    """A fix of `mean` that three model calls made."""
    made = empty_memory(tmp_path)
    made.remember(replace(an_experience(kind="session"), cost=DEAR))
    return made


@pytest.mark.parametrize("code", [MEAN, RENAMED])
def test_a_hit_says_what_making_its_fix_had_cost(memory: LongTermMemory, code: str) -> None:
    """Of a carried-over fix, too; it survives a checkpoint."""
    match = memory.recall(python(code)).match

    assert match.spared == DEAR
    assert type(match).from_plain(json.loads(json.dumps(match.as_plain()))) == match


def test_a_hit_on_a_part_of_the_paste_spares_nothing(memory: LongTermMemory) -> None:
    """The rest has to be reviewed all the same."""
    match = memory.recall(python(f"{MEAN}\n\n{UNRELATED}")).match

    assert (match.status, match.spared) == ("SIMILAR", None)


def test_a_fix_that_no_model_made_spares_nothing(tmp_path: Path) -> None:
    """Rules and imports cost no call."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(kind="session"))

    assert memory.recall(python(MEAN)).match.spared is None


def test_statistics_tell_what_the_stored_fixes_had_cost(memory: LongTermMemory) -> None:
    """As far as it was recorded; that a fix was looked up and used spares nothing by itself (see `test_savings`)."""
    memory.remember(an_experience(UNRELATED, "def slug(title):\n    return title\n"))
    for code in (MEAN, RENAMED, UNRELATED):
        memory.mark_used(memory.recall(python(code)).match)

    counted = admin.stats(memory.ledger)

    assert (counted.cost, counted.spared) == (DEAR, Usage())


def test_an_unknown_price_makes_the_sum_unknown(memory: LongTermMemory) -> None:
    """Calls and tokens are known all the same."""
    memory.remember(replace(an_experience(UNRELATED, "def slug(title):\n    return title\n", kind="session"), cost=UNPRICED))

    assert admin.stats(memory.ledger).cost == Usage(5, 910, 125, None)


def test_the_export_tells_the_cost_and_an_import_does_not_take_it_over(memory: LongTermMemory, tmp_path: Path) -> None:
    """What another program spent was not spent here."""
    (line,) = export_jsonl(memory.ledger)
    other = Ledger(tmp_path / "other" / "ledger.sqlite3", clock=Clock())

    seed_jsonl(other, [line.encode()])

    assert json.loads(line)["cost"] == DEAR.as_plain()
    assert admin.list_experiences(other)[0].best.cost == Usage()


def test_new_keys_keep_costs_and_verdicts(memory: LongTermMemory) -> None:
    """A new normaliser gives every id another value; what was said of code and fix is said of them under the new ones."""
    finding = a_finding(2)
    verdicts = LedgerVerdicts(memory.ledger)
    verdicts.dismiss(python(MEAN), [finding])
    memory.judge(None, accepted=False, source=python(MEAN), fixed_code=MEAN)
    memory.judge(1, accepted=True, source=python(MEAN), fixed_code=MEAN_FIXED)
    with memory.ledger.writing() as connection:
        connection.execute("UPDATE meta SET value = 'tokens/old' WHERE name = 'normaliser'")
        connection.execute("UPDATE experiences SET id = 'old'")
        connection.execute("UPDATE alternatives SET fix_key = 'old-fix'")
        connection.execute("UPDATE verdicts SET code = 'old', key = 'old/old-fix' WHERE verdict = 'accepted'")

    rekey.rekey(memory.ledger)

    stored = admin.list_experiences(memory.ledger)[0]
    with memory.ledger.reading() as connection:
        (fix_key,) = connection.execute("SELECT fix_key FROM alternatives").fetchone()
        (row,) = connection.execute("SELECT key, code FROM verdicts WHERE verdict = 'accepted'").fetchall()
    assert stored.best.cost == DEAR
    assert row == (f"{stored.id}/{fix_key}", stored.id)
    assert verdicts.dismissed(python(MEAN), [finding]) == {finding.fingerprint}


def test_recovery_keeps_costs_and_verdicts(memory: LongTermMemory) -> None:
    """They are read from the damaged file like everything else."""
    verdicts = LedgerVerdicts(memory.ledger)
    finding = a_finding(2)
    verdicts.dismiss(python(MEAN), [finding])
    memory.judge(None, accepted=False, source=python(UNRELATED), fixed_code="x = 1\n")
    _damage(memory.ledger)

    done = recover(memory.ledger)

    assert (done.saved, done.lost) == (1, 0)
    assert admin.list_experiences(memory.ledger)[0].best.cost == DEAR
    assert verdicts.dismissed(python(MEAN), [finding]) == {finding.fingerprint}
    assert memory.is_rejected(python(UNRELATED), "x = 1\n")


def _damage(ledger: Ledger) -> None:
    """Mark the ledger as damaged and move it aside, as a failed read does."""
    ledger.compact()
    quarantine(ledger.path, Identity.of(ledger.path), Clock())


def second_version(path: Path, rows: int = 3) -> None:
    """A ledger as the program before this one left it: its own tables and statements, nothing of the present schema."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA journal_mode = WAL; PRAGMA application_id = {0x434D4C47}; {FIRST_SCHEMA} {VECTORS}")
        connection.execute("PRAGMA user_version = 2")
        connection.executemany("INSERT INTO meta VALUES (?, ?)", [("uuid", "u"), ("generation", "0")])
        for number in range(rows):
            _insert_old(connection, number)


def _insert_old(connection: sqlite3.Connection, number: int) -> None:
    row = prepared(numbered(number))
    seq = connection.execute(
        "INSERT INTO experiences (id, language, created_at) VALUES (?, 'python', '2026-11-01T00:00:00+00:00')", (row.id,)
    ).lastrowid
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('normaliser', ?)", (row.normaliser,))
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('embedder', ?)", (row.embedder,))
    alternative = connection.execute(
        "INSERT INTO alternatives (experience, code, fixed_code, fix_key, fix_hash, explanation, findings, verification, trust, "
        "trust_reason, kind, ref, author, file_hash, license, scope, created_at, uses) "
        "VALUES (?, ?, ?, ?, ?, 'why', '[]', '{}', 'plausible', '', 'session', '', '', '', '', '', '2026-11-01T00:00:00+00:00', 4)",
        (seq, row.experience.code, row.experience.fixed_code, row.fix_key, row.fix_hash),
    ).lastrowid
    connection.executemany(
        "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?)",
        [(key.hash, key.kind, key.side, alternative, key.part, key.length) for key in row.keys],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (hash, embedder, language, vector) VALUES (?, ?, 'python', ?)",
        [(each.hash, row.embedder, each.vector) for each in row.vectors],
    )


def test_a_ledger_of_the_second_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """A backup is made before each step; what is stored is found, used and judged; what it cost was not recorded, so nothing is claimed."""
    path = tmp_path / "ledger.sqlite3"
    second_version(path)
    memory = LongTermMemory(Ledger(path, clock=Clock()))

    match = memory.recall(python(numbered(1).code)).match
    memory.mark_used(match)
    memory.judge(match.regions[0].alternative_id, accepted=True)

    counted = admin.stats(memory.ledger)
    assert (match.status, match.spared) == ("IDENTICAL", None)
    assert (counted.alternatives, counted.uses, counted.cost, counted.spared) == (3, 13, Usage(), Usage())
    assert sorted(each.name.split("-")[1] for each in tmp_path.glob("ledger.backup-*")) == [
        f"v{number}" for number in range(2, len(MIGRATIONS))
    ]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_a_damaged_ledger_of_the_second_version_is_saved(tmp_path: Path) -> None:
    """It has no columns for costs; its rows are whole all the same."""
    path = tmp_path / "ledger.sqlite3"
    second_version(path, rows=5)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ledger = Ledger(path, clock=Clock())
    quarantine(path, Identity.of(path), Clock())
    done = recover(ledger)

    assert (done.saved, done.lost) == (5, 0)
    assert admin.stats(ledger).uses == 20


def test_the_explanation_of_a_whole_fix_is_marked_where_a_part_is_shown(tmp_path: Path) -> None:
    """It may speak of what the paste does not have."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(PAIR, PAIR_FIXED, explanation="Guarded both divisions."))

    part = memory.recall(python(MEAN)).match.regions[0]
    whole = memory.recall(python(PAIR)).match.regions[0]

    assert part.explanation == "Of the whole past fix: Guarded both divisions."
    assert whole.explanation == "Guarded both divisions."


def test_the_explanation_of_a_fix_of_one_function_is_that_of_its_part(tmp_path: Path) -> None:
    """Nothing else was changed, so it speaks of nothing else."""
    memory = empty_memory(tmp_path)
    memory.remember(an_experience(PAIR, PAIR.replace(MEAN, MEAN_FIXED), explanation="Guarded the division."))

    assert memory.recall(python(MEAN)).match.regions[0].explanation == "Guarded the division."
