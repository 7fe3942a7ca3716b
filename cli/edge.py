"""The edge between what the user has and what the graph works on.

On the way in a paste becomes a Task: decoded, without prose and prompts, secrets replaced. On the way out positions become
those of the paste again, the fix gets the paste's line ends, and secrets are put back where they stood. The graph, the
checkpoints and the memory never see them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cli.options import TaskOptions, known_language
from errors import CodeMindError, InputInvalidError
from schema.experience import Saved
from schema.finding import Finding, SuggestedFix, TextEdit
from schema.fix import Fix
from schema.match import Match
from schema.record import TaskRecord
from schema.savings import Answer
from schema.task import Task
from settings import Settings
from utils.blocks import PasteError, RawBlock, check_text, decode_block
from utils.newlines import restore_newlines, to_lf
from utils.paste import BOM, PreparedPaste, prepare
from utils.redact import Secret, open_placeholders, redact, restore

PASTE = "paste"


@dataclass(frozen=True)
class Origin:
    """Where a text comes from: the task's id, and its file when it has one. `lang` goes before the command line's."""

    id: str
    path: str = PASTE
    lang: str | None = None


@dataclass(frozen=True)
class Entry:
    """A task on its way in, with what only this process may know."""

    task: Task
    pasted: str
    """The text as it was read, line ends and all."""
    secrets: tuple[Secret, ...] = ()
    was_read: bool = True
    """False for the task of a dead session: its paste is known only as far as the checkpoint holds it."""
    id: str = ""
    """The task's id as the user gave it: the task itself has it without secrets. Empty when only the task is known."""

    @classmethod
    def resumed(cls, task: Task) -> Entry:
        """The task of a dead session. Secrets died with it: their placeholders stay."""
        end = task.newline if task.newline in {"\r\n", "\r"} else "\n"
        return cls(task, task.code.replace("\n", end), was_read=False)

    @property
    def before(self) -> str:
        """The code as the user has it, with LF ends."""
        return restore(self.task.code, self.secrets)[0]


@dataclass(frozen=True)
class Served:
    """A record in the user's terms. `placeholders` counts secrets that could not be put back into the fix.

    `is_whole` is False when the code, and so the fix, is only a part of what was read.
    """

    record: TaskRecord
    before: str
    path: str = PASTE
    placeholders: int = 0
    is_whole: bool = True
    raw: TaskRecord | None = None
    """The record in terms of the code (placeholders, LF ends): what memory and graph know."""
    answer: Answer | None = None
    """What memory has done in it, and the day under which that is counted."""


def enter(raw: RawBlock | bytes | str, origin: Origin, options: TaskOptions, settings: Settings) -> Entry:
    """Make a task of a text. Raises InputInvalidError: empty, too large, binary, not UTF-8, a notebook."""
    language = known_language(origin.lang) or options.lang
    text = _decoded(raw, settings.max_paste_kb * 1024)
    if not text.strip(BOM + " \t\r\n"):
        raise InputInvalidError("There is no code in it: the text is empty.")
    prepared = prepare(text, language, None if origin.path == PASTE else origin.path)
    if prepared.refused:
        raise InputInvalidError(prepared.refused)
    task = _task(prepared, origin, options)
    return Entry(task, text, prepared.secrets, id=origin.id)


def leave(entry: Entry, record: TaskRecord) -> Served:
    """The record in terms of the paste."""
    places = _Places(entry)
    fix, placeholders = _own_fix(entry, record.fix)
    findings = tuple(map(places.finding, record.findings))
    served = replace(record, id=entry.id or record.id, findings=findings, match=places.match(record.match), fix=fix)
    if placeholders:
        served = served.with_note(_left_note(entry, placeholders))
    return Served(served, entry.before, entry.task.path, placeholders, not entry.task.line_map, record)


def refused(error: CodeMindError, task_id: str, provider: str) -> Served:
    """The record of a text that is no task."""
    record = TaskRecord(task_id, "", provider, saved=Saved("skipped", why="error"), error=error.as_plain(), exit_code=error.exit_code)
    return Served(record, "")


