"""Take secrets out of a text before anything stores or sends it, and put them back where they stood.

A placeholder is `CMSECRET`, a number, two letters for the kind, and `x` up to the secret's length: letters and digits only,
so that a string stays a string, a URL a URL, and columns stay whenever the secret has eleven characters or more.
Numbers that the text already uses are left out, so a text that holds such a word can't be confused with what was replaced.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from utils.secret_formats import KINDS, Span, find_formats, find_url_passwords

_PLACEHOLDER = re.compile(r"CMSECRET(\d{1,6})([A-Z]{2})x*(?![A-Za-z0-9])")
_NUMBER = re.compile(r"CMSECRET(\d{1,6})")
_WORD_END = re.compile(r"[A-Za-z0-9]*")
_KEY_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_CONTINUED = "PC"
_TELLING = ("pass", "pwd", "secret", "token", "key", "credential", "auth", "curl", "mysql", "identified")
"""All that `secret_names` and `secret_beside` find stands near one of these."""


@dataclass(frozen=True)
class Secret:
    """What was taken out: `value` never leaves the process. Line and column (1-based) are the placeholder's in the new text."""

    code: str
    placeholder: str
    value: str
    line: int
    column: int

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return KINDS[self.code]

    def __repr__(self) -> str:
        """Without the value: a repr ends up in logs and tracebacks."""
        return f"Secret({self.placeholder!r}, line={self.line}, column={self.column})"


@dataclass(frozen=True)
class Redacted:
    """The text with placeholders, and what they stand for."""

    text: str
    secrets: tuple[Secret, ...] = ()

    @property
    def count(self) -> int:
        """How many secrets; a private key of many lines is one."""
        return sum(secret.code != _CONTINUED for secret in self.secrets)


def redact(text: str, reserved: str = "") -> Redacted:
    """Replace every secret; doing it twice changes nothing. Numbers that occur in `text` or `reserved` are not used."""
    spans = _chosen(text, [*find_formats(text), *find_url_passwords(text), *_assigned(text)])
    if not spans:
        return Redacted(text)
    used = {int(number) for number in _NUMBER.findall(text + "\n" + reserved)}
    parts: list[str] = []
    secrets: list[Secret] = []
    at, line, line_start, length, number = 0, 1, 0, 0, 0
    for span in spans:
        number = _next_free(number + 1, used)
        between, value = text[at : span.start], text[span.start : span.end]
        placeholder = _placeholder(number, span.code, len(value))
        breaks = between.count("\n")
        if breaks:
            line, line_start = line + breaks, length + between.rindex("\n") + 1
        length += len(between)
        secrets.append(Secret(span.code, placeholder, value, line, length - line_start + 1))
        parts += (between, placeholder)
        length += len(placeholder)
        at = span.end
    return Redacted("".join([*parts, text[at:]]), tuple(secrets))


def restore(text: str, secrets: Sequence[Secret], original: str | None = None) -> tuple[str, int]:
    """Put secrets back, each only where its placeholder stands as in `original`, the redacted text it came from.

    A placeholder that stands twice, or (with `original`) on another line or behind another text than before, is left:
    a secret must not travel into a log call or a URL. Returns the text and the number of places left.
    """
    if not secrets:
        return text, 0
    places = _in_place(text, original) if original is not None else None
    by_placeholder = {secret.placeholder: secret for secret in secrets}
    count = Counter(found.group() for found in _PLACEHOLDER.finditer(text))
    left = 0

    def put_back(found: re.Match[str]) -> str:
        nonlocal left
        secret = by_placeholder.get(found.group())
        if secret is None:
            return found.group()
        if count[found.group()] == 1 and (places is None or found.group() in places):
            return secret.value
        left += secret.code != _CONTINUED
        return found.group()

    return _PLACEHOLDER.sub(put_back, text), left


def open_placeholders(text: str, own: str = "") -> int:
    """How many secrets are still placeholders in `text`; words that stand in `own`, the user's text, were never secrets."""
    codes = [found.group(2) for found in _PLACEHOLDER.finditer(text) if found.group(2) in KINDS and found.group() not in own]
    # Only inner lines of a private key: they are one secret.
    return sum(code != _CONTINUED for code in codes) or int(bool(codes))


