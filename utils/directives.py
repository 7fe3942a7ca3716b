"""Comments that tools obey: the one table of what makes a comment part of a program's meaning.

A comment that matches counts in memory keys (the same code with and without `# noqa` is not the same code); every other
comment is prose. A pattern is matched from the start of the comment, its marker included, so that a mention in the middle of
a sentence is prose. Strings never come here: the lexer says what a comment is.
"""

from __future__ import annotations

import re
from functools import lru_cache

_HASH = r"#+\s*"
_SLASH = r"(?://+|/\*+)\s*"

OBEYED: tuple[tuple[frozenset[str], str, str], ...] = (
    # (languages, or none for all; pattern at the comment's start; who obeys it)
    (frozenset(), r"#!", "the kernel: shebang"),
    (frozenset(), r"\S{1,3}\s*(?:nosemgrep|codeql\[|lgtm\[|NOSONAR)\b", "semgrep, CodeQL, Sonar"),
    (frozenset(), r"\S{1,3}\s*-\*-.*-\*-", "Emacs file variables, the Python coding cookie"),
    (frozenset({"python"}), _HASH + r"(?:vim:.*)?(?:en)?coding[:=]\s*[-\w.]+", "Python: source encoding (PEP 263)"),
    (frozenset({"python"}), _HASH + r"type:", "type checkers: type comments and `type: ignore`"),
    (frozenset({"python"}), _HASH + r"(?:noqa|nosec|nopep8|pragma|nocover)\b", "ruff, flake8, bandit, coverage"),
    (frozenset({"python"}), _HASH + r"(?:pylint|pyright|mypy|fmt|isort|yapf|flake8|ruff|pytype|pyre|ty|cython|distutils|doctest|codespell)\s*:", "linters"),
    (frozenset({"python"}), _HASH + r"pyre-\w+|" + _HASH + r"autopep8:|" + _HASH + r"///", "pyre, autopep8, script metadata (PEP 723)"),
    (frozenset({"go"}), r"//(?:go:|\s*\+build\b|nolint\b|lint:|export\s|line\s)|//\s*nolint\b", "the Go compiler and golangci-lint"),
    (frozenset({"go"}), r"/\*\s*#\s*(?:cgo|include)\b|//\s*#\s*(?:cgo|include)\b", "cgo"),
    (frozenset({"javascript", "typescript"}), _SLASH + r"@ts-(?:ignore|expect-error|nocheck|check)\b", "TypeScript"),
    (frozenset({"javascript", "typescript"}), r"///\s*<|" + _SLASH + r"(?:@flow|@noflow|@jsx\w*|@vite-ignore|[#@]__\w+__|webpack\w+\s*:)", "TypeScript, Flow, bundlers"),
    (frozenset({"javascript", "typescript"}), _SLASH + r"(?:eslint|globals?|jshint|jslint|tslint|exported|istanbul|c8|v8|biome-ignore|deno-\w+|prettier-ignore)\b", "linters"),
    (frozenset({"css", "scss", "less", "html", "markdown", "yaml", "json", "vue"}), r"\S{1,4}\s*(?:prettier-ignore|stylelint|eslint|yamllint)\b", "formatters, linters"),
    (frozenset({"c", "cpp"}), _SLASH + r"(?:NOLINT\w*|clang-format\s|IWYU\s+pragma|cppcheck-suppress|coverity\[|LCOV_EXCL|GCOVR?_EXCL|lint\s+-e)", "clang-tidy, cppcheck, coverage"),
    (frozenset({"c", "cpp"}), _SLASH + r"(?i:(?:else,?\s*)?fall[\s-]*s?\s*thr(?:ough|u))\b", "compilers: implicit-fallthrough"),
    (frozenset({"java", "kotlin", "csharp"}), _SLASH + r"(?:noinspection|NOPMD|CHECKSTYLE|spotless:|@formatter:|ktlint-|ReSharper\s+\w+|<auto-?generated)", "IDEs, linters"),
    (frozenset({"php"}), r"\S{1,3}\s*(?:phpcs:|phpcsSuppress|@codingStandards|@phpstan-|@psalm-)", "PHP linters"),
    (frozenset({"ruby"}), _HASH + r"(?:rubocop:|frozen_string_literal:|encoding:|typed:|warn_indent:|standard:|:nocov:|shareable_constant)", "Ruby, RuboCop, Sorbet"),
    (frozenset({"bash", "sh", "shell", "zsh"}), _HASH + r"shellcheck\b", "ShellCheck"),
    (frozenset({"sql", "mysql", "postgresql"}), r"/\*[+!]", "optimiser hints, versioned comments"),
)  # fmt: skip


@lru_cache(maxsize=64)
def _pattern(language: str) -> re.Pattern[str]:
    """All patterns that count for one language, as one."""
    return re.compile("|".join(f"(?:{pattern})" for languages, pattern, _ in OBEYED if not languages or language in languages))


def is_directive(comment: str, language: str) -> bool:
    """True when a tool obeys this comment (its marker included) in this language."""
    return _pattern(language).match(comment) is not None
