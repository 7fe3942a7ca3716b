"""The static engine, wired: what finds, what checks a fix, what runs a test command. `wiring` gives it to the skins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schema.finding import Finding
from schema.fix import Verification
from schema.ports import Inspector, Sandbox, Verifier
from schema.source import Source
from settings import Settings
from wiring_model import WorkEvents

PROGRAM_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class StaticParts:
    """The static engine: what finds, what checks a fix, what runs a test command."""

    inspector: Inspector
    verifier: Verifier
    sandbox: Sandbox


def build_static(settings: Settings, events: WorkEvents | None = None) -> StaticParts:
    """All analysers, the verifier and the sandbox; none of them has looked at anything yet."""
    from checks.inspect import StaticInspector
    from checks.verify import FixVerifier
    from integrations.announced import AnnouncedAnalyzer, AnnouncedSandbox
    from integrations.ruff import RuffAnalyzer
    from integrations.sandbox import BubblewrapSandbox
    from rules.engine import RuleEngine
    from rules.load import rule_aliases
    from rules.secrets import SecretAnalyzer
    from rules.text_checks import TextAnalyzer

    listen = events or WorkEvents()
    analyzers = [AnnouncedAnalyzer(each, listen) for each in (RuffAnalyzer(), RuleEngine(), TextAnalyzer(), SecretAnalyzer())]
    inspector = StaticInspector(analyzers, rule_aliases())
    bubblewrap = BubblewrapSandbox(timeout_s=settings.test_timeout_seconds, allow_unsandboxed=settings.allow_unsandboxed)
    sandbox = AnnouncedSandbox(bubblewrap, listen)
    return StaticParts(inspector, FixVerifier(inspector, sandbox, static_basis), sandbox)


@cache
def static_basis() -> str:
    """What the levels of the verifier rest on. Imports no rule, no parser, no analyser: `recall` needs it for every known paste."""
    from checks.basis import digest_of
    from integrations.ruff_program import ruff_name

    deciding = [PROGRAM_FOLDER / "checks", PROGRAM_FOLDER / "rules"]
    for folder, pattern in (("integrations", "ruff*.py"), ("utils", "syntax*.py"), ("utils", "elision.py")):
        deciding += sorted((PROGRAM_FOLDER / folder).glob(pattern))
    return digest_of(deciding, [ruff_name()])


class FirstUseVerifier:
    """The verifier, made when the first fix has to be judged: a look into the memory that finds nothing needs none."""

    def __init__(self, parts: Callable[[], StaticParts]) -> None:
        self._parts = parts

    def verify(
        self,
        before: Source,
        after: str,
        *,
        findings: Sequence[Finding] = (),
        test_cmd: str | None = None,
        file: str | None = None,
    ) -> Verification:
        """As FixVerifier."""
        return self._parts().verifier.verify(before, after, findings=findings, test_cmd=test_cmd, file=file)

    def basis(self) -> str:
        """As FixVerifier; it is not made for that."""
        return static_basis()
