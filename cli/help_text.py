"""What the interactive session says about itself."""

from __future__ import annotations

from reports.wrap import wrap

_HANGING = 10
"""Columns before what a command does."""

WELCOME = """\
CodeMind reviews and fixes code, and remembers the fixes. {where}.
Paste code and end it with a line EOF (or press Esc, then Enter). /help says more, /example shows one, /quit leaves.
"""

HELP = """\
Paste or type code; a line EOF ends it, and so does Esc-Enter or Ctrl-D. A line EOF inside a paste is code, \
unless it is the last. A block whose first line is <<TAG ends at a line TAG.

/example  review a small example; nothing of it is saved
/undo     take back the last save of this session
/resume   finish a task that was interrupted
/discard  forget it
/quit     leave (as Ctrl-D at an empty prompt)

Ctrl-C discards a half-typed block and stops a running review. Other commands: codemind --help
"""

EXAMPLE = """\
def cal_average(numbers):
    total = 0
    for n in numbers:
        total = total + n
    result = total / len(numbers)
    return result
"""


def fitted(text: str, width: int) -> str:
    """The text in lines of at most `width` cells; what a command does stays in its column."""
    return "".join(line + "\n" for paragraph in text.splitlines() for line in _lines(paragraph, width))


def _lines(paragraph: str, width: int) -> list[str]:
    if not paragraph.startswith("/"):
        return wrap(paragraph, width) or [""]
    first, *rest = wrap(paragraph[_HANGING:], max(_HANGING, width - _HANGING))
    return [paragraph[:_HANGING] + first, *(" " * _HANGING + line for line in rest)]
