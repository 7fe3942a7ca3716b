"""What the recall benchmark reports: the issue's shares with their musts and aims, and how they split by language and by size."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.report import headed, spread
from schema.match import Match

SIZES = ((0, 40, "under 40"), (40, 100, "40-99"), (100, 300, "100-299"), (300, 1 << 30, "300 and more"))
SAME = frozenset({"v1", "v2", "v3", "v5"})
UNRELATED = frozenset({"neg", "neg_v3"})
SAME_TASK = frozenset({"hn_sametask"})
FIXED = frozenset({"hn_fixed", "hn_fixed_renamed"})
LISTED = 10


@dataclass(frozen=True)
class Asked:
    """One query and its answer.

    `is_right`: the memory that answered is the right one. `is_chain`: a fixed side that is, token for token, the stored bug of another
    pair; to call it IDENTICAL to that one is right. `among`: the right memory is among the candidates of the vectors.
    """

    id: str
    kind: str
    language: str
    size: int
    match: Match
    is_right: bool
    is_chain: bool
    is_listed: bool
    among: bool
    has_fix: bool
    elapsed_ms: float

    @property
    def is_known(self) -> bool:
        """Memory answered with a past fix."""
        return self.match.status != "NONE"

    @property
    def is_wrong(self) -> bool:
        """It answered, and not with the right one."""
        return self.is_known and not self.is_right and not self.is_chain and self.kind != "v4"


@dataclass(frozen=True)
class Share:
    """`part` of `of`, with what must hold and the goal; `at_most` turns both round."""

    what: str
    part: int
    of: int
    must: float | None = None
    aim: float | None = None
    at_most: bool = False

    @property
    def value(self) -> float:
        """0 to 1; of nothing, whatever holds."""
        return self.part / self.of if self.of else float(not self.at_most)

    @property
    def holds(self) -> bool:
        """True unless the must is broken."""
        return self.must is None or (self.value <= self.must if self.at_most else self.value >= self.must)

    def as_dict(self) -> dict[str, Any]:
        """For a program."""
        return {**asdict(self), "value": self.value, "holds": self.holds}


Counts = Callable[[Asked], bool]


def figures(asked: Sequence[Asked]) -> list[Share]:
    """The first table."""
    same, fixed = of_kinds(asked, SAME), [each for each in of_kinds(asked, FIXED) if not each.is_chain]
    unrelated, same_task = of_kinds(asked, UNRELATED), of_kinds(asked, SAME_TASK)
    accepted = [each for each in (*same, *unrelated, *same_task) if each.is_known]
    v1, v2, v4 = (of_kinds(asked, {kind}) for kind in ("v1", "v2", "v4"))
    return [
        _share("v1 (layout): IDENTICAL", v1, lambda each: each.match.status == "IDENTICAL" and each.is_right, 0.983, 0.99),
        _share("v2 (names): the right memory", v2, lambda each: each.is_right, 0.985, 0.995),
        _share("precision over all negatives", accepted, lambda each: each.is_right, 0.990, 0.995),
        _share("recall over v1, v2, v3, v5", same, lambda each: each.is_right, 0.984, 0.988),
        _share("unrelated code accepted", unrelated, lambda each: each.is_known, 0.02, 0.01, at_most=True),
        _share("same task, another bug: accepted", same_task, lambda each: each.is_known, 0.05, 0.03, at_most=True),
        _share("FIXED called IDENTICAL", fixed, lambda each: each.match.status == "IDENTICAL", 0.0, 0.0, at_most=True),
        _share("FIXED offered a fix", fixed, lambda each: each.has_fix, 0.003, 0.001, at_most=True),
        _share("FIXED seen to be fixed already", fixed, lambda each: each.match.already_fixed, 0.96, 0.98),
        _share("v4 (by another hand): right one offered or among 10 related", v4, lambda each: each.is_listed, 0.80, 0.90),
        *(_share(f"{kind}: right memory among the candidates", of_kinds(asked, {kind}), lambda each: each.among) for kind in sorted(SAME)),
    ]


def of_kinds(asked: Iterable[Asked], kinds: Iterable[str]) -> list[Asked]:
    """The queries of some kinds."""
    wanted = set(kinds)
    return [each for each in asked if each.kind in wanted]


def _share(
    what: str, of: Sequence[Asked], counts: Counts, must: float | None = None, aim: float | None = None, *, at_most: bool = False
) -> Share:
    return Share(what, sum(1 for each in of if counts(each)), len(of), must, aim, at_most)


def tables(rows: Iterable[Share], asked: Sequence[Asked]) -> str:
    """Everything as Markdown."""
    head = [headed("recall"), "", "| what | of | measured | must | aim | holds |", "|---|---|---|---|---|---|"]
    for row in rows:
        sign = "≤ " if row.at_most else ""
        limits = f"{_figure(row.must, sign)} | {_figure(row.aim, sign)} | {'' if row.must is None else 'yes' if row.holds else '**no**'}"
        head.append(f"| {row.what} | {row.of} | {row.value:.4f} | {limits} |")
    by_language = [(language, [each for each in asked if each.language == language]) for language in sorted({e.language for e in asked})]
    by_size = [(label, [each for each in asked if least <= each.size < most]) for least, most, label in SIZES]
    parts = [_split("language", by_language), _split("size in tokens", by_size), _by_kind(asked), _times(asked)]
    return "\n".join([*head, *(line for part in parts for line in ("", *part))])


def _figure(value: float | None, sign: str) -> str:
    return "" if value is None else f"{sign}{value:.3g}"


def _split(name: str, groups: Iterable[tuple[str, list[Asked]]]) -> Iterator[str]:
    columns = (name, "queries", "v1 IDENTICAL", "v2 right", "precision", "recall", "unrelated", "same task", "FIXED offered", "seen", "v4")
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for label, group in groups:
        cells = [f"{row.value:.3f}" if row.of else "" for row in figures(group)[:10]]
        chosen = [cells[at] for at in (0, 1, 2, 3, 4, 5, 7, 8, 9)]
        yield f"| {label} | {len(group)} | {' | '.join(chosen)} |"


def _by_kind(asked: Sequence[Asked]) -> Iterator[str]:
    """What became of each kind of query."""
    yield "| kind | queries | exact | renamed | near | near, fix carried over | NONE |"
    yield "|---" * 7 + "|"
    for kind in dict.fromkeys(each.kind for each in asked):
        own = of_kinds(asked, {kind})
        tiers = Counter(each.match.tier for each in own)
        carried = sum(each.match.tier == "near" and each.has_fix for each in own)
        yield f"| {kind} | {len(own)} | {tiers['exact']} | {tiers['renamed']} | {tiers['near']} | {carried} | {tiers[None]} |"


def _times(asked: Sequence[Asked]) -> Iterator[str]:
    """One look-up, by the tier that answered."""
    lines = []
    for tier in ("exact", "renamed", "near", None):
        times = [each.elapsed_ms for each in asked if each.match.tier == tier]
        if times:
            tail = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
            lines.append(f"{tier or 'NONE'}: {spread(times)} ms, 95th percentile {tail:.1f} ms")
    yield "Time of a look-up (smallest / median / largest): " + "; ".join(lines) + "."
    chains = [each.id for each in asked if each.is_chain]
    yield f"Fixed sides that are another stored bug, and rightly called so: {', '.join(chains) or 'none'}."
