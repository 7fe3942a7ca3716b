"""From a commit to the pairs that are learnt from it, or why none is. Contents are read only where names and message leave a chance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from memory.git_changes import MAX_FUNCTION_LINES, FileSplit, FunctionPair, split_change
from memory.git_message import reverted_by, score_message
from memory.git_paths import PathKind, is_made_by_program, kind_of
from memory.git_selection import Judgement, Shape, judge, may_be_fix
from schema.git_history import Commit, FileChange
from utils.language_names import language_of_file
from utils.syntax import OUTLINED

MAX_FILES = 20
"""Product files that one commit may change: beyond that it is a sweep over the code."""
_IMPORT = re.compile(r"(?:import|from|use|using|#\s*include)\b|(?:const|let|var)\s.*\brequire\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LFS = b"version https://git-lfs."
"""Begins the pointer that stands for a file which Git LFS keeps elsewhere."""
_SAYS_RENAME = re.compile(r"\brenam", re.IGNORECASE)

Blobs = Callable[[str], bytes | None]


@dataclass(frozen=True)
class LearntPair:
    """A function that a fix changed, and the path it had afterwards."""

    path: str
    pair: FunctionPair
    imports: tuple[str, ...] = ()
    """Import lines that the commit added to the file for it: they stand outside of it."""


@dataclass(frozen=True)
class Reading:
    """What became of a commit. Taken: `pairs` and no `why`; else `why`, with the `judgement` when it came to one.

    `left_out` counts what could not be read or learnt, by reason, in taken commits and others.
    """

    commit: Commit
    why: str = ""
    pairs: tuple[LearntPair, ...] = ()
    judgement: Judgement | None = None
    left_out: Counter[str] = field(default_factory=Counter)


def read_commit(commit: Commit, blobs: Blobs, paths: Sequence[str] = ()) -> Reading:
    """Cheap reasons first: parents, names of files, message; then the contents."""
    changes = [change for change in commit.changes if _is_within(change.path, paths)]
    named = [(change, kind_of(change.path)) for change in changes]
    if why := _why_not_by_form(commit, named):
        return Reading(commit, why)
    edited = [change for change, kind in named if kind == "product" and _is_edit(change)]
    if len(edited) > MAX_FILES or commit.changed_files > len(commit.changes):
        return Reading(commit, "mass change")
    if not may_be_fix(commit.message):
        return Reading(commit, f"message {_objection(commit.message)}")
    left_out: Counter[str] = Counter()
    splits = [split for split in (_split(change, blobs, left_out) for change in edited) if split is not None]
    return _judged(commit, splits, named, left_out)


def _is_within(path: str, paths: Sequence[str]) -> bool:
    return not paths or any(path == each or path.startswith(each.rstrip("/") + "/") or each in {".", ""} for each in paths)


def _is_edit(change: FileChange) -> bool:
    """A file that goes on existing, with other contents."""
    return change.is_file and change.status in {"modified", "renamed"} and change.old_blob != change.new_blob


def _why_not_by_form(commit: Commit, named: Sequence[tuple[FileChange, PathKind]]) -> str:
    if len(commit.parents) != 1:
        return "merge" if commit.parents else "first commit"
    if not named:
        return "changes no file"
    if reverted_by(commit.message) is not None:
        return "revert"
    kinds = {kind for _, kind in named}
    product = [change for change, kind in named if kind == "product"]
    if not product:
        return _why_no_product(kinds, named)
    return "" if any(map(_is_edit, product)) else _why_no_edit(product)


def _why_no_edit(product: Sequence[FileChange]) -> str:
    files = [change for change in product if change.is_file]
    if not files:
        return "links or submodules only"
    is_same = all(change.status == "modified" and change.old_blob == change.new_blob for change in files)
    return "file modes only" if is_same else "files added, deleted, renamed or moved only"


def _why_no_product(kinds: set[PathKind], named: Sequence[tuple[FileChange, PathKind]]) -> str:
    if not any(change.is_file for change, _ in named):
        return "links or submodules only"
    if "test" in kinds:
        return "tests only"
    if kinds <= {"generated", "vendored"}:
        return "generated or vendored files only"
    return "docs, build or other files only"


def _objection(message: str) -> str:
    """The weightiest reason against it."""
    return score_message(message).reasons[0] if score_message(message).reasons else "says nothing of a fix"


def _split(change: FileChange, blobs: Blobs, left_out: Counter[str]) -> FileSplit | None:
    """One edited file; None, and the reason counted, when it can't be split."""
    language = language_of_file(change.path) or ""
    if language not in OUTLINED:
        left_out["language without an outline"] += 1
        return None
    texts = [_text(blobs(blob)) for blob in (change.old_blob, change.new_blob)]
    before, after = texts
    if isinstance(before, _Unread) or isinstance(after, _Unread):
        left_out[next(text.why for text in texts if isinstance(text, _Unread))] += 1
        return None
    if is_made_by_program(before) or is_made_by_program(after):
        left_out["made by a program"] += 1
        return None
    return split_change(before, after, language, change.path)


