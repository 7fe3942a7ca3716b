"""A pasted text as a task sees it: code alone, with LF ends, without mark, prompts, prose, error reports or secrets.

Every code line knows the pasted line it came from and how many columns were cut off before it, so that a finding can be
shown where the user has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from utils.fences import Line, fenced_code
from utils.language import Detected, canonical, detect, is_code
from utils.language_forms import is_notebook, is_patch
from utils.language_names import language_of_file
from utils.newlines import Newline, newline_of, to_lf
from utils.prose import reads_as_prose
from utils.redact import Secret, redact
from utils.syntax import parse_errors
from utils.traces import trace_end
from utils.transcripts import session_code

BOM = "\ufeff"
NOTEBOOK = "Notebooks are not supported: paste the code of a cell, or convert the notebook with `jupyter nbconvert --to script`."
_MOST_CONTEXT = 8_000
"""Characters kept of what stood around the code: a model needs the error and the question, not a whole log."""
_FEW_LINES = 3


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


@dataclass(frozen=True)
class _Parts:
    """The paste while it is taken apart. `tag` is the language that a fence named."""

    lines: tuple[Line, ...]
    context: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tag: str | None = None
    is_session: bool = False
    is_fenced: bool = False

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def left_with(self, lines: Sequence[Line], context: Sequence[str], note: str) -> _Parts:
        """The same with fewer lines; blank lines around them go."""
        kept = _trimmed(lines)
        notes = self.notes if note in self.notes else (*self.notes, note)
        return replace(self, lines=kept, context=(*self.context, *context), notes=notes)


def prepare(raw: str, language: str | None = None, filename: str | None = None) -> PreparedPaste:
    """Take a paste apart. `language` is what the user said; with a file name that tells, the text is taken as it is.

    Never raises. Secrets in code and context are placeholders in the result.
    """
    text = to_lf(raw.removeprefix(BOM))
    frame = PreparedPaste("", "", newline=newline_of(raw), bom=raw.startswith(BOM))
    if is_notebook(text):
        return _redacted(replace(frame, code=text, language="json", language_reason="reads as a notebook", refused=NOTEBOOK), [])
    if language is None and is_patch(text) and (filename is None or language_of_file(filename) in (None, "diff")):
        note = "This is a patch, not code: paste the changed file or function to have it reviewed."
        return _redacted(replace(frame, code=text, language="diff", language_reason="reads as diff", notes=(note,)), [])
    if filename is not None and language_of_file(filename):
        return _finished(frame, text, _Parts(()), detect(text, language, filename))
    parts = _taken_apart(_numbered(text), language)
    if not parts.lines:
        note = "Only an error report was pasted: paste the code that raised it too."
        return _finished(frame, text, _Parts((), notes=(note,)), Detected("text", "reads as an error report"))
    code = text if len(parts.lines) == text.count("\n") + 1 and not parts.notes else parts.text + "\n"
    if parts.is_session and language is None:
        return _finished(frame, code, parts, Detected("python", "interactive session"))
    return _finished(frame, code, parts, detect(code, language, filename, parts.tag))


def _numbered(text: str) -> _Parts:
    return _Parts(tuple(Line(line, number, 0) for number, line in enumerate(text.split("\n"), 1)))


def _trimmed(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Without the blank lines around."""
    full = [number for number, line in enumerate(lines) if line.text.strip()]
    return tuple(lines[full[0] : full[-1] + 1]) if full else ()


def _taken_apart(parts: _Parts, language: str | None) -> _Parts:
    """Fences first, then error reports, then prompts (a fenced block may hold a session), then plain prose."""
    parts = _without_fences(parts, language)
    parts = _without_traces(parts, language)
    if language is None or canonical(language) == "python":
        parts = _without_prompts(parts)
    return parts if parts.is_session or parts.is_fenced else _without_prose(parts, language)


def _without_fences(parts: _Parts, language: str | None) -> _Parts:
    if not any(line.text.lstrip(" ").startswith(("```", "~~~")) for line in parts.lines):
        return parts
    found = fenced_code(parts.texts, language)
    if found is None:
        return parts
    lines, outside, tag, others = found
    note = "Only the fenced code was taken; the text around it is not code."
    if others:
        left_out = f"{others} fenced block{'s' * (others > 1)} in other languages"
        note = f"Only the fenced {tag} code was taken; {left_out} and the text around are not code."
    return replace(parts.left_with(lines, [line for line in outside if line.strip()], note), tag=tag, is_fenced=True)


