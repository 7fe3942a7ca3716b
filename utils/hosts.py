"""Which host an address means, and whether it stands on this machine or in the user's own network."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def host_of(address: str) -> str:
    """Host, and port when the address names one: `api.example.com`, `127.0.0.1:8080`."""
    parts = urlsplit(address)
    name = parts.hostname or ""
    shown = f"[{name}]" if ":" in name else name
    return shown if parts.port is None else f"{shown}:{parts.port}"


def name_of(address: str) -> str:
    """The host's name without a port, in lower case."""
    return (urlsplit(address).hostname or "").lower()


def is_loopback(address: str) -> bool:
    """True when the address means this machine: no proxy is asked for it."""
    name = name_of(address)
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback or ip_address(name).is_unspecified
    except ValueError:
        return False


def is_local(address: str) -> bool:
    """True for this machine and for the user's own network: such a server needs no key.

    A name without a dot (`ollama` among containers) can't be a public one.
    """
    name = name_of(address)
    if is_loopback(address) or name.endswith(_LOCAL_ENDINGS):
        return True
    try:
        return ip_address(name).is_private
    except ValueError:
        return bool(name) and "." not in name


def belongs_to(address: str, domain: str) -> bool:
    """True when the address's host is the domain or one below it."""
    name = name_of(address)
    return name == domain or name.endswith("." + domain)
