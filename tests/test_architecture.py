"""The rules of the source tree that no other tool checks: who imports whom, what stands at a module's top, sizes, paths."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASE = {"schema", "errors", "utils"}
MAY_IMPORT: dict[str, set[str]] = {
    "utils": set(),
    "errors": {"utils"},
    "schema": {"utils"},
    "state": {"schema"},
    "agents": BASE,
    "memory": BASE,
    "rules": BASE,
    "checks": BASE,
    "integrations": BASE,
    "reports": BASE,
    "settings": BASE | {"settings_model"},
    "settings_model": BASE | {"settings"},  # for its types only
    "nodes": BASE | {"state"},
    "graphs": {"nodes", "state", "schema", "errors"},  # errors: the driver makes a failed task a record
    "wiring": BASE
    | {"wiring_model", "wiring_static", "settings", "state", "graphs", "agents", "memory", "rules", "checks", "integrations"},
    "wiring_memory": BASE | {"settings", "wiring", "wiring_forgetting", "memory", "integrations"},
    "wiring_upkeep": BASE | {"wiring", "memory"},
    "wiring_feedback": BASE | {"wiring", "memory", "integrations"},
    "wiring_forgetting": BASE | {"wiring", "memory", "integrations"},
    "wiring_exchange": BASE | {"settings", "wiring", "memory"},
    "wiring_sharing": BASE | {"settings", "wiring", "memory", "integrations"},
    "wiring_model": BASE | {"settings", "agents", "integrations"},
    "wiring_static": BASE | {"settings", "wiring_model", "checks", "integrations", "rules"},
    "wiring_log": {"settings", "wiring", "wiring_model", "integrations"},
    "cli": BASE
    | {
        "wiring",
        "wiring_log",
        "wiring_memory",
        "wiring_exchange",
        "wiring_feedback",
        "wiring_upkeep",
        "wiring_model",
        "wiring_sharing",
        "state",
        "reports",
        "settings",
    },
    "service": BASE | {"wiring", "state", "reports", "settings"},
    "main": {"cli", "service", "wiring", "settings", "errors"},
    "docs": {"settings", "cli", "rules"},
}
"""A row may import what it lists and itself; benchmarks and tests may import everything and are imported by nothing."""

FREE = {"benchmarks", "tests"}
OURS = set(MAY_IMPORT) | FREE
SKIPPED = {".venv", "build", "dist", "golden", "__pycache__"}
MAX_FILE_LINES = 400
LONG_FILE_LINES = 300
MAX_FUNCTION_LINES = 50
BROAD_EXCEPT_ALLOWED = ("cli/", "service/", "integrations/chat_model", "rules/cases.py")
"""`except Exception` may stand at the edge that turns errors into messages, around the model call, and around the
compilation of a rule (ast-grep raises bare Exception)."""


@cache
def tracked_files() -> tuple[Path, ...]:
    """What belongs to the project: what Git knows or would take; every file where there is no Git."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not SKIPPED & set(path.parts)]
    return tuple(path for path in (ROOT / name for name in sorted(listed) if name) if path.is_file())


def sources() -> list[Path]:
    """All Python files of the project."""
    return [path for path in tracked_files() if path.suffix == ".py" and not SKIPPED & set(path.relative_to(ROOT).parts)]


def name_of(path: Path) -> str:
    """The file as a reader knows it, for messages and test names."""
    return path.relative_to(ROOT).as_posix()


