"""Secrets that only the name they are assigned to gives away: `password = "..."`, `"api_key": "..."`, `DB_TOKEN=...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from utils.secret_formats import Span

_NAME = re.compile(
    r"(?i)(?P<word>passwords?|passwd|passphrase|passcode|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?key|auth[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|private[_-]?key|account[_-]?key|credentials?)"
    r"(?P<rest>(?:[_-]?(?:access[_-]?)?(?:key[_-]?base|key|value|string|str|text|hex|b64|base64|bytes|prod|production|dev|staging|live|default|"
    r"\d{1,3}))?)"
    r"(?P<close>[\"']?\]?)"
    r"(?P<type>[ \t]{0,4}:[ \t]{0,4}[A-Za-z_&][\w.<>|&' ]{0,40}?(?==)"
    r"|[ \t]{0,4}\{[ \t]{0,4}get;[ \w;]{0,30}\}|[ \t]{1,4}[A-Za-z_]\w{0,20}(?=[ \t]{0,4}=[^=])"
    r"|[ \t]{0,2}\[\d{0,6}\])?"
    r"[ \t]{0,20}(?P<operator>=>|:=|==|!=|===|=|:)[ \t]{0,20}(?:[(\\]?[ \t]{0,8}\n[ \t]{0,40})?"
    r"(?P<prefix>[rRbBuUL@]{0,2})(?P<quote>\"{3}|'{3}|[\"'`])"
)
_WORD = re.compile(r"passw|passp|passc|pwd|secret|token|(?:api|access|auth|signing|encryption|private|account)[_-]?key|credential")
_ENVIRONMENT = re.compile(
    r"(?m)^[ \t]{0,8}(?:export[ \t]{1,4}|set[ \t]{1,4}|ENV[ \t]{1,4}|-[ \t]{1,4})?"
    r"[A-Z0-9_]{0,40}(?P<word>PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_KEY|PRIVATE_KEY)(?:_KEY)?"
    r"=(?P<secret>[^\s\"'`$#;(){}\[\]<>,]{6,200})[ \t]{0,8}$"
)
_YAML = re.compile(
    r"(?m)^[ \t]{0,40}(?:- )?[\w.-]{0,40}?(?i:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)(?i:[_-]?key)?"
    r":[ \t]{1,4}(?P<secret>[^\s\"'`$#;(){}\[\]<>,:&*|]{8,200})[ \t]{0,8}$"
)

_PASSWORDS = ("pass", "pwd")
_NEVER_BEFORE = re.compile(
    r"(?i)(?:no|not|invalid|missing|wrong|bad|empty|unknown|forgot|forgotten|reset|change|confirm|repeat|old|new|show|hide|is|has"
    r"|enter|next|prev|"
    r"start|end|stop|pad|mask|unk|bos|eos|sep|cls|special|first|last|cancellation|cancel|page|continuation|lexer|syntax|query|"
    r"placeholder|label|type|name|field|input|url|path|file|event|action|scope|public|public_?key|design|css|theme|color)[_-]?$"
)
_PLACEHOLDER_WORDS = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pass",
        "pwd",
        "pw",
        "secret",
        "secrets",
        "token",
        "tokens",
        "key",
        "apikey",
        "api_key",
        "api-key",
        "access_key",
        "credential",
        "credentials",
        "changeme",
        "change-me",
        "change_me",
        "change-this",
        "todo",
        "tbd",
        "fixme",
        "none",
        "null",
        "nil",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "empty",
        "default",
        "required",
        "optional",
        "string",
        "str",
        "text",
        "bytes",
        "value",
        "example",
        "sample",
        "dummy",
        "fake",
        "test",
        "testing",
        "placeholder",
        "redacted",
        "hidden",
        "masked",
        "removed",
        "username",
        "user",
        "admin_password",
        "unused",
        "ignored",
        "secret_key",
        "secretkey",
        "client_secret",
        "my_secret",
        "mysecret",
        "mypassword",
        "my_password",
        "my-password",
        "yourpassword",
        "optional_token",
        "bearer",
        "basic",
        "oauth",
        "oauth2",
        "jwt",
        "refresh",
        "access",
        "csrf",
    ]
)
_PLACEHOLDER = re.compile(
    r"(?i)(.)\1*$|<[^>]*>$|\[[^\]]*\]$|.*[{}]|.*\$[\w({]|.*%[sdr(]|.*\{\{|your[ _.-]?|my[ _-](?:api|secret|token|pass)|enter[ _-]"
    r"|insert[ _-]|"
    r"replace[ _-]?|put[ _-]|add[ _-]your|x{3,}|\*{3,}|.*\.{3}|redacted|example[ _-]?(?:key|token|secret|password)?$|dummy"
    r"|fake[ _-]|CMSECRET\d"
)
_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_WORDS = re.compile(r"[A-Za-z]+(?:[ _./:-]+[A-Za-z]+)*[.:!?]?$")
_PATH = re.compile(
    r"(?i)(?:https?:|file:|arn:|/|\./|~/|[a-z]:\\)|[\w.-]+\.(?:py|js|json|ya?ml|txt|pem|key|crt|env|toml|cfg|conf"
    r"|html?)$"
)
_LITERALS = {quote: re.compile(rf"(?:\\.|(?!{quote})[^\\\n]){{0,400}}+(?={quote})") for quote in ('"', "'", "`", '"""', "'''")}
"""What a string holds, up to its closing quote on the same line; a longer literal is no password or key."""


