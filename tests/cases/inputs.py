"""Inputs that are made rather than written down: large ones, broken bytes, and secrets put together from pieces."""

from __future__ import annotations

import json
from collections.abc import Callable

END = "EOF\n"


def ten_thousand_lines() -> bytes:
    """2,500 functions of four lines; number 1505 (line 6,021) has a mutable default."""
    plain = "def step{0}(x):\n    y = x - {0}\n    return y\n\n"
    buggy = "def step{0}(x, seen=[]):\n    seen.append(x)\n    return seen\n\n"
    return ("".join((buggy if i == 1505 else plain).format(i) for i in range(2500)) + END).encode()


def deep_nesting() -> bytes:
    """Brackets that exhaust a parser's stack, a chain that exhausts a tree walker's, and an ordinary bug."""
    brackets = "n = " + "(" * 3000 + "7" + ")" * 3000 + "\n"
    chain = "m = 2" + " + 2" * 60000 + "\n"
    return END.join((brackets, chain, "def hold(x, kept=[]):\n    kept.append(x)\n    return kept\n", "")).encode()


def minified_js() -> bytes:
    """A quarter of a megabyte of JavaScript without a line break."""
    parts = "".join(f"var u{i}={i};function v{i}(w){{return w==u{i}?[{i},w]:v{i}(w-1)}};" for i in range(4000))
    return ("!function(){" + parts + "}();\n" + END).encode()


def generated_file() -> bytes:
    """300 findings of one kind in a file that says it is generated."""
    calls = "".join(f"def op_{i}(x, extra=[]):\n    extra.append(x)\n    return extra\n\n" for i in range(300))
    return ("# Made by a tool. DO NOT EDIT.\n" + calls + END).encode()


def notebook() -> bytes:
    """A notebook with a bug in its second cell."""
    first = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": ["import os\n", "n = 3"]}
    lines = ["# collect\n", "def hold(x, kept=[]):\n", "    kept.append(x)\n", "    return kept\n", "print(hold(n))"]
    stream = {"output_type": "stream", "name": "stdout", "text": ["[3]\n"]}
    second = {"cell_type": "code", "execution_count": 2, "metadata": {}, "outputs": [stream], "source": lines}
    kernel = {"kernelspec": {"language": "python", "name": "python3", "display_name": "Python 3"}}
    whole = {"cells": [first, second], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(whole, indent=1) + "\n" + END).encode()


def latin_1() -> bytes:
    """A comment in Latin-1."""
    return "# caf\xe9\ndef f(x, kept=[]):\n    return kept\nEOF\n".encode("latin-1")


def utf_16() -> bytes:
    """A whole paste in UTF-16 with its mark."""
    return "def f(x, kept=[]):\n    return kept\nEOF\n".encode("utf-16")


def lone_surrogate() -> bytes:
    """Half of a surrogate pair, encoded as if it were a character."""
    return b'word = "\xed\xba\xad"\nEOF\n'


def escape_codes() -> bytes:
    """Code that carries a window title, a cleared line and a hidden link."""
    title = "# \x1b]0;mine\x07\x1b[2K\x1b[1GEVERYTHING PASSED\n"
    link = "\x1b]8;;http://198.51.100.7/\x1b\\docs\x1b]8;;\x1b\\"
    return f"{title}def compute(formula):\n    return eval(formula)  # {link}\nEOF\n".encode()


def many_secret_values() -> tuple[str, ...]:
    """Made-up credentials, in pieces so that no scanner takes this file for a leak."""
    return (
        "AKIA" + "JG6EZ5NHLOEXAMPL",
        "kQ3vXz8LmN2p/R7s" + "TyU4wB9cD1eF6gH5jK0aZ+xY",
        "Blue" + "Kettle7Rain",
        "MIIBPAIBAAJBAM" + "sample" * 8,
        "ghp_" + "z9Y8" * 9,
    )


def many_secrets() -> bytes:
    """Six secrets: two on line 3, one in a URL, one over three lines, one on a last line without line end."""
    key, secret, password, pem, token = many_secret_values()
    return (
        f'import requests\n\nKEY = "{key}"; SECRET = "{secret}"\n'
        f'DB = "postgresql://chief:{password}@db.example.com/shop"\n'
        f'PEM = """-----BEGIN RSA {"PRIVATE KEY"}-----\n{pem}\nsample==\n-----END RSA {"PRIVATE KEY"}-----"""\n\n'
        'def ask(path):\n    return requests.get("https://api.example.com/" + path, verify=False, timeout=9)\n'
        f'TOKEN = "{token}"'
    ).encode()


MADE: dict[str, Callable[[], bytes]] = {
    made.__name__: made
    for made in (
        ten_thousand_lines,
        deep_nesting,
        minified_js,
        generated_file,
        notebook,
        latin_1,
        utf_16,
        lone_surrogate,
        escape_codes,
        many_secrets,
    )
}
"""Every made input by the name that a fixture's `make` gives."""
