"""Strict reading of one YAML mapping: every key is asked for by name, and what nobody asked for is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from errors import RuleInvalidError


class Fields:
    """The keys of one mapping. `where` names file and key in every error."""

    def __init__(self, mapping: object, where: str) -> None:
        """Raises: RuleInvalidError when it is no mapping with text keys."""
        if not isinstance(mapping, Mapping) or not all(isinstance(key, str) for key in mapping):
            raise RuleInvalidError(f"{where}: a mapping with text keys is expected")
        self._left: dict[str, Any] = dict(mapping)
        self.where = where

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def fail(self, key: str, problem: str) -> RuleInvalidError:
        """The error to raise about one key."""
        return RuleInvalidError(f"{self.where}: `{key}` {problem}")

    def take(self, key: str, default: Any = None) -> Any:
        """The value, unchecked; it counts as read."""
        return self._left.pop(key, default)

    def text(self, key: str, default: str | None = None) -> str:
        """A non-empty text; required unless a default is given."""
        if key not in self._left and default is not None:
            return default
        value = self._left.pop(key, None)
        if not isinstance(value, str) or not value.strip():
            raise self.fail(key, "must be a text")
        return value

    def optional_text(self, key: str) -> str | None:
        """A non-empty text, or None when the key is absent."""
        return self.text(key) if key in self._left else None

    def choice(self, key: str, allowed: Collection[str], default: str | None = None) -> str:
        """One of the allowed words."""
        value = self.text(key, default)
        if value not in allowed:
            raise self.fail(key, f"must be one of {', '.join(sorted(allowed))}")
        return value

    def share(self, key: str, default: float | None = None) -> float:
        """A number between 0 and 1."""
        value = self._left.pop(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.fail(key, "must be a number between 0 and 1")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._left.pop(key, default)
        if not isinstance(value, bool):
            raise self.fail(key, "must be true or false")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        """A mapping with text keys; empty when the key is absent."""
        value = self._left.pop(key, {})
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise self.fail(key, "must be a mapping with text keys")
        return dict(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty when the key is absent."""
        value = self._left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.fail(key, "must be a list of texts")
        return tuple(value)

    def items(self, key: str) -> list[Any]:
        """A list; empty when the key is absent."""
        value = self._left.pop(key, [])
        if not isinstance(value, list):
            raise self.fail(key, "must be a list")
        return value

    def rest(self) -> dict[str, Any]:
        """Everything that was not read yet; it counts as read."""
        rest, self._left = self._left, {}
        return rest

    def finish(self) -> None:
        """Raises: RuleInvalidError when a key is left that nobody knows."""
        if self._left:
            raise RuleInvalidError(f"{self.where}: unknown key `{sorted(self._left)[0]}`")
