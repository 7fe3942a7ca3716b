"""Signs that a proposed fix leaves code out, or silences a finding where it should mend it.

Each sign is counted in both texts and only an increase counts: `...` bodies of a protocol, or a `# noqa` that the paste
has itself, are no elision.
"""

from __future__ import annotations

import re

_COMMENT = r"(?:\#|//|/\*|\*|--|<!--|;;|\{/\*)"
_ELLIPSIS_LINE = re.compile(rf"^\s*(?:{_COMMENT}\s*)?(?:\.\.\.|…)\s*(?:\*/\}}?|-->)?\s*$", re.MULTILINE)
_ELLIPSIS_COMMENT = re.compile(
    rf"{_COMMENT}\s*[\[(<]?\s*(?:\.\.\.|…)\s*\w|{_COMMENT}.*\w\s*(?:\.\.\.|…)\s*[\])>]?\s*(?:\*/\}}?|-->)?\s*$", re.MULTILINE
)
_PHRASE = (
    r"(?:rest|remainder)\s+(?:of\s+(?:the\s+|your\s+)?(?:\w+\s+)?)?(?:is\s+|are\s+|remains?\s+|stays?\s+)?(?:unchanged|the\s+same|as\s+(?:before|is)|here)"
    r"|(?:rest|remainder)\s+of\s+(?:the\s+|your\s+)?(?:\w+\s+)?(?:code|function|class|file|method|implementation|module)s?"
    r"|(?:existing|previous|original|other|remaining|unchanged)\s+(?:\w+\s+)?(?:code|methods?|functions?|implementation|logic|imports?|lines?|content)"
    r"(?:\s+(?:here|unchanged|goes\s+here|remains?|stays?|as\s+before))?"
    r"|(?:code|lines?|methods?|functions?|implementation|body)\s+(?:is\s+|are\s+|remains?\s+|stays?\s+)?(?:unchanged|omitted|elided|truncated|the\s+same|here)"
    r"|(?:same|unchanged)\s+(?:as\s+)?(?:before|above|original)|remains?\s+unchanged|no\s+changes?\s+(?:here|needed|below|above)"
    r"|(?:your|implementation|add|insert)\s+(?:code|logic|implementation)\s+(?:goes\s+)?here|unchanged|omitted\s+for\s+brevity"
)
_PHRASE_LINE = re.compile(rf"^\s*(?:{_COMMENT})\W*(?:{_PHRASE})\W*$|^\s*[\[(<]\W*(?:{_PHRASE})\W*[\])>]\s*$", re.MULTILINE | re.IGNORECASE)
_SUPPRESSION = re.compile(
    r"\#\s*(?:ruff:\s*|flake8:\s*)?noqa\b|\#\s*nosec\b|\#\s*type:\s*ignore|\#\s*pylint:\s*disable|\#\s*pyright:\s*ignore|\#\s*mypy:\s*ignore"
    r"|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|//\s*nolint|@SuppressWarnings|NOLINT|\#\[allow\(|\#pragma\s+warning\s+disable"
    r"|rubocop:disable|shellcheck\s+disable|phpcs:ignore|codemind:\s*ignore",
    re.IGNORECASE,
)


def elided(before: str, after: str) -> str:
    """Why `after` looks as if code was left out, or empty. Lines are quoted up to 60 characters."""
    for pattern in (_ELLIPSIS_LINE, _ELLIPSIS_COMMENT, _PHRASE_LINE):
        had = [_squeezed(match.group()) for match in pattern.finditer(before)]
        has = [_squeezed(match.group()) for match in pattern.finditer(after)]
        if len(has) > len(had):
            added = next(line for line in has if has.count(line) > had.count(line))
            return f"a placeholder stands where code was left out: {added[:60]}"
    return ""


def silenced(before: str, after: str) -> str:
    """Why `after` hides a finding with a comment that tools obey, or empty."""
    had, has = _SUPPRESSION.findall(before), _SUPPRESSION.findall(after)
    return f"it silences the finding with `{_squeezed(has[-1])}` and mends nothing" if len(has) > len(had) else ""


def _squeezed(line: str) -> str:
    return " ".join(line.split())


_STRING_START = re.compile(r"^[rRbBuUfF]{0,2}(\"\"\"|'''|\"|')")
_HASH_COMMENT = re.compile(r"#.*")
_SLASH_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_HASH_LANGUAGES = frozenset({"python", "ruby", "bash"})
_HOLLOW = re.compile(
    r"(?:pass|\.\.\.|:|return(?:\s+(?:None|NotImplemented|null|nil|undefined|self))?|raise\s+NotImplemented(?:Error)?\b.*"
    r"|throw\s+new\s+[\w.]*(?:NotImplemented|NotSupported|UnsupportedOperation)\w*\(.*\)|throw\s+(?:new\s+)?\w*Error\(.*not\W?implemented.*\)"
    r"|(?:todo|unimplemented)!\(.*\)|panic!?\(.*implement.*\)|TODO\(.*\)|fatalError\(.*\)|true)?;?",
    re.IGNORECASE,
)
_CONSTANT = re.compile(
    r"return\s+(?:[-+]?[\d.]+\w?|\"[^\"]*\"|'[^']*'|True|False|true|false|\[\]|\{\}|\(\)|None|null|nil)\s*;?|[-+]?\d+|true|false"
)
REAL_BODY_LINES = 3
"""A body of this many lines that becomes one constant was thrown away, not mended; so was a shorter one that called something."""


def is_hollow(body: str, language: str, before: str | None = None) -> bool:
    """True for a body that does nothing: `pass`, `...`, "not implemented", or, given what it replaces, one constant."""
    lines = code_lines(body, language)
    if all(_HOLLOW.fullmatch(line) for line in lines):
        return True
    real = [] if before is None else code_lines(before, language)
    did_work = len(real) >= REAL_BODY_LINES or any("(" in line for line in real)
    return len(lines) == 1 and did_work and _CONSTANT.fullmatch(lines[0]) is not None


def code_lines(body: str, language: str) -> list[str]:
    """The lines of a body without its braces, docstring, comments and blank lines."""
    text = body.strip()
    if language in _HASH_LANGUAGES:
        text = _HASH_COMMENT.sub("", _without_docstring(text) if language == "python" else text)
    else:
        text = _SLASH_COMMENT.sub("", text)
    stripped = text.strip().removeprefix("{").removesuffix("}")
    return [line.strip() for line in stripped.split("\n") if line.strip().strip("{};")]


def _without_docstring(text: str) -> str:
    opening = _STRING_START.match(text)
    if opening is None:
        return text
    end = text.find(opening.group(1), opening.end())
    rest = text[end + len(opening.group(1)) :] if end >= 0 else ""
    # A string that code follows on its line is an expression, not a docstring.
    return rest if not rest.split("\n", 1)[0].strip(" ;\t") else text