def _decoded(raw: RawBlock | bytes | str, limit: int) -> str:
    try:
        return check_text(raw, limit) if isinstance(raw, str) else decode_block(raw, limit)
    except PasteError as error:
        raise InputInvalidError(str(error)) from error


def _task(prepared: PreparedPaste, origin: Origin, options: TaskOptions) -> Task:
    notes = prepared.notes
    if not prepared.certain:
        other = f", it may be {prepared.runner_up}" if prepared.runner_up else ""
        told = "could not be told" if prepared.language == "unknown" else f"was guessed: {prepared.language}{other}"
        notes = (*notes, f"The language {told}; --lang (in a session: /lang) names it.")
    return Task(
        id=redact(origin.id).text,
        code=prepared.code,
        language=prepared.language,
        language_reason=prepared.language_reason,
        path=origin.path,
        newline=prepared.newline,
        line_map=prepared.line_map,
        notes=notes,
        test_cmd=options.test_cmd,
        use_memory=options.use_memory,
        save=options.save,
        context_text=prepared.context_text,
    )


def _own_fix(entry: Entry, fix: Fix | None) -> tuple[Fix | None, int]:
    """The fix with the user's secrets and line ends, and how many secrets had to stay placeholders."""
    if fix is None:
        return None, 0
    code = restore(fix.code, entry.secrets, entry.task.code)[0]
    left = open_placeholders(code, entry.pasted if entry.was_read else "")
    return replace(fix, code=restore_newlines(entry.pasted, code)), left


def _left_note(entry: Entry, count: int) -> str:
    """A sentence about secrets that could not be put back."""
    secrets = "1 secret is" if count == 1 else f"{count} secrets are"
    why = "moved by the fix" if entry.was_read else "known only to the session that was interrupted"
    return f"{secrets} left as placeholders, {why}: put the real ones back by hand."


class _Places:
    """From places in the code to places in the paste."""

    def __init__(self, entry: Entry) -> None:
        self._map = entry.task.line_map
        self._pasted = to_lf(entry.pasted.removeprefix(BOM)).split("\n") if self._map and entry.was_read else None

    def finding(self, finding: Finding) -> Finding:
        """The finding on the pasted lines, with the evidence as it stands there."""
        if not self._map:
            return finding
        start, shift = self._at(finding.start_line)
        end, end_shift = self._at(finding.end_line)
        texts = finding.evidence.split("\n")
        evidence = "\n".join(self._lead(finding.start_line + offset) + text for offset, text in enumerate(texts))
        return replace(
            finding,
            start_line=start,
            end_line=end,
            start_column=finding.start_column + shift,
            end_column=finding.end_column + end_shift,
            evidence=evidence,
            fix=self._fix(finding.fix),
        )

    def match(self, match: Match) -> Match:
        """Regions on the pasted lines."""
        if not self._map:
            return match
        regions = tuple(
            replace(region, start_line=self._at(region.start_line)[0], end_line=self._at(region.end_line)[0]) for region in match.regions
        )
        return replace(match, regions=regions)

    def _fix(self, fix: SuggestedFix | None) -> SuggestedFix | None:
        return None if fix is None else replace(fix, edits=tuple(map(self._edit, fix.edits)))

    def _edit(self, edit: TextEdit) -> TextEdit:
        start, shift = self._at(edit.start_line)
        end, end_shift = self._at(edit.end_line)
        return TextEdit(start, edit.start_column + shift, end, edit.end_column + end_shift, edit.text)

    def _at(self, line: int) -> tuple[int, int]:
        """Pasted line and columns to add; a line behind the code's last one is taken for that."""
        return self._map[min(max(line, 1), len(self._map)) - 1]

    def _lead(self, line: int) -> str:
        """What was cut off before the code line: a prompt, an indent."""
        pasted, shift = self._at(line)
        if self._pasted is None:
            return " " * max(0, shift)
        return self._pasted[pasted - 1][:shift] if shift > 0 else ""
