"""Secrets beside a telling name where nothing is assigned: arguments of calls and commands, query strings, headers, SQL, XML.

`setenv("API_TOKEN", "...")`, `builder.password("...")`, `--token ...`, `?api_key=...`, `<password>...</password>`. Every pattern
begins with words that are looked for first, and every repetition is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from utils.secret_formats import Span
from utils.secret_names import is_placeholder, looks_random, names_itself

_WORD = r"(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|(?:api|access|auth|private|account)[_-]?keys?|credentials?)"
_NAME = rf"[\w.:-]{{0,40}}?{_WORD}(?:[_-]?(?:key|value|\d{{1,2}}))?"
_TEXT = r"(?P<secret>[^\s\"'`\\]{4,200})"
_BARE = r"(?P<secret>[^\s\"'`$<>{}()\[\];|&,\\]{6,200})"
_TAKES_A_NAME = (
    r"(?:setdefault|getenv|get|putenv|setenv|define|set_?property|set|put|env|fetch|get_?or_?default|set_?header|add_?header"
    r"|set_?request_?header|header|append|(?:query_?)?param)"
)
_HEADER = r"(?:token|key|secret|password)"

# (code, words of which one must occur in lower case, pattern)
_PATTERNS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("SE", ('",', "',", '" ,', "' ,"),
     rf"(?i)\b{_TAKES_A_NAME}\(\s{{0,4}}(?P<quote>[\"']){_NAME}(?P=quote)\s{{0,4}},\s{{0,4}}[bru]{{0,2}}(?P<second>[\"']){_TEXT}(?P=second)"),
    ("SE", ("key(", "token(", "secret(", "password(", "passwd(", "credential("),
     rf"(?i)(?:\b(?:set|with|use)_?[a-z]{{0,20}}?|\.){_WORD}\(\s{{0,4}}(?P<quote>[\"']){_TEXT}(?P=quote)\s{{0,4}}\)"),
    ("SE", ("define",), rf"(?i)#[ \t]{{0,4}}define[ \t]{{1,8}}\w{{0,40}}?{_WORD}\w{{0,10}}[ \t]{{1,20}}\"{_TEXT}\""),
    ("SE", ("env ",), rf"(?im)^[ \t]{{0,8}}ENV[ \t]{{1,4}}\w{{0,40}}?{_WORD}(?:_key)?[ \t]{{1,8}}{_BARE}[ \t]{{0,8}}$"),
    ("PW", ("machine",), r"\bmachine[ \t]{1,4}\S{1,100}\s{1,8}login[ \t]{1,4}\S{1,100}\s{1,8}password[ \t]{1,4}(?P<secret>\S{4,200})"),
    ("PW", ("create", "alter"),
     r"(?i)\b(?:create|alter)\s{1,4}(?:user|role|login)\b[^;\n]{0,200}?\b(?:password|identified\s{1,4}by)(?:\s{1,4}password)?\s{0,4}=?\s{0,4}"
     r"'(?P<secret>[^'\s\\]{4,100})'"),
    ("SE", ("</",), rf"(?i)<(?:\w{{1,20}}:)?[\w.-]{{0,30}}?{_WORD}>\s{{0,4}}(?P<secret>[^\s<>&]{{4,200}})\s{{0,4}}</"),
    ("SE", ("value=",), rf"(?i)(?:key|name)=\"{_NAME}\"\s{{1,8}}value=\"{_TEXT}\""),
    ("SE", ("--",), rf"(?i)(?<![\w-])--[\w-]{{0,30}}?{_WORD}(?:[= ]|\"\s{{0,2}},\s{{0,4}}\"|'\s{{0,2}},\s{{0,4}}'){_BARE}"),
    ("PW", ("curl",), r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,60}:(?P<secret>[^\s\"'`$<>{}]{4,100})"),
    ("PW", ("mysql",), r"\bmysql(?:dump|admin)?\b[^\n]{0,100}?[\s\"']-p(?P<secret>[^\s\"'`$<>{}]{6,60})"),
    ("SE", ("=",), rf"(?i)[?&][\w.-]{{0,20}}?{_WORD}=(?P<secret>[^\s&\"'`<>{{}}$#()]{{8,300}})"),
    ("SE", ("x-", "private-token"),
     rf"(?i)\b(?:x-[\w-]{{0,40}}?{_HEADER}|private-token)[\"']?\s{{0,2}}[:,=]\s{{0,2}}[\"'`]?(?P<secret>[^\s\"'`<>{{}}$,()]{{8,300}})"),
    ("PW", ("auth",),
     rf"(?i)(?:\bauth\s{{0,2}}=\s{{0,2}}|basic_?auth\w{{0,12}})\(\s{{0,4}}[\"'][^\"'\n]{{1,60}}[\"']\s{{0,4}},\s{{0,4}}(?P<quote>[\"']){_TEXT}(?P=quote)"),
    ("SE", (".password=", ".secret=", ".token=", "key="),
     rf"(?m)^[ \t]{{0,8}}[a-z][a-z0-9_-]{{0,30}}(?:\.[a-z0-9_-]{{1,30}}){{0,5}}\.{_WORD}={_BARE}[ \t]{{0,8}}$"),
)  # fmt: skip


def find_beside(text: str) -> Iterator[Span]:
    """Literals that stand beside a telling name and look like issued ones: a stand-in, a name or a plain word is none."""
    lowered = text.lower()
    for code, words, pattern in _PATTERNS:
        if any(word in lowered for word in words):
            for match in _compiled(pattern).finditer(text):
                if _is_secret(match.group("secret"), code):
                    yield Span(match.start("secret"), match.end("secret"), code)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a text first holds its words."""
    return re.compile(pattern)


def _is_secret(value: str, code: str) -> bool:
    """A password has a digit or a sign in it, anything else looks random; options and templates are neither."""
    if is_placeholder(value) or value.startswith(("-", "/", "./", "http")) or names_itself(value):
        return False
    if code == "PW":
        return any(not character.isalpha() for character in value)
    return looks_random(value)
