"""Words by which a commit's message tells a bug fix from anything else, with what each kind of word is worth.

They come from counting on labelled histories: a fix word alone is right in four of ten cases, the subject's opening verb tells more than an
issue number, and a quarter of the fixes use no such word but forbid, demand or replace something ("Don't ...", "Use ... instead of ...").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Place = Literal["subject", "opening", "body", "message"]


@dataclass(frozen=True)
class Said:
    """A kind of words: what it is called, what it is worth, and where in a message it counts."""

    label: str
    points: float
    place: Place
    words: re.Pattern[str]


def _said(label: str, points: float, place: Place, words: str) -> Said:
    """`words`: patterns, one a line or with ` | ` between them; each stands for whole words."""
    either = "|".join(each.strip() for each in re.split(r" \| |\n", words) if each.strip())
    return Said(label, points, place, re.compile(rf"{'' if place == 'opening' else chr(92) + 'b'}(?:{either})\b", re.IGNORECASE))


def _forms(verbs: str) -> str:
    """`check` stands for checks, checked and checking too: projects differ in the form that a subject opens with."""
    return " | ".join(map(_form, verbs.split()))


def _form(verb: str) -> str:
    stem = verb.removesuffix("e")
    doubled = f"{stem[-1]}?" if stem == verb and verb[-1] not in "aeiouwxy" else ""
    return f"{verb}(?:e?s)? | {stem}{doubled}(?:e[ds]|ing)"


def _matches(label: str, points: float, place: Place, pattern: str) -> Said:
    return Said(label, points, place, re.compile(pattern, re.IGNORECASE))


_BEFORE_FIX = r"(?:^|[:;,.\]\-&+/(] ?|\b(?:and|to|should|may|might|hopefully|quick|really|also|properly) (?=fix(?:ed)?\b))"
_ISSUE = r"(?:#|gh-|https?://\S+/(?:issues|pull)/)\d+"
_FEW_WORDS = r"(?:\S+ ){0,2}"
_OBJECT_ENDS = (
    r"(?:$|[.,;:)]|\s+(?:in|for|on|of|and|by|to|about|regarding|again|after|with|errors?|issues?|warnings?|problems?|failures?|fails?)\b)"
)
_UPKEEP_OBJECT = (
    r"(?:flake8|pep ?-?8|pycodestyle|pylint|lint(?:ing|er|s)?|mypy|isort|ruff|codacy|code ?style|styling|ci|travis|appveyor|tox|coverage|"
    r"builds?|packaging|setup\.py|badges?|type (?:hints?|annotations?)|typing|annotations?|import order|unused imports?|license|"
    r"merge conflicts?|conflicts?|version(?: number)?|requirements|translations?)"
)
_PROSE_OBJECT = (
    r"(?:whitespaces?|typos?|spelling|grammar|docs?|docstrings?|documentation|readme|change ?log|comments?|tests?|test ?cases?|"
    r"unit ?tests?|links?|examples?|indentation|style|formatting|deprecation warnings?|wording)"
)

FEATURE = "opens with a feature"
TOO_MUCH = "removes what is too much"
NO_FEATURE = frozenset({"adds what was missing", "allows what was refused"})
"""Labels that say of such an opening that it is none."""

SAID: tuple[Said, ...] = (
    _matches("opens with fix", 1.2, "subject", _BEFORE_FIX + r"(?:bug[- ]?)?fix(?:e[sd]|ing|up)?\b|\bbugs?\b|\b(?:bug|hot)-?fix"),
    _said("says fix", 2.0, "subject", r"fix(?:e[sd]|ing|up)?"),
    _said("names a failure", 2.5, "subject", r"""
        crash(?:e[sd]|ing)? | regress(?:ion|ions|ed)? | broken? | breaks? | breakage | unbreak\w* | segfault | dead-?lock | hangs? | stuck
        infinite (?:loop|recursion) | freez\w+ | off[- ]by[- ]one | past the end | cut off | truncat\w+ | overflow | underflow
        leak(?:s|ed|ing|age)? | race(?: condition)? | corrupt(?:s|ed|ion)? | traceback | garbled | mojibake | stale | los(?:t|es?|ing)
        mistaken(?:ly)? | (?:in)?correct(?:ly|ness)? | wrong(?:ly)? | erroneous\w* | bogus | spurious | inconsisten\w+ | accidental\w*
        inadvertent\w* | fail(?:s|ed|ing|ures?)? | faulty? | mis-?behav\w+ | unintended | not (?:work|handl|be)\w* | doesn'?t work
        forg[eo]t(?:s|ten)? | oops | chok(?:e[sd]?|ing) | blows? up | undefined | NaN | vulnerab\w+ | CVE-\d+ | injection
        [A-Z]\w+(?:Error|Exception)
    """),
    _said("mends", 2.0, "subject", r"""
        correct(?:ed|s|ing) | resolv(?:e[sd]?|ing) | repair(?:ed|s)? | mend(?:s|ed)? | solv(?:e[sd]?|ing) | work ?around | patch(?:es|ed)
        sanitiz\w+ | escap(?:e[sd]?|ing)
    """),
    _said("opens with correct", 2.0, "opening", _forms("""
        correct restore repair respect honor honour guard tolerate recover reset undo reverse swap unswap
    """)),
    _said("opens with a prohibition", 2.5, "opening", r"do not | don'?t | never | no longer | only | always | " + _forms("""
        stop avoid prevent disallow forbid refuse reject
    """)),
    _said("opens with a demand", 2.1, "opening", r"""
        mak(?:e|es|ing) sure | made sure | caught | kept | properly | correctly | account(?:s|ed|ing)? for | tak(?:e|es|ing) care
        fall ?back | defaults? to | be (?:more )?(?:careful|robust|strict|lenient) | explicitly | work (?:with|on|when|if)
    """ + _forms("""
        ensure force check verify validate detect limit require handle catch skip ignore preserve keep treat strip quote close wait retry
        relax join flush release unlock unsubscribe terminate clamp trim bail
    """)),
    _said("opens with a replacement", 0.5, "opening", "made | passthrough | " + _forms("""
        use make return raise set pass convert decode encode compare call let accept normalize normalise clear compute calculate load
    """)),
    _said("forbids or demands", 1.2, "subject", r"""
        does ?n[o']t | do ?n[o']t | is ?n[o']t | was ?n[o']t | can ?n?[o']t | cannot | should(?:n'?t)? | must(?:n'?t)? | never
        no (?:longer|more) | otherwise | instead of | rather than | prevent\w* | avoid\w* | proper(?:ly)? | handl(?:e[sd]?|ing)
        compatib\w+ | robust\w* | twice | works? (?:with|on|in|when|again|under|for) | before | un(?:able|handled) | missing
        when (?:there|no|the|it|a|an|using|not) | if (?:there|no|the|it|not) | even (?:if|when)
        invalid | unexpected | empty | edge[- ]cases? | corner[- ]cases? | null | None | problems? | issues? | errors? | exceptions?
    """),
    _matches("fixes an issue", 1.5, "message", rf"\bfix(?:e[sd])?[\s:]+(?:issues?\s*)?{_ISSUE}"),
    _matches("closes an issue", 0.7, "message", rf"\b(?:close[sd]?|resolve[sd]?)[\s:]+(?:issue\s*)?{_ISSUE}"),
    _said("speaks of a fix below", 0.8, "body", r"fix(?:e[sd]|ing)?"),
    _said("speaks of a failure below", 1.0, "body", r"""
        bug | crash\w* | regress\w* | broken? | traceback | wrong(?:ly)? | incorrect(?:ly)? | fail(?:s|ed|ing|ure)? | leak\w*
        race condition | deadlock\w* | errors? | instead | should | can(?:not|'t) | unexpected(?:ly)? | previously
        [A-Z]\w+(?:Error|Exception) | was not | were not | didn'?t | doesn'?t
    """),
    _said(FEATURE, -4.0, "opening", r"""
        add(?:s|ed|ing)? | support(?:s|ed|ing)? | implement(?:s|ed|ing)? | introduc\w+ | new | feature | enable | provide | creat\w+
        allow(?:s|ed|ing)? | initial | first | expose | extend | include | experimental | option(?:al)? | enh(?:ancement)?
    """),
    _said("adds what was missing", 0.8, "opening", "|".join(
        rf"add(?:s|ed|ing)? {_FEW_WORDS}{word}"
        for word in (
            "missing", "checks?", "guards?", "(?:error|exception|failure|None) handling", "fallback", "validation", "workaround", "fix",
            "timeout", "lock", "escaping",
        )
    )),
    _said("allows what was refused", 0.5, "opening", r"""
        (?:allow|support) (?:for )?(?:None|null|empty|missing|zero|negative|unicode|non-ascii|spaces?|windows|python ?[23])
    """),
    _said(TOO_MUCH, 2.2, "opening", "|".join(
        rf"(?:remov(?:e[sd]?|ing)|delet(?:e[sd]?|ing)|drop(?:s|ped|ping)?) (?:the |an? )?{word}"
        for word in (
            "extra", "duplicated?", "stray", "trailing", "leading", "spurious", "doubled?", "bogus", "wrong", "invalid", "erroneous",
            "accidental", "left-?over", "excess(?:ive)?", "unwanted",
        )
    )),
    _said("opens with tidying", -5.0, "opening", r"""
        refactor\w* | renam\w+ | mov(?:e[sd]?|ing) | clean(?:s|ed|ing)?(?: ?up)? | simplif\w+ | reformat\w* | reorgani[sz]\w+
        restructur\w+ | extract\w* | split | inline | tidy | dedup\w* | black(?:en|ed)? | lint\w* | flake8 | pep ?-?8 | isort | pyupgrade
        moderni[sz]\w+ | typing | type hints? | annotate | style | styling | format\w* | whitespace | indent\w* | re-?indent | cosmetic\w*
        alphabeti\w+ | sort imports | convert to f-?strings
    """),
    _said("opens with upkeep", -5.0, "opening", r"""
        docs? | document\w* | docstrings? | readme | change ?log | comments? | typos? | spelling | bump\w* | release\w* | prepare | version
        v?\d+\.\d+ | tests? | testing | coverage | ci | travis | tox | build | packag\w+ | setup | merge[sd]? | deprecat\w+ | translat\w+
        i18n | license | copyright | example | benchmark\w* | wip | post-?release | back to dev\w* | pin | unpin | upgrade | vendor\w*
        start\w* | begin\w* | more tests?
    """),
    _said("opens with change", -1.5, "opening", r"""
        updat\w+ | chang\w+ | improv\w+ | enhanc\w+ | tweak\w* | optimi[sz]\w+ | speed\w* | remov\w+ | delet\w+ | drop\w* | switch\w*
        replac\w+ | migrat\w+ | port\w* | rework\w* | rewrit\w+ | print\w* | log\w* | show | display | minor
    """),
    _matches("is about upkeep", -5.0, "subject", rf"\bfix(?:e[sd]|ing)? {_FEW_WORDS}{_UPKEEP_OBJECT}{_OBJECT_ENDS}"),
    _matches("is about prose or tests", -2.6, "subject", rf"\bfix(?:e[sd]|ing)? {_FEW_WORDS}{_PROSE_OBJECT}{_OBJECT_ENDS}"),
    _said("speaks of style checks", -2.5, "subject", r"""
        flake8 | pep ?-?8 | pylint | lint(?:er|ing)? | mypy | isort | code style | type (?:hints?|annotations?) | travis
    """),
    _said("speaks of tests", -1.5, "subject", r"""
        in tests? | to tests? | tests? (?:cases?|suite|run|race) | (?:unit|functional) tests? | test_\w+
    """),
    _said("speaks of prose", -1.2, "subject", "docstrings? | documentation | docs | typos? | spelling"),
    _said("speaks of a feature or tidying", -1.2, "subject", r"""
        refactor\w* | cleanups? | clean up | new (?:feature|option|argument|parameter|method|function|api) | deprecat\w+ | performance
        (?:add|adds|added) (?:a |an |new |support|option|tests?) | faster | speed ?up
    """),
)  # fmt: skip

TYPES = {
    "fix": 3.0, "fixes": 3.0, "fixed": 3.0, "bf": 3.0, "bugfix": 3.0, "hotfix": 3.0, "bug": 3.0, "security": 2.5, "sec": 2.5, "patch": 1.0,
    "feat": -6.0, "feature": -6.0, "chore": -6.0, "docs": -6.0, "doc": -6.0, "style": -6.0, "refactor": -6.0, "refact": -6.0,
    "test": -6.0, "tests": -6.0, "ci": -6.0, "build": -6.0, "release": -6.0, "deps": -6.0, "perf": -3.0, "lint": -6.0, "bump": -6.0,
    "typo": -6.0, "enh": -4.0, "tox": -6.0, "gitignore": -6.0, "readme": -6.0, "changelog": -6.0, "travis": -6.0, "mypy": -6.0,
    "ruff": -6.0, "pre-commit": -6.0, "typing": -6.0, "maint": -4.0, "mnt": -4.0, "cln": -6.0, "tst": -6.0, "typ": -6.0, "wip": -2.0,
}  # fmt: skip
"""Types of Conventional Commits, and their like in older projects."""

PICTURES: tuple[tuple[str, float, re.Pattern[str]], ...] = (
    ("picture of a bug", 3.0, re.compile(r"\U0001f41b|:bug:|\U0001f691|:ambulance:|\U0001fa79|:adhesive_bandage:")),
    ("picture of a lock", 2.0, re.compile(r"\U0001f512|:lock:")),
    ("picture of something new", -5.0, re.compile(r"[\u2728\U0001f389\u267b\U0001f3a8\u26a1]|:(?:sparkles|tada|recycle|art|zap):")),
    ("picture of upkeep", -5.0, re.compile(
        r"[\U0001f4dd\u270f\u2b06\U0001f516\U0001f477\U0001f310\u2705\U0001f6a8\U0001f527\U0001f525]"
        r"|:(?:memo|pencil2?|arrow_up|bookmark|construction_worker|globe_with_meridians|white_check_mark|rotating_light|wrench|fire):")),
)  # fmt: skip
"""Gitmoji, at the beginning of a subject."""

TAGS = re.compile(
    r"^(?:\[[^\]]*\]\s*|(?:refs?|issue|bug|ticket|story|gh|pr)[ -]?#?\d+\s*(?:--?|:)\s+|\(?(?:gh-)?#?\d+\)?[:.]?\s+"
    r"|(?!add|support|new|impl|intro|refactor|fix)[\w./-]+ [\w./-]+:\s+|[\w./-]+(?:\([^)]*\))?!?:\s+|:\w+:\s*|[^\w\s\"'`(\[#]+\s*)*",
    re.IGNORECASE,
)
"""What projects put before the subject proper: a part's name, an issue's number, a little picture."""
