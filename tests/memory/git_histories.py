"""Two labelled histories, each of more than a hundred commits, made from tables: what a commit says, what it does, whether it is a bug fix.

The messages are written as people write them in two kinds of projects: a part of the fixes never says so, a part of the others uses every
word of one, and a part of the others is as small as a fix. They are our own, and the words of the selection were changed with them in view:
a fall of the figures shows that something broke, their height proves nothing about other people's histories.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.git_repositories import Step, make_repository
from tests.memory.git_small_edits import Edits

PYTHON_BUGS: tuple[tuple[str, str], ...] = (
    ("def last_{w}(items):\n    return items[len(items)]\n", "def last_{w}(items):\n    return items[len(items) - 1]\n"),
    (
        "def mean_{w}(values):\n    total = sum(values)\n    return total / len(values)\n",
        "def mean_{w}(values):\n    if not values:\n        return 0.0\n    total = sum(values)\n    return total / len(values)\n",
    ),
    (
        "def read_{w}(path):\n    handle = open(path)\n    text = handle.read()\n    return text\n",
        "def read_{w}(path):\n    with open(path, encoding='utf-8') as handle:\n        return handle.read()\n",
    ),
    ("def keep_{w}(item, seen=[]):\n    seen.append(item)\n    return seen\n",
     "def keep_{w}(item, seen=None):\n    seen = [] if seen is None else seen\n    seen.append(item)\n    return seen\n"),
    (
        "def find_{w}(table, key):\n    return table[key].strip()\n",
        "def find_{w}(table, key):\n    value = table.get(key)\n    return value.strip() if value is not None else ''\n",
    ),
    (
        "def wait_{w}(job, limit):\n    while job.age < limit:\n        job.poll()\n    return job.state\n",
        "def wait_{w}(job, limit):\n    while job.age <= limit:\n        job.poll()\n    return job.state\n",
    ),
    (
        "def parse_{w}(text):\n    head, tail = text.split('=')\n    return head, tail\n",
        "def parse_{w}(text):\n    head, tail = text.split('=', 1)\n    return head, tail\n",
    ),
    (
        "def send_{w}(link, payload):\n    try:\n        link.write(payload)\n    except:\n        return False\n    return True\n",
        "def send_{w}(link, payload):\n    try:\n        link.write(payload)\n    except OSError:\n        return False\n    return True\n",
    ),
)  # fmt: skip
SCRIPT_BUGS: tuple[tuple[str, str], ...] = (
    (
        "function last_{w}(items) {\n  return items[items.length];\n}\n",
        "function last_{w}(items) {\n  return items[items.length - 1];\n}\n",
    ),
    ("function sort_{w}(xs) {\n  return xs.sort();\n}\n", "function sort_{w}(xs) {\n  return xs.sort((a, b) => a - b);\n}\n"),
    (
        "function name_{w}(user) {\n  return user.profile.name.trim();\n}\n",
        "function name_{w}(user) {\n  if (!user || !user.profile) {\n    return '';\n  }\n  return user.profile.name.trim();\n}\n",
    ),
    (
        "function same_{w}(a, b) {\n  if (a == b) {\n    return true;\n  }\n  return false;\n}\n",
        "function same_{w}(a, b) {\n  if (a === b) {\n    return true;\n  }\n  return false;\n}\n",
    ),
    (
        "async function load_{w}(store, key) {\n  const found = store.get(key);\n  return found.value;\n}\n",
        "async function load_{w}(store, key) {\n  const found = await store.get(key);\n  return found.value;\n}\n",
    ),
    (
        "function pages_{w}(total, size) {\n  return Math.floor(total / size);\n}\n",
        "function pages_{w}(total, size) {\n  return Math.ceil(total / size);\n}\n",
    ),
)
WORDS = (
    "order", "ticket", "parcel", "invoice", "route", "meter", "photo", "recipe", "ledger", "signal", "packet", "branch",
    "harbor", "engine", "garden", "letter", "window", "planet",
)  # fmt: skip
Written = dict[str | bytes, str | bytes | None]
"""Files that a commit writes; None deletes."""
_NAMED = re.compile(r"commit <(\d+)>")


@dataclass(frozen=True)
class Labelled:
    """A commit of the table: `kind` names an edit of `Project`, `is_fix` the label, `reverted` that a later one takes it back."""

    message: str
    kind: str
    is_fix: bool = False
    reverted: bool = False


@dataclass
class Project:
    """The files as they stand, and what the next commit of each kind does to them."""

    bugs: tuple[tuple[str, str], ...]
    small: Edits
    ending: str
    line_end: str = "\n"
    files: dict[str, str] = field(default_factory=dict)
    pairs: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """By the number of the commit (from 1): the functions before and after, exactly."""
    _left: list[tuple[str, str, str]] = field(default_factory=list)
    _small_left: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    _count: int = 0

    def start(self) -> Written:
        """Every module with all its bugs."""
        for number, word in enumerate(WORDS):
            path = f"src/{word}.{self.ending}"
            pairs = [(buggy.replace("{w}", word), fixed.replace("{w}", word)) for buggy, fixed in self.bugs]
            small = {kind: [(a.replace("{w}", word), b.replace("{w}", word)) for a, b in edits] for kind, edits in self.small.items()}
            for kind, edits in small.items():
                self._small_left.setdefault(kind, []).extend(edits)
            self.files[path] = "\n\n".join(before for before, _ in (*pairs, *(edit for edits in small.values() for edit in edits)))
            turn = number % len(pairs)
            self._left += [(path, *pair) for pair in pairs[turn:] + pairs[:turn]]
        self._left.sort(key=lambda each: hash_of(each[0] + each[1]))
        self.files["README.md"] = "# A project\n"
        return self._written(*self.files)

    def edit(self, kind: str, number: int) -> Written:
        """Make the next edit of a kind; the files that it writes."""
        edits: dict[str, Callable[[int], Written]] = {
            "fix": lambda n: self._fix(n, 1, tested=False),
            "fix+test": lambda n: self._fix(n, 1, tested=True),
            "fix2": lambda n: self._fix(n, 2, tested=True),
            "feature": self._feature,
            "option": self._option,
            "tidy": self._tidy,
            "text": self._text,
            "comment": self._comment,
            "layout": self._layout,
            "rename": self._rename,
            "move": self._move,
            "test": lambda n: self._other(f"tests/test_{n}.{self.ending}", self._function(f"test_{n}")),
            "docs": lambda n: self._other("README.md", self.files["README.md"] + f"Line {n}.\n"),
            "vendored": lambda n: self._other(f"vendor/lib{n % 2}.{self.ending}", self._function(f"vendored_{n}")),
            "build": lambda n: self._other("setup.cfg", f"[metadata]\nversion = {n}\n"),
            **{kind: partial(self._small, kind) for kind in self.small},
        }
        return edits[kind](number)

    def _fix(self, number: int, count: int, *, tested: bool) -> Written:
        paths = []
        for _ in range(count):
            path, buggy, fixed = self._left.pop()
            assert buggy in self.files[path], (path, buggy)
            self.files[path] = self.files[path].replace(buggy, fixed)
            self.pairs.setdefault(number, []).append((self._ended(buggy), self._ended(fixed)))
            paths.append(path)
        if tested:
            test = f"tests/test_fix_{number}.{self.ending}"
            self.files[test] = self._function(f"test_{number}")
            paths.append(test)
        return self._written(*paths)

    def _small(self, kind: str, number: int) -> Written:
        """One function changes a little, every third time with a test."""
        before, after = self._small_left[kind].pop(0)
        path = next(path for path, text in self.files.items() if before in text)
        self.files[path] = self.files[path].replace(before, after)
        if number % 3:
            return self._written(path)
        test = f"tests/test_{kind}_{number}.{self.ending}"
        self.files[test] = self._function(f"test_{number}")
        return self._written(path, test)

    def _feature(self, number: int) -> Written:
        """A new function that an old one calls."""
        path = self._path(number)
        self.files[path] += "\n\n" + self._function(f"extra_{number}") + "\n\n" + self._function(f"extra_more_{number}")
        return self._written(path)

    def _option(self, number: int) -> Written:
        """A function gets a parameter."""
        path = self._path(number)
        self.files[path] += "\n\n" + self._function(f"opt_{number}")
        self._count += 1
        target = next((name for name in self.files if "opt_" in self.files[name] and name != path), None)
        if target is None:
            return self._written(path)
        self.files[target] = self.files[target].replace("(given) ", "(given, verbose) ").replace("(given):", "(given, verbose=False):")
        return self._written(path, target)

    def _tidy(self, number: int) -> Written:
        """The same done in other words, in four functions."""
        paths = [self._path(number + shift) for shift in range(4)]
        for path in paths:
            self.files[path] += "\n\n" + self._function(f"tidied_{number}_{paths.index(path)}")
        return self._written(*dict.fromkeys(paths))

    def _text(self, number: int) -> Written:
        """Only what is said to the user changes."""
        path, name = "src/words." + self.ending, "greet"
        start, end = ("def greet():\n    return '", "'\n") if self.ending == "py" else ("function greet() {\n  return '", "';\n}\n")
        self.files[path] = start + f"{name} number {number}" + end
        return self._written(path)

    def _comment(self, number: int) -> Written:
        path = self._path(number)
        mark = "#" if self.ending == "py" else "//"
        head, rest = self.files[path].split("\n", 1)
        self.files[path] = f"{head}\n    {mark} note {number}\n{rest}"
        self._forget(path)
        return self._written(path)

    def _layout(self, number: int) -> Written:
        path = self._path(number)
        self.files[path] = self.files[path].replace("\n\n\n", "\n\n\n\n", 1)
        return self._written(path)

    def _rename(self, number: int) -> Written:
        """A file gets another name, and nothing else."""
        old = self._path(number)
        new = old.replace("src/", f"src/v{number}_")
        self.files[new] = self.files.pop(old)
        self._left = [(new if path == old else path, a, b) for path, a, b in self._left]
        return {old: None, **self._written(new)}

    def _move(self, number: int) -> Written:
        """A function moves from one file to another as it is."""
        source, target = self._path(number), self._path(number + 5)
        if source == target:
            return self._layout(number)
        buggy = next((a for path, a, _ in reversed(self._left) if path == source), None)
        if buggy is None:
            return self._layout(number)
        self.files[source] = self.files[source].replace(buggy, "", 1)
        self.files[target] += "\n\n" + buggy
        self._left = [(target if (path, a) == (source, buggy) else path, a, b) for path, a, b in self._left]
        return self._written(source, target)

    def _other(self, path: str, content: str) -> Written:
        self.files[path] = content
        return self._written(path)

    def _forget(self, path: str) -> None:
        """A function whose text has changed can't be the bug of a later commit."""
        self._left = [each for each in self._left if each[0] != path or each[1] in self.files[path]]

    def _path(self, number: int) -> str:
        paths = sorted(path for path in self.files if path.startswith("src/") and "words" not in path)
        return paths[number % len(paths)]

    def _function(self, name: str) -> str:
        if self.ending == "py":
            return f"def {name}(given):\n    first = given.one\n    if first:\n        return first\n    return given.two\n"
        return f"function {name}(given) {{\n  const first = given.one;\n  if (first) {{\n    return first;\n  }}\n  return given.two;\n}}\n"

    def _ended(self, text: str) -> str:
        return text.replace("\n", self.line_end)

    def _written(self, *paths: str) -> Written:
        return {path: self._ended(self.files[path]) for path in paths}


