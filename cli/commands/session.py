"""Commands about the session itself: /summary, /provider, /trace, /resume, /discard."""

from __future__ import annotations

from collections.abc import Iterator

from cli.commands.needs import CannotError, answering
from cli.counter import Counter
from cli.tally import Tally
from reports.closing import calls_words
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
    counter.say(_session_words(counter.tally, has_model=counter.settings.target is not None))
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
        yield _shared(settings) or "Nothing leaves this machine."
        yield (
            "A model reviews once LLM_API_KEY and LLM_MODEL (and LLM_BASE_URL for another service than OpenAI), or DEEPSEEK_API_KEY, "
            "are set."
        )
        return
    yield f"Model: {target.model}. Code goes to {target.host}, with the key of {target.key_variable}."
    if settings.chroma_url:
        yield _shared(settings)
    yield f"Answers are asked for by {_method(settings)}; thinking: {settings.llm_thinking_mode or 'as the model does by itself'}."
    yield (
        f"Limits: {settings.llm_timeout_seconds} s a call, {settings.run_timeout_seconds} s and {settings.max_llm_calls} calls a task, "
        f"{settings.max_findings} findings."
    )
    yield _prices(settings)


def _shared(settings: Settings) -> str:
    """Where saved fixes go; empty when they stay here."""
    return f"What is saved goes to {settings.shared_host}, the shared memory of your team." if settings.chroma_url else ""


def _method(settings: Settings) -> str:
    method = settings.llm_structured_output_method
    return "json_schema where the service knows it, else the next best form" if method == "auto" else method


def _prices(settings: Settings) -> str:
    given, taken = settings.llm_price_input, settings.llm_price_output
    if given is None or taken is None:
        return "Prices: unknown, so costs are not shown. LLM_PRICE_INPUT and LLM_PRICE_OUTPUT (USD for a million tokens) set them."
    return f"Prices: {given:g} USD for a million tokens in, {taken:g} out."


def _session_words(tally: Tally, *, has_model: bool) -> str:
    """What this session has spent, and what memory has spared it."""
    count = len(tally.answers)
    answers = f"{count} answer{'s' if count != 1 else ''} from memory"
    if not has_model:
        return f"This session: {answers}; without a model there is no call to spare."
    if not count:
        return f"This session: {calls_words(tally.spent)}; nothing spared by the memory yet."
    spared = "no call that was recorded" if not tally.spared.calls else calls_words(tally.spared)
    unknown = f", and for {tally.unrecorded} of them it is not known what the fix had cost" if tally.unrecorded else ""
    return f"This session: {calls_words(tally.spent)}; {answers} spared {spared}{unknown}."