def placeholder_kind(text: str) -> list[tuple[int, int, str]]:
    """Where secrets were replaced: 1-based line, 1-based column and the kind in words, one entry a secret.

    A private key is placed at its `-----BEGIN` line.
    """
    places: list[tuple[int, int, str]] = []
    key_head: tuple[int, int] | None = None
    if "CMSECRET" not in text:
        return places
    for number, line in enumerate(text.split("\n"), 1):
        for head in _KEY_HEAD.finditer(line):
            key_head = (number, head.start() + 1)
        for found in _PLACEHOLDER.finditer(line):
            if found.group(2) in KINDS and found.group(2) != _CONTINUED:
                line_number, column = key_head if found.group(2) == "PK" and key_head else (number, found.start() + 1)
                places.append((line_number, column, KINDS[found.group(2)]))
    return places


def placeholder_end(line: str) -> int | None:
    """The 1-based column behind the last placeholder of a line; None when it has none."""
    ends = [found.end() for found in _PLACEHOLDER.finditer(line) if found.group(2) in KINDS]
    return ends[-1] + 1 if ends else None


def _chosen(text: str, spans: Iterable[Span]) -> list[Span]:
    """In order, without overlaps: the first finder goes before the later ones. What is no secret already is left out."""
    taken: list[Span] = []
    claimed = bytearray(len(text))
    for found in spans:
        # Up to the end of the word, so that the placeholder is a word of its own and is found again.
        span = replace(found, end=_word_end(text, found.end))
        value = text[span.start : span.end]
        if any(claimed[span.start : span.end]) or "CMSECRET" in value:
            continue
        if span.code == "UP" and _is_placeholder(value):
            continue
        claimed[span.start : span.end] = b"\x01" * (span.end - span.start)
        taken.append(span)
    return sorted(taken, key=lambda span: span.start)


def _assigned(text: str) -> Iterator[Span]:
    """Secrets that their names give away. The patterns for those names are many: they are imported when a name may be there."""
    lowered = text.lower()
    if text.isascii() and not any(word in lowered for word in _TELLING):
        return
    from utils.secret_beside import find_beside
    from utils.secret_names import find_assigned

    yield from find_assigned(text)
    yield from find_beside(text)


def _word_end(text: str, at: int) -> int:
    """Where the letters and digits that begin at `at` end."""
    word = _WORD_END.match(text, at)
    return word.end() if word else at


def _is_placeholder(value: str) -> bool:
    from utils.secret_names import is_placeholder  # late, as in `_assigned`

    return is_placeholder(value)


def _next_free(number: int, used: set[int]) -> int:
    while number in used:
        number += 1
    return number


def _placeholder(number: int, code: str, length: int) -> str:
    return f"CMSECRET{number}{code}".ljust(length, "x")


def _in_place(text: str, original: str) -> set[str]:
    """Placeholders that stand once in both texts, on the same line or, where a line was changed, behind the same start of it."""
    from utils.diff import matching_blocks  # late: most texts hold no secret

    old, new = original.split("\n"), text.split("\n")
    kept: dict[int, int] = {}
    gaps: list[tuple[range, range]] = []
    old_at = new_at = 0
    for old_next, new_next, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        gaps.append((range(old_at, old_next), range(new_at, new_next)))
        kept.update(zip(range(new_next, new_next + size), range(old_next, old_next + size), strict=True))
        old_at, new_at = old_next + size, new_next + size
    in_place = {found.group() for at in kept for found in _PLACEHOLDER.finditer(new[at])}
    for old_lines, new_lines in gaps:
        before = _starts(old[old_lines.start : old_lines.stop])
        after = _starts(new[new_lines.start : new_lines.stop])
        in_place |= {placeholder for placeholder, start in after.items() if before.get(placeholder) == start}
    count = Counter(found.group() for found in _PLACEHOLDER.finditer(original))
    return {placeholder for placeholder in in_place if count[placeholder] == 1}


def _starts(lines: list[str]) -> dict[str, str]:
    """Each placeholder with what stands before it on its line, blanks aside."""
    return {found.group(): "".join(line[: found.start()].split()) for line in lines for found in _PLACEHOLDER.finditer(line)}
