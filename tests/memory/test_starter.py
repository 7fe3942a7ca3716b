"""The starter pack: its bugs are bugs, each is found again in other people's words, and nothing of it stands in anyone's way."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from errors import InputInvalidError
from memory import admin
from memory.damage import quarantined_file
from memory.keys import exact_key, experience_id, renamed_key
from memory.ledger import Ledger
from memory.recall import LongTermMemory
from memory.seeding import seed_jsonl
from memory.starter import ClassicBug, classic_bugs, seed_starter
from memory.starter_offer import OFFER, starter_offer
from schema.ports import Recalled
from schema.source import Source
from tests.memory.rows import Clock, an_experience, prepared
from tests.memory.starter_copies import holds_names, new_names, relaid, renamed, with_a_line_more
from utils.language_names import CODE
from utils.syntax import parse_errors

TIME_LIMIT_S = 20
LANGUAGES = sorted(CODE)
NO_PLACE = {"write-to-nil-map"}
"""Found in an edited copy, but its fix is only shown: a new first token of the first line, where another line went before it."""


@cache
def pack() -> tuple[ClassicBug, ...]:
    """Every entry."""
    return tuple(classic_bugs())


def bugs_in(language: str) -> list[ClassicBug]:
    """The entries of one language."""
    return [bug for bug in pack() if bug.language == language]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> LongTermMemory:
    """A memory that holds the whole pack and nothing else."""
    ledger = Ledger(tmp_path_factory.mktemp("starter") / "ledger.sqlite3", clock=Clock())
    report = seed_starter(ledger)
    assert (report.added, report.quarantined, report.bad) == (len(pack()), 0, 0)
    return LongTermMemory(ledger)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty home."""
    return Ledger(tmp_path / "home" / "ledger.sqlite3", clock=Clock())


def unlike(language: str, holds: Callable[[ClassicBug], bool]) -> list[str]:
    """Names of the language's entries of which something does not hold."""
    return [bug.name for bug in bugs_in(language) if not holds(bug)]


def finds(recalled: Recalled, bug: ClassicBug, *tiers: str) -> bool:
    """True when the answer is the bug's own entry, by one of the tiers."""
    return recalled.match.experience_id == experience_id(bug.buggy, bug.language) and recalled.match.tier in tiers


def test_the_pack_is_large_and_its_entries_are_whole() -> None:
    """At least 80 bugs in at least 8 languages, each with its own name, words for it, and a test where it is Python."""
    counts = Counter(bug.language for bug in pack())

    assert len(pack()) >= 80
    assert sorted(counts) == LANGUAGES
    assert len({bug.name for bug in pack()}) == len(pack())
    assert not [bug.name for bug in pack() if not (bug.title and bug.explanation and bug.tags)]
    assert not [bug.name for bug in pack() if bool(bug.test) != (bug.language == "python")]