def _without_prompts(parts: _Parts) -> _Parts:
    if not any(line.text.lstrip().startswith((">>>", "In [")) for line in parts.lines):
        return parts
    found = session_code(parts.texts)
    if found is None or not found[0]:
        return parts
    lines = [Line(line.text, parts.lines[line.number - 1].number, parts.lines[line.number - 1].shift + line.shift) for line in found[0]]
    return replace(parts.left_with(lines, found[1], "Prompts and output of the interactive session were left out."), is_session=True)


def _without_traces(parts: _Parts, language: str | None) -> _Parts:
    """Cut error reports off before and after the code."""
    texts = parts.texts
    traces = _traces(texts)
    start, end = 0, len(texts)
    while traces and _is_aside(texts[start : traces[0][0]]):
        start = traces.pop(0)[1]
    while traces and _is_aside(texts[traces[-1][1] : end]) and not _is_inside(texts[start : traces[-1][0]], texts[start:], language):
        end = traces.pop()[0]
    if (start, end) == (0, len(texts)):
        return parts
    around = [line for line in (*texts[:start], *texts[end:]) if line.strip()]
    return parts.left_with(parts.lines[start:end], around, "The error report around the code was left out of it.")


def _traces(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Where error reports begin and end, 0-based, end exclusive."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(texts):
        end = trace_end(texts, at) if texts[at][:1].strip() else None
        if end is not None:
            found.append((at, end))
        at = at + 1 if end is None else max(end, at + 1)
    return found


def _is_aside(lines: Sequence[str]) -> bool:
    """True for nothing, or a few words beside the error report."""
    full = [line for line in lines if line.strip()]
    return not full or reads_as_prose("\n".join(full)) or (len(full) <= _FEW_LINES and all(_is_remark(line) for line in full))


def _is_remark(line: str) -> bool:
    """True for a short line such as "Error:" or "Output" or a shell prompt with a command."""
    bare = line.strip()
    return bare.startswith("$ ") or (
        bare.rstrip(":.!?").replace(" ", "").isalpha() and not bare.startswith(("else", "try", "finally", "pass"))
    )


def _is_inside(before: Sequence[str], whole: Sequence[str], language: str | None) -> bool:
    """True when cutting there would break the code: the report belongs to a string."""
    name = canonical(language) if language else detect("\n".join(before)).language
    return parse_errors("\n".join(before), name) > parse_errors("\n".join(whole), name)


def _without_prose(parts: _Parts, language: str | None) -> _Parts:
    """Cut a question in plain words off before or after the code, when the code parses only without it."""
    texts = parts.texts
    paragraphs = _paragraphs(texts)
    if len(paragraphs) < 2 or not (_is_question(texts, paragraphs[0]) or _is_question(texts, paragraphs[-1])):  # noqa: PLR2004  one is all
        return parts
    first, last = 0, len(paragraphs) - 1
    while first < last and _is_question(texts, paragraphs[first]):
        first += 1
    while last > first and _is_question(texts, paragraphs[last]):
        last -= 1
    start, end = paragraphs[first][0], paragraphs[last][1]
    code = "\n".join(texts[start:end])
    found = detect(code, language)
    if (
        not is_code(found.language)
        or not found.certain
        or parse_errors(code, found.language)
        or not parse_errors("\n".join(texts), found.language)
    ):
        return parts
    around = [line for line in (*texts[:start], *texts[end:]) if line.strip()]
    return parts.left_with(parts.lines[start:end], around, "The text around the code was left out of it.")


def _paragraphs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Runs of lines without a blank one, 0-based, end exclusive."""
    runs: list[tuple[int, int]] = []
    start = None
    for number, line in enumerate([*texts, ""]):
        if line.strip() and start is None:
            start = number
        elif not line.strip() and start is not None:
            runs.append((start, number))
            start = None
    return runs


def _is_question(texts: Sequence[str], paragraph: tuple[int, int]) -> bool:
    return reads_as_prose("\n".join(texts[paragraph[0] : paragraph[1]]))


def _finished(frame: PreparedPaste, code: str, parts: _Parts, found: Detected) -> PreparedPaste:
    """Language, line map and notes, then secrets out."""
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
        notes=parts.notes,
    )
    return _redacted(prepared, parts.context)


def _redacted(prepared: PreparedPaste, context: Sequence[str]) -> PreparedPaste:
    around = "\n".join(context)[:_MOST_CONTEXT]
    code = redact(prepared.code, reserved=around)
    shown = redact(around, reserved=code.text)
    count = code.count + shown.count
    notes = prepared.notes
    if count:
        notes = (*notes, f"{count} secret{'s were' if count > 1 else ' was'} replaced by placeholders before anything was stored or sent.")
    return replace(prepared, code=code.text, secrets=code.secrets, context_text=shown.text, notes=notes)
