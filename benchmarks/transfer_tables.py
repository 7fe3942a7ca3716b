"""What the transfer benchmark reports: the shares with their musts and aims, and how they split by language and by size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.report import headed

SIZES = ((0, 40, "under 40"), (40, 100, "40-99"), (100, 300, "100-299"), (300, 1 << 30, "300 and more"))
KINDS = ("v1", "v2", "v3", "v5")
MUST = {"v1": (0.98, 0.99), "v2": (0.94, 0.98), "v3": (0.90, 0.96)}
OFFERED_MUST = (0.98, 0.995)


@dataclass(frozen=True)
class Transferred:
    """One query. `code` is the fixed text that was offered; `passes` is None where no test ran. `size` is in tokens."""

    id: str
    kind: str
    language: str
    source: str
    size: int
    is_right: bool
    """The memory that answered is the right one."""
    code: str | None
    why_not: str
    has_test: bool
    aliases: str
    """Python that gives the names of the test to the functions of this code."""
    passes: bool | None = None
    output: str = ""

    @property
    def is_carried(self) -> bool:
        """The right fix was offered."""
        return self.is_right and self.code is not None

    @property
    def is_wrong(self) -> bool:
        """A fix was offered that fails the test."""
        return self.passes is False


@dataclass(frozen=True)
class Share:
    """`part` of `of`, with the least that is allowed and the goal."""

    what: str
    part: int
    of: int
    must: float | None = None
    aim: float | None = None

    @property
    def value(self) -> float:
        """0 to 1; 1 of nothing."""
        return self.part / self.of if self.of else 1.0

    @property
    def holds(self) -> bool:
        """True unless a must is broken."""
        return self.must is None or self.value >= self.must

    def as_dict(self) -> dict[str, Any]:
        """For a program."""
        return {**asdict(self), "value": self.value, "holds": self.holds}


def figures(asked: Sequence[Transferred]) -> list[Share]:
    """The first table."""
    rows = []
    for kind in KINDS:
        own = [each for each in asked if each.kind == kind and each.has_test]
        label = f"{kind}, literals unchanged" if kind == "v3" else kind
        rows.append(_share(f"{label}: ends with passing tests", own, lambda each: each.passes is True, MUST.get(kind, (None, None))))
    offered = [each for each in asked if each.passes is not None]
    same = [each for each in offered if each.kind in KINDS]
    rows.append(_share("offered for v1, v2, v3, v5: passes", same, lambda each: not each.is_wrong, OFFERED_MUST))
    rows.append(_share("offered for anything with a test, other programs included: passes", offered, lambda each: not each.is_wrong))
    return rows


def _share(
    what: str, of: Sequence[Transferred], counts: Callable[[Transferred], bool], limits: tuple[float | None, float | None] = (None, None)
) -> Share:
    return Share(what, sum(1 for each in of if counts(each)), len(of), *limits)


def tables(rows: Iterable[Share], asked: Sequence[Transferred], sandbox: str) -> str:
    """Everything as Markdown."""
    head = [headed("transfer"), "", "| what | of | measured | must | aim | holds |", "|---|---|---|---|---|---|"]
    for row in rows:
        limits = f"{_figure(row.must)} | {_figure(row.aim)} | {'' if row.must is None else 'yes' if row.holds else '**no**'}"
        head.append(f"| {row.what} | {row.of} | {row.value:.3f} | {limits} |")
    groups = {"language": _languages(asked), "size in tokens": _sizes(asked), "source": _sources(asked)}
    split = [line for name, parts in groups.items() for line in ("", *_split(name, parts))]
    wrong = [f"{each.id} ({each.kind})" for each in asked if each.is_wrong]
    return "\n".join([*head, *split, "", f"Offered and failing: {', '.join(wrong) or 'none'}.", f"Tests ran in: {sandbox}."])


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _split(name: str, parts: Iterable[tuple[str, Sequence[Transferred]]]) -> Iterator[str]:
    """Carried: the right memory answered with a fix that the checks accept. Passed: of those with a test."""
    yield f"| {name} | " + " | ".join(f"{kind} carried" for kind in KINDS) + " | with a test | passed |"
    yield "|---" * (len(KINDS) + 3) + "|"
    for label, group in parts:
        cells = [_cell([each for each in group if each.kind == kind], lambda each: each.is_carried) for kind in KINDS]
        tested = [each for each in group if each.has_test and each.kind in KINDS]
        yield f"| {label} | {' | '.join(cells)} | {len(tested) or ''} | {_cell(tested, lambda each: each.passes is True)} |"


def _cell(group: Sequence[Transferred], counts: Callable[[Transferred], bool]) -> str:
    share = _share("", group, counts)
    return f"{share.part}/{share.of} ({share.value:.3f})" if group else ""


def _languages(asked: Sequence[Transferred]) -> Iterator[tuple[str, Sequence[Transferred]]]:
    for language in sorted({each.language for each in asked}):
        yield language, [each for each in asked if each.language == language]
    yield "all", asked


def _sizes(asked: Sequence[Transferred]) -> Iterator[tuple[str, Sequence[Transferred]]]:
    for least, most, label in SIZES:
        yield label, [each for each in asked if least <= each.size < most]


def _sources(asked: Sequence[Transferred]) -> Iterator[tuple[str, Sequence[Transferred]]]:
    for source in sorted({each.source for each in asked}):
        yield source, [each for each in asked if each.source == source]
