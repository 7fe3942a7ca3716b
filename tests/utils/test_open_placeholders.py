"""Secrets that could not be put back are counted before a text is written anywhere."""

from __future__ import annotations

from utils.redact import open_placeholders, redact, restore

TOKEN = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN PRIVATE " + "KEY-----\n" + "\n".join(["Ab9" * 21] * 3) + "\n-----END PRIVATE " + "KEY-----\n"


def test_nothing_is_open_once_all_is_restored() -> None:
    """A token and a private key of several lines."""
    text = f'TOKEN = "{TOKEN}"\nKEY = """{KEY}"""\n'
    redacted = redact(text)
    assert open_placeholders(redacted.text) == redacted.count == 2
    assert open_placeholders(restore(redacted.text, redacted.secrets)[0]) == 0


def test_one_line_of_a_key_is_an_open_secret() -> None:
    """Lines inside a key are not counted apart, and not overlooked either."""
    redacted = redact(KEY)
    inner = [secret.placeholder for secret in redacted.secrets][1:]
    assert inner
    assert open_placeholders("\n".join(inner)) == 1


def test_the_users_own_words_were_never_secrets() -> None:
    """A text about placeholders can be written."""
    word = redact(f'"{TOKEN}"').secrets[0].placeholder
    assert open_placeholders(f"x = '{word}'\n", own=f"y = '{word}'\n") == 0
