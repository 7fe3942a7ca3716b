"""A pasted text as a task sees it: code alone, with LF ends, without mark, prompts, prose, error reports or secrets.

Every code line knows the pasted line it came from and how many columns were cut off before it, so that a finding can be
shown where the user has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from utils.language_names import canonical, language_of_file
from utils.newlines import Newline, newline_of, to_lf
from utils.redact import Secret, redact

BOM = "\ufeff"
NOTEBOOK = "Notebooks are not supported: paste the code of a cell, or convert the notebook with `jupyter nbconvert --to script`."
_MOST_CONTEXT = 8_000
"""Characters kept of what stood around the code: a model needs the error and the question, not a whole log."""


@dataclass(frozen=True)
class PreparedPaste:
    """What `prepare` makes of a paste.

    `line_map[i]` = (pasted line, columns to add) of code line i + 1; empty when code and paste have the same lines.
    `context_text` is what stood around the code; `secrets` are those of the code, for `redact.restore` in this process.
    `refused` is a sentence when the paste can't be a task, else empty.
    """

    code: str
    language: str
    language_reason: str = ""
    newline: Newline = "\n"
    bom: bool = False
    line_map: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    context_text: str = ""
    secrets: tuple[Secret, ...] = field(default=(), repr=False)
    refused: str = ""
    certain: bool = True
    runner_up: str = ""


def prepare(raw: str, language: str | None = None, filename: str | None = None) -> PreparedPaste:
    """Take a paste apart. `language` is what the user said; with a file name that tells, the text is taken as it is.

    Never raises. Secrets in code and context are placeholders in the result.
    """
    text = to_lf(raw.removeprefix(BOM))
    frame = PreparedPaste(text, "", newline=newline_of(raw), bom=raw.startswith(BOM))
    named = language_of_file(filename) if filename is not None else None
    if _is_notebook(text):
        return _redacted(replace(frame, language="json", language_reason="reads as a notebook", refused=NOTEBOOK))
    if language is None and named in (None, "diff") and _is_patch(text):
        note = "This is a patch, not code: paste the changed file or function to have it reviewed."
        return _redacted(replace(frame, language="diff", language_reason="reads as diff", notes=(note,)))
    if named is None:
        return _unwrapped(frame, language, filename)
    said = (canonical(language), "as given") if language and language.strip() else (named, "file name")
    return _redacted(replace(frame, language=said[0], language_reason=said[1]))


def _is_notebook(text: str) -> bool:
    """As `is_notebook`, which is asked when the text may be one: it comes with the patterns of ten other forms."""
    if '"nbformat"' not in text:
        return False
    from utils.language_forms import is_notebook

    return is_notebook(text)


def _is_patch(text: str) -> bool:
    if "@@ -" not in text:
        return False
    from utils.language_forms import is_patch  # late, as in `_is_notebook`

    return is_patch(text)


def _unwrapped(frame: PreparedPaste, language: str | None, filename: str | None) -> PreparedPaste:
    """A text whose name tells nothing: what is code in it, and in which language."""
    # Late: grammars and patterns of twenty languages, and a file's name mostly tells.
    from utils.language import Detected, detect
    from utils.unwrap import unwrap

    text = frame.code
    parts = unwrap(text, language)
    if not parts.lines:
        note = "Only an error report was pasted: paste the code that raised it too."
        return _redacted(replace(frame, language="text", language_reason="reads as an error report", notes=(note,)))
    is_whole = len(parts.lines) == text.count("\n") + 1 and not parts.notes and not any(line.shift for line in parts.lines)
    code = text if is_whole else parts.text + "\n"
    is_session = parts.is_session and language is None
    found = Detected("python", "interactive session") if is_session else detect(code, language, filename, parts.tag)
    line_map = tuple((line.number, line.shift) for line in parts.lines)
    if all(place == (number, 0) for number, place in enumerate(line_map, 1)):
        line_map = ()
    prepared = replace(
        frame,
        code=code,
        language=found.language,
        language_reason=found.reason,
        certain=found.certain,
        runner_up=found.runner_up,
        line_map=line_map,
        notes=(*parts.notes, found.note) if found.note else parts.notes,
    )
    return _redacted(prepared, parts.context)


def _redacted(prepared: PreparedPaste, context: Sequence[str] = ()) -> PreparedPaste:
    around = "\n".join(context)[:_MOST_CONTEXT]
    code = redact(prepared.code, reserved=around)
    shown = redact(around, reserved=code.text)
    count = code.count + shown.count
    notes = prepared.notes
    if count:
        notes = (*notes, f"{count} secret{'s were' if count > 1 else ' was'} replaced by placeholders before anything was stored or sent.")
    return replace(prepared, code=code.text, secrets=code.secrets, context_text=shown.text, notes=notes)
