"""Taking the code out of a pasted text: without fences, error reports, prompts and prose around it.

Every code line knows the pasted line it came from and how many columns were cut off before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from utils.fences import Line, fenced_code
from utils.gutters import dedented, without_gutter
from utils.language import canonical, detect, is_code, language_of_tag
from utils.prose import reads_as_prose
from utils.syntax import parse_errors
from utils.traces import trace_end
from utils.transcripts import session_code

_FEW_LINES = 3
_JUDGED = 20_000
"""Characters by which two readings of a text are compared."""
_INLINE_FENCE = re.compile(r"```(?=\S)([^`]*)$")
_MAGIC = re.compile(r"%{1,2}[a-z]\w*(?: |$)|![\w./]")


@dataclass(frozen=True)
class Unwrapped:
    """The paste while it is taken apart. `tag` is the language that a fence named."""

    lines: tuple[Line, ...]
    context: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tag: str | None = None
    is_session: bool = False

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def mapped(self, lines: Sequence[Line]) -> list[Line]:
        """Lines found in `texts`, whose numbers and columns are those of `texts`, by their place in the paste."""
        return [replace(line, number=old.number, shift=old.shift + line.shift) for line in lines for old in [self.lines[line.number - 1]]]

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
    """Fences first, then error reports, then prompts (a fenced block may hold a session), then plain prose.

    Margins come off before and after the fences: a whole message may be quoted, or the lines of a block numbered.
    """
    parts = _without_fences(_without_margin(parts, language), language)
    parts = _without_traces(_without_margin(parts, language), language)
    if language is None or canonical(language) == "python":
        parts = _without_magics(_without_prompts(parts), language)
    return _at_margin(parts if parts.is_session else _without_prose(parts, language))


def _without_margin(parts: Unwrapped, language: str | None) -> Unwrapped:
    """Take line numbers, quotation marks and the like off, when that makes code of it or shows a fence."""
    found = without_gutter(parts.texts)
    if not found:
        return parts
    lines = parts.mapped(found)
    bare = "\n".join(line.text for line in lines)
    if not (_has_fence(lines) or _reads_better(bare, parts.text, language)):
        return parts
    kept = {line.number for line in lines}
    aside = [line.text for line in parts.lines if line.number not in kept and line.text.strip()]
    return parts.left_with(lines, aside, "What was copied beside the code (line numbers, marks, prompts) was left out.")


def _reads_better(bare: str, whole: str, language: str | None) -> bool:
    """True when `bare` is code that parses much better than the whole."""
    bare, whole = bare[:_JUDGED], whole[:_JUDGED]
    name = canonical(language) if language else detect(bare).language
    return is_code(name) and 2 * parse_errors(bare, name) < parse_errors(whole, name)


def _without_magics(parts: Unwrapped, language: str | None) -> Unwrapped:
    """Cut the commands of IPython off, when what is left is Python that parses better."""
    lines = [line for line in parts.lines if not _MAGIC.match(line.text)]
    if len(lines) == len(parts.lines) or not lines:
        return parts
    bare = "\n".join(line.text for line in lines)
    if (canonical(language) if language else detect(bare).language) != "python" or not _reads_better(bare, parts.text, "python"):
        return parts
    magics = [line.text for line in parts.lines if _MAGIC.match(line.text)]
    return parts.left_with(lines, magics, "Commands of IPython (lines that begin with % or !) were left out.")


def _at_margin(parts: Unwrapped) -> Unwrapped:
    """Code that was copied out of a class or a list begins at the margin."""
    lines = dedented(parts.lines)
    return parts if lines is None else replace(parts, lines=_trimmed(lines))


def _without_fences(parts: Unwrapped, language: str | None) -> Unwrapped:
    if not _has_fence(parts.lines):
        return parts
    parts = _with_fences_apart(parts)
    found = fenced_code(parts.texts, language)
    if found is None:
        return _without_stray_fence(parts)
    lines, outside, tag, others = parts.mapped(found[0]), *found[1:]
    note = "Only the fenced code was taken; the text around it is not code."
    if others:
        left_out = f"{others} fenced block{'s' * (others > 1)} in other languages"
        note = f"Only the fenced {tag} code was taken; {left_out} and the text around are not code."
    return replace(parts.left_with(lines, [line for line in outside if line.strip()], note), tag=tag)


def _has_fence(lines: Sequence[Line]) -> bool:
    return any("```" in line.text or line.text.lstrip(" ").startswith("~~~") for line in lines)


def _with_fences_apart(parts: Unwrapped) -> Unwrapped:
    """A chat's fences that stand on the lines of the code itself get lines of their own."""
    first, last = _trimmed(parts.lines)[0], _trimmed(parts.lines)[-1]
    begin = _INLINE_FENCE.match(first.text)
    if begin is None or not last.text.rstrip().endswith("```") or last.text.strip() == "```" or language_of_tag(begin[1]):
        return parts
    end = Line(last.text.rstrip().removesuffix("```"), last.number, last.shift)
    lines = [Line(first.text[3:], first.number, first.shift + 3), *_trimmed(parts.lines)[1:-1], end]
    fence = Line("```", first.number, first.shift)
    return replace(parts, lines=(fence, *lines, replace(fence, number=last.number)))


def _without_stray_fence(parts: Unwrapped) -> Unwrapped:
    """A fence at the end that closes nothing was copied along."""
    lines = _trimmed(parts.lines)
    fences = [line for line in lines if line.text.startswith(("```", "~~~"))]
    if len(lines) < _FEW_LINES or fences != [lines[-1]] or lines[-1].text.strip(" `~"):
        return parts
    return parts.left_with(lines[:-1], (), "The fence after the code was left out.")


def _without_prompts(parts: Unwrapped) -> Unwrapped:
    if not any(line.text.lstrip().startswith((">>>", "In [")) for line in parts.lines):
        return parts
    found = session_code(parts.texts)
    if found is None or not found[0]:
        return parts
    return replace(
        parts.left_with(parts.mapped(found[0]), found[1], "Prompts and output of the interactive session were left out."), is_session=True
    )


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
        end = trace_end(texts, at) if texts[at][:1].strip() or texts[at].startswith("  File ") else None
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
    """Runs of lines without a blank one, 0-based, end exclusive. A question that runs into the code is one of its own."""
    runs = _runs(texts)
    if not runs:
        return []
    (start, end), last = runs[0], runs[-1]
    asked = next((at for at in range(start, end) if not reads_as_prose(texts[at])), end)
    if start < asked < end:
        runs[:1] = [(start, asked), (asked, end)]
        last = runs[-1]
    told = next((at + 1 for at in range(last[1] - 1, last[0] - 1, -1) if not reads_as_prose(texts[at])), last[0])
    if last[0] < told < last[1]:
        runs[-1:] = [(last[0], told), (told, last[1])]
    return runs


def _runs(texts: Sequence[str]) -> list[tuple[int, int]]:
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
