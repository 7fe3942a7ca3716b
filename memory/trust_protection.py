"""Protections that a fix must not lose, counted by kind (one may replace another of its kind), and limits that it must not lift."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.trust_stretch import changed_stretches

PROTECTIONS: dict[str, re.Pattern[str]] = {
    "random numbers that can't be guessed": re.compile(
        r"(?<![\w.])secrets\s*\.\s*\w+|\burandom\b|\bSystemRandom\b|\bSecureRandom\b|\brandomBytes\b|\bgetRandomValues\b|\brandomUUID\b"
        r"|\brandom_bytes\b|\brandom_int\b|\bcrypto/rand\b|\bOsRng\b|\bRandomNumberGenerator\b|\bRNGCryptoServiceProvider\b"
        r"|\bopenssl rand\b|\barc4random\w*|\bgetrandom\b"
    ),
    "a hash for passwords": re.compile(
        r"\bpassword_hash\b|\bpassword_verify\b|\bbcrypt\b|\bscrypt\b|\bargon2\w*|\bpbkdf2\w*|\bPBKDF2\w*|\bRfc2898DeriveBytes\b",
        re.IGNORECASE,
    ),
    "a keyed or strong hash": re.compile(r"\bhmac\b|\bsha-?(?:2|3|256|384|512)(?!\d)|\bsha3_\w+|\bblake[23]\w*", re.IGNORECASE),
    "a comparison in constant time": re.compile(
        r"\bcompare_digest\b|\bhash_equals\b|\btimingSafeEqual\b|\bConstantTimeCompare\b|\bsecure_compare\b|\bconstant_time_eq\b"
        r"|\bMessageDigest\.isEqual\b|\bFixedTimeEquals\b|\bhmac\.Equal\b|\bct_eq\b|\bCRYPTO_memcmp\b"
    ),
    "authenticated encryption": re.compile(
        r"\bGCM\b|\bAESGCM\b|\bPoly1305\b|\bFernet\b|\bsecretbox\b|\bXSalsa20\w*|\bCCM\b|\bAesGcm\b", re.IGNORECASE
    ),
    "encryption": re.compile(r"\bTLS\b|\bhttps://|\bssl\b|\bencrypt\w*\s*\(|\bseal\s*\(|\bcreate_default_context\b", re.IGNORECASE),
    "a safe reader": re.compile(
        r"\bsafe_load\w*|\bSafeLoader\b|\bliteral_eval\b|\bdefusedxml\b|\bcreate_default_context\b|\byaml\.safeLoad\b"
    ),
    "a match of the whole text": re.compile(r"\bfullmatch\b|\\A.{0,200}\\[zZ]|[\"'`/]\^[^\"'`\n]*\$[\"'`/]"),
    "a check of the path": re.compile(
        r"\bis_relative_to\b|\brelative_to\s*\(|\brealpath\b|\bcommon(?:path|prefix)\b|\.resolve\s*\(\s*\)|\bgetCanonicalPath\b|\bcanonicalize\b"
        r"|\bsecure_filename\b|\bfilepath\.(?:Clean|Rel|EvalSymlinks|IsLocal)\b|\bbasename\b|\btoRealPath\b|\bGetFullPath\b|\bnormalize\s*\(\s*\)"
        r"|[\"']\.\.[/\"']"
    ),
    "a copy with a limit": re.compile(
        r"\bstrncpy\b|\bstrlcpy\b|\bstrncat\b|\bstrlcat\b|\bsnprintf\b|\bvsnprintf\b|\bfgets\b|\bmemcpy_s\b|\bstrcpy_s\b|\bsizeof\b|\bLimitReader\b"
    ),
    "values that are bound to a statement": re.compile(
        r"(?is:(?:\bselect\b|\binsert\b|\bupdate\b|\bdelete\b|\bwhere\b|\bvalues\b)[^\"'`;]{0,300}?(?:=|\(|,|\bin\b|\blike\b|\blimit\b|[<>])\s*"
        r"(?:\?|%s|%\(\w+\)s|:\w+|\$\d|@\w+))|\bbind_?(?:param|value)\w*|\bset(?:String|Int|Long|Object)\s*\(\s*\d"
    ),
    "a mark that keeps a cookie in": re.compile(r"\bhttp_?only\b|\bsame_?site\b|\bsecure['\"]?\s*[:=]\s*true\b", re.IGNORECASE),
    "a guard of the prototype": re.compile(r"__proto__|\bhasOwnProperty\b|\bObject\.hasOwn\b|\bObject\.create\(null\)|\bObject\.freeze\b"),
    "escaping": re.compile(
        r"\b\w*(?:escape|sanitiz|sanitis|htmlspecialchars|htmlentities|encodeURI|quote_?(?:plus|ident|literal)|shlex|escapeshell|purify|bleach)\w*"
        r"|\btextContent\b|\bcreateTextNode\b|\bh\s*\((?=\w)|\bstrip_tags\b",
        re.IGNORECASE,
    ),
    "a check": re.compile(
        r"\b(?:\w*_)?(?:check|verify|validate|require|authori[sz]e|authenticate|allow|permit|throttle|limit|enforce|guard|protect"
        r"|assert_?valid|deny|confirm)(?:_\w+)?!?\??\s*\(|\b\w*(?:Check|Verify|Validate|Require|Authori[sz]e|Allow|Permit|Throttle|Limit"
        r"|Enforce|Protect)\w*\s*\(|\bbefore_action\b|\bmiddleware\s*\(|\bwith_(?:auth|limit)\w*|\b(?:verify|validate|check|authenticate)[A-Z]\w*\s*\("
    ),
    "a lock": re.compile(r"\bFOR UPDATE\b|\bO_EXCL\b|\bO_NOFOLLOW\b|\bflock\b|\bsynchronized\b|\b(?:RW)?[mM]utex\b|\bLock\(\)"),
    "the condition of a DELETE or UPDATE": re.compile(r"(?is:\b(?:delete\s+from|update)\s+[\w.\"`\[\]]+[^;]{0,400}?\bwhere\b)"),
}
"""Kinds of protection with what is one of that kind."""

_LIMIT_WORD = re.compile(
    r"(?i:max|limit|attempt|retr|fail|lock|timeout|ttl|expir|age|quota|rate|size|length|count|rounds|iterations|cost|min)\w*"
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?![\w.])")
_LISTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_LIST_OF_ALLOWED = re.compile(r"(?i:\b\w*(?:allow|permit|trusted|white|accept|safe|exempt|public|valid)\w*)\s*(?:=|:|:=|=>)|\bin_array\b")
_LIFTED = 20
"""A limit so many times as high is none."""


def lost_protections(buggy: str, fixed: str) -> Iterator[str]:
    """Why the fix must be looked at: it has fewer of a kind of protection, or a limit that no longer limits."""
    old, new = changed_stretches(buggy, fixed)
    for kind, pattern in PROTECTIONS.items():
        before, after = (buggy, fixed) if kind in _OVER_LINES else (old, new)
        had = len(pattern.findall(before))
        is_fewer = had > 0 and len(pattern.findall(after)) < had
        if is_fewer and (kind not in _ONLY_WHEN_GONE or not pattern.search(fixed)):
            yield f"its fix takes away {kind}"
    yield from _lifted(old, new)


_OVER_LINES = frozenset({"the condition of a DELETE or UPDATE", "values that are bound to a statement", "a match of the whole text"})
"""Kinds whose signs stand some lines apart."""
_ONLY_WHEN_GONE = frozenset(
    {
        "a check",
        "escaping",
        "a check of the path",
        "a copy with a limit",
        "a lock",
        "encryption",
        "a match of the whole text",
        "values that are bound to a statement",
        "random numbers that can't be guessed",
        "a keyed or strong hash",
        "a guard of the prototype",
    }
)
"""Kinds of which an honest fix drops a surplus one."""


def _lifted(buggy: str, fixed: str) -> Iterator[str]:
    """Pairs of lines that differ in their numbers or listed words only."""
    known = {_skeleton(line): line for line in buggy.split("\n") if line.strip()}
    for line in fixed.split("\n"):
        old = known.get(_skeleton(line))
        if old is None or old == line:
            continue
        if _LIMIT_WORD.search(line) and _is_lifted(old, line):
            yield "its fix lifts a limit"
        if _LIST_OF_ALLOWED.search(line) and set(_LISTED.findall(line)) > set(_LISTED.findall(old)):
            yield "its fix widens a list of what is allowed"


def _skeleton(line: str) -> str:
    """The line without its numbers, and with any number of listed words as one."""
    return re.sub(r"(?:S\s*,\s*)+S", "S", _LISTED.sub("S", _NUMBER.sub("N", line.strip())))


def _is_lifted(old: str, new: str) -> bool:
    pairs = zip(_numbers(old), _numbers(new), strict=False)
    return any(before > 0 and (after >= _LIFTED * before or (after == 0 and before > 1)) for before, after in pairs)


def _numbers(line: str) -> list[int]:
    return [int(each.replace("_", "")) for each in _NUMBER.findall(line) if each.replace("_", "").isdigit()]
