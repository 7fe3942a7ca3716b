"""Judging an import: is it offered as plausible, or quarantined until the user has looked at it?

A memory is read by programs and perhaps by a model, so a planted one can do harm twice: by what its fix does, and by what
its words ask for (MINJA, MemoryGraft; OWASP ASI06). Single-entry filters miss much; what passes is still only plausible,
verified before it is offered, and shown as a diff.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain, groupby
from unicodedata import normalize

from memory.parts import changed_parts
from memory.records import to_lf
from memory.trust_access import more_lenient
from memory.trust_conditions import useless_conditions
from memory.trust_exposures import EXPOSURES
from memory.trust_joined import joined_words
from memory.trust_names import false_names
from memory.trust_orders import ORDERS, ROLES
from memory.trust_patterns import ACTING, ADDRESS, CONSTRUCTS, GUARDS, SLIPS, UNSEEN, Construct
from memory.trust_protection import lost_protections
from memory.trust_shape import odd_shapes, without_gaps
from memory.trust_stretch import changed_stretches
from memory.trust_text import decoded, mixed_word, plain, readings
from schema.experience import Experience
from utils.redact import redact

_COMMENT = re.compile(
    r"#[^\n]*|//[^\n]*|/\*(?:.*?\*/|.*)|<!--(?:.*?-->|.*)|--[ \t][^\n]*|\"\"\"(?:.*?\"\"\"|.*)|'''(?:.*?'''|.*)", re.DOTALL
)
"""What is never closed ends with the text, so that many openings take linear time."""
_SAID_ONLY = re.compile(
    r"(?m:(?<!\S)#(?![{!]|[ \t]*(?:define|if|undef))[^\n]*|(?<![:\S])//[^\n]*|(?<!\S)--[ \t][^\n]*)|/\*(?:.*?\*/|.*)", re.DOTALL
)
"""Comments, certain to be such."""
_IMPORT_LINE = re.compile(r"^\s*(?:import\b|from\b.*\bimport\b|use\b|using\b|#\s*include\b|(?:const|let|var)\b.*\brequire\()")
_ASSERT = re.compile(r"^[ \t]*(?:assert\b|(?:debug_)?assert!?\s*\()", re.MULTILINE)
_TEST = re.compile(r"\b(?:if|raise|throw|unless|guard|panic)\b")
_LONG_STRING = re.compile(r"\"\"\"(?:.*?\"\"\"|.*)|'''(?:.*?'''|.*)", re.DOTALL)
_SHOWN = 60
_SPREAD = 2
"""A call that is written anew may be spread over so many more lines."""
_A_SLIP = 0.8
"""Lines that are so much alike (0-1) differ by a wrong name."""


def reason_to_quarantine(experience: Experience) -> str:
    """One sentence that says why the import must be looked at; empty when nothing was found."""
    return next(_reasons(experience), "")


def is_suspicious(text: str) -> bool:
    """True for words that hide something or give orders: they are not repeated."""
    return any(chain(_hidden("", text), _disguised(text, ""), _orders(text, "")))


def _reasons(experience: Experience) -> Iterator[str]:
    """The worst kind first."""
    yield from odd_shapes(to_lf(experience.code), to_lf(experience.fixed_code), experience.explanation)
    buggy, fixed = without_gaps(to_lf(experience.code)), without_gaps(to_lf(experience.fixed_code))
    prose = without_gaps(_prose(experience))
    added = _added_text(buggy, fixed)
    yield from _hidden(buggy, fixed + prose)
    yield from _disguised(prose, added)
    yield from false_names(buggy, fixed, added)
    yield from _orders(prose, added)
    yield from _secrets(fixed, prose)
    yield from (f"its fix puts the word {word!r} together" for word in joined_words(added))
    yield from _changes(buggy, fixed, experience.language)
    if not _is_excused(buggy, fixed):
        return
    for part in changed_parts(buggy, fixed, experience.language):
        yield from _changes(to_lf(part.code), to_lf(part.fixed_code), experience.language)


def _is_excused(buggy: str, fixed: str) -> bool:
    """True when the fix has something dangerous that the rest of the file has, too.

    A function is offered by itself as well: what stands elsewhere is no excuse for it.
    """
    _, changed = changed_stretches(buggy, fixed)
    return any(each.pattern.search(changed) and each.pattern.search(buggy) for each in (*CONSTRUCTS, *EXPOSURES))


def _changes(buggy: str, fixed: str, language: str) -> Iterator[str]:
    """What the fix does that must be looked at. What only a comment says neither does nor guards anything."""
    said, kept = without_comments(buggy), without_comments(fixed)
    yield from _constructs(buggy, fixed, language)
    yield from _addresses(buggy, fixed)
    yield from _lost_guards(said, kept)
    yield from lost_protections(said, kept)
    yield from more_lenient(said, kept)
    yield from useless_conditions(said, kept)


def _prose(experience: Experience) -> str:
    """All words that come with the code: where it says it comes from is shown and read, too."""
    origin = experience.provenance
    findings = "\n".join(f"{finding.message}\n{finding.suggestion}\n{finding.rule_id}" for finding in experience.findings)
    return f"{experience.explanation}\n{findings}\n{origin.ref}\n{origin.author}\n{origin.license}"


def _added_text(buggy: str, fixed: str) -> str:
    """The lines of the fix that the buggy code does not have."""
    known = {line.strip() for line in buggy.splitlines()}
    return "\n".join(line for line in fixed.splitlines() if line.strip() not in known)


def _hidden(buggy: str, text: str) -> Iterator[str]:
    known = Counter(UNSEEN.findall(buggy))
    for character, count in Counter(UNSEEN.findall(text)).items():
        if count > known[character]:
            yield f"it holds characters that hide or reorder text (U+{ord(character):04X})"
            return


def _disguised(prose: str, added: str) -> Iterator[str]:
    """Words that pretend to be others, and readable text that is encoded."""
    if word := mixed_word(f"{prose}\n{added}"):
        yield f"it holds a word of letters from two scripts ({word[:_SHOWN]!r})"
    if text := next(decoded(f"{prose}\n{added}"), ""):
        yield f"it holds encoded text ({text[:_SHOWN]!r})"


def _orders(prose: str, added: str) -> Iterator[str]:
    """Instruction-like text in the explanation, the findings, or the comments and strings that the fix adds."""
    comments = "\n".join(match.group() for match in _COMMENT.finditer(added))
    spoken = f"{prose}\n{comments}"
    for what, pattern in ROLES:
        if match := pattern.search(plain(spoken)):
            yield f"its text {what}: {_shown(match)}"
            return
    texts = dict.fromkeys([*readings(spoken), *readings(added)])
    for what, pattern in ORDERS:
        if match := next(filter(None, map(pattern.search, texts)), None):
            yield f"its text {what}: {_shown(match)}"
            return


def _secrets(fixed: str, prose: str) -> Iterator[str]:
    found = redact(f"{fixed}\n{prose}").secrets
    if found:
        yield f"it holds a secret ({found[0].kind})"


def _constructs(buggy: str, fixed: str, language: str) -> Iterator[str]:
    """Families of calls that the buggy code lacks, unless the fix merely replaces one call of a kind by another."""
    changed = normalize("NFKC", changed_stretches(buggy, fixed)[1])
    used = _used(buggy)
    for danger, group in groupby((*CONSTRUCTS, *EXPOSURES), key=lambda construct: construct.danger):
        constructs = [construct for construct in group if not construct.languages or language in construct.languages]
        after = _places(changed, constructs)
        if not after:
            continue
        is_said = danger == "switching a check off" or _is_slip(danger, buggy, changed, constructs)
        before = _places(buggy if is_said else used, constructs)
        new = sorted(set(after) - set(before))
        more = _calls(fixed, constructs) - _replaceable(used, fixed, constructs)
        if (new and (not before or more > 0)) or (danger in ACTING and more > 0):
            shown = after[new[0]] if new else next(iter(after.values()))
            yield f"its fix adds {danger} ({shown}) that the buggy code does not have"


def _replaceable(used: str, fixed: str, constructs: list[Construct]) -> int:
    """Lines with a call of that kind that the fix may have: as many as there were, and some more where it writes one of them anew."""
    lines = [line.strip() for line in used.splitlines() if any(construct.pattern.search(line) for construct in constructs)]
    kept = {line.strip() for line in fixed.splitlines()}
    return len(lines) if all(line in kept for line in lines) else 2 * len(lines) + _SPREAD


def _used(buggy: str) -> str:
    """The buggy code without its imports, comments and long strings: what is only named there is not used."""
    used = without_comments("\n".join(line for line in buggy.splitlines() if not _IMPORT_LINE.match(line)))
    return _LONG_STRING.sub("", used)


def without_comments(text: str) -> str:
    """The text without what is certain to be a comment."""
    return _SAID_ONLY.sub("", text)


def _is_slip(danger: str, buggy: str, changed: str, constructs: list[Construct]) -> bool:
    """True when each new call stands on a line that the buggy code has with a slip in it: there the import says what was meant."""
    if danger not in SLIPS or _places(_used(buggy), constructs):
        return False
    old = buggy.splitlines()
    lines = [
        line for line in changed.splitlines() if not _IMPORT_LINE.match(line) and any(each.pattern.search(line) for each in constructs)
    ]
    return all(any(SequenceMatcher(None, line, each, autojunk=False).ratio() >= _A_SLIP for each in old) for line in lines)


def _places(text: str, constructs: list[Construct]) -> dict[str, str]:
    """The families that occur, each with the first text that matched."""
    matches = ((construct.family, construct.pattern.search(text)) for construct in constructs)
    return {family: _shown(match) for family, match in matches if match is not None}


def _calls(text: str, constructs: list[Construct]) -> int:
    """Lines with a call of that kind, import lines aside."""
    lines = [line for line in text.splitlines() if not _IMPORT_LINE.match(line)]
    return sum(any(construct.pattern.search(line) for construct in constructs) for line in lines)


def _addresses(buggy: str, fixed: str) -> Iterator[str]:
    """A new host in the fix of code that uses the network."""
    known = set(ADDRESS.findall(buggy))
    new = [address for address in ADDRESS.findall(fixed) if address not in known]
    network = [construct for construct in CONSTRUCTS if construct.danger == "network access"]
    if new and any(construct.pattern.search(fixed) for construct in network):
        yield f"its fix adds a network address ({new[0][:_SHOWN]})"


def _lost_guards(buggy: str, fixed: str) -> Iterator[str]:
    """An access check that the fix takes away."""
    buggy, fixed = changed_stretches(buggy, fixed)
    lost = Counter(map(_guard, GUARDS.findall(buggy))) - Counter(map(_guard, GUARDS.findall(fixed)))
    if lost:
        yield f"its fix takes away an access check ({next(iter(lost))[:_SHOWN]})"
    asserts, tests = (len(pattern.findall(buggy)) - len(pattern.findall(fixed)) for pattern in (_ASSERT, _TEST))
    if asserts > 0 and tests >= 0:
        yield "its fix takes away an assertion"


def _guard(said: str) -> str:
    """The word of a guard, whatever module it comes from."""
    return said.lower().rpartition(".")[2].strip(" (@")


def _shown(match: re.Match[str]) -> str:
    """The matched text on one line, cut, for a message."""
    text = " ".join(match.group().split())
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