@dataclass(frozen=True)
class _Unread:
    why: str


def _text(content: bytes | None) -> str | _Unread:
    """Strictly UTF-8: another encoding would not be stored as it stands in the file."""
    if content is None:
        return _Unread("file too large or missing")
    if b"\x00" in content:
        return _Unread("binary file")
    if content.startswith(_LFS):
        return _Unread("content kept in Git LFS")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _Unread("file not UTF-8")


def _judged(commit: Commit, splits: Sequence[FileSplit], named: Sequence[tuple[FileChange, PathKind]], left_out: Counter[str]) -> Reading:
    learnt = [LearntPair(split.path, pair, _needed(split, pair)) for split in splits for pair in split.pairs]
    left_out["function that can't be cut out: broken syntax"] += sum(split.torn for split in splits)
    changed = [each for each in learnt if each.pair.kind == "changed"]
    renamed = [each for each in learnt if each.pair.kind == "renames"]
    if not _SAYS_RENAME.search(commit.message):
        corrected = _corrected(renamed, splits, is_all=not changed)
        changed, renamed = [*changed, *corrected], [each for each in renamed if each not in corrected]
    if not changed:
        return Reading(commit, _why_no_function(splits, learnt, renamed, left_out), left_out=+left_out)
    judgement = judge(commit.message, _shape(splits, changed, named))
    if not judgement.is_fix:
        return Reading(commit, "does not look like a fix", judgement=judgement, left_out=+left_out)
    left_out["function with layout, comments or types changed only"] += sum(each.pair.kind == "layout" for each in learnt)
    left_out["function with names exchanged only"] += len(renamed)
    short = [each for each in changed if max(map(_line_count, (each.pair.before, each.pair.after))) <= MAX_FUNCTION_LINES]
    left_out["function too long"] += len(changed) - len(short)
    if not short:
        return Reading(commit, "functions too long", judgement=judgement, left_out=+left_out)
    return Reading(commit, pairs=tuple(short), judgement=judgement, left_out=+left_out)


def _corrected(renamed: Sequence[LearntPair], splits: Sequence[FileSplit], *, is_all: bool) -> list[LearntPair]:
    """A name that became another in one place of the whole commit: a wrong name put right, as a renaming touches its other places too."""
    came = {word for split in splits for text in (*split.new, *split.outside_added) for word in _WORD.findall(text)}
    if is_all and len(renamed) == 1:
        return list(renamed)
    places = Counter(exchange for each in renamed for exchange in each.pair.exchanged)
    return [
        each
        for each in renamed
        if len(each.pair.exchanged) == 1 and places[each.pair.exchanged[0]] == 1 and each.pair.exchanged[0][1] not in came
    ]


def _needed(split: FileSplit, pair: FunctionPair) -> tuple[str, ...]:
    """Added imports of which the new text uses a name that the old one does not."""
    imports = [line for line in split.outside_added if _IMPORT.match(line)]
    words = set(_WORD.findall(pair.after)) - set(_WORD.findall(pair.before))
    return tuple(line for line in imports if words & set(_WORD.findall(line)))


def _why_no_function(
    splits: Sequence[FileSplit], learnt: Sequence[LearntPair], renamed: Sequence[LearntPair], left_out: Counter[str]
) -> str:
    if not splits:
        return "contents can't be used: " + next(iter(+left_out), "nothing to read")
    if renamed:
        return "names exchanged only"
    new, gone = _came_and_went(splits)
    if new or gone:
        return "functions added or removed only" if new - gone or gone - new else "functions moved only"
    if any(split.outside_lines for split in splits) and not learnt:
        return "code outside of functions only"
    return "layout, comments, docstrings or types only"


def _came_and_went(splits: Sequence[FileSplit]) -> tuple[Counter[str], Counter[str]]:
    """New and vanished functions of all files, by their text without the indentation: what is in both has moved."""
    strip = partial(re.sub, r"(?m)^[ \t]+|[ \t]+$|\s+\Z", "")
    return Counter(strip(text) for split in splits for text in split.new), Counter(strip(text) for split in splits for text in split.gone)


def _shape(splits: Sequence[FileSplit], changed: Sequence[LearntPair], named: Sequence[tuple[FileChange, PathKind]]) -> Shape:
    new, gone = _came_and_went(splits)
    outside = sum(split.outside_lines for split in splits)
    added = "".join((new - gone).elements())
    return Shape(
        pairs=tuple(each.pair for each in changed),
        lines=sum(max(1, len(each.pair.added) + len(each.pair.removed)) for each in changed) + outside + added.count("\n"),
        files=len({each.path for each in changed}),
        new_functions=(new - gone).total(),
        new_files=sum(kind == "product" and change.status == "added" for change, kind in named),
        outside_lines=outside,
        has_tests=any(kind == "test" for _, kind in named),
        has_docs=any(kind == "docs" and not re.search(r"(?i)change|news|history", change.path) for change, kind in named),
    )


def _line_count(text: str) -> int:
    return text.count("\n") + 1
