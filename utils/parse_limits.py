"""Which texts a grammar may read in this process: a parser can't be stopped, and some texts make it run for ever or abort.

The error recovery of tree-sitter takes quadratic time and more on a few thousand characters of `/*`, and the scanner of a grammar
ends the process when strings or indents nest deeper than its buffer. A text that may be such a one is parsed in a process of its
own first, which is stopped after `seconds_for` seconds of computing; a text that does not come through is not parsed at all.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path

import ast_grep_py
from ast_grep_py import SgRoot

from utils.syntax_kinds import AST_GREP

ALWAYS_SAFE = 250
"""Characters that the worst text known takes less than 0.1 s for."""
ALWAYS_TRIED = 12_000
"""Characters from which on starting a process is a small part of what the text takes anyway."""
_BASE_S = 0.4
_CHARACTERS_PER_S = 1_000_000
"""Code is read four times as fast by the grammar of its own language. The text that is cut off here is no loss: a paste of the greatest
size, made of openers, is answered within seconds."""
_WALL_FACTOR, _WALL_S = 10, 5.0
"""Other programs may need the processor as well; only what the parser computes counts, up to this."""
_SAMPLES = ((250, 1_000), (2_000, 3_000))
"""Length and distance of samples: the short ones are over soon however bad the text is, and keep the worst from the long ones."""
_SLOW_S_PER_CHARACTER = 12e-6
"""Code in the wrong grammar takes half of it at most; what ends in quadratic time takes more in 250 characters, or in 2,000."""
_MOST_NESTED = 100
_NESTS = re.compile(r"[$#%@\\]+[\"'`{(\[<]|[\"'`][#@$]|<<|\{-|/\*")
"""What a scanner puts on a stack: strings in strings, heredocs, comments in comments."""
_LONG_MARK = re.compile(r"[#=\[]{60}|<<.?.?\w{60}|R\"\w{17}|<[a-zA-Z][\w.:-]{120}")
"""Delimiters and names that a scanner keeps as they are."""
_ENTRY = re.compile(r"[-?:](?=[ \t])")
_INDENT = re.compile(r"(?m)^[ \t]+")
_INDENTED = frozenset({"yaml", "python", "scala", "haskell"})
_PROGRAM = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from ast_grep_py import SgRoot
text = sys.stdin.buffer.read().decode("utf-8")
if hasattr(signal, "setitimer"):
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[3]))
SgRoot(text, sys.argv[2]).root()
"""


def seconds_for(text: str) -> float:
    """Seconds of computing within which a grammar must have read the text."""
    return _BASE_S + len(text) / _CHARACTERS_PER_S


def is_readable(text: str, language: str) -> bool:
    """True when parsing `text` here ends in good time. `language` is a key of AST_GREP; `text` has no lone surrogates."""
    return len(text) <= ALWAYS_SAFE or _is_readable(text, language)


@lru_cache(maxsize=64)
def _is_readable(text: str, language: str) -> bool:
    return not may_be_endless(text, language) or _comes_through(text, language)


def may_be_endless(text: str, language: str) -> bool:
    """True when the text is long, nests as no program does, or a sample of it is slow to read."""
    return len(text) > ALWAYS_TRIED or _nests(text, language) or _is_slow(text, language)


def _nests(text: str, language: str) -> bool:
    if len(_NESTS.findall(text)) > _MOST_NESTED or _LONG_MARK.search(text):
        return True
    if language not in _INDENTED:
        return False
    widths = len(set(_INDENT.findall(text)))
    in_line = max(len(_ENTRY.findall(line)) for line in text.split("\n")) if language == "yaml" else 0
    return widths + in_line > _MOST_NESTED


def _is_slow(text: str, language: str) -> bool:
    """True when a sample takes too long, twice: the first time may be the grammar's first."""
    for length, distance in _SAMPLES:
        for at in range(0, len(text), distance):
            sample = text[at : at + length]
            most = _SLOW_S_PER_CHARACTER * length
            if _seconds(sample, language) > most and _seconds(sample, language) > most:
                return True
    return False


def _seconds(sample: str, language: str) -> float:
    begin = time.thread_time()
    SgRoot(sample, AST_GREP[language]).root()
    return time.thread_time() - begin


def _comes_through(text: str, language: str) -> bool:
    """Parse the text in a process that is stopped by the clock of the processor. False when it did not end well."""
    limit = seconds_for(text)
    folder = str(Path(ast_grep_py.__file__).parent.parent)
    # Isolated: no module of the working directory may take the parser's place.
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, folder, AST_GREP[language], f"{limit:.3f}"]
    try:
        # In a session of its own: Ctrl-C in the terminal must not pass for a text that can't be parsed.
        tried = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=limit * _WALL_FACTOR + _WALL_S,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0
