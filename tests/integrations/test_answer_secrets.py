"""Secrets that a model made up go before its answer is read."""

from __future__ import annotations

import json

import pytest

from integrations.answer_secrets import without_secrets
from utils.redact import redact, restore

TOKEN = "ghp_" + "a1B2" * 9
OTHER = "glpat-" + "c3D4" * 5


def test_strings_lose_them_wherever_they_stand() -> None:
    """In lists and objects, behind escaped quotes, several in one string; the rest of the answer stays as it was."""
    answer = {"summary": "ä", "findings": [{"quote": f'password = "hunter{22222}"', "message": f"{TOKEN} {OTHER}"}], "n": [1, None, True]}
    read = json.loads(without_secrets(json.dumps(answer), asked=""))

    assert read["summary"] == "ä"
    assert read["n"] == [1, None, True]
    assert not [part for part in (TOKEN[4:], OTHER[6:], "hunter") if part in json.dumps(read)]


def test_the_placeholders_of_the_question_stay_its_own() -> None:
    """One of the model's gets a number that neither the paste nor the answer uses: else the user's secret would be put there."""
    pasted = redact(f'mine = "{TOKEN}"\n')
    fix = pasted.text + f'made_up = "{OTHER}"\n'
    read = json.loads(without_secrets(json.dumps({"fixed_code": fix}), asked=pasted.text))["fixed_code"]

    assert OTHER not in read
    assert restore(read, pasted.secrets, pasted.text)[0].startswith(f'mine = "{TOKEN}"\nmade_up = "CMSECRET2GL')


@pytest.mark.parametrize("text", ['{"a": "x = os.environ[\\"TOKEN\\"]",   "b": 1.50}', "no json", "", "[" * 100_000])
def test_other_answers_are_left_to_the_letter(text: str) -> None:
    """Nothing is written anew that needs not be, and what is no JSON is for whoever parses it."""
    assert without_secrets(text, asked="") == text
