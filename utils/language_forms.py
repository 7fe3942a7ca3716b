"""Texts that are no program: configuration, markup, templates, patches, prose. Each test is strict: code must not fall for it."""

from __future__ import annotations

import json
import re

from utils.syntax import parse_errors

_MOST_JSON = 2_000_000
_PATCH = re.compile(r"(?m)^(?:diff --git |Index: |--- \S.*\n\+\+\+ \S|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)")
_HUNK = re.compile(r"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*\n[ +\-\\]")
_JINJA = re.compile(
    r"(?m)^[ \t]*\{%-?\+? *(?:extends|block|for|if|elif|else|set|macro|include|import|from|with|call|filter|raw|end\w+|load|url"
    r"|csrf_token)\b"
)
_JINJA_ANY = re.compile(r"\{\{-? ?[\w.]+(?:\|\w+| *\}\})|\{% ?(?:if|for|endif|endfor|block|include)\b")
_XML = re.compile(r"(?i)\s*(?:<!--[\s\S]{0,2000}?-->\s*)*<\?xml\b")
_HTML = re.compile(
    r"(?i)\s*(?:<!--[\s\S]{0,2000}?-->\s*)*<(?:!doctype html|html|head|body|div|span|p|a|table|tr|td|ul|ol|li|script|style|template"
    r"|form|input|"
    r"section|article|header|footer|nav|main|h[1-6]|button|link|meta|title|img|br|select|textarea|label)\b[^>]{0,2000}>"
)
_TAGGED = re.compile(r"\s*<([A-Za-z_][\w:.-]*)(?:\s[^<>]{0,2000})?/?>")
_CSS_RULE = re.compile(
    r"(?m)^[ \t]*(?:[.#*:@&]|[a-z][\w-]*(?=[ \t,.:#>{\[]))[^{};=()\n\"]{0,200}(?:\([^)\n]*\)[^{};\n]{0,80})?\{[ \t]*(?:/\*.*)?$"
    r"|^[ \t]*[.#]?[\w-]+[ \t]*\{[^{}\n]*:[^{}\n]*;?[ \t]*\}"
)
_CSS_PROPERTY = re.compile(r"(?m)(?:^|[{;])[ \t]*(?:--)?[a-z][a-z-]{1,40}[ \t]*:[ \t]*[^;{}\n=]{1,200}(?:;|\})")
_NOT_CSS = re.compile(
    r"(?m)=>|\breturn\b|[=!]==|^[ \t]*(?:def|if|for|while|public|private|func|fn|function|package|export|interface|class|struct|type"
    r"|enum|namespace|record|declare|union|message|impl|trait|object)\b"
)
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/")
_YAML_FIRST = re.compile(r"---|- |[\w./\"'$@-]{1,60}:(?: |$)")
_YAML_SHARE = 5
"""One line in five is a key, at least: the others are list entries and text in blocks."""
_YAML_KEY = re.compile(r"[ ]*(?:- +)?[\w./\"'$@-]{1,60}:(?: +\S.*| *)$")
_NOT_YAML = re.compile(
    r"(?m);[ \t]*$|^[ \t]*(?:def|class|if|for|while|else|try|except|return|elif|finally|case|default|switch)\b[^:\n]{0,200}:?[ \t]*$"
    r"|^[ \t]*(?:import|from) [\w.]+(?: import .*)?$|^[ \t]*\w+ = |\) *\{[ \t]*$"
)
_SECTION = re.compile(r"\[\[?[\w.\"' :/-]+\]?\][ \t]*(?:[#;].*)?$")
_ASSIGNMENT = re.compile(r"[\w.\"' /-]+ ?[=:] ?.*$")
_TOML_VALUE = re.compile(r"=[ \t]*(?:\"|'|\[|\{|true\b|false\b|[+-]?\d)")
_DOCKER_FIRST = re.compile(r"(?:ARG \S+\s+)*FROM \S+(?: AS \S+)?[ \t]*(?:\n|$)", re.IGNORECASE)
_DOCKER = re.compile(
    r"(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\s"
)
_STAMPED = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_CSV_HEAD = re.compile(r"[\w \"-]+(?:([,;\t])[\w \"-]+)+$")
_NOT_CSV = re.compile(r"[(){}\[\]=<>]|[,;] ")
_MOSTLY = 0.9
_SOME_TAGS = 3


def form_of(text: str, part: str) -> str | None:
    """The form of a text that is no program, None when it may be one. `part` is the beginning that patterns look at.

    Markdown is not among them: see `is_markdown`.
    """
    for name, test in _TESTS:
        if test(part):
            return name
    return "json" if is_json(text) else None


def is_json(text: str) -> bool:
    """True for one strict JSON object or array (a bare number or string is an expression of any language)."""
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped or stripped[0] not in "{[" or stripped[-1] not in "}]" or len(stripped) > _MOST_JSON:
        return False
    try:
        json.loads(stripped)
    except (ValueError, RecursionError):
        return False
    # `[1, 2]` alone, or `[x]`, is as well a list of Python: JSON needs an object somewhere, or several lines.
    return stripped[0] == "{" or "{" in stripped or "\n" in stripped


