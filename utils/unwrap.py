"""Taking the code out of a pasted text: without fences, error reports, prompts and prose around it.

Every code line knows the pasted line it came from and how many columns were cut off before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from utils.fences import Line, fenced_code
from utils.language import canonical, detect, is_code
from utils.prose import reads_as_prose
from utils.syntax import parse_errors
from utils.traces import trace_end
from utils.transcripts import session_code

_FEW_LINES = 3


@dataclass(frozen=True)
class Unwrapped:
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

    def left_with(self, lines: Sequence[Line], context: Sequence[str], note: str) -> Unwrapped:
        """The same with fewer lines; blank lines around them go."""
        kept = _trimmed(lines)
        notes = self.notes if note in self.notes else (*self.notes, note)
        return replace(self, lines=kept, context=(*self.context, *context), notes=notes)


def unwrap(text: str, language: str | None) -> Unwrapped:
    """The code of a text with LF ends. `language` is what the user said."""
    return _taken_apart(_numbered(text), language)


def _numbered(text: str) -> Unwrapped:
    return Unwrapped(tuple(Line(line, number, 0) for number, line in enumerate(text.split("\n"), 1)))


def _trimmed(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Without the blank lines around."""
    full = [number for number, line in enumerate(lines) if line.text.strip()]
    return tuple(lines[full[0] : full[-1] + 1]) if full else ()


def _taken_apart(parts: Unwrapped, language: str | None) -> Unwrapped:
    """Fences first, then error reports, then prompts (a fenced block may hold a session), then plain prose."""
    parts = _without_fences(parts, language)
    parts = _without_traces(parts, language)
    if language is None or canonical(language) == "python":
        parts = _without_prompts(parts)
    return parts if parts.is_session or parts.is_fenced else _without_prose(parts, language)


def _without_fences(parts: Unwrapped, language: str | None) -> Unwrapped:
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


def _without_prompts(parts: Unwrapped) -> Unwrapped:
    if not any(line.text.lstrip().startswith((">>>", "In [")) for line in parts.lines):
        return parts
    found = session_code(parts.texts)
    if found is None or not found[0]:
        return parts
    lines = [Line(line.text, parts.lines[line.number - 1].number, parts.lines[line.number - 1].shift + line.shift) for line in found[0]]
    return replace(parts.left_with(lines, found[1], "Prompts and output of the interactive session were left out."), is_session=True)


def _without_traces(parts: Unwrapped, language: str | None) -> Unwrapped:
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


def _without_prose(parts: Unwrapped, language: str | None) -> Unwrapped:
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
