"""What a user gets: pinned requirements that agree, a wheel with everything in it, documents that are not stale."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path, PurePosixPath

import pytest

import docs.build as documents
from settings import Settings
from tests.test_architecture import FREE, ROOT, name_of, sources, tracked_files, unit_of

PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$")
NOT_PACKAGED = FREE | {"docs"}


def pins(name: str) -> dict[str, str]:
    """Package and version of every line that is neither a comment nor an include. Fails on a line that is no pin."""
    found = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-r ")):
            pin = PIN.match(line)
            assert pin, f"{name}: not pinned: {line}"
            found[canonical(pin[1])] = pin[2]
    return found


def canonical(package: str) -> str:
    """A package's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", package).lower()


def project() -> dict[str, object]:
    """The `tool.setuptools` table of pyproject.toml."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    return table


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_pinned_and_agree_with_the_constraints(name: str) -> None:
    """What is asked for directly is what was tested together."""
    constraints = pins("constraints.txt")
    assert {package: constraints.get(package) for package in pins(name)} == pins(name)


def test_wheel_lists_every_package_and_module() -> None:
    """A new package that is not listed would be missing after `pipx install .`."""
    files = [path.relative_to(ROOT) for path in sources() if unit_of(path) not in NOT_PACKAGED]
    packages = {".".join(path.parent.parts) for path in files if len(path.parts) > 1}
    modules = {path.stem for path in files if len(path.parts) == 1}
    assert set(project()["packages"]) == packages  # type: ignore[call-overload]  # a TOML list
    assert set(project()["py-modules"]) == modules  # type: ignore[call-overload]  # as above


def test_wheel_brings_every_rule_and_prompt() -> None:
    """YAML and prompts lie inside the wheel: each file in a package that is no Python is covered by a pattern."""
    patterns = project()["package-data"]
    assert isinstance(patterns, dict)
    packages = {str(package).split(".")[0] for package in project()["packages"]}  # type: ignore[attr-defined]  # a TOML list
    files = [path.relative_to(ROOT) for path in tracked_files() if path.suffix != ".py" and unit_of(path) in packages]
    missing = [str(file) for file in files if not is_covered(file, patterns.get(file.parts[0], []))]
    assert not missing


def is_covered(file: Path, patterns: list[str]) -> bool:
    """`**` stands for any number of folders, as setuptools reads it."""
    inside = PurePosixPath(*file.parts[1:])
    return any(inside.match(pattern) or inside.match(pattern.replace("**/", "")) for pattern in patterns)


def test_generated_documents_are_not_stale() -> None:
    """Settings and help in the documents are those of the code; `make docs` writes them anew."""
    assert [name_of(path) for path in documents.stale()] == []


def test_example_environment_names_every_setting() -> None:
    """A setting that stands in no example is a setting nobody finds."""
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^# ([A-Z_]+)=", text, re.MULTILINE))
    assert named == {name.upper() for name in Settings.__dataclass_fields__}


def test_licence_is_the_whole_text() -> None:
    """Apache-2.0, from its title to its appendix."""
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "APPENDIX: How to apply the Apache License to your work." in text
