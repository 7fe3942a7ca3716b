"""Commands that review code: /example, /load, /lang, /test, /retry."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from cli.commands.needs import answering, the_path, the_text
from cli.counter import Counter
from cli.help_text import EXAMPLE
from cli.options import known_language
from wiring_memory import read_source


@answering
async def example(counter: Counter, rest: str) -> None:
    """Review the built-in example."""
    await counter.serve(EXAMPLE, is_example=True)


@answering
async def load(counter: Counter, rest: str) -> None:
    """Review a file."""
    path = the_path(rest, "/load PATH")
    await counter.load(path, await asyncio.to_thread(read_source, path))


@answering
async def lang(counter: Counter, rest: str) -> None:
    """Show or set the language of the next pastes."""
    if rest:
        counter.options = replace(counter.options, lang=None if rest.lower() == "auto" else known_language(rest))
        counter.lang_changed = True
    now = counter.options.lang
    said = (
        f"Pastes are read as {now}; /lang auto finds it out again." if now else "The language of a paste is found out; /lang NAME sets it."
    )
    if counter.shown is None:
        counter.say(said)
        return
    task = counter.shown.entry.task
    again = f" /retry reviews it as {now}." if now and counter.lang_changed and now != task.language else ""
    why = f" ({task.language_reason})" if task.language_reason else ""
    counter.say(f"{said} The last one was read as {task.language}{why}.{again}")


@answering
async def test(counter: Counter, rest: str) -> None:
    """Show or set the test command; a report that is there is made again with it."""
    if not rest:
        now = counter.options.test_cmd
        counter.say(
            f"Test command: {now} (/test off drops it)"
            if now
            else "There is no test command. /test CMD sets one: it runs in a sandbox on the fixed code, {file} is its file."
        )
        return
    if rest == "off":
        counter.options = replace(counter.options, test_cmd=None)
        counter.say("No test command any more: fixes are checked without running anything.")
        return
    counter.options = replace(counter.options, test_cmd=rest)
    shown = counter.shown
    if shown is None or shown.served is None:
        stopped = "" if shown is None else f" {shown.name[0].upper()}{shown.name[1:]} was not finished: /retry reviews it with this test."
        counter.say(f"Test command: {rest}. It is run for the next text.{stopped}")
        return
    counter.say(f"Test command: {rest}. Trying it on {shown.words} ...")
    use_memory = counter.options.use_memory
    await counter.again(shown, test_cmd=rest, chosen=(), use_memory=use_memory)


@answering
async def retry(counter: Counter, rest: str) -> None:
    """Review the last text again, past the memory."""
    await counter.retry(the_text(counter))
