"""How far a proposed fix can be trusted, whatever its origin: the levels parses, clean and tested.

Every level needs `parses` (no new parse error) and `kept` (see kept.py); a fix that fails one of them is refused. A language
that nothing here parses has only the comparison of its text, and the check says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from checks.command_run import both_ends, ending, tail, why_not_started
from checks.compare import Comparison, compare
from checks.inspect import is_syntax
from checks.kept import Span, why_not_kept
from errors import OperationError
from schema.finding import Finding
from schema.fix import FAILED_BEFORE, NO_SANDBOX, NOT_STARTED, PASSED_BEFORE, Check, Level, Verification
from schema.ports import Inspector, Sandbox, SandboxRun
from schema.source import Source
from utils.syntax import PARSED, parse_errors

RULES_OF_VERIFICATION = "verify/1"
"""Part of the basis: to be raised when a gate becomes stricter, so that stored levels are checked again."""


class FixVerifier:
    """Implements `schema.ports.Verifier`. Without a sandbox the level `tested` is out of reach, and the check says so.

    `basis` computes what levels rest on; by default they rest on the versions that the inspector's analysers state.
    """

    def __init__(self, inspector: Inspector, sandbox: Sandbox | None = None, basis: Callable[[], str] | None = None) -> None:
        self._inspector = inspector
        self._sandbox = sandbox
        self._basis = basis or self._stated_basis

    def basis(self) -> str:
        """A digest of all that decides a level: the analysers and the gates."""
        return self._basis()

    def _stated_basis(self) -> str:
        return hashlib.sha256(f"{RULES_OF_VERIFICATION}\x00{self._inspector.basis()}".encode()).hexdigest()[:16]

    def verify(
        self,
        before: Source,
        after: str,
        *,
        findings: Sequence[Finding] = (),
        test_cmd: str | None = None,
        file: str | None = None,
    ) -> Verification:
        """Check `after` as a fix of `before`. Every gate is listed, also those that were not reached.

        `findings` are those it is meant to mend, with positions of `before` or found again there by rule and evidence; empty
        when they are not known. Never raises for a bad fix or a missing sandbox: both are in the answer.
        """
        fixed = replace(before, text=after)
        comparison = compare(before, fixed, findings, self._inspector)
        parses = self._parses(before, fixed, comparison)
        why = why_not_kept(before.text, after, before.language, about(findings, comparison))
        kept = Check("kept", not why, why)
        gone, nothing_new = comparison.findings_gone(), comparison.nothing_new()
        if not (parses.passed and kept.passed):
            refused = kept.detail or parses.detail
            checks = (parses, kept, gone, nothing_new, *not_run(test_cmd, "not run: the fix is refused"))
            return Verification("none", checks, refused, self.basis())
        tests, output = ((), "") if test_cmd is None else self._tests(before, fixed, test_cmd, file)
        level: Level = "clean" if gone.passed and nothing_new.passed else "parses"
        if tests and tests[0].passed:
            level = "tested"
        return Verification(level, (parses, kept, gone, nothing_new, *tests), "", self.basis(), output)

    def _parses(self, before: Source, fixed: Source, comparison: Comparison) -> Check:
        """No more unparseable characters than before, and no syntax error of an analyser where there was none."""
        if before.language not in PARSED:
            return Check("parses", True, f"nothing here parses {before.language}: only the text was compared")
        had, has = parse_errors(before.text, before.language), parse_errors(fixed.text, fixed.language)
        # A fragment that does not parse is one error from end to end: it may grow by what the fix adds.
        if has > had + (max(0, len(fixed.text) - len(before.text)) if had else 0):
            return Check("parses", False, "the fix does not parse")
        reported = [finding for finding in comparison.after if is_syntax(finding)]
        if reported and not any(is_syntax(finding) for finding in comparison.before):
            return Check("parses", False, f"the fix does not parse: line {reported[0].start_line}: {reported[0].message}")
        return Check("parses", True, "" if not has else "some of it does not parse, before and after")

    def _tests(self, before: Source, fixed: Source, test_cmd: str, file: str | None) -> tuple[tuple[Check], str]:
        """The gate, and what the command printed when it failed on the fix.

        The unfixed text runs first: a command that passes on it says nothing about the fix.
        """
        if self._sandbox is None:
            return (Check("tests", False, f"{NO_SANDBOX}: the test command was not run"),), ""
        try:
            unfixed = self._sandbox.run(test_cmd, file, before.text, before.language)
            if unfixed.exit_code is None and not unfixed.timed_out:
                # Cancelled, or it printed without end: a second run would only make the user wait.
                return (Check("tests", False, f"it {ending(unfixed)} before the fix was tried"),), ""
            if why := why_not_started(unfixed):
                return (Check("tests", False, f"{NOT_STARTED}: {why}"),), ""
            run = self._sandbox.run(test_cmd, file, fixed.text, fixed.language)
        except OperationError as error:
            return (Check("tests", False, f"{NO_SANDBOX}: {error.message}"),), ""
        return (tests_gate(unfixed, run),), both_ends(run.output) if run.exit_code != 0 else ""


def tests_gate(unfixed: SandboxRun, run: SandboxRun) -> Check:
    """What the two runs say about the fix."""
    if run.exit_code != 0:
        return Check("tests", False, f"{ending(run)}: {tail(run.output)}" if run.output.strip() else ending(run))
    if unfixed.exit_code == 0:
        return Check("tests", True, PASSED_BEFORE)
    return Check("tests", True, f"{FAILED_BEFORE}{ending(unfixed)}")


def about(findings: Sequence[Finding], comparison: Comparison) -> list[Span] | None:
    """The lines of `before` that the findings stand on; None when no findings are given."""
    return [(found.start_line, found.end_line) for found in comparison.targets] if findings else None


def not_run(test_cmd: str | None, why: str) -> tuple[Check, ...]:
    """The `tests` gate that was not reached; nothing when no test was asked for."""
    return () if test_cmd is None else (Check("tests", False, why),)
