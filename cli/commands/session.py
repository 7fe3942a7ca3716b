"""Commands about the session itself: /summary, /provider, /trace, /resume, /discard."""

from __future__ import annotations

from collections.abc import Iterator

from cli.commands.needs import CannotError, answering
from cli.counter import Counter
from reports.closing import calls_words
from schema.usage import Usage
from settings import ENV_FILE, Settings
from utils.terminal import clip, visible
from utils.trace_tree import trace_tree

_STATIC = "Static: linters and rule sets review, their fixes and past fixes repair; logic is not checked by a model."
_DISABLED = "Disabled: only the memory answers; what it does not know is not reviewed."


@answering
async def summary(counter: Counter, rest: str) -> None:
    """Show or empty what this session remembers of its tasks."""
    driver = await counter.sitting.driver()
    if rest == "clear":
        await driver.clear_summary()
        counter.say("The summary of this session is empty now; the memory of fixes stays.")
        return
    if rest:
        raise CannotError("/summary shows what this session remembers of its tasks, /summary clear empties it.")
    if not driver.summary:
        raise CannotError("There is no summary yet: every finished review adds a line.")
    counter.say(driver.summary)


@answering
async def provider(counter: Counter, rest: str) -> None:
    """Who reviews, where code goes, within which limits, and how to change that."""
    for sentence in _provider_lines(counter.settings):
        counter.say(sentence)
    spent, spared = counter.tally.spent, counter.tally.spared
    if counter.settings.target is not None:
        counter.say(f"This session: {calls_words(spent)}; spared by the memory: {_spared(spared)}.")
    env = counter.settings.codemind_home / ENV_FILE
    counter.say(f"To change it, set the variables in your shell or in {env} and start again; docs/configuration.md has examples.")


@answering
async def trace(counter: Counter, rest: str) -> None:
    """The steps of the last task."""
    lines = counter.sitting.last_trace()
    if not lines:
        raise CannotError("No review has run yet.")
    width = counter.console.style().width
    counter.console.out("".join(clip(line, width) + "\n" for line in visible(trace_tree(lines)).split("\n")))


@answering
async def resume(counter: Counter, rest: str) -> None:
    """Finish the tasks of sessions that died."""
    await counter.resume()


@answering
async def discard(counter: Counter, rest: str) -> None:
    """Forget the tasks of sessions that died."""
    await counter.discard()


def _provider_lines(settings: Settings) -> Iterator[str]:
    target = settings.target
    if target is None:
        yield _DISABLED if settings.engine == "disabled" else _STATIC
        yield "Nothing leaves this machine."
        yield (
            "A model reviews once LLM_API_KEY and LLM_MODEL (and LLM_BASE_URL for another service than OpenAI), or DEEPSEEK_API_KEY, "
            "are set."
        )
        return
    yield f"Model: {target.model}. Code goes to {target.host}, with the key of {target.key_variable}."
    yield f"Answers are asked for by {_method(settings)}; thinking: {settings.llm_thinking_mode or 'as the model does by itself'}."
    yield (
        f"Limits: {settings.llm_timeout_seconds} s a call, {settings.run_timeout_seconds} s and {settings.max_llm_calls} calls a task, "
        f"{settings.max_findings} findings."
    )
    yield _prices(settings)


def _method(settings: Settings) -> str:
    method = settings.llm_structured_output_method
    return "json_schema where the service knows it, else the next best form" if method == "auto" else method


def _prices(settings: Settings) -> str:
    given, taken = settings.llm_price_input, settings.llm_price_output
    if given is None or taken is None:
        return "Prices: unknown, so costs are not shown. LLM_PRICE_INPUT and LLM_PRICE_OUTPUT (USD for a million tokens) set them."
    return f"Prices: {given:g} USD for a million tokens in, {taken:g} out."


def _spared(spared: Usage) -> str:
    if not spared.calls:
        return "no call yet"
    return calls_words(spared)
