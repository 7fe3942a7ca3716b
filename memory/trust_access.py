"""Code that decides who may do what: a fix that makes the decision more lenient must be looked at, whatever bug it mends.

Read line by line, so that it holds in all languages and for code that does not parse. A *refusal* is a statement that turns somebody away
(raise, return false, 403), a *grant* one that lets them in. What is lost and gained is counted over the lines that the fix changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from memory.trust_text import words_of

_ABOUT = words_of(
    "auth authenticate authenticated authenticator authentication authorize authorized authorise authorised authorization "
    "authorizer login logon signin password passwd passphrase credential credentials permission permissions permit permitted "
    "privilege privileged role roles admin administrator superuser staff owner access allow allowed denied deny forbidden grant "
    "granted csrf xsrf jwt signature signatures signed verify verified verifier hmac otp totp mfa captcha locked lockout attempts "
    "throttle limiter quota secret secrets token tokens session sessions acl trusted untrusted guest sudo editors moderator "
    "clearance apikey unauthorized unauthorised entitled scopes badge tenant banned blocked blacklist blacklisted whitelist "
    "allowlist denylist impersonate mac"
)
"""Words of names in code that decides on access."""
_STRONG = _ABOUT - words_of(
    "token tokens access owner allow allowed staff role roles session sessions locked attempts editors guest scopes secret secrets "
    "signed deny grant permit permission permissions limiter quota badge blocked mac"
)
"""Those that occur nowhere else; of the others two different ones are needed."""
_COMPARED_SECRETS = frozenset({"mac", "hmac", "digest", "signature"})
_MODAL = re.compile(r"\b(?:can|may)(?:_[a-z]|[A-Z])\w*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")

_REFUSAL = re.compile(
    r"\b(?:raise|throw|panic!?|abort|exit|die|deny|reject|forbid|bail!|unauthori[sz]ed\w*|forbidden|halt|SIGNAL)\b"
    r"|\breturn\b[\s(]*(?:false|False|FALSE|None|nil|null|NULL|-1|Err\b|errors?\b|nil,\s*\w*[eE]rr)|\breturn\b[^\n]*\b40[139]\b"
    r"|\bErr\(|\bstatus(?:Code)?\s*(?:\(|=)\s*40[139]\b|\bSendStatus\(40|\bhttp\.Error\(|\breturn\s+err\b|\breturn 1\b"
)
_GRANT = re.compile(r"\breturn\b[\s(]*(?:true|True|TRUE)\b|\b(?:Ok|Some)\(true\)|\breturn next\(\)|\breturn 0\s*;?\s*$")
_CONDITION = re.compile(r"\b(?:if|elif|elsif|unless|while|when|guard|return|case|WHERE|AND|assert)\b|\?|&&|\|\|", re.IGNORECASE)
_OR = re.compile(r"(?:\|\||\b(?:or|OR)\b)(?!\s*(?:b?\"\"|''|\[\]|\{\}|None\b|null\b|undefined\b|\d))")
"""Another operand, not a default value."""
_AND = re.compile(r"&&|\band\b|\bAND\b")
_BEFORE = re.compile(r"(?:[!=]==?|\bis(?:\s+not)?|\bin|\.equals\(|\.Equals\(|\beq|<>|-eq|-ne|=~)\s*$")
_AFTER = re.compile(r"\s*(?:[!=]==?|\.equals\(|\.Equals\()")
_CATCH = re.compile(r"\bcatch\b|\bexcept\b|\brescue\b")
_BITS = re.compile(r"(?<![&|])[&|^](?![&|])=?")
_IDENTITY = re.compile(
    r"\bis\s+(?:not\s+)?(?!None\b|True\b|False\b|not\b|Ellipsis\b|NotImplemented\b|_|[A-Z])(?:[a-z][\w.]*|\"[^\"]*\"|'[^']*'|\d+)"
)
_SAME = re.compile(r"(?<![!=<>])===?(?!=)|\bis\b(?!\s+not\b)|(?<!!)\b\w*\.equals\(")
_OTHER = re.compile(r"!==?|<>|\bis\s+not\b|!\s*\w+(?:\.\w+)*\.equals\(")
_CALL = re.compile(r"\b(\w+[?!]?)\s*\(")
_ASKING = words_of(
    "allow allowed allows permit permitted check checked checks verify verified verifies validate validated valid authorize authorized"
    " authorise authenticate authenticated require required requires admit can may is has includes contains matches match limit throttle"
    " enforce guard protect accept accepts owns grants covers equals compare equal"
)
_RESULT = re.compile(r"\breturn\b[^\n]*(?:[=!<>]=|\bin\b|\bis\b|\band\b|&&|\w\()")


@dataclass(frozen=True)
class _Side:
    """The lines that only one side has, and that whole side. Comments and strings are still there."""

    changed: tuple[str, ...]
    lines: tuple[str, ...]

    def count(self, pattern: re.Pattern[str]) -> int:
        return sum(len(pattern.findall(_bare(line))) for line in self.changed)

    def lenient(self, pattern: re.Pattern[str]) -> int:
        """Matches on changed lines with a condition that turns nobody away."""
        return sum(len(pattern.findall(_bare(line))) for line in self.changed if _CONDITION.search(line) and not self._refuses(line))

    @property
    def narrowed(self) -> int:
        """Conditions that must hold together before somebody is turned away, on changed lines."""
        return sum(len(_AND.findall(_bare(line))) for line in self.changed if _CONDITION.search(line) and self._refuses(line))

    def bits(self) -> set[str]:
        """The signs that combine bits on changed lines."""
        return {sign.strip("=") for line in self.changed for sign in _BITS.findall(_bare(line))}

    def _refuses(self, line: str) -> bool:
        """True when the line, or the next one that says something, is a refusal."""
        if _REFUSAL.search(line):
            return True
        following = iter(self.lines)
        return any(each == line for each in following) and bool(
            _REFUSAL.search(next((each for each in following if each.strip(" {}\t")), ""))
        )


def decides_access(text: str) -> bool:
    """True when names in the code speak of access: one word that is used for nothing else, or two of the others."""
    words = _words(text)
    return bool(words & (_STRONG | _COMPARED_SECRETS)) or len(words & _ABOUT) > 1 or bool(_MODAL.search(_STRING.sub('""', text)))


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(_STRING.sub('""', text))}


def _caught(text: str) -> int:
    """Handlers whose first statement is no refusal."""
    lines = [line for line in text.split("\n") if line.strip(" {}();\t")]
    pairs = zip(lines, [*lines[1:], ""], strict=False)
    return sum(bool(_CATCH.search(_bare(line))) and not _REFUSAL.search(line) and not _REFUSAL.search(after) for line, after in pairs)


def more_lenient(buggy: str, fixed: str) -> Iterator[str]:
    """Why the fix of code that decides on access must be looked at; nothing for other code."""
    if not decides_access(buggy):
        return
    before, after = _sides(buggy, fixed)
    if _is_less_strict(buggy, fixed):
        yield "its fix takes away a refusal in code that decides on access"
    lost, new = _checks(buggy) - _checks(fixed), _checks(fixed) - _checks(buggy)
    if lost and not new:
        yield f"its fix no longer asks {min(lost)} in code that decides on access"
    if after.count(_GRANT) > before.count(_GRANT) and _total(fixed, _GRANT) > _total(buggy, _GRANT):
        yield "its fix lets more through in code that decides on access"
    if after.lenient(_OR) > before.lenient(_OR):
        yield "its fix adds another way in to code that decides on access"
    if before.lenient(_AND) > after.lenient(_AND):
        yield "its fix takes a condition away in code that decides on access"
    if after.narrowed > before.narrowed:
        yield "its fix makes a refusal rarer in code that decides on access"
    if _caught(fixed) > _caught(buggy):
        yield "its fix catches an error and goes on in code that decides on access"
    if _words(buggy) & _COMPARED_SECRETS and after.bits() - before.bits():
        yield "its fix changes how a signature is compared"
    yield from _other_comparison(before, after, buggy)


def _is_less_strict(buggy: str, fixed: str) -> bool:
    """Refusals are gone, and not because `return condition` stands for both answers now."""
    refusals, grants = (_total(buggy, pattern) - _total(fixed, pattern) for pattern in (_REFUSAL, _GRANT))
    return refusals > max(0, grants if _RESULT.search(fixed) else 0)


def _checks(text: str) -> set[str]:
    """Names of calls that ask something."""
    return {name for name in _CALL.findall(_STRING.sub('""', text)) if {word.lower() for word in _WORD.findall(name)} & _ASKING}


def _other_comparison(before: _Side, after: _Side, buggy: str) -> Iterator[str]:
    new = [said for line in after.changed for said in _compared(line) if said not in buggy]
    if new:
        yield f"its fix compares with {new[0][:40]} in code that decides on access"
    if after.count(_IDENTITY) > before.count(_IDENTITY):
        yield "its fix compares identities instead of values in code that decides on access"
    if after.lenient(_OTHER) > before.lenient(_OTHER) and after.lenient(_SAME) < before.lenient(_SAME):
        yield "its fix turns a comparison round in code that decides on access"


def _compared(line: str) -> Iterator[str]:
    """The strings of a line that something is compared with."""
    for match in _STRING.finditer(line):
        if _BEFORE.search(line[: match.start()]) or _AFTER.match(line, match.end()):
            yield match.group()[1:-1]


def _sides(buggy: str, fixed: str) -> tuple[_Side, _Side]:
    old, new = buggy.split("\n"), fixed.split("\n")
    gone, come = Counter(map(str.strip, old)), Counter(map(str.strip, new))
    return _Side(_only(old, gone - come), tuple(old)), _Side(_only(new, come - gone), tuple(new))


def _only(lines: list[str], wanted: Counter[str]) -> tuple[str, ...]:
    left = Counter(wanted)
    kept = []
    for line in lines:
        if left[line.strip()] > 0 and line.strip():
            left[line.strip()] -= 1
            kept.append(line)
    return tuple(kept)


def _total(text: str, pattern: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(_bare(line))) for line in text.split("\n"))


def _bare(line: str) -> str:
    """The line without what its strings say and without a comment."""
    return re.sub(r"(?<![:\w])(?://|#|--\s).*", "", _STRING.sub('""', line))