def unit_of(path: Path) -> str:
    """The row of the table a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported_units(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and top-level name of every import of ours, those inside functions and `if TYPE_CHECKING` included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        else:
            continue
        for name in names:
            unit = name.split(".")[0]
            if unit in OURS or not unit:
                yield node.lineno, unit or "(relative)"


def forbidden_imports(unit: str, tree: ast.Module) -> list[str]:
    """Imports that the table does not allow."""
    allowed = MAY_IMPORT[unit] | {unit}
    return [f"line {line}: {unit} imports {name}" for line, name in imported_units(tree) if name not in allowed]


def offences(paths: Iterable[Path], find: Callable[[Path], Sequence[object]]) -> dict[str, Sequence[object]]:
    """What `find` objects to, by file."""
    return {name_of(path): found for path in paths if (found := find(path))}


PRODUCT = [path for path in sources() if unit_of(path) not in FREE]


def test_every_module_has_a_row_in_the_table() -> None:
    """A new top-level module says what it may import before it imports anything."""
    assert {unit_of(path) for path in PRODUCT} <= set(MAY_IMPORT)


def test_modules_import_only_what_their_row_lists() -> None:
    """The table of who may import whom holds, for imports inside functions too."""
    assert not offences(PRODUCT, lambda path: forbidden_imports(unit_of(path), tree_of(path)))


def test_forbidden_import_is_seen_wherever_it_stands() -> None:
    """Inside a function, under TYPE_CHECKING and as a submodule."""
    code = "def f():\n    import memory.ledger\nif TYPE_CHECKING:\n    from agents.reviewer import StaticReviewer\nfrom . import x\n"
    assert len(forbidden_imports("nodes", ast.parse(code))) == 3
    assert not forbidden_imports("nodes", ast.parse("import asyncio\nfrom schema.task import Task\nfrom state import Context\n"))


def test_modules_start_with_a_docstring() -> None:
    """A reader learns from the first line what the file is."""
    assert not [name_of(path) for path in sources() if not ast.get_docstring(tree_of(path))]


def acts_at_import(node: ast.stmt) -> bool:
    """A statement that does something when the module is imported: a bare call, a `while`, a `with`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call | ast.Await)
    return isinstance(node, ast.While | ast.With | ast.Delete)


def test_importing_a_module_does_nothing() -> None:
    """No client, no print, no folder: a module's top level only defines."""
    assert not offences(sources(), lambda path: [node.lineno for node in tree_of(path).body if acts_at_import(node)])


def catches_everything(node: ast.ExceptHandler) -> bool:
    """`except:`, `except Exception` or `except BaseException`, alone or in a tuple, that does not re-raise."""
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    broad = any(kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}) for kind in kinds)
    raises_again = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    return broad and not raises_again


def broad_handlers(path: Path) -> list[int]:
    """Lines on which everything is caught."""
    return [node.lineno for node in ast.walk(tree_of(path)) if isinstance(node, ast.ExceptHandler) and catches_everything(node)]


def test_only_the_edge_catches_everything() -> None:
    """Elsewhere an error is caught by its name, or cleaned up after and raised again."""
    assert not offences([path for path in PRODUCT if not name_of(path).startswith(BROAD_EXCEPT_ALLOWED)], broad_handlers)


def oversized(path: Path) -> list[str]:
    """The file's length when it is too long, and its functions that are."""
    length = len(path.read_text(encoding="utf-8").splitlines())
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES]
    return [f"{length} lines"] * (length > MAX_FILE_LINES) + long


def test_files_can_be_read_in_one_go() -> None:
    """A file over 400 lines is split by subject, and so is a function over 50."""
    assert not offences(sources(), oversized)


def test_few_files_are_long() -> None:
    """300 lines is where splitting begins to pay: at most one file in twenty is longer."""
    long = [name_of(path) for path in sources() if len(path.read_text(encoding="utf-8").splitlines()) > LONG_FILE_LINES]
    assert len(long) <= len(sources()) / 20, long


def test_every_tests_folder_is_a_package() -> None:
    """Without `__init__.py`, tests/memory would shadow memory."""
    folders = {path.parent for path in sources() if unit_of(path) == "tests"}
    assert not [name_of(folder) for folder in folders if not (folder / "__init__.py").exists()]


PLACES = "|".join(("wor" + "k", "far" + "m", "roo" + "t", "home/[a-z]", "Users/[A-Za-z]", "tm" + "p/v"))
REGISTRIES = "|".join(("py" + r"pi\.org", "python" + r"hosted\.", "npm" + r"js\.", "deb" + r"\.debian\."))
NOT_IN_THE_TREE = re.compile(rf"(?<![A-Za-z0-9_.])/(?:{PLACES})(?:/|\b)|{REGISTRIES}")


def matches(pattern: re.Pattern[str], path: Path) -> list[str]:
    """What the pattern finds in a text file; nothing in a binary one."""
    try:
        return [match.group() for match in pattern.finditer(path.read_text(encoding="utf-8"))]
    except UnicodeDecodeError:
        return []


def test_tree_names_no_machine_and_no_registry() -> None:
    """What is in the tree works on every machine."""
    assert not offences(tracked_files(), partial(matches, NOT_IN_THE_TREE))


SECRET_SHAPES = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|sk-[A-Za-z0-9]{32}|-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]{20}"
)


def test_tree_holds_nothing_that_looks_like_a_secret() -> None:
    """Tests put theirs together from pieces, so that no scanner stops a push."""
    assert not offences(tracked_files(), partial(matches, SECRET_SHAPES))
