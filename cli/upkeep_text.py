"""What the commands of upkeep print for people, from the plain values that `--json` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reports.style import Style
from utils.terminal import visible

_ID_CHARACTERS = 12
_SHOWN = 10
"""Findings of a kind that are printed; `--json` has all."""
_HEADS = {
    "secret": "holds what looks like a secret",
    "suspicious": "would be quarantined by today's rules",
    "circle": "fixes that lead round in a circle",
    "contradicting": "several fixes of one code",
    "chain": "a fix that is itself remembered as a bug",
    "duplicate": "the same entry several times, names aside",
    "same fix": "one fix of several codes",
    "stale": "evidence older than the rules in force",
    "waiting": "waits for your approval",
    "rejected": "rejected",
    "never used": "never used",
    "one source": "one source holds most of the memory",
}
"""Kinds in the order in which they are printed, the gravest first."""
_EFFECT = {
    "pinned": "it goes before all that are not pinned, and purge and compact keep it",
    "unpinned": "it is ranked by its evidence again",
    "accepted": "it is proved from now on; `codemind memory {undone_by} {name}` takes that back",
    "rejected": "it is not offered again, nor learnt again; `codemind memory {undone_by} {name}` takes that back",
}

Plain = Mapping[str, Any]


def decided(done: Plain) -> str:
    """What was decided about which fix, and how to take it back."""
    short = done["id"][:_ID_CHARACTERS]
    which = f"{short} fix {done['fix']} of {done['of']}" if done["of"] > 1 else short
    name = f"{short} --fix {done['fix']}" if done["of"] > 1 and done["undone_by"] != "approve" else short
    if not done["changed"]:
        was = "was not pinned" if done["state"] == "unpinned" else f"was {done['state']} already"
        return f"{which} {was}: nothing changed\n"
    lines = [f"{done['state']}: {which}; {_EFFECT[done['state']].format(name=name, undone_by=done['undone_by'])}"]
    if done["takes_back"]:
        lines.append(f"that takes back that it was {done['takes_back']}")
    if done["state"] == "pinned" and not done["first"]:
        first = done["also_pinned"][0]
        lines.append(f"pinned too, and first by its evidence, is another: `codemind memory unpin {short} --fix {first}` changes that")
    return "\n".join(lines) + "\n"


def events(found: Sequence[Plain]) -> str:
    """A table: when, what, which experience and fix, where it came from."""
    return "".join(_event(each) for each in found)


def _event(event: Plain) -> str:
    when = event["at"][:16].replace("T", " ")
    which = event["id"][:_ID_CHARACTERS] + (f" fix {event['fix']}" if event["fix"] else "")
    whence = " by ".join(part for part in (event["origin"], event["author"]) if part)
    detail = f"({event['detail']})" if event["detail"] else ""
    return visible(f"{when}  {event['action']:<10}  {which:<{_ID_CHARACTERS + 6}}  {whence} {detail}".rstrip()) + "\n"


class Audited:
    """Gathers what an audit finds: of each kind the first few, and how many there are."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._first: dict[str, list[Plain]] = {}

    def add(self, found: Plain) -> None:
        """One more."""
        self._counts[found["kind"]] += 1
        first = self._first.setdefault(found["kind"], [])
        if len(first) < _SHOWN:
            first.append(found)

    def text(self, style: Style) -> str:
        """By kind, the gravest first."""
        if not self._counts:
            return "nothing deserves a look\n"
        parts = [self._kind(kind, style) for kind in _HEADS if kind in self._counts]
        total = self._counts.total()
        return "\n".join(parts) + f"\n{total} finding{'s' if total != 1 else ''}; nothing was changed\n"

    def _kind(self, kind: str, style: Style) -> str:
        lines = [style.paint("strong", f"{_HEADS[kind]}: {self._counts[kind]}")]
        for each in self._first[kind]:
            which = each["id"][:_ID_CHARACTERS] + (f" fix {each['fix']}" if each["fix"] else "")
            lines.append(visible(f"  {which + ': ' if which else ''}{each['what']}; {each['why']}"))
            lines.append(visible(f"    {each['command']}"))
        more = self._counts[kind] - _SHOWN
        return "\n".join([*lines, *([f"  and {more} more: --json prints all"] if more > 0 else [])]) + "\n"


def compacted(done: Plain) -> str:
    """What was merged, dropped and given back, or would be."""
    would = "" if done["compacted"] else "would be "
    dropped = sum(done["ownerless"].values())
    lines = [
        f"{would}merged: {_count(done['merged'], 'duplicate fix', 'duplicate fixes')}",
        f"{would}expired: {_count(done['expired'], 'unused import')}" + ("; seeding brings them back" if done["expired"] else ""),
        f"{would}dropped: {_count(dropped, 'row')} that nothing leads to",
        f"{would}removed: {_count(len(done['backups']), 'old backup')} ({_size(done['backup_bytes'])}); the newest two stay",
        *(f"  {visible(path)}" for path in done["backups"]),
        f"fixes left: {done['fixes']}",
    ]
    if done["compacted"]:
        lines.append(f"ledger: {_size(done['bytes_before'])} before, {_size(done['bytes_after'])} now")
        lines.append(f"vector index: {visible(done['index'])}")
    else:
        lines.append(f"ledger: {_size(done['bytes_before'])}; nothing was changed")
    lines += [visible(done["note"])] if done["note"] else []
    return "\n".join(lines) + "\n"


def reembedded(done: Plain) -> str:
    """How many vectors were made, by what, and what they are good for."""
    resumed = f", {done['resumed']} of them in an earlier run" if done["resumed"] else ""
    lines = [f"{_count(done['vectors'], 'vector')} made anew by {visible(done['by'])}{resumed}", f"vector index: {visible(done['index'])}"]
    if not done["calibrated"]:
        lines.append("near: off until `codemind memory calibrate` has measured these vectors")
    return "\n".join(lines) + "\n"


def _count(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _size(count: int) -> str:
    return f"{count / 1_000_000:.1f} MB" if count >= 100_000 else f"{count / 1000:.1f} kB"  # noqa: PLR2004 - below that MB say little
