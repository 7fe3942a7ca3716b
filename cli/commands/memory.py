"""Commands about what is remembered: /memory, /show, /forget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from cli.commands.needs import CannotError, answering
from cli.counter import Counter
from cli.memory_text import dropped_tasks, left, times, verdicts
from errors import InputInvalidError
from reports.style import Style
from reports.text import diff_lines
from reports.wrap import wrap
from utils.newlines import to_lf
from utils.terminal import clip, visible

MOST_ROWS = 20
NEWEST = 10
STARTER = "--starter"
SHORTEST_ID = 6
"""Characters of an id that `/forget` asks for: fewer are a slip of the hand."""
_SHORT = 12
_WIDE = 70
"""Cells from which a row has day and trust too."""

Plain = Mapping[str, Any]


@answering
async def search(counter: Counter, rest: str) -> None:
    """List what holds the words, or the newest; `--starter` fills the memory instead."""
    if rest == STARTER:
        await _learn_starter(counter)
        return
    if rest:
        found = await asyncio.to_thread(counter.care.search, rest, MOST_ROWS + 1)
        if not found:
            raise CannotError("Nothing in the memory holds these words. /memory lists the newest.")
        _print_rows(counter, found[:MOST_ROWS])
        more = " There are more: add a word." if len(found) > MOST_ROWS else ""
        counter.say(f"/show ID shows one.{more}")
        return
    count = await asyncio.to_thread(counter.care.count)
    if not count:
        raise CannotError(f"The memory is empty: every fix that is checked and saved is remembered. /memory {STARTER} adds classic bugs.")
    counter.say(f"{count} piece{'s' if count != 1 else ''} of code with {'their fixes' if count != 1 else 'its fix'}; the newest:")
    _print_rows(counter, await asyncio.to_thread(counter.care.newest, NEWEST))
    counter.say("/show ID shows one, /memory WORDS searches.")


async def _learn_starter(counter: Counter) -> None:
    """Learn the starter pack; again changes nothing."""
    if not counter.options.save:
        raise CannotError("This session saves nothing (--no-save): start one without it to fill the memory.")
    counter.say("Learning the starter pack ...")
    done = await asyncio.to_thread(counter.care.seed_starter)
    new = done["added"] + done["updated"]
    if new:
        counter.say(f"{new} classic bugs with their fixes are remembered. /memory lists the newest.")
    else:
        counter.say(f"Nothing new: the memory knows the {done['duplicate']} bugs of the starter pack.")
    await counter.refresh()


@answering
async def show(counter: Counter, rest: str) -> None:
    """One experience with its fixes, and the evidence for each."""
    if not rest:
        raise CannotError("Which one? /show ID, with an id that /memory lists.")
    found = await _known(counter, rest)
    style = counter.console.style()
    head = f"{str(found['id'])[:_SHORT]}  {found['language']}, since {str(found['created_at'])[:10]}"
    lines = [style.paint("strong", line) for line in wrap(head, style.width)]
    for number, each in enumerate(found["alternatives"], 1):
        lines += ["", *_alternative(each, number, len(found["alternatives"]), style)]
    counter.console.out("\n".join(lines) + "\n")


@answering
async def forget(counter: Counter, rest: str) -> None:
    """Delete one experience for good."""
    if not rest:
        raise CannotError("Which one? /forget ID, with an id that /memory lists.")
    if len(rest) < SHORTEST_ID:
        raise CannotError(f"Give at least {SHORTEST_ID} characters of the id: what is forgotten is gone for good.")
    known = await _known(counter, rest)

    def delete() -> Plain:
        gone = counter.care.forget(str(known["id"]))
        counter.journal.forget(str(known["id"]))
        counter.sitting.share()
        return gone

    gone = await asyncio.to_thread(delete)
    count = gone["alternatives"]
    counter.say(
        f"Forgotten for good: {str(gone['id'])[:_SHORT]} ({known['language']}, {count} fix{'es' if count != 1 else ''}: "
        f"{_about(known['alternatives'][0]).rstrip('.')}). This code is not remembered again."
    )
    for line in (*dropped_tasks(gone), *left(gone)):
        counter.say(f"{line[0].upper()}{line[1:]}.")
    await counter.refresh()


async def _known(counter: Counter, prefix: str) -> Plain:
    """The one experience whose id begins so. Raises CannotError."""
    try:
        return await asyncio.to_thread(counter.care.show, prefix)
    except InputInvalidError as error:
        raise CannotError(error.message.replace("`codemind memory list`", "/memory")) from error


def _print_rows(counter: Counter, found: Sequence[Plain]) -> None:
    width = counter.console.style().width
    counter.console.out("".join(clip(_row(each, width), width) + "\n" for each in found))


def _row(experience: Plain, width: int) -> str:
    """One line; the narrow one leaves out what `/show` says too."""
    best = experience["alternatives"][0]
    start = f"{str(experience['id'])[:_SHORT]}  {visible(experience['language'])}"
    if width >= _WIDE:
        start = f"{start:<24}  {str(experience['created_at'])[:10]}  {best['trust']:<11}"
    return f"{start}  {_about(best)}"


def _about(stored: Plain) -> str:
    return visible(" ".join(str(stored["explanation"] or stored["code"]).split()))


def _alternative(stored: Plain, number: int, count: int, style: Style) -> list[str]:
    """How far a fix is trusted and why, where it came from, and its diff."""
    checked, origin = stored["verification"], stored["provenance"]
    came = " ".join(part for part in (origin["kind"], origin["ref"][:_SHORT], origin["author"]) if part)
    reason = f" ({stored['trust_reason']})" if stored["trust_reason"] else ""
    title = f"Fix {number} of {count}: " if count > 1 else ""
    says = [
        f"Evidence: level {checked['level']}" + "".join(f"; {_check(each)}" for each in checked["checks"]),
        f"From {came}; used {times(stored['uses'])}, {verdicts(stored)}",
        stored["explanation"],
    ]
    return [
        *(style.paint("strong", line) for line in wrap(f"{title}{stored['trust']}{reason}", style.width)),
        *(line for sentence in says for line in wrap(sentence, style.width)),
        *diff_lines(to_lf(stored["code"]), to_lf(stored["fixed_code"]), "stored", style),
    ]


def _check(check: Plain) -> str:
    passed = "passed" if check["passed"] else "did not pass"
    detail = f" ({check['detail']})" if check["detail"] else ""
    return f"{str(check['name']).replace('_', ' ')} {passed}{detail}"
