"""Putting stored findings on the lines of the paste.

A stored finding speaks of the stored code. Where both texts have the same tokens one to one (up to names and layout), the
tokens under the finding are found again in the paste by their number; in code that is only like it, by the alignment of the two.
Where they have no counterpart, the finding is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from memory.records import KeyHit
from schema.finding import Finding
from utils.lexical import Token
from utils.tokens import tokenize


class Anchor:
    """Maps places of `stored` to places of `paste`, two texts of one language.

    They are the same up to names and layout, unless `near`: then a place is found only when every token of it is aligned.
    """

    def __init__(self, stored: str, paste: str, language: str, *, near: bool = False) -> None:
        self._from, self._to = Lines(stored), Lines(paste)
        self._is_same = stored == paste
        self._stored = _with_width(tokenize(stored, language))
        self._paste = _with_width(tokenize(paste, language))
        if near:
            self._pairs = _near_pairs(stored, paste, language)
        else:
            same_length = len(self._stored) == len(self._paste)
            self._pairs = {number: number for number in range(len(self._stored) if same_length else 0)}

    def place(self, finding: Finding) -> tuple[int, int, int, int] | None:
        """Start line, end line, start column, end column in the paste; None when the tokens don't correspond."""
        if self._is_same:
            return (finding.start_line, finding.end_line, finding.start_column, finding.end_column)
        start = self._from.offset(finding.start_line, finding.start_column)
        end = max(self._from.offset(finding.end_line, finding.end_column), start + 1)
        touched = [number for number, token in enumerate(self._stored) if token.start < end and token.end > start]
        if not touched or any(number not in self._pairs for number in touched):
            return None
        start_line, start_column = self._to.place(self._paste[self._pairs[touched[0]]].start)
        end_line, end_column = self._to.place(self._paste[self._pairs[touched[-1]]].end)
        return (start_line, end_line, start_column, end_column)

    def renamed(self, text: str) -> str:
        """`text` with the stored names that it quotes replaced by the paste's."""
        pairs = ((self._stored[old], self._paste[new]) for old, new in self._pairs.items())
        names = {old.text: new.text for old, new in pairs if old.kind == "name" and old.text != new.text}
        for quote in ("`", "'", '"'):
            pieces = text.split(quote)
            pieces[1::2] = [names.get(piece, piece) for piece in pieces[1::2]]
            text = quote.join(pieces)
        return text


def _near_pairs(stored: str, paste: str, language: str) -> dict[int, int]:
    """Numbers of aligned tokens that have width, of the stored text and of the paste."""
    from memory.compare import aligned_places, in_names_of  # late, both: what is known by key needs no comparison
    from memory.signature import read_signature

    theirs, own = read_signature(stored, language), read_signature(paste, language)
    stored_numbers, paste_numbers = _numbers(tokenize(stored, language)), _numbers(tokenize(paste, language))
    pairs = aligned_places(in_names_of(own, theirs), theirs.raw)
    return {stored_numbers[old]: paste_numbers[new] for new, old in pairs if old in stored_numbers and new in paste_numbers}


def _numbers(tokens: Sequence[Token]) -> dict[int, int]:
    """Place among all tokens to place among those with width."""
    with_width = [place for place, token in enumerate(tokens) if token.end > token.start]
    return {place: number for number, place in enumerate(with_width)}


def anchor_findings(hit: KeyHit, paste: str, language: str, path: str, *, near: bool = False) -> tuple[Finding, ...]:
    """The findings stored with a hit, on the lines of `paste` (the text that the hit explains; `near`: is like)."""
    findings = hit.alternative.findings if hit.part is None else _within(hit)
    if not findings:
        return ()
    anchor, lines = Anchor(hit.code, paste, language, near=near), paste.split("\n")
    anchored = []
    for finding in findings:
        place = anchor.place(finding)
        if place is None or place[1] > len(lines):
            continue
        start_line, end_line, start_column, end_column = place
        anchored.append(
            replace(
                finding,
                path=path,
                start_line=start_line,
                end_line=end_line,
                start_column=start_column,
                end_column=end_column,
                message=anchor.renamed(finding.message),
                suggestion=anchor.renamed(finding.suggestion),
                evidence="\n".join(lines[start_line - 1 : end_line]),
                source=f"memory:{hit.alternative.experience_id}",
                fix=None,
                fingerprint="",
            )
        )
    return tuple(anchored)


def moved(findings: Sequence[Finding], lines: int, columns: int, paste: str) -> tuple[Finding, ...]:
    """Findings of a block, as findings of the whole paste that the block was taken from."""
    whole = paste.split("\n")
    return tuple(
        replace(
            finding,
            start_line=finding.start_line + lines,
            end_line=finding.end_line + lines,
            start_column=finding.start_column + columns,
            end_column=finding.end_column + columns,
            evidence="\n".join(whole[finding.start_line + lines - 1 : finding.end_line + lines]),
            fingerprint="",
        )
        for finding in findings
    )


def _within(hit: KeyHit) -> tuple[Finding, ...]:
    """The findings that lie in a part, in lines of the part."""
    if hit.part is None:
        return ()
    first, count = hit.part.start_line, len(hit.code.rstrip("\n").split("\n"))
    return tuple(
        replace(finding, start_line=finding.start_line - first + 1, end_line=finding.end_line - first + 1)
        for finding in hit.alternative.findings
        if first <= finding.start_line and finding.end_line < first + count
    )


def _with_width(tokens: tuple[Token, ...]) -> list[Token]:
    return [token for token in tokens if token.end > token.start]


class Lines:
    """Offsets of a text as 1-based lines and code-point columns, and back."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._length = len(text)

    def offset(self, line: int, column: int) -> int:
        """Places outside of the text are drawn to its ends."""
        line = max(1, min(line, len(self._starts) - 1))
        return min(self._starts[line - 1] + max(0, column - 1), self._starts[line] - 1, self._length)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
