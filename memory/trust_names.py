"""Names that pretend to be others: identifiers of look-alike letters, and packages that are one slip away from a well-known one."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import unicodedata
from collections.abc import Iterator

from memory.trust_text import latin, words_of

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_STRANGE = re.compile(r"[^\x00-\x7f]")
_KNOWN_WORDS = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
_PYTHON_IMPORT = re.compile(r"^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+(\w[\w.]*)[ \t]+import\b)", re.MULTILINE)
_NODE_IMPORT = re.compile(
    r"\brequire\s*\(\s*['\"]([^'\"./][^'\"]*)['\"]|\bfrom\s+['\"]([^'\"./][^'\"]*)['\"]|\bimport\s+['\"]([^'\"./][^'\"]*)['\"]"
)
_SHORTEST = 4
_LONG = 7
"""From so many letters on two slips may be a disguise."""

WELL_KNOWN = words_of(
    "aiohttp alembic anyio attrs beautifulsoup4 black boto3 botocore bs4 celery certifi chardet click colorama coverage "
    "cryptography cython dateutil django docutils dotenv fastapi filelock flask gevent google grpc gunicorn httpx hypothesis idna "
    "jinja2 joblib jsonschema keras lxml markdown markupsafe marshmallow matplotlib mypy networkx nltk numba numpy openai opencv "
    "openpyxl paramiko pandas peewee pillow pip pluggy polars prompt-toolkit protobuf psutil psycopg psycopg2 pyarrow pydantic "
    "pygments pymongo pymysql pyparsing pytest pytz redis regex requests rich ruff scipy seaborn sklearn selenium sentry-sdk "
    "setuptools six sqlalchemy starlette sympy tensorflow toml torch torchvision tornado tqdm transformers twisted typer "
    "typing-extensions ujson urllib3 uvicorn websockets werkzeug wheel yaml zmq angular async axios babel bluebird body-parser "
    "chai chalk cheerio commander cors cross-env d3 dayjs debug dotenv electron ejs eslint express fs-extra glob graphql helmet "
    "immutable inquirer jest jquery jsonwebtoken knex koa lodash luxon mime minimist mocha moment mongodb mongoose morgan multer "
    "mysql next nodemailer passport pg postcss prettier prisma puppeteer react react-dom react-router redux request rimraf rollup "
    "rxjs semver sequelize sharp socket.io styled-components svelte typescript underscore uuid vite vue webpack winston ws yargs "
    "zod"
)
"""Packages that are worth imitating."""


def false_names(buggy: str, fixed: str, added: str) -> Iterator[str]:
    """Why the names that the fix brings along must be looked at."""
    if name := _twin(f"{buggy}\n{fixed}", added):
        yield f"it holds a name of letters that only look like {latin(name)!r}"
    known = {_root(name) for name in _imports(buggy)} | {match.group() for match in _IDENTIFIER.finditer(buggy)}
    for name in _imports(fixed):
        root = _root(name)
        if root not in known and (meant := _imitated(root)):
            yield f"its fix imports {root!r}, which is one slip away from {meant!r}"


def _twin(text: str, added: str) -> str:
    """A name of the added lines that looks like a plain one of the text, of Python, or one of its own with other letters."""
    strange = [name for name in _IDENTIFIER.findall(added) if _STRANGE.search(name)]
    if not strange:
        return ""
    plain = {name for name in _IDENTIFIER.findall(text) if not _STRANGE.search(name)} | _KNOWN_WORDS
    return next((name for name in strange if (seen := latin(name)) != name and not _STRANGE.search(seen) and seen in plain), "")


def _imports(text: str) -> Iterator[str]:
    for several, origin in _PYTHON_IMPORT.findall(text):
        names = [origin] if origin else [part.split()[0] for part in several.split(",") if part.split()]
        yield from (name for name in names if name)
    for groups in _NODE_IMPORT.findall(text):
        yield next(filter(None, groups))


def _root(name: str) -> str:
    if name.startswith("@"):
        return name
    return re.split(r"[./]", name)[0] if not name.endswith(".io") else name


def _imitated(name: str) -> str:
    """The well-known package that the name is one slip away from; empty for none, and for packages that are what they are."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("_", "-")
    if len(folded) < _SHORTEST or folded in WELL_KNOWN or name in sys.stdlib_module_names:
        return ""
    return next((meant for meant in sorted(WELL_KNOWN) if len(meant) >= _SHORTEST and _is_slip(folded, meant)), "")


def _is_slip(name: str, meant: str) -> bool:
    """Letters exchanged, left out, doubled or added; a plural of a short word is another word."""
    most = 2 if min(len(name), len(meant)) >= _LONG else 1
    if abs(len(name) - len(meant)) > most:
        return False
    from rapidfuzz.distance import OSA  # late: most imports bring no package along

    return 0 < OSA.distance(name, meant, score_cutoff=most) <= most
