"""What a commit's message says: is it about a bug, about something else, or does it take back another commit?

Each pattern adds its points once; `memory.git_selection` adds what the change itself looks like. The words come from counting on labelled
histories: a fix word alone is right in four of ten cases, the subject's opening verb tells more than an issue number, and a quarter of
the fixes use no such word but forbid, demand or replace something ("Don't ...", "Use ... instead of ...").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TRAILER = re.compile(
    r"^[ \t]*(signed-off-by|(?:co-?)?authored-by|(?:reviewed|acked|tested|reported|suggested|helped|submitted|approved|pushed)-by|cc|change-id|"
    r"git-svn-id|differential revision|pull-request|pr-url|reviewed-on|gitorigin-revid|piperorigin-revid|closes|fixes|resolves|refs?)[ \t]*[:=][ \t]*\S",
    re.IGNORECASE,
)
_PICKED = re.compile(r"^\(cherry picked from commit [0-9a-f]+\)$", re.IGNORECASE)
_ISSUE = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|bug|issue|gh|refs?|see)\b[\s:]*(?:issue\s*)?"
    r"(#\d+|gh-\d+|[A-Z][A-Z0-9]+-\d+|https?://\S+/(?:issues|pull|bugs?|tickets?)/\d+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w&/])#(\d+)\b")
_REVERTED = re.compile(r"\breverts? (?:commit |changeset )?([0-9a-f]{7,64})\b", re.IGNORECASE)
_REVERT_SUBJECT = re.compile(r"""^(?:\[[^\]]*\] ?)?(?:(?:reverts?|reverted|back(?:s|ed)? ?out)\b|reapply\b|reland\b)[\s:]*["'\u201c]?(.*?)["'\u201d]?$""", re.IGNORECASE)
_CONVENTIONAL = re.compile(r"^(?:(\w+)(?:\([^)]*\))?!?:\s+\S|[\[(](\w+)[\])])")
_TAGS = re.compile(r"^(?:\[[^\]]*\]\s*|\(?(?:gh-)?#?\d+\)?[:.]?\s+|[\w./-]+(?:\([^)]*\))?!?:\s+|:\w+:\s*|[^\w\s\"'`(\[#]+\s*)*", re.IGNORECASE)
"""What projects put before the subject proper: a part's name, an issue's number, a little picture."""
_PICTURES: tuple[tuple[str, float, str], ...] = (
    ("picture of a bug", 3.0, r"^(?:\U0001f41b|:bug:|\U0001f691|:ambulance:|\U0001fa79|:adhesive_bandage:)"),
    ("picture of a lock", 2.0, r"^(?:\U0001f512|:lock:)"),
    ("picture of something new", -5.0, r"^(?:\u2728|:sparkles:|\U0001f389|:tada:|\u267b|:recycle:|\U0001f3a8|:art:|\u26a1|:zap:)"),
    ("picture of upkeep", -5.0, r"^(?:\U0001f4dd|:memo:|:pencil2?:|\u270f|\u2b06|:arrow_up:|\U0001f516|:bookmark:|\U0001f477|:construction_worker:|"
                                r"\U0001f310|:globe_with_meridians:|\u2705|:white_check_mark:|\U0001f6a8|:rotating_light:|\U0001f527|:wrench:|\U0001f525|:fire:)"),
)  # fmt: skip
"""Gitmoji."""
_CONVENTIONAL_POINTS = {
    "fix": 3.0, "bugfix": 3.0, "hotfix": 3.0, "bug": 3.0, "security": 2.5, "sec": 2.5, "patch": 1.0,
    "feat": -6.0, "feature": -6.0, "chore": -6.0, "docs": -6.0, "doc": -6.0, "style": -6.0, "refactor": -6.0, "refact": -6.0,
    "test": -6.0, "tests": -6.0, "ci": -6.0, "build": -6.0, "release": -6.0, "deps": -6.0, "perf": -3.0, "lint": -6.0, "bump": -6.0,
    "typo": -6.0, "fixes": 3.0, "fixed": 3.0, "bf": 3.0, "enh": -4.0, "maint": -4.0, "mnt": -4.0, "cln": -6.0, "tst": -6.0, "typ": -6.0, "wip": -2.0,
}  # fmt: skip
"""Types of Conventional Commits, and their like in older projects."""


@dataclass(frozen=True)
class Said:
    """A kind of words, what it is called, and what it is worth. `where`: s is the subject, o its opening, b what follows, m all of it."""

    label: str
    points: float
    where: str
    words: re.Pattern[str]


def _said(label: str, points: float, where: str, words: str) -> Said:
    return Said(label, points, where, re.compile(words, re.IGNORECASE))


_ANYTHING = r"(?:\S+ ){0,2}"
_UPKEEP_OBJECT = (
    r"(?:flake8|pep ?-?8|pycodestyle|pylint|lint(?:ing|er|s)?|mypy|isort|ruff|codacy|code ?style|styling|ci|travis|appveyor|tox|coverage|builds?|"
    r"packaging|setup\.py|badges?|type (?:hints?|annotations?)|typing|annotations?|import order|unused imports?|license|merge conflicts?|"
    r"conflicts?|version(?: number)?|requirements|translations?)"
)
_PROSE_OBJECT = (
    r"(?:whitespaces?|typos?|spelling|grammar|docs?|docstrings?|documentation|readme|change ?log|comments?|tests?|test ?cases?|unit ?tests?|"
    r"links?|examples?|indentation|style|formatting|deprecation warnings?|wording)"
)
_OBJECT_ENDS = r"(?:$|[.,;:)]|\s+(?:in|for|on|of|and|by|to|again|after|with|errors?|issues?|warnings?|problems?|failures?|fails?)\b)"
_SAID: tuple[Said, ...] = (
    _said("opens with fix", 1.2, "s", r"(?:^|[:;,.\]\-&+/(] ?|\b(?:and|to|should|may|might|hopefully|quick|really|also|properly|actually) (?=fix(?:ed)?\b))(?:bug[- ]?)?fix(?:e[sd]|ing|up)?\b|\bbugs?\b|\b(?:bug|hot)-?fix"),
    _said("says fix", 2.0, "s", r"\bfix(?:e[sd]|ing|up)?\b"),
    _said("names a failure", 2.5, "s",
          r"\b(?:crash(?:e[sd]|ing)?|regress(?:ion|ions|ed)?|broken|breaks?|breakage|segfault|dead-?lock|hangs?|infinite (?:loop|recursion)|"
          r"off[- ]by[- ]one|overflow|underflow|leak(?:s|ed|ing|age)?|race(?: condition)?|corrupt(?:s|ed|ion)?|traceback|mistaken(?:ly)?|"
          r"(?:in)?correct(?:ly|ness)?|wrong(?:ly)?|fail(?:s|ed|ing|ures?)?|faulty?|mis-?behav\w+|unintended|not (?:work|handl|be)\w*|"
          r"broke|unbreak\w*|forg[eo]t(?:s|ten)?|oops|stuck|freez\w+|stale|truncat\w+|los(?:t|es?|ing)|cut off|past the end|garbled|mojibake|bogus|spurious|"
          r"erroneous\w*|inconsisten\w+|accidental\w*|inadvertent\w*|undefined|NaN|chok(?:e[sd]?|ing)|blows? up|doesn'?t work|vulnerab\w+|CVE-\d+|injection|[A-Z]\w+(?:Error|Exception))\b"),
    _said("mends", 2.0, "s", r"\b(?:correct(?:ed|s|ing)|resolv(?:e[sd]?|ing)|repair(?:ed|s)?|mend(?:s|ed)?|solv(?:e[sd]?|ing)|work ?around|patch(?:es|ed)|sanitiz\w+|escap(?:e[sd]?|ing))\b"),
    _said("opens with correct", 2.0, "o", r"(?:correct|restore|repair|respect|honou?r|guard|tolerate|recover|reset|undo)\b"),
    _said("opens with a prohibition", 2.5, "o", r"(?:do not|don'?t|never|stop|avoid|prevent|disallow|forbid|no longer|only|always)\b"),
    _said("opens with a demand", 1.8, "o",
          r"(?:ensure|make sure|force|check|verify|detect|limit|require|handle|catch|properly|correctly|skip|ignore|preserve|keep|"
          r"account for|take care|treat|strip|quote|close|wait|retry|fall ?back|default to|be (?:more )?(?:careful|robust|strict|lenient))\b"),
    _said("opens with a replacement", 1.0, "o", r"(?:use|make|return|raise|set|pass|convert|decode|encode|compare|call|let|accept|normali[sz]e|clear)\b"),
    _said("forbids or demands", 1.2, "s",
          r"\b(?:does ?n[o']t|do ?n[o']t|is ?n[o']t|was ?n[o']t|can ?n?[o']t|cannot|should(?:n'?t)?|must(?:n'?t)?|never|no (?:longer|more)|otherwise|instead of|rather than|prevent\w*|avoid\w*|"
          r"proper(?:ly)?|handl(?:e[sd]?|ing)|compatib\w+|robust\w*|when (?:there|no|the|it|a|an|using|not)\b|if (?:there|no|the|it|not)\b|"
          r"even (?:if|when)|missing|invalid|unexpected|empty|edge[- ]cases?|corner[- ]cases?|null|None|problems?|issues?|errors?|exceptions?)\b"),
    _said("fixes an issue", 1.5, "m", r"\bfix(?:e[sd])?[\s:]+(?:issues?\s*)?(?:#|gh-|https?://\S+/(?:issues|pull)/)\d+"),
    _said("closes an issue", 0.7, "m", r"\b(?:close[sd]?|resolve[sd]?)[\s:]+(?:issue\s*)?(?:#|gh-|https?://\S+/(?:issues|pull)/)\d+"),
    _said("speaks of a fix below", 0.8, "b", r"\bfix(?:e[sd]|ing)?\b(?!up)"),
    _said("speaks of a failure below", 1.0, "b",
          r"\b(?:bug|crash\w*|regress\w*|broken?|traceback|wrong(?:ly)?|incorrect(?:ly)?|fail(?:s|ed|ing|ure)?|leak\w*|race condition|deadlock\w*|"
          r"[A-Z]\w+(?:Error|Exception)|this fix\w*|was not|were not|didn'?t|doesn'?t)\b"),
    _said("opens with a feature", -4.0, "o",
          r"(?:add(?:s|ed|ing)?|support(?:s|ed|ing)?|implement(?:s|ed|ing)?|introduc\w+|new|feature|enable|provide|creat\w+|allow(?:s|ed|ing)?|"
          r"initial|first|expose|extend|include|experimental|option(?:al)?|enh(?:ancement)?)\b"),
    _said("adds what was missing", 3.5, "o",
          rf"add(?:s|ed|ing)? {_ANYTHING}(?:missing|check|checks|guard|guards|handling|fallback|validation|workaround|fix|timeout|lock|escaping|null check)\b"),
    _said("allows what was refused", 1.5, "o", r"(?:allow|support) (?:for )?(?:None|null|empty|missing|zero|negative|unicode|non-ascii|spaces?|windows|python ?[23])"),
    _said("opens with tidying", -5.0, "o",
          r"(?:refactor\w*|renam\w+|mov(?:e[sd]?|ing)|clean(?:s|ed|ing)?(?: ?up)?|cleanup|simplif\w+|reformat\w*|reorgani[sz]\w+|restructur\w+|"
          r"extract\w*|split|inline|tidy|dedup\w*|black(?:en|ed)?|lint\w*|flake8|pep ?-?8|isort|pyupgrade|modernis\w+|moderniz\w+|typing|type hints?|annotate|"
          r"style|styling|format\w*|whitespace|indent\w*|re-?indent|cosmetic\w*|alphabeti\w+|sort imports|convert to f-?strings)\b"),
    _said("opens with upkeep", -5.0, "o",
          r"(?:docs?|document\w*|docstrings?|readme|change ?log|comments?|typos?|spelling|bump\w*|release\w*|prepare|version|v?\d+\.\d+|tests?|testing|coverage|"
          r"ci|travis|tox|build|packag\w+|setup|merge[sd]?|deprecat\w+|translat\w+|i18n|license|copyright|example|benchmark\w*|"
          r"wip|post-?release|back to dev\w*|pin|unpin|upgrade|vendor\w*|start\w*|begin\w*|more tests?)\b"),
    _said("opens with change", -1.5, "o", r"(?:updat\w+|chang\w+|improv\w+|enhanc\w+|tweak\w*|optimi[sz]\w+|speed\w*|remov\w+|delet\w+|drop\w*|switch\w*|replac\w+|migrat\w+|port\w*|rework\w*|rewrit\w+|print\w*|log\w*|show|display|minor)\b"),
    _said("is about upkeep", -5.0, "s", rf"\bfix(?:e[sd]|ing)? {_ANYTHING}{_UPKEEP_OBJECT}{_OBJECT_ENDS}"),
    _said("is about prose or tests", -2.6, "s", rf"\bfix(?:e[sd]|ing)? {_ANYTHING}{_PROSE_OBJECT}{_OBJECT_ENDS}"),
    _said("speaks of style checks", -2.5, "s", r"\b(?:flake8|pep ?-?8|pylint|lint(?:er|ing)?|mypy|isort|code style|type (?:hints?|annotations?)|travis)\b"),
    _said("speaks of prose", -1.2, "s", r"\b(?:docstrings?|documentation|docs|typos?|spelling)\b"),
    _said("speaks of a feature or tidying", -1.2, "s",
          r"\b(?:refactor\w*|cleanups?|clean up|new (?:feature|option|argument|parameter|method|function|api)|"
          r"(?:add|adds|added) (?:a |an |new |support|option|tests?)|deprecat\w+|performance|faster|speed ?up)\b"),
)  # fmt: skip


@dataclass(frozen=True)
class MessageScore:
    """Points of a message, and what they come from, the weightiest first."""

    points: float
    reasons: tuple[str, ...]


@lru_cache(maxsize=64)
def score_message(message: str) -> MessageScore:
    """Above zero speaks for a bug fix, below against it."""
    subject, body = _parts(message)
    opening = _TAGS.sub("", subject)
    found = [(each.points, each.label) for each in _SAID if _is_said(each, message, subject, opening, body)]
    found += [(points, label) for label, points, picture in _PICTURES if re.match(picture, subject)]
    if (typed := _CONVENTIONAL.match(subject)) and (word := (typed[1] or typed[2]).lower()) in _CONVENTIONAL_POINTS:
        found.append((_CONVENTIONAL_POINTS[word], f"type {word}"))
    found.sort(key=lambda each: -abs(each[0]))
    return MessageScore(_capped(found), tuple(label for _, label in found))


def _capped(found: list[tuple[float, str]]) -> float:
    """More words of one kind make a message longer, not surer."""
    for_it, against = sum(points for points, _ in found if points > 0), sum(points for points, _ in found if points < 0)
    return min(for_it, 4.5) + max(against, -8.0)


def _is_said(said: Said, message: str, subject: str, opening: str, body: str) -> bool:
    if said.where == "o":
        return said.words.match(opening) is not None
    texts = {"s": (subject, opening), "b": (body,), "m": (message,)}[said.where]
    return any(map(said.words.search, texts))


def explanation_of(message: str) -> str:
    """What is kept of a message as the explanation: subject and first paragraph, and the issue it names, without trailers."""
    subject, body = _parts(message)
    paragraph = body.split("\n\n", 1)[0].strip()
    said = f"{subject}\n\n{paragraph}" if paragraph else subject
    issue = issue_of(message)
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
