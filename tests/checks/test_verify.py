"""checks.verify: the levels, and every gate in the answer."""

from __future__ import annotations

import pytest

from checks.inspect import StaticInspector
from checks.verify import FixVerifier
from errors import OperationError, SandboxUnavailableError
from integrations.ruff import RuffAnalyzer
from schema.finding import Finding
from schema.fix import Verification
from schema.ports import SandboxRun
from schema.source import Source
from tests.checks.sample import ScriptedSandbox, WordAnalyzer, finding_on

BUGGY = "def f(a, b=[]):\n    b.append(a)\n    return b\n"
FIXED = "def f(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return b\n"
PASSES = SandboxRun(0, False, "1 passed\n", 0.1)
FAILS = SandboxRun(1, False, "line one\nAssertionError: 2\n", 0.1)
HANGS = SandboxRun(None, True, "", 5.0)


def verifier(sandbox: ScriptedSandbox | None = None) -> FixVerifier:
    """With ruff."""
    return FixVerifier(StaticInspector([RuffAnalyzer()]), sandbox)


def of(text: str) -> Source:
    """A Python paste."""
    return Source(text, "python")


def outcome(verification: Verification) -> dict[str, bool]:
    """Each gate and whether it was passed."""
    return {check.name: check.passed for check in verification.checks}


def the_finding(text: str) -> Finding:
    """The first of ruff's."""
    return StaticInspector([RuffAnalyzer()]).inspect(of(text)).findings[0]


def test_a_mended_finding_is_clean() -> None:
    """It existed, it is gone, nothing new came."""
    verification = verifier().verify(of(BUGGY), FIXED, findings=[the_finding(BUGGY)])

    assert verification.level == "clean"
    assert verification.accepted
    assert outcome(verification) == {"parses": True, "kept": True, "findings_gone": True, "nothing_new": True}
    assert verification.basis == verifier().basis()


def test_without_named_findings_any_static_finding_that_went_counts() -> None:
    """A fix from memory reaches clean too."""
    assert verifier().verify(of(BUGGY), FIXED).level == "clean"


def test_a_models_finding_alone_never_reaches_clean() -> None:
    """No rule reports it, so no rule can say that it is gone."""
    text = "def f(xs):\n    return len(xs)\n"
    found = finding_on(text, 2, "model/logic", source="model:m")

    verification = verifier().verify(of(text), text.replace("len(xs)", "len(xs) - 1"), findings=[found])

    assert verification.level == "parses"
    assert not outcome(verification)["findings_gone"]


def test_a_finding_that_is_still_there_is_told() -> None:
    """The level stays parses, and the fix is not refused for it."""
    verification = verifier().verify(of(BUGGY), BUGGY.replace("return b", "return list(b)"), findings=[the_finding(BUGGY)])

    assert (verification.level, verification.refused) == ("parses", "")
    assert not outcome(verification)["findings_gone"]


def test_a_new_defect_keeps_it_from_clean() -> None:
    """Gone is one, but another came."""
    after = FIXED.replace("    return b\n", "    return eval(b)\n")

    verification = verifier().verify(of(BUGGY), after, findings=[the_finding(BUGGY)])

    assert verification.level == "parses"
    assert not outcome(verification)["nothing_new"]


def test_a_fix_that_does_not_parse_is_refused() -> None:
    """Also when only an analyser sees it: wrong indentation."""
    for after in (BUGGY.replace("return b", "return (b"), BUGGY.replace("    return b", "      return b")):
        verification = verifier().verify(of(BUGGY), after)
        assert verification.level == "none"
        assert "parse" in verification.refused
        assert not verification.accepted


def test_a_broken_text_may_be_mended_step_by_step() -> None:
    """No more errors than before is enough."""
    before = "def f(x)\n    return x == None\n"

    assert verifier().verify(of(before), before.replace("(x)\n", "(x):\n")).accepted


def test_two_findings_on_one_line_are_told_apart() -> None:
    """Mending one of two mutable defaults is clean for that one, whichever it is."""
    text = "def f(a=[], b={}):\n    return a, b\n"
    found = StaticInspector([RuffAnalyzer()]).inspect(of(text)).findings

    for finding, after in zip(found, (text.replace("[]", "None"), text.replace("{}", "None")), strict=True):
        verification = verifier().verify(of(text), after, findings=[finding])
        assert verification.level == "clean", verification


def test_lines_that_move_are_not_new_findings() -> None:
    """Another function's finding is the same one ten lines further down."""
    before = BUGGY + "\ndef g(x, y=[]):\n    return eval(x)\n"
    after = FIXED + "\ndef g(x, y=[]):\n    return eval(x)\n"

    assert verifier().verify(of(before), after, findings=[the_finding(before)]).level == "clean"


