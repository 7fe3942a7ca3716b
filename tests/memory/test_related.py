"""Past fixes to read: ten at most, the most alike first, each with how alike it is."""

from __future__ import annotations

from pathlib import Path

from memory.recall import LongTermMemory
from memory.related import LEAST_ALIKE, LISTED, likeness, listed
from memory.signature import read_signature
from schema.experience import Experience, Provenance
from schema.match import Match, Region, Related
from schema.source import Source
from tests.memory.recalls import empty_memory

BY_ANOTHER_HAND = """
def total_of(prices, limit):
    found = 0
    position = 0
    while position < len(prices):
        if prices[position] > limit:
            found = found + prices[position]
        position = position + 1
    return found / len(prices)
"""


def _bug(number: int) -> Experience:
    """A loop over a list with a mean at the end, the more unlike the paste the higher the number."""
    extra = "".join(f"    other_{step} = values.count({step})\n" for step in range(number))
    code = (
        f"def mean(values, least):\n    total = 0\n{extra}    for value in values:\n        if value > least:\n"
        f"            total = total + value\n    return total / len(values)\n"
    )
    fixed = code.replace("len(values)", "max(1, len(values))")
    return Experience("python", code, fixed, f"Number {number}.", Provenance("jsonl", f"notes-{number}"))


def _memory(folder: Path, count: int) -> LongTermMemory:
    memory = empty_memory(folder)
    for number in range(count):
        memory.remember(_bug(number))
    return memory


def _read(memory: LongTermMemory, code: str) -> tuple[Match, tuple[Related, ...]]:
    match = memory.recall(Source(code, "python")).match
    return match, match.related


def test_another_persons_program_lists_the_most_alike_first(tmp_path: Path) -> None:
    """NONE, no fix, ten of fourteen to read, best first, each with its likeness and where it came from."""
    match, related = _read(_memory(tmp_path, 14), BY_ANOTHER_HAND)

    assert match.status == "NONE"
    assert len(related) == LISTED
    scores = [each.score for each in related if each.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == LISTED
    assert min(scores) >= LEAST_ALIKE
    assert {each.explanation for each in related[:2]} == {"Number 0.", "Number 1."}
    assert all("the fix imported from notes-" in each.reason for each in related)


def test_what_is_offered_is_not_listed_again(tmp_path: Path) -> None:
    """A near hit has the others beside it."""
    match, related = _read(_memory(tmp_path, 3), _bug(0).code.replace("total = 0\n", "total = 0\n    seen = 1\n"))

    assert (match.status, match.tier) == ("SIMILAR", "near")
    assert match.experience_id not in {each.experience_id for each in related}
    assert [each.explanation for each in related] == ["Number 1.", "Number 2."]


def test_what_was_said_of_an_entry_stays_and_it_stands_once(tmp_path: Path) -> None:
    """The reason of the near tier goes before the mere likeness; withheld entries come first."""
    _, related = _read(_memory(tmp_path, 2), BY_ANOTHER_HAND)
    said = Related(related[1].experience_id, "plausible", "too far")
    withheld = Related("withheld", "quarantined", "not offered")

    merged = listed((withheld, said), [])

    assert [(each.experience_id, each.reason) for each in merged] == [("withheld", "not offered"), (said.experience_id, "too far")]
    offered = Region(1, 1, "SIMILAR", "near", said.experience_id, 1, "plausible", "x = 1\n")
    assert listed((withheld, said), [], [offered]) == (withheld,)


def test_likeness_is_of_both_views() -> None:
    """The mean of the cosine and of the token streams in order; of texts too long to be aligned there is none."""
    same = read_signature("def f(a):\n    return a + 1\n", "python")
    other = read_signature("def g(b):\n    return b + 1\n", "python")

    assert likeness(same, other, 0.0) == 1
    assert likeness(same, other, 0.5) == 0.75
    assert likeness(same, read_signature("x = 1\n" * 4000, "python"), 0.0) == 0