def is_notebook(text: str) -> bool:
    """True for the JSON of a Jupyter notebook."""
    head = text.lstrip("\ufeff \t\r\n")[:1]
    if head != "{" or '"cells"' not in text or '"nbformat"' not in text:
        return False
    try:
        parsed = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        # Cut or damaged, but still no program.
        return '"cell_type"' in text
    return isinstance(parsed, dict) and isinstance(parsed.get("cells"), list)


def is_patch(text: str) -> bool:
    """True for a unified diff, also with a commit's message in front."""
    if not _HUNK.search(text) or not _PATCH.search(text):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    start = next(number for number, line in enumerate(lines) if _PATCH.match(line) or line.startswith(("--- ", "@@ -")))
    body = lines[start:]
    marked = sum(
        line[0] in "+- @\\" or line.startswith(("diff ", "index ", "Index", "new ", "deleted ", "similarity ", "rename ", "==="))
        for line in body
    )
    return start == 0 or lines[0].startswith(("From ", "commit ", "Index: ", "diff ", "# ")) or marked >= _MOSTLY * len(body)


def is_jinja(text: str) -> bool:
    """True for a Jinja or Django template."""
    if _JINJA.search(text):
        return '"""' not in text
    return len(_JINJA_ANY.findall(text)) >= _SOME_TAGS and _HTML.match(text) is not None


def is_xml(text: str) -> bool:
    """True for an XML document, with its declaration or as one element of an unknown name that is closed at the end."""
    if _XML.match(text):
        return True
    opening = _TAGGED.match(text)
    if opening is None or _HTML.match(text):
        return False
    return text.rstrip().endswith((f"</{opening.group(1)}>", "/>")) and not re.search(r"[;{]\s*$|=>", text, re.MULTILINE)


def is_html(text: str) -> bool:
    """True for HTML: the text begins with one of its elements."""
    return _HTML.match(text) is not None


def is_css(text: str) -> bool:
    """True for style sheets: rules with properties that the CSS grammar reads, and no statements."""
    bare = _COMMENT.sub("", text)
    rules, properties = len(_CSS_RULE.findall(bare)), len(_CSS_PROPERTY.findall(bare))
    if not rules or properties < max(1, rules // 2) or _NOT_CSS.search(bare):
        return False
    return parse_errors(text, "css") <= len(text) // 20


def is_toml_or_ini(text: str) -> str | None:
    """ "toml" or "ini" when the text is sections and assignments."""
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith(("#", ";"))]
    sections = sum(_SECTION.match(line) is not None for line in lines)
    if not sections or (not _SECTION.match(lines[0]) and not _ASSIGNMENT.match(lines[0])):
        return None
    inner = [line for line in lines if not _SECTION.match(line)]
    if not inner or any(line.endswith((";", "{")) for line in inner):
        return None
    assignments = [line for line in inner if _ASSIGNMENT.match(line)]
    if len(assignments) < 0.6 * len(inner):
        return None
    return "toml" if all(_TOML_VALUE.search(line) for line in assignments if "=" in line) and "=" in assignments[0] else "ini"


def is_yaml(text: str) -> bool:
    """True for keys with values that the YAML grammar reads, from the first line on, without statements among them."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) < 2 or not _YAML_FIRST.match(lines[0]):  # noqa: PLR2004  `name: value` alone may as well be an annotation
        return False
    keys = sum(_YAML_KEY.match(line) is not None for line in lines)
    statements = len(_NOT_YAML.findall(text))
    return keys * _YAML_SHARE >= len(lines) and statements * 10 <= len(lines) and parse_errors(text, "yaml") <= len(text) // 50


def is_dockerfile(text: str) -> bool:
    """True for the instructions that build an image."""
    lines = [line for line in text.replace("\\\n", " ").split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return _DOCKER_FIRST.match("\n".join(lines[:5])) is not None and all(_DOCKER.match(line) for line in lines)


def is_plain_text(text: str) -> bool:
    """True for a log whose lines begin with a time, and for a table of comma-separated values with a head."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:  # noqa: PLR2004  one line may be anything
        return False
    if sum(_STAMPED.match(line) is not None for line in lines) >= _MOSTLY * len(lines):
        return True
    head = _CSV_HEAD.match(lines[0])
    return head is not None and not any(_NOT_CSV.search(line) for line in lines) and len({line.count(head[1]) for line in lines}) == 1


def _is_toml(text: str) -> bool:
    return is_toml_or_ini(text) == "toml"


def _is_ini(text: str) -> bool:
    return is_toml_or_ini(text) == "ini"


_TESTS = (
    ("diff", is_patch),
    ("dockerfile", is_dockerfile),
    ("text", is_plain_text),
    ("jinja", is_jinja),
    ("html", is_html),
    ("xml", is_xml),
    ("toml", _is_toml),
    ("ini", _is_ini),
    ("css", is_css),
    ("yaml", is_yaml),
)