def test_findings_of_a_text_in_between_are_found_again() -> None:
    """Two findings mended one after another have positions of different texts."""
    before = BUGGY + "\ndef g(x, y={}):\n    y[x] = 1\n    return y\n"
    between = FIXED + "\ndef g(x, y={}):\n    y[x] = 1\n    return y\n"
    after = FIXED + "\ndef g(x, y=None):\n    if y is None:\n        y = {}\n    y[x] = 1\n    return y\n"

    verification = verifier().verify(of(before), after, findings=[the_finding(before), the_finding(between)])

    assert verification.level == "clean", verification


@pytest.mark.parametrize(
    ("runs", "level", "passed", "told"),
    [
        ([FAILS, PASSES], "tested", True, "before the fix it fails with exit status 1"),
        ([PASSES, PASSES], "tested", True, "passed before the fix too"),
        ([HANGS, PASSES], "tested", True, "before the fix it took longer than 5 s"),
        ([FAILS, FAILS], "clean", False, "fails with exit status 1: line one | AssertionError: 2"),
        ([FAILS, HANGS], "clean", False, "took longer than 5 s"),
        ([SandboxRun(None, False, "", 0.1)], "clean", False, "printed without end"),
    ],
)
def test_the_users_tests_decide_about_tested(runs: list[SandboxRun], level: str, passed: bool, told: str) -> None:
    """The unfixed text runs first; a failure keeps the level that was reached without it."""
    sandbox = ScriptedSandbox(runs)

    verification = verifier(sandbox).verify(of(BUGGY), FIXED, test_cmd="pytest", file="a.py")

    tests = verification.checks[-1]
    assert (verification.level, tests.name, tests.passed) == (level, "tests", passed)
    assert told in tests.detail
    assert sandbox.texts == [BUGGY, FIXED][: len(sandbox.texts)]


def test_a_refused_fix_is_never_run() -> None:
    """Nothing of it reaches the sandbox; the gate is listed all the same."""
    sandbox = ScriptedSandbox()

    verification = verifier(sandbox).verify(of(BUGGY), "def f(a, b=None):\n    pass\n", test_cmd="pytest")

    assert verification.refused
    assert sandbox.texts == []
    assert outcome(verification)["tests"] is False


def test_without_a_sandbox_the_check_says_so() -> None:
    """The level goes on without it."""

    class NoSandbox(ScriptedSandbox):
        def run(self, command: str, file: str | None, text: str, language: str) -> SandboxRun:
            raise SandboxUnavailableError("bubblewrap is not installed")

    for sandbox in (None, NoSandbox()):
        verification = verifier(sandbox).verify(of(BUGGY), FIXED, test_cmd="pytest")
        assert verification.level == "clean"
        assert verification.checks[-1].detail.startswith("no sandbox here: ")


def test_a_language_without_a_parser_is_compared_as_text_and_says_so() -> None:
    """Level parses, with a detail that promises no more than was done."""
    before = Source("select a\nfrom t\nwhere b = 1\n", "sql")

    verification = verifier().verify(before, before.text.replace("1", "2"))

    assert verification.level == "parses"
    assert "nothing here parses sql" in verification.checks[0].detail
    assert verifier().verify(before, "-- rest of the code unchanged\n").refused


def test_the_same_text_is_no_fix() -> None:
    """Blank lines at the end make no difference."""
    assert verifier().verify(of(BUGGY), BUGGY + "\n").refused == "the fix changes nothing"


def test_the_basis_follows_the_analysers() -> None:
    """A stored level is not reused when another set of rules is in force."""
    assert verifier().basis() == verifier().basis()
    assert verifier().basis() != FixVerifier(StaticInspector([WordAnalyzer("bad")])).basis()


class BlindToFixed(RuffAnalyzer):
    """Fails on the fixed text."""

    def analyze(self, source: Source) -> list[Finding]:
        """As ruff, unless it is the fixed text."""
        if source.text == FIXED:
            raise OperationError("it took too long")
        return super().analyze(source)


def test_what_could_not_be_checked_any_more_is_not_clean() -> None:
    """A linter that gives up on the fixed code reports nothing there: nothing is known to be gone, or not to be new."""
    blind = FixVerifier(StaticInspector([BlindToFixed()]))

    verification = blind.verify(of(BUGGY), FIXED, findings=[the_finding(BUGGY)])

    assert verification.level == "parses"
    assert outcome(verification) == {"parses": True, "kept": True, "findings_gone": False, "nothing_new": False}
    assert all("could not check the fixed code" in check.detail for check in verification.checks[2:])