def find_assigned(text: str) -> Iterator[Span]:
    """String literals (and unquoted values in .env and YAML files) assigned to a name that says it is a secret."""
    for match in _named(text):
        span = _literal(text, match)
        if span is not None:
            yield span
    for pattern in (_ENVIRONMENT, _YAML):
        for match in pattern.finditer(text):
            value = match.group("secret")
            if looks_random(value) and any(map(str.isdigit, value)) and not is_placeholder(value) and not names_itself(value):
                yield Span(match.start("secret"), match.end("secret"), "SE")


def _named(text: str) -> Iterator[re.Match[str]]:
    """Telling names with an operator and a quote behind them."""
    lowered = text.lower()
    if len(lowered) != len(text):
        # A letter such as U+0130 has a longer lower case, so offsets would be wrong.
        yield from _NAME.finditer(text)
        return
    at = 0
    while word := _WORD.search(lowered, at):
        match = _NAME.match(text, word.start())
        if match:
            yield match
        at = match.end() if match else word.start() + 1


def _literal(text: str, match: re.Match[str]) -> Span | None:
    """The literal behind the operator when it can be a secret."""
    before = text[max(0, match.start() - 24) : match.start()]
    is_message = match.group("close") == "" and before[-1:] in {"'", '"', "`"} and match.group("operator") == ":"
    if is_message or _NEVER_BEFORE.search(before):
        return None
    start = match.end()
    end = _closing(text, start, match.group("quote"))
    if end is None:
        return None
    value = text[start:end]
    is_password = match.group("word").lower().startswith(_PASSWORDS)
    if is_placeholder(value) or not _fits(value, match, is_password=is_password):
        return None
    return Span(start, end, "PW" if is_password else "SE")


def _closing(text: str, start: int, quote: str) -> int | None:
    """The offset of the closing quote on the same line, None when there is none near."""
    literal = _LITERALS[quote].match(text, start)
    return literal.end() if literal else None


def _fits(value: str, match: re.Match[str], *, is_password: bool) -> bool:
    """Strong enough for its name: a password may be a word, a token or key may not."""
    if (
        any(character.isspace() for character in value)
        or (not is_password and names_itself(value))
        or _SETTING.match(value)
        or _PATH.match(value)
    ):
        return False
    if is_password:
        is_label = match.group("operator") == ":" and value.isalpha() and not value.islower()
        return len(value) >= 4 and value.isascii() and not is_label and any(map(str.isalnum, value))  # noqa: PLR2004  shorter is a stub
    word = match.group("word").lower()
    if word.startswith("secret"):
        return len(value) >= 6 and (looks_random(value) or match.group("rest") != "" or not _WORDS.match(value))  # noqa: PLR2004
    return looks_random(value)


def names_itself(value: str) -> bool:
    """True for `V1SecretVolumeSource`, `.models.token`, `[A-Z]+`, `test-api-key`: a name, a pattern or a stand-in."""
    digits = sum(map(str.isdigit, value))
    if value.startswith(".") or any(mark in value for mark in "[]()\\|"):
        return True
    return _WORD.search(value.lower()) is not None and digits < 4  # noqa: PLR2004  a year is no secret, more digits may be


def looks_random(value: str) -> bool:
    """At least eight characters, with a digit among letters or capitals inside, and not just words."""
    if len(value) < 8 or (_WORDS.match(value) and not _mixes_case(value)):  # noqa: PLR2004  no service issues shorter ones
        return False
    has_digit = any(map(str.isdigit, value))
    return (any(map(str.isalpha, value)) and (has_digit or _mixes_case(value))) or value.isdigit()


def _mixes_case(value: str) -> bool:
    """Sixteen letters or more with many changes of case, as in base64 and unlike in a camel-case name."""
    changes = sum(one.islower() and two.isupper() for one, two in pairwise(value))
    return len(value) >= 16 and changes * 6 >= len(value)  # noqa: PLR2004  base64 changes case every fourth character


def is_placeholder(value: str) -> bool:
    """True for what stands for a secret without being one: empty, `changeme`, `<token>`, `***`, `{password}`, `%s`."""
    bare = value.strip()
    return not bare or bare.lower() in _PLACEHOLDER_WORDS or _PLACEHOLDER.match(bare) is not None
