"""Commands about the fix of the last report: /diff, /copy, /fix."""

from __future__ import annotations

import asyncio

from cli.commands.needs import CannotError, Offer, answering, the_fix, the_numbers, the_report
from cli.counter import Counter
from reports.closing import level_words
from reports.text import diff_lines
from wiring_memory import terminal_clipboard, to_clipboard


@answering
async def diff(counter: Counter, rest: str) -> None:
    """Show the fix again."""
    offer = the_fix(counter)
    served, style = offer.report.served, counter.console.style()
    counter.say(f"Fix of {offer.report.shown.words}, {level_words(offer.fix)}")
    counter.console.out("\n".join(diff_lines(served.before, offer.fix.code, served.path, style, served.record.language)) + "\n")


@answering
async def copy(counter: Counter, rest: str) -> None:
    """Put the fixed code on the clipboard, by a program of the system or by the terminal."""
    offer = the_fix(counter)
    program = await asyncio.to_thread(to_clipboard, offer.fix.code, counter.console.environment)
    if program:
        counter.say(f"The fixed code is on the clipboard ({program}).{_open_secrets(offer)}")
        return
    if not counter.console.paints:
        raise CannotError("There is no clipboard here: /write PATH puts the fixed code into a file.")
    sequence = terminal_clipboard(offer.fix.code)
    if not sequence:
        raise CannotError("The fixed code is too long for the terminal's clipboard: /write PATH puts it into a file.")
    counter.console.out(sequence)
    counter.say(
        "The fixed code was handed to the terminal's clipboard (OSC 52). If it is not there, your terminal does not allow that: "
        f"/write PATH puts it into a file.{_open_secrets(offer)}"
    )


@answering
async def fix(counter: Counter, rest: str) -> None:
    """Mend just the findings with these numbers."""
    report = the_report(counter)
    findings = report.raw.findings
    if not findings:
        raise CannotError(f"Nothing was found in {report.shown.words}: there is nothing to mend.")
    numbers = the_numbers(rest, len(findings), "/fix N..")
    chosen = tuple(findings[number - 1].as_plain() for number in numbers)
    await counter.again(report.shown, chosen=chosen)


def _open_secrets(offer: Offer) -> str:
    """A warning about secrets that could not be put back."""
    count = offer.report.served.placeholders
    if not count:
        return ""
    return f" {count} secret{'s are' if count > 1 else ' is'} still a placeholder (CMSECRET...) in it: put the real one back by hand."
