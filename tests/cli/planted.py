"""Secrets of every kind, made up at run time, in code that has a defect; and the search for any part of them afterwards."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PART = 12
"""So many characters of a secret in a row are a leak."""
_HEX = "0123456789abcdef"
_CAPITALS = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class Planted:
    """One secret: `line` is code that holds it, `prefix` and `length` (of `alphabet`) make it."""

    kind: str
    line: str
    prefix: str = ""
    length: int = 24
    alphabet: str = string.ascii_letters + string.digits
    suffix: str = ""

    @property
    def value(self) -> str:
        """The same in every run, and like no other text."""
        return _made(self)

    @property
    def code(self) -> str:
        """The line with the secret in it."""
        return self.line.format(self.value)

    def parts(self) -> Iterator[str]:
        """Every run of PART characters."""
        for line in self.value.split("\n"):
            for start in range(max(1, len(line) - PART + 1)):
                yield line[start : start + PART]


@cache
def _made(planted: Planted) -> str:
    chance = random.Random(planted.kind)  # noqa: S311 - guards nothing
    body = "".join(chance.choice(planted.alphabet) for _ in range(planted.length - 4))
    mixed = "7Qx3" if planted.alphabet != _HEX else "7b3c"
    return planted.prefix + body + (mixed.upper() if planted.alphabet == _CAPITALS else mixed) + planted.suffix


PYTHON = (
    Planted("AWS key id", 'key_id = "{}"', "AKIA", 16, _CAPITALS),
    Planted("AWS secret", 'aws = {{"aws_secret_access_key": "{}", "region": "eu"}}', "", 40),
    Planted("GitHub", 'a = "{}"; b = 2', "ghp_", 36),
    Planted("GitHub, fine-grained", 'c = "https://{}@github.com/a/b"', "github_pat_", 82),
    Planted("GitLab", 'd = "{}"', "glpat-", 20),
    Planted("Slack", 'e = "{}"', "xoxb-123456789012-", 24),
    Planted("Stripe", 'f = "{}"', "sk_live_", 24),
    Planted("OpenAI", 'g = "{}"', "sk-proj-", 48),
    Planted("Anthropic", 'h = "{}"', "sk-ant-api03-", 80),
    Planted("Google", 'i = "{}"', "AIza", 35),
    Planted("npm", 'j = "{}"', "npm_", 36),
    Planted("PyPI", 'k = "{}"', "pypi-AgEIcHlwaS5vcmc", 60),
    Planted("JWT", 'm = "{}"', "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx", 60, suffix="." + "x1Y2z" * 8),
    Planted("URL", 'n = "postgresql://app:{}@db.example.com/app"', "", 16),
    Planted("password", 'password = "{}"', "", 14),
    Planted("Azure", 'o = "AccountName=a;AccountKey={}"', "", 86, suffix="=="),
    Planted("Twilio", 'p = "{}"', "SK", 32, _HEX),
    Planted("SendGrid", 'q = "{}"', "SG." + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7O.", 43),
    Planted("Google OAuth", 'r = "{}"', "GOCSPX-", 28),
    Planted("bearer", 's = {{"Authorization": "Bearer {}"}}', "", 40),
    Planted("environment", 'os.environ["API_TOKEN"] = "{}"', "", 24),
    Planted("default", 't = os.getenv("DB_PASSWORD", "{}")', "", 16),
    Planted("command", 'os.system("tool --token {}")', "", 24),
    Planted("query string", 'u = "https://api.example.com/v1?api_key={}"', "", 24),
    Planted("private key", 'PEM = """-----BEGIN RSA ' + "PRIVATE KEY-----\n{}\n-----END RSA " + 'PRIVATE KEY-----"""', "MIIB", 300),
    Planted(
        "OpenSSH key",
        'SSH = """-----BEGIN OPENSSH ' + "PRIVATE KEY-----\n{}\n-----END OPENSSH " + 'PRIVATE KEY-----"""',
        "b3BlbnNzaC1r",
        280,
    ),
)
OTHERS = (
    ("javascript", Planted("JS token", "const config = {{ token: '{}' }};", "", 24)),
    ("javascript", Planted("JS password", "const dbPassword = `{}`;", "", 16)),
    ("yaml", Planted("YAML key", "api_key: {}", "", 24)),
    ("yaml", Planted("YAML password", 'password: "{}"', "", 16)),
    ("java", Planted("Java constant", 'class A {{ private static final String DB_PASSWORD = "{}"; }}', "", 18)),
    ("java", Planted("Java setter", 'class B {{ void f(C config) {{ config.setPassword("{}"); }} }}', "", 16)),
    ("go", Planted("Go", 'package a\n\nvar apiToken = "{}"', "", 24)),
    ("bash", Planted("shell", "export DB_PASSWORD={}", "", 20)),
)
DEFECT = "import os\n\n\ndef keep(x, seen=[]):\n    seen.append(x)\n    return seen\n\n\n"
"""Has a fix, so that something is saved, verified and shown."""
LAST = Planted("last line", 'TOKEN = "{}"', "", 30)
"""Ends the paste without a line end."""
ALL = (*PYTHON, *(planted for _, planted in OTHERS), LAST)


def paste() -> str:
    """All of PYTHON, two on one line, and the last one without a line end."""
    first, second, *rest = (planted.code for planted in PYTHON)
    return DEFECT + "\n".join([f"{first}; {second}", *rest, LAST.code])


def leaks(*texts: str | bytes) -> list[str]:
    """The kinds of which any part stands in any of the texts."""
    blob = b"\n".join(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape") for text in texts)
    return [planted.kind for planted in ALL if any(part.encode() in blob for part in planted.parts())]


def written_in(home: Path) -> bytes:
    """All names and all bytes of all files, SQLite's logs and Chroma's files among them."""
    files = sorted(path for path in home.rglob("*") if path.is_file())
    return b"\n".join(part for path in files for part in (str(path).encode(), path.read_bytes()))


def without_own_copy(records: Iterable[dict[str, object]]) -> str:
    """Records but for the user's own copy of the code: that one holds what the user pasted."""
    kept = []
    for record in records:
        fix = record["fix"]
        kept.append({**record, "fix": {**fix, "code": ""} if isinstance(fix, dict) else fix})
    return repr(kept)
