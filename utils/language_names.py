"""Names of languages: what users, fences and file names call them, and what CodeMind calls them."""

from __future__ import annotations

import re
from pathlib import PurePath

CODE: tuple[str, ...] = (
    "python",
    "javascript",
    "typescript",
    "go",
    "java",
    "rust",
    "c",
    "cpp",
    "csharp",
    "bash",
    "ruby",
    "php",
    "kotlin",
    "swift",
    "sql",
)
"""Languages that detection chooses from, in the order that decides when all else is equal."""

NOT_CODE: tuple[str, ...] = ("json", "yaml", "toml", "ini", "html", "xml", "css", "jinja", "markdown", "diff", "text", "unknown")
"""What else a paste can be: recognised so that it is not taken for code."""

LANGUAGES: tuple[str, ...] = (*CODE, *NOT_CODE)

ALIASES: dict[str, str] = {
    "py": "python", "py3": "python", "python3": "python", "python2": "python", "pyi": "python", "pycon": "python", "ipython": "python",
    "ipython3": "python", "pyw": "python", "sage": "python",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "node": "javascript", "nodejs": "javascript",
    "es6": "javascript", "ecmascript": "javascript",
    "ts": "typescript", "tsx": "typescript", "mts": "typescript", "cts": "typescript", "deno": "typescript",
    "golang": "go", "rs": "rust", "rustlang": "rust", "h": "c", "c99": "c", "c11": "c",
    "c++": "cpp", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp", "c++17": "cpp", "c++20": "cpp", "ino": "cpp",
    "c#": "csharp", "cs": "csharp", "csx": "csharp", "dotnet": "csharp",
    "sh": "bash", "shell": "bash", "zsh": "bash", "ksh": "bash", "dash": "bash", "shellscript": "bash", "shell-script": "bash",
    "rb": "ruby", "rake": "ruby", "php3": "php", "php7": "php", "php8": "php", "kt": "kotlin", "kts": "kotlin",
    "postgres": "sql", "postgresql": "sql", "plsql": "sql", "mysql": "sql", "sqlite": "sql", "tsql": "sql", "psql": "sql",
    "yml": "yaml", "cfg": "ini", "conf": "ini", "properties": "ini", "htm": "html", "xhtml": "html", "vue": "html", "svelte": "html",
    "svg": "xml", "xsl": "xml", "xsd": "xml", "plist": "xml", "scss": "css", "less": "css", "sass": "css",
    "jinja2": "jinja", "j2": "jinja", "django": "jinja", "md": "markdown", "mdx": "markdown", "patch": "diff", "udiff": "diff",
    "txt": "text", "plain": "text", "plaintext": "text", "output": "text", "console": "text", "log": "text", "none": "text", "rst": "text",
    "jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json", "ipynb": "json",
    "scala": "scala", "ex": "elixir", "exs": "elixir", "hs": "haskell", "pl": "perl", "ps1": "powershell", "pwsh": "powershell",
}  # fmt: skip
"""Other names and file endings -> our name."""

EXTENSIONS: dict[str, str] = {
    **{f".{name}": language for name, language in ALIASES.items() if name.isalnum()},
    **{f".{name}": name for name in ("c", "go", "java", "cpp", "swift", "php", "sql", "json", "toml", "ini", "xml", "css", "diff", "lua")},
    ".html": "html",
    ".yaml": "yaml",
    ".jinja": "jinja",
    ".markdown": "markdown",
    ".env": "ini",
    ".bash": "bash",
}
"""File ending, in lower case with its dot -> language."""

_FILE_NAMES: dict[str, str] = {
    "makefile": "makefile", "gnumakefile": "makefile", "dockerfile": "dockerfile",
    "gemfile": "ruby", "rakefile": "ruby", "vagrantfile": "ruby",
    "sconstruct": "python", "wscript": "python", "jenkinsfile": "groovy", ".bashrc": "bash", ".zshrc": "bash", ".profile": "bash",
    ".bash_profile": "bash", ".gitconfig": "ini", ".editorconfig": "ini", ".env": "ini",
}  # fmt: skip
_INTERPRETERS: tuple[tuple[str, str], ...] = (
    ("python", "python"), ("pypy", "python"), ("node", "javascript"), ("deno", "typescript"),
    ("bun", "typescript"), ("ts-node", "typescript"),
    ("bash", "bash"), ("dash", "bash"), ("zsh", "bash"), ("ksh", "bash"), ("sh", "bash"), ("ruby", "ruby"), ("php", "php"),
    ("kotlin", "kotlin"), ("swift", "swift"), ("perl", "perl"), ("lua", "lua"), ("Rscript", "r"),
)  # fmt: skip
_SHEBANG = re.compile(r"\ufeff?#![ \t]*(?P<path>\S+)(?:[ \t]+(?:-S[ \t]+)?(?P<argument>[\w./-]+))?")
_VIM = re.compile(r"(?m)^.{0,40}\b(?:vi|vim|ex):.{0,80}?\b(?:ft|filetype|syntax)=([\w+#]+)")
_EMACS = re.compile(r"(?m)^.{0,40}-\*-(?:.{0,60}?\bmode:)?[ \t]*([\w+#-]+)[ \t]*(?:;.{0,80})?-\*-")
_MODELINE_LINES = 5
_FENCE_TAG = re.compile(r"\{?[ \t]*\.?([\w+#./-]+)")


def canonical(name: str) -> str:
    """Our name for a language: an alias is resolved, an unknown name comes back in lower case."""
    lowered = name.strip().lower().lstrip(".")
    return ALIASES.get(lowered, lowered)


def language_of_file(filename: str) -> str | None:
    """The language that a file's name says, None when it says nothing."""
    path = PurePath(filename.replace("\\", "/"))
    return EXTENSIONS.get(path.suffix.lower()) or _FILE_NAMES.get(path.name.lower())


def language_of_tag(info: str) -> str | None:
    """The language of a fence's info string: `python`, `{.py}`, `ts title=x`, `src/a.rs`; None when it is empty or unknown."""
    match = _FENCE_TAG.match(info.strip())
    if match is None:
        return None
    name = canonical(match.group(1))
    if name in LANGUAGES or name in ALIASES.values():
        return name
    return language_of_file(match.group(1)) or (canonical(match.group(1).rpartition(":")[0]) if ":" in match.group(1) else None)


def language_of_shebang(text: str) -> str | None:
    """The language of a `#!` line, also through `env`."""
    match = _SHEBANG.match(text)
    if match is None:
        return None
    program = PurePath(match.group("path")).name
    if program == "env":
        program = PurePath(match.group("argument") or "").name
    return next((language for prefix, language in _INTERPRETERS if program.startswith(prefix)), None)


def language_of_modeline(text: str) -> str | None:
    """The language of a vim or Emacs mode line among the first or last lines."""
    lines = text[:4000].split("\n")[:_MODELINE_LINES] + text[-4000:].split("\n")[-_MODELINE_LINES:]
    near = "\n".join(lines)
    if "-*-" not in near and "vi" not in near and "ex:" not in near:
        return None
    match = _VIM.search(near) or _EMACS.search(near)
    name = canonical(match.group(1)) if match else ""
    return name if name in LANGUAGES else None