def test_no_two_sides_are_the_same_code_up_to_names() -> None:
    """Neither two bugs, nor a bug and the fix of another, nor the two sides of one."""
    keys = Counter((bug.language, renamed_key(side, bug.language)) for bug in pack() for side in (bug.buggy, bug.fixed))

    assert [key for key, count in keys.items() if count > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_sides_parse(language: str) -> None:
    """In every language that has a grammar here."""
    assert unlike(language, lambda bug: not parse_errors(bug.buggy, language) and not parse_errors(bug.fixed, language)) == []


def test_every_python_bug_fails_its_test_and_every_fix_passes_it() -> None:
    """The test says what the explanation says."""

    def passes(side: str) -> bool:
        command = [sys.executable, "-I", "-W", "ignore", "-c", side]
        return subprocess.run(command, capture_output=True, timeout=TIME_LIMIT_S, check=False).returncode == 0

    bugs = bugs_in("python")
    with ThreadPoolExecutor(4) as pool:
        before = list(pool.map(passes, [f"{bug.buggy}\n\n{bug.test}" for bug in bugs]))
        after = list(pool.map(passes, [f"{bug.fixed}\n\n{bug.test}" for bug in bugs]))

    assert [bug.name for bug, passed in zip(bugs, before, strict=True) if passed] == []
    assert [bug.name for bug, passed in zip(bugs, after, strict=True) if not passed] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_renamed_copy_gets_the_renamed_fix(memory: LongTermMemory, language: str) -> None:
    """SIMILAR, renamed, with the stored fix in the copy's names; near where a string changes with the names."""

    def holds(bug: ClassicBug) -> bool:
        names = new_names(bug)
        recalled = memory.recall(Source(renamed(bug.buggy, language, names), language))
        wanted = renamed(bug.fixed, language, names)
        fix = recalled.fix
        tier = "near" if holds_names(bug.buggy, language, names) else "renamed" if names else "exact"
        return finds(recalled, bug, tier) and fix is not None and exact_key(fix.code, language) == exact_key(wanted, language)

    assert unlike(language, holds) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_in_another_layout_gets_the_fix(memory: LongTermMemory, language: str) -> None:
    """Blank lines, a comment and another indentation: the same code."""

    def holds(bug: ClassicBug) -> bool:
        recalled = memory.recall(Source(relaid(bug.buggy, language), language))
        return finds(recalled, bug, "exact") and recalled.fix is not None

    assert unlike(language, holds) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edited_copy_gets_the_fix(memory: LongTermMemory, language: str) -> None:
    """A line more, and other names where they are known: near, and the fix carries over."""

    def holds(bug: ClassicBug) -> bool:
        names = new_names(bug)
        copy = with_a_line_more(bug, renamed(bug.buggy, language, names))
        recalled = memory.recall(Source(copy, language))
        return finds(recalled, bug, "near", "renamed", "exact") and (recalled.fix is not None or bug.name in NO_PLACE)

    assert unlike(language, holds) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_fixed_side_is_never_offered_a_fix(memory: LongTermMemory, language: str) -> None:
    """As it is: already fixed. With a line more, or in another layout and other names: no fix either."""

    def holds(bug: ClassicBug) -> bool:
        copies = [with_a_line_more(bug, bug.fixed), renamed(relaid(bug.fixed, language), language, new_names(bug))]
        plain = memory.recall(Source(bug.fixed, language))
        edited = [memory.recall(Source(copy, language)) for copy in copies]
        return plain.match.already_fixed and all(each.match.status == "NONE" and each.fix is None for each in (plain, *edited))

    assert unlike(language, holds) == []


def test_seeding_it_again_adds_nothing(memory: LongTermMemory) -> None:
    """Twice the pack is the pack; each entry says where it comes from."""
    again = seed_starter(memory.ledger)

    assert (again.lines, again.added, again.updated, again.duplicate) == (len(pack()), 0, 0, len(pack()))
    (stored,) = admin.search(memory.ledger, "shared by all calls")
    origin = stored.best.provenance
    assert (origin.kind, origin.ref, origin.author) == ("jsonl", "starter/mutable-default-list", "CodeMind starter pack 1")
    assert (stored.best.trust, origin.license) == ("plausible", "Apache-2.0")


def test_what_was_forgotten_does_not_come_back(ledger: Ledger) -> None:
    """Forget means forget, for the pack too."""
    seed_jsonl(ledger, [next(bug for bug in pack() if bug.name == "mutable-default-list").seed_line()])
    (stored,) = admin.search(ledger, "shared by all calls")
    admin.forget(ledger, stored.id)

    report = seed_starter(ledger)

    assert (report.added, report.skipped) == (len(pack()) - 1, 1)
    assert admin.search(ledger, "shared by all calls") == []


@pytest.mark.parametrize(
    "content", [None, "- name: [", "- name: only\n", "- 7\n", "7\n"], ids=["none", "broken", "part", "number", "no list"]
)
def test_a_damaged_pack_is_one_sentence(tmp_path: Path, content: str | None) -> None:
    """An installation without the files, or with broken ones, says so."""
    if content is not None:
        (tmp_path / "python.yaml").write_text(content, encoding="utf-8")

    with pytest.raises(InputInvalidError, match=r"^The starter pack is (not installed|damaged)"):
        list(classic_bugs(tmp_path))


def test_an_empty_memory_is_offered_the_pack_once(ledger: Ledger) -> None:
    """The first session says it, the next does not; no ledger is made for that."""
    assert [starter_offer(ledger), starter_offer(ledger)] == [OFFER, ""]
    assert not ledger.path.exists()


def test_an_offer_that_may_not_be_remembered_leaves_nothing_behind(ledger: Ledger) -> None:
    """With `--no-save` the home is not made."""
    assert starter_offer(ledger, remember=False) == OFFER
    assert not ledger.path.parent.exists()


def test_a_memory_that_holds_something_is_offered_nothing(ledger: Ledger) -> None:
    """Whatever it is."""
    ledger.store([prepared(an_experience())])

    assert starter_offer(ledger) == ""


def test_a_memory_that_cannot_be_read_is_offered_nothing(ledger: Ledger) -> None:
    """The sentence about the damage comes from whoever asks the memory."""
    ledger.path.parent.mkdir()
    ledger.path.write_bytes(b"SQLite format 3\x00" + b"garbage" * 500)

    assert starter_offer(ledger) == ""
    assert quarantined_file(ledger.path) is not None or ledger.path.exists()
