"""What a commit's message says: is it about a bug, about something else, or does it take back another commit?

Each kind of words (`memory.git_words`) adds its points once; `memory.git_selection` adds what the change itself looks like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.git_words import FEATURE, NO_FEATURE, PICTURES, SAID, TAGS, TYPES, Said

_BY = r"(?:reviewed|acked|tested|reported|suggested|helped|submitted|approved|pushed)-by"
_TRAILER = re.compile(
    rf"^[ \t]*(signed-off-by|(?:co-?)?authored-by|{_BY}|cc|change-id|git-svn-id|differential revision|pull-request|pr-url|reviewed-on|"
    r"gitorigin-revid|piperorigin-revid|closes|fixes|resolves|refs?)[ \t]*[:=][ \t]*\S",
    re.IGNORECASE,
)
_PICKED = re.compile(r"^\(cherry picked from commit [0-9a-f]+\)$", re.IGNORECASE)
_ISSUE = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|bug|issue|gh|refs?|see)\b[\s:]*(?:issue\s*)?"
    r"(#\d+|gh-\d+|[A-Z][A-Z0-9]+-\d+|https?://\S+/(?:issues|pull|bugs?|tickets?)/\d+)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:#|gh-)(\d{1,9})", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w&/])#(\d+)\b")
_REVERTED = re.compile(r"\breverts? (?:commit |changeset )?([0-9a-f]{7,64})\b", re.IGNORECASE)
_REVERT_SUBJECT = re.compile(
    r"""^(?:\[[^\]]*\] ?)?(?:(?:reverts?|reverted|back(?:s|ed)? ?out)\b|reapply\b|reland\b)[\s:]*["'\u201c]?(.*?)["'\u201d]?$""",
    re.IGNORECASE,
)
_TYPE = re.compile(r"^(?:(\w[\w-]*)(?:\(([^)]*)\))?!?:\s+\S|[\[(](\w+)[\])])")
_MOST_FOR, _MOST_AGAINST = 4.5, -8.0


@dataclass(frozen=True)
class MessageScore:
    """Points of a message, and what they come from, the weightiest first."""

    points: float
    reasons: tuple[str, ...]


@lru_cache(maxsize=64)
def score_message(message: str) -> MessageScore:
    """Above zero speaks for a bug fix, below against it."""
    subject, body = _parts(message)
    texts = {"subject": (subject, TAGS.sub("", subject)), "opening": (TAGS.sub("", subject),), "body": (body,), "message": (message,)}
    found = [(each.points, each.label) for each in SAID if any(_is_said(each, text) for text in texts[each.place])]
    if any(label in NO_FEATURE for _, label in found):
        found = [each for each in found if each[1] != FEATURE]
    found += [(points, label) for label, points, picture in PICTURES if picture.match(subject)]
    found += _typed(subject)
    found.sort(key=lambda each: -abs(each[0]))
    return MessageScore(_capped(found), tuple(label for _, label in found))


def _typed(subject: str) -> list[tuple[float, str]]:
    """The type of a Conventional Commit, and a part that speaks against it: `fix(docs)` mends no code."""
    typed = _TYPE.match(subject)
    if typed is None:
        return []
    word, part = (typed[1] or typed[3]).lower(), (typed[2] or "").lower()
    found = [(TYPES[word], f"type {word}")] if word in TYPES else []
    return found + ([(TYPES[part], f"part {part}")] if TYPES.get(part, 0.0) < 0 else [])


def _is_said(said: Said, text: str) -> bool:
    return (said.words.match(text) if said.place == "opening" else said.words.search(text)) is not None


def _capped(found: list[tuple[float, str]]) -> float:
    """More words of one kind make a message longer, not surer."""
    for_it, against = sum(points for points, _ in found if points > 0), sum(points for points, _ in found if points < 0)
    return min(for_it, _MOST_FOR) + max(against, _MOST_AGAINST)


def explanation_of(message: str, issues: str = "") -> str:
    """What is kept of a message as the explanation: subject and first paragraph, and the issue it names, without trailers.

    `issues` is the web address of the repository's issues, to which a number is added; empty: the number alone.
    """
    subject, body = _parts(message)
    paragraph = body.split("\n\n", 1)[0].strip()
    said = f"{subject}\n\n{paragraph}" if paragraph else subject
    issue = issue_of(message)
    if issues and (number := _NUMBERED.fullmatch(issue)):
        return f"{said}\n\n(Issue {issue}: {issues}{number[1]})"
    return said if not issue or issue in said else f"{said}\n\n(Issue {issue}.)"


def issue_of(message: str) -> str:
    """The issue that a message is linked with: `#12`, a tracker's key or an address; empty for none."""
    if found := _ISSUE.search(message):
        return found[1]
    number = _NUMBER.search(message)
    return number[0] if number else ""


def reverted_by(message: str) -> tuple[str, str] | None:
    """Of a commit that takes another back, the other's id (or its beginning) and its subject, each empty when not named; else None."""
    subject = message.strip().partition("\n")[0].strip()
    named = _REVERTED.search(message)
    says = _REVERT_SUBJECT.match(subject)
    if says is None and (named is None or "this reverts" not in message.lower()):
        return None
    return (named[1].lower() if named else "", _plain_subject(says[1]) if says else "")


def _plain_subject(subject: str) -> str:
    """Without the number that a forge adds when it merges."""
    return re.sub(r"\s*\(#\d+\)$", "", subject.strip().rstrip("\"'\u201d")).strip()


def _parts(message: str) -> tuple[str, str]:
    """Subject, and the rest without trailers; the number of a merged request is no part of the subject."""
    lines = message.replace("\r\n", "\n").strip().split("\n")
    kept = [line.rstrip() for line in lines[1:] if not (_TRAILER.match(line.strip()) or _PICKED.match(line.strip()))]
    return re.sub(r"\s*\(#\d+\)$", "", lines[0].strip()), "\n".join(kept).strip()