def hash_of(text: str) -> int:
    """Mixes an order up, the same on every machine."""
    value = 5381
    for character in text:
        value = (value * 33 + ord(character)) % 1_000_003
    return value


@dataclass(frozen=True)
class MadeHistory:
    """A repository, its commits with their labels, and the exact pairs of each fix."""

    folder: Path
    labels: dict[str, Labelled]
    pairs: dict[str, list[tuple[str, str]]]


def make_history(folder: Path, project: Project, table: list[Labelled]) -> MadeHistory:
    """Commit the table in a fixed mixed order; a reverted fix is followed by its revert a few commits later."""
    steps, labels = [Step("Import the project", project.start())], [Labelled("Import the project", "start")]
    for entry in sorted(table, key=lambda each: hash_of(each.message)):
        before = dict(project.files)
        number = len(steps) + 1
        steps.append(Step(entry.message, project.edit(entry.kind, number), author="Ada" if number % 3 else "Grace Hopper"))
        labels.append(entry)
        if entry.reverted:
            message = f'Revert "{entry.message}"\n\nThis reverts commit <{number}>.'
            steps.append(Step(message, _undone(project, before)))
            labels.append(Labelled(message, "revert"))
    ids = _committed(folder, steps)
    pairs = {ids[number - 1]: found for number, found in project.pairs.items()}
    return MadeHistory(folder, dict(zip(ids, labels, strict=True)), pairs)


def _undone(project: Project, before: dict[str, str]) -> Written:
    """Put the files back as they were; what that writes."""
    changed = [path for path in {**project.files, **before} if project.files.get(path) != before.get(path)]
    project.files = before
    return {path: before[path].replace("\n", project.line_end) if path in before else None for path in changed}


def _committed(folder: Path, steps: list[Step]) -> list[str]:
    """Twice: a revert names the id of a commit, which is known only when that is made."""
    ids = make_repository(folder.with_name(folder.name + "-draft"), steps, checkout=False)
    for number, step in enumerate(steps):
        if found := _NAMED.search(str(step.message)):
            steps[number] = Step(_NAMED.sub(f"commit {ids[int(found[1]) - 1]}", str(step.message)), step.files, step.author)
            ids = make_repository(folder.with_name(f"{folder.name}-draft-{number}"), steps, checkout=False)
    return make_repository(folder, steps, checkout=False)
