"""The secrets that are recognised: credentials with a format of their own, passwords in URLs, and assignments to telling names.

Named formats only: an entropy measure flags thousands of ordinary lines. Each pattern begins with a literal that is looked
for first, and every repetition is bounded, so that the time stays linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

KINDS: dict[str, str] = {
    "PK": "private key",
    "PC": "private key (continued)",
    "AW": "AWS access key",
    "GC": "Google key",
    "AZ": "Azure key",
    "GH": "GitHub token",
    "GL": "GitLab token",
    "BB": "Atlassian token",
    "SL": "Slack token",
    "DC": "Discord token",
    "TG": "Telegram bot token",
    "ST": "Stripe key",
    "TW": "Twilio key",
    "SG": "mail service key",
    "RG": "package registry token",
    "LM": "model provider key",
    "SV": "service token",
    "JW": "JSON Web Token",
    "UP": "password in a URL",
    "AH": "authorization header",
    "PW": "hard-coded password",
    "SE": "hard-coded secret",
}
"""Code inside a placeholder -> what a reader is told."""


@dataclass(frozen=True)
class Span:
    """A secret's place in the text, as offsets, and its kind's code."""

    start: int
    end: int
    code: str


# (code, literals that a match begins with, pattern; the group "secret", or else the whole match, is replaced)
_FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("AW", ("AKIA", "ASIA", "ABIA", "ACCA"), r"\b\w{4}[A-Z0-9]{16}\b"),
    ("AW", ("secret_access_key", "SECRET_ACCESS_KEY", "secretAccessKey"),
     r"\w{15,17}[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    ("AW", ("session_token", "SESSION_TOKEN", "sessionToken"),
     r"\w{12,13}[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<secret>[A-Za-z0-9/+]{100,2000}={0,2})"),
    ("GC", ("AIza",), r"\bAIza[0-9A-Za-z_-]{35}(?![\w-])"),
    ("GC", ("GOCSPX-",), r"\bGOCSPX-[\w-]{28}(?![\w-])"),
    ("GC", ("ya29.",), r"\bya29\.[\w-]{20,400}"),
    ("GC", ("1//0",), r"\b1//0[\w-]{40,200}"),
    ("AZ", ("AccountKey=", "SharedAccessKey="), r"\w{10,15}=(?P<secret>[A-Za-z0-9+/]{40,88}={0,2})"),
    ("AZ", ("?sig=", "&sig="), r"[?&]sig=(?P<secret>[A-Za-z0-9%+/]{40,90}={0,2})"),
    ("GH", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("GH", ("github_pat_",), r"\bgithub_pat_\w{40,100}\b"),
    ("GL", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "glimt-"), r"\bgl[a-z]{2,5}-[\w-]{20,100}"),
    ("BB", ("ATBB", "ATCTT3", "ATATT3"), r"\bAT[\w=.-]{26,300}"),
    ("SL", ("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
     r"\bx[a-z]{3}[.-](?=[\w.-]{0,60}\d)[\w.-]{10,250}"),
    ("SL", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{20,120})"),
    ("DC", ("/api/webhooks/",), r"/api/webhooks/(?P<secret>\d{16,21}/[\w-]{60,80})"),
    ("ST", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,250}\b"),
    ("ST", ("whsec_",), r"\bwhsec_[A-Za-z0-9+/]{24,80}={0,2}"),
    ("TW", ("SK",), r"\bSK[0-9a-f]{32}\b"),
    ("SG", ("SG.",), r"\bSG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("SG", ("key-",), r"\bkey-[0-9a-f]{32}\b"),
    ("RG", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("RG", ("pypi-",), r"\bpypi-(?=[\w-]{0,60}\d)[\w-]{50,300}"),
    ("RG", ("rubygems_",), r"\brubygems_[0-9a-f]{48}\b"),
    ("RG", ("cio",), r"\bcio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}\b"),
    ("RG", ("dckr_pat_",), r"\bdckr_pat_[\w-]{20,60}"),
    ("LM", ("sk-proj-", "sk-ant-", "sk-svcacct-", "sk-admin-", "sk-or-v1-", "sk-lf-", "sk-None-"),
     r"\bsk-[A-Za-z]{2,7}-(?=[\w-]{0,90}\d)[\w-]{20,300}"),
    ("LM", ("sk-",), r"(?<![\w-])sk-(?=[A-Za-z0-9]{0,63}\d)[A-Za-z0-9]{32,64}(?![\w-])"),
    ("LM", ("gsk_", "hf_", "r8_"), r"\b(?:gsk_|hf_|r8_)[A-Za-z0-9]{30,80}\b"),
    ("LM", ("xai-", "pplx-", "nvapi-"), r"\b(?:xai|pplx|nvapi)-(?=[\w-]{0,60}\d)[\w-]{40,120}"),
    ("SV", ("dop_v1_", "doo_v1_"), r"\bdo[op]_v1_[0-9a-f]{64}\b"),
    ("SV", ("shpat_", "shpss_", "shpca_", "shppa_"), r"\bshp[a-z]{2}_[0-9a-fA-F]{32}\b"),
    ("SV", ("dapi",), r"\bdapi[0-9a-f]{32}\b"),
    ("SV", ("NRAK-",), r"\bNRAK-[A-Z0-9]{27}\b"),
    ("SV", ("sq0csp-", "sq0atp-", "xkeysib-", "lsv2_pt_", "lsv2_sk_", "figd_", "glc_", "pul-", "pscale_tkn_", "pscale_pw_", "dt0c01."),
     r"\b[a-z0-9_]{3,11}[-.]?(?=[\w.=-]{0,60}\d)[\w.=-]{24,300}"),
    ("SV", ("lin_api_", "ntn_", "glsa_", "sbp_", "hvs.", "hvb.", "PMAK-", "sntrys_", "AGE-SECRET-KEY-1"),
     r"\b[A-Za-z_]{3,10}[.-]?(?=[\w=-]{0,60}\d)[\w=-]{24,300}"),
    ("JW", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{8,8000}\.[\w-]{0,1000}"),
    ("AH", ("Bearer ", "bearer "), r"[Bb]earer (?P<secret>(?=[^\s\"'`]{0,40}\d)[\w.~+/-]{20,500}={0,2})"),
    ("AH", ("Authorization",), r"Authorization[\"']?\s{0,3}[:,=]\s{0,3}[\"'`]?Basic (?P<secret>[A-Za-z0-9+/]{12,300}={0,2})"),
    ("AH", ("Authorization",),
     r"Authorization[\"']?\s{0,3}[:,=]\s{0,3}[\"'`]?(?:[Tt]oken|ApiKey|Key|Token token=) ?"
     r"(?P<secret>(?=[\w-]{0,40}\d)[\w.~+/-]{16,500}={0,2})"),
)  # fmt: skip

# The same for formats that begin with no literal: (code, a literal that must occur, pattern).
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("AZ", "Q~", r"(?<![\w~.-])[A-Za-z0-9_~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])"),
    ("SV", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    ("TG", ":AA", r"\b\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("DC", ".", r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.(?=[\w-]{0,26}\d)[\w-]{27,40}(?![\w.-])"),
)

_KEY_FIRST = "-----BEGIN "
_KEY_HEAD = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_TAIL = "-----END"
_KEY_MOST = 20_000
"""Characters looked at behind the head of a private key; the longest in use (RSA, 16 kbit) has some 12,500."""
_KEY_RUN = r"(?:(?<=\\n)|(?<=\\r)|(?<![\\A-Za-z0-9+/=]))[A-Za-z0-9+/]{8,4096}={0,2}"
_KEY_HEADER = r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): ?[^\n\\\"']{0,200}"

_URL = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@'\"`<>]{0,100}:(?P<secret>[^\s/@'\"`<>]{1,200})@(?=[\w\[.{$%-])"
_CONNECTION = (
    r"(?i)\b(?:server|data source|host|user id|uid|accountname|database)=[^\n\"']{1,200}?;\s?(?:password"
    r"|pwd)=(?P<secret>[^;\"'\s]{3,100})"
)


def find_formats(text: str) -> Iterator[Span]:
    """Secrets that are recognised by their own format."""
    yield from _private_keys(text)
    for code, literals, pattern in _FORMATS:
        for literal in literals:
            yield from _beginning_with(literal, pattern, code, text)
    for code, literal, pattern in _SHAPES:
        if literal in text:
            yield from (_span(match, code) for match in _compiled(pattern).finditer(text))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a text first holds the literal: all of them at start cost 8 ms, and most texts hold none."""
    return re.compile(pattern)


