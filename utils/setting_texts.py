"""Readers of settings: from the text of a variable to its value. A refusal never repeats the text: it may be a key in the wrong place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MOST_NAME = 100


def one_of(*allowed: str) -> Callable[[str], Any]:
    """A reader for a closed set of words, capitals ignored."""

    def read(text: str) -> str:
        word = text.lower()
        if word not in allowed:
            raise ValueError(f"use one of {', '.join(allowed)}")
        return word

    return read


def whole(minimum: int) -> Callable[[str], int]:
    """A reader for whole numbers of at least `minimum`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < minimum:
            raise ValueError(f"use a whole number of at least {minimum}")
        return int(text)

    return read


def number(minimum: float, maximum: float) -> Callable[[str], float]:
    """A reader for numbers between two limits, both included."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = minimum - 1
        if not minimum <= value <= maximum:
            raise ValueError(f"use a number from {minimum:g} to {maximum:g}")
        return value

    return read


def yes_or_no(text: str) -> bool:
    """Read a switch: 1/0, true/false, yes/no, on/off."""
    word = text.lower()
    if word not in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
        raise ValueError("use true or false")
    return word in {"1", "true", "yes", "on"}


def web_address(text: str) -> str:
    """Read an http(s) address without a trailing slash. The sentence of a refusal never repeats it: it may hold a key."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("use an address that begins with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("use an address without user, password, ? or #; a key has a variable of its own")
    return text.rstrip("/")


def author(text: str) -> str:
    """Read a name that others will see."""
    if len(text) > MOST_NAME or not text.isprintable():
        raise ValueError(f"use at most {MOST_NAME} printable characters")
    return text


def seen(text: str) -> str:
    """That there is a value, and not which."""
    return "set" if text else ""


def folder(text: str) -> Path:
    """Read a folder; `~` is the user's home, a relative one is taken from the working directory."""
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        raise ValueError("use a folder that exists; the user's home is not known here") from None
