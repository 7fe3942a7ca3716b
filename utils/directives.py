"""Comments that tools obey: the one table of what makes a comment part of a program's meaning.

A comment that matches counts in memory keys (the same code with and without `# noqa` is not the same code); every other
comment is prose. A pattern is matched at the start of the comment, so that a mention in the middle of a sentence is
prose. Strings never come here: the lexer says what a comment is.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ANY: frozenset[str] = frozenset()
_PYTHON, _GO, _PHP, _RUBY = frozenset({"python"}), frozenset({"go"}), frozenset({"php"}), frozenset({"ruby"})
_SCRIPT, _C = frozenset({"javascript", "typescript"}), frozenset({"c", "cpp"})
_MANAGED, _SHELL = frozenset({"java", "kotlin", "csharp"}), frozenset({"bash", "sh", "shell", "zsh"})
_MARKUP, _SQL = frozenset({"css", "scss", "less", "html", "markdown", "yaml", "vue"}), frozenset({"sql", "mysql", "postgresql"})

OBEYED: tuple[tuple[frozenset[str], str, str], ...] = (
    # (languages, none for all; pattern after the comment's marker and blanks, which are ^; who obeys it)
    (_ANY, r"#!", "the kernel: shebang (at the start of a text only)"),
    (_ANY, r"^(?:nosemgrep|codeql\[|lgtm\[|NOSONAR)", "semgrep, CodeQL, Sonar"),
    (_ANY, r"^-\*-.*-\*-", "Emacs file variables, the coding cookie"),
    (_PYTHON, r"^(?:vim:.*)?(?:en)?coding[:=]\s*[-\w.]+", "Python: source encoding (PEP 263)"),
    (_PYTHON, r"^///", "script metadata (PEP 723)"),
    (_PYTHON, r"^type:", "type checkers: type comments and `type: ignore`"),
    (_PYTHON, r"^(?:noqa|nosec|nopep8|pragma|nocover)\b", "ruff, flake8, bandit, coverage"),
    (_PYTHON, r"^(?:pylint|pyright|mypy|flake8|ruff|pytype|ty)\s*:|^pyre-\w+", "linters and type checkers"),
    (_PYTHON, r"^(?:fmt|isort|yapf|autopep8|codespell)\s*:", "formatters"),
    (_PYTHON, r"^(?:cython|distutils|doctest)\s*:", "Cython, doctest"),
    (_GO, r"//(?:go:|export\s|line\s|lint:)|//\s*\+build\b", "the Go compiler: build tags and pragmas"),
    (_GO, r"^nolint\b", "golangci-lint"),
    (_GO, r"^#\s*(?:cgo|include)\b", "cgo"),
    (_SCRIPT, r"^@ts-(?:ignore|expect-error|nocheck|check)\b|///\s*<", "TypeScript"),
    (_SCRIPT, r"^(?:@flow|@noflow|@jsx\w*|@vite-ignore|[#@]__\w+__|webpack\w+\s*:)", "Flow, JSX, bundlers"),
    (_SCRIPT, r"^(?:eslint|jshint|jslint|tslint|biome-ignore|deno-\w+|prettier-ignore)\b", "linters, formatters"),
    (_SCRIPT, r"^(?:globals?|exported)\s+[\w$]|^(?:istanbul|c8|v8)\s+ignore\b", "ESLint's globals, coverage"),
    (_C, r"^NOLINT\w*|^clang-format\s|^IWYU\s+pragma|^cppcheck-suppress", "clang-tidy, clang-format, cppcheck"),
    (_C, r"^coverity\[|^LCOV_EXCL|^GCOVR?_EXCL|^lint\s+-e", "Coverity, coverage, lint"),
    (_C, r"^(?i:(?:else,?\s*)?fall[\s-]*s?\s*thr(?:ough|u))\b", "compilers: implicit fallthrough"),
    (_MANAGED, r"^(?:noinspection|NOPMD|CHECKSTYLE|spotless:|@formatter:|ktlint-)", "IDEs, linters"),
    (_MANAGED, r"^(?:ReSharper\s+\w+|<auto-?generated)", "ReSharper, Roslyn"),
    (_PHP, r"^(?:phpcs:|phpcsSuppress|@codingStandards|@phpstan-|@psalm-)", "PHP linters"),
    (_RUBY, r"^(?:rubocop:|standard:|:nocov:)", "linters, coverage"),
    (_RUBY, r"^(?:frozen_string_literal|encoding|typed|warn_indent|shareable_constant_value):", "Ruby, Sorbet"),
    (_SHELL, r"^shellcheck\b", "ShellCheck"),
    (_SQL, r"/\*[+!]", "optimiser hints, versioned comments"),
    (_MARKUP, r"^(?:prettier-ignore|stylelint|eslint|yamllint|markdownlint)\b", "formatters, linters"),
)

_MARKER = r"(?:#+|//+|/\*+|--|<!--|;+)\s*"


@lru_cache(maxsize=64)
def _pattern(language: str) -> re.Pattern[str]:
    """All patterns that count for one language, as one."""
    patterns = (pattern.replace("^", _MARKER) for languages, pattern, _ in OBEYED if not languages or language in languages)
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def is_directive(comment: str, language: str) -> bool:
    """True when a tool obeys this comment (its marker included) in this language."""
    return _pattern(language).match(comment) is not None