def _beginning_with(literal: str, pattern: str, code: str, text: str) -> Iterator[Span]:
    """Matches that begin with the literal; `str.find` is 30 times as fast as a search with a word boundary in front."""
    at = text.find(literal)
    while at >= 0:
        match = _compiled(pattern).match(text, at)
        if match:
            yield _span(match, code)
        at = text.find(literal, match.end() if match else at + 1)


def find_url_passwords(text: str) -> Iterator[Span]:
    """Passwords between user and host of a URL, and in a database connection string."""
    if "://" in text:
        yield from (_span(match, "UP") for match in _compiled(_URL).finditer(text))
    if ";" in text:
        yield from (_span(match, "PW") for match in _compiled(_CONNECTION).finditer(text))


def _span(match: re.Match[str], code: str) -> Span:
    group = "secret" if "secret" in match.re.groupindex else 0
    return Span(match.start(group), match.end(group), code)


def _private_keys(text: str) -> Iterator[Span]:
    """The base64 runs between the head and the tail line: head, tail, quotes and line ends stay."""
    at = text.find(_KEY_FIRST)
    while at >= 0 and (head := _compiled(_KEY_HEAD).search(text, at)):
        tail = text.find(_KEY_TAIL, head.end(), head.end() + _KEY_MOST)
        # A key that was cut off has no tail: its runs end where the next blank line does.
        end = tail if tail >= 0 else _cut_key_end(text, head.end())
        skipped = [found.span() for found in _compiled(_KEY_HEADER).finditer(text, head.end(), end)]
        code = "PK"
        for run in _compiled(_KEY_RUN).finditer(text, head.end(), end):
            if not any(start <= run.start() < stop for start, stop in skipped):
                yield Span(run.start(), run.end(), code)
                code = "PC"
        at = max(end, head.end())


_KEY_LINE = r"[\s\"'+\\nr]{0,20}[A-Za-z0-9+/]{40,80}={0,2}[\"'+\\nr ,]{0,10}(?:\n|$)"


def _cut_key_end(text: str, at: int) -> int:
    """The end of the lines of base64 behind `at`."""
    start = text.find("\n", at, at + 100) + 1 or at
    while line := _compiled(_KEY_LINE).match(text, start):
        start = line.end()
        if start >= len(text):
            break
    return start
