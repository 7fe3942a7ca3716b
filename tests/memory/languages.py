"""The samples of `languages.yaml`: one small function in each of the fifteen languages, in the forms that recall must know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Sample:
    """`relaid` says what `buggy` says in another layout, with comments; `other` stands beside it in a paste."""

    buggy: str
    fixed: str
    relaid: str
    renamed: str
    other: str


SAMPLES: dict[str, Sample] = {
    language: Sample(**forms) for language, forms in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}
