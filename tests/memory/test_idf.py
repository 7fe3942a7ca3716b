"""The shipped table of how rare runs of tokens are: whole, small, made of what may be used, and part of the fingerprint."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from benchmarks import idf_table
from errors import StorageFailedError
from memory import idf
from memory.keys import NORMALISER
from memory.vectors import embed, fingerprint, place_of, runs

DIGEST = "a7f891cc88d673efbb664d9a42ed4d8708f9295ba3cd2a687c1cbeacf190c442"
"""A table with other weights makes other vectors: give it a new name, so that the fingerprint changes too, and put its digest here."""
MOST_BYTES = 400_000


def test_the_table_is_the_one_that_its_name_stands_for() -> None:
    """Whoever changes the bytes changes the name."""
    content = (idf.FOLDER / f"{idf.TABLE}.bin").read_bytes()

    assert len(content) < MOST_BYTES
    assert hashlib.sha256(content).hexdigest() == DIGEST
    assert len(fingerprint()) == 32


def test_what_it_was_made_of_stands_beside_it() -> None:
    """Name, version and licence of each source, none but permissive ones, and the rules that its tokens were read by."""
    notice = json.loads((idf.FOLDER / f"{idf.TABLE}.json").read_text(encoding="utf-8"))

    assert notice["normaliser"] == NORMALISER
    assert {"python", "javascript", "java", "go", "cpp", "rust"} <= set(notice["languages"])
    assert sum(notice["languages"].values()) == notice["functions"] == sum(source["functions"] for source in notice["sources"])
    for source in notice["sources"]:
        assert source["license"] in idf_table.PERMISSIVE
        assert source["name"]
        assert re.match(r"[\d:]+\.", source["version"])


def test_common_runs_weigh_less_than_rare_ones() -> None:
    """`return` is everywhere; what the table doesn't know weighs 1."""
    found = idf.weights()

    assert all(0 < weight <= 1 for weight in found.values())
    assert found[place_of("return")] < 0.4
    assert found.get(place_of("no such token as this"), idf.UNKNOWN) == 1


def test_a_table_read_back_is_the_one_written() -> None:
    """Up to the steps of its weights; bytes of another length are refused."""
    weights = {1: 1.0, 2**32 - 1: 0.5, 77: 0.2}

    assert idf.unpacked(idf.packed(weights)) == {place: pytest.approx(weight, abs=1 / 255) for place, weight in weights.items()}
    for content in (b"", idf.packed(weights)[:-1]):
        with pytest.raises(ValueError, match="not a table"):
            idf.unpacked(content)


def test_a_missing_table_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that lacks it says so; vectors without it would not be those of the fingerprint."""
    idf.weights.cache_clear()
    monkeypatch.setattr(idf, "FOLDER", tmp_path)
    try:
        with pytest.raises(StorageFailedError, match="installation is incomplete"):
            embed("never_seen = missing_table(1)\n", "python")
    finally:
        idf.weights.cache_clear()


def _source(root: Path, name: str, body: str) -> dict[str, str]:
    folder = root / name
    folder.mkdir()
    (folder / "code.py").write_text(body, encoding="utf-8")
    return {"folder": name, "name": name, "version": "1.0", "license": "MIT", "registry": "none"}


def test_building_counts_functions_once_and_writes_what_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two packages with the same function have it once; the same folders give the same bytes."""
    functions = [
        f"def f{n}(a, b):\n    total = a + b\n    if total > {n}:\n        return total\n    return call{n}(a, b, total)\n"
        for n in range(9)
    ]
    sources = [_source(tmp_path, "one", "\n".join(functions)), _source(tmp_path, "two", functions[0])]
    (tmp_path / "sources.json").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    given = ["--sources", str(tmp_path / "sources.json"), "--root", str(tmp_path), "--out", str(tmp_path / "table")]
    monkeypatch.setattr("sys.argv", ["idf_table", *given])

    assert idf_table.main() == 0
    first = (tmp_path / "table.bin").read_bytes()
    assert idf_table.main() == 0

    weights = idf.unpacked(first)
    assert (tmp_path / "table.bin").read_bytes() == first
    assert weights[place_of("return")] < 0.2
    assert place_of("call3") not in weights
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))["functions"] == len(functions)
    assert "9 functions" in capsys.readouterr().out


def test_a_source_under_another_licence_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written."""
    source = {**_source(tmp_path, "one", "def f(): pass\n"), "license": "GPL-3.0"}
    (tmp_path / "sources.json").write_text(json.dumps({"sources": [source]}), encoding="utf-8")
    monkeypatch.setattr(
        "sys.argv", ["idf_table", "--sources", str(tmp_path / "sources.json"), "--root", str(tmp_path), "--out", str(tmp_path / "table")]
    )

    assert idf_table.main() == 2
    assert "not permissively licensed: one" in capsys.readouterr().err
    assert not (tmp_path / "table.bin").exists()


def test_runs_have_one_to_four_tokens() -> None:
    """Each with how often it occurs."""
    assert runs(["a", "b", "a", "b", "c"]) == {
        "a": 2,
        "b": 2,
        "c": 1,
        "a\x1fb": 2,
        "b\x1fa": 1,
        "b\x1fc": 1,
        "a\x1fb\x1fa": 1,
        "b\x1fa\x1fb": 1,
        "a\x1fb\x1fc": 1,
        "a\x1fb\x1fa\x1fb": 1,
        "b\x1fa\x1fb\x1fc": 1,
    }
