"""A proposed fix and how far it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

Level = Literal["none", "parses", "clean", "tested"]
Origin = Literal["memory", "transfer", "model", "rules"]
NO_SANDBOX = "no sandbox here"
"""How the detail of a `tests` check begins that could not run at all."""
NOT_STARTED = "your test command could not be started"
"""How it begins when there is no such command: neither the fix nor the code has failed."""
NOT_RUN = "not run"
"""How the detail of a `tests` check begins that was not reached."""
FAILED_BEFORE = "passes; before the fix it "
"""How the detail of a `tests` check begins that the unfixed code did not pass: only then the tests say something about the fix."""
PASSED_BEFORE = "passes, and passed before the fix too"
REJECTED_NOTE = "the fix that would come was rejected by you; /undo or `codemind memory approve` brings it back"
GONE = "findings_gone"
"""The check that what the fix mends is no longer found."""
LEVELS: tuple[Level, ...] = ("none", "parses", "clean", "tested")


@dataclass(frozen=True)
class Check:
    """One gate: `name` is `parses`, `kept`, `findings_gone`, `nothing_new` or `tests`; `detail` is a short sentence."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Verification:
    """The level reached and the gates behind it. A refused fix has level `none` and `refused` says why.

    `basis` is what the level rests on (digest of rules and linter versions); a stored level is reused only while it is equal.
    """

    level: Level
    checks: tuple[Check, ...] = ()
    refused: str = ""
    basis: str = ""
    test_output: str = field(default="", compare=False)
    """What the failing test command printed with the fix, for whoever mends it again; it is neither stored nor shown."""

    @property
    def accepted(self) -> bool:
        """True when the fix may be offered."""
        return not self.refused and self.level != "none"

    @property
    def tests_failed(self) -> bool:
        """True when the user's test command ran on the fix and did not pass."""
        return any(
            check.name == "tests" and not check.passed and not check.detail.startswith((NO_SANDBOX, NOT_STARTED, NOT_RUN))
            for check in self.checks
        )

    @property
    def mended_tests(self) -> bool:
        """True when the user's test command failed on the unfixed code and passes on the fix."""
        return any(check.name == "tests" and check.passed and check.detail.startswith(FAILED_BEFORE) for check in self.checks)

    @property
    def no_sandbox(self) -> bool:
        """True when a test command was given and nothing may run here."""
        return any(check.name == "tests" and check.detail.startswith(NO_SANDBOX) for check in self.checks)

    @property
    def not_started(self) -> str:
        """Why the test command could not be started, as a sentence; empty when it could, or there was none."""
        details = (check.detail for check in self.checks if check.name == "tests")
        return next((detail for detail in details if detail.startswith(NOT_STARTED)), "")

    def resting_on(self, bound: Verification) -> Verification:
        """The same, but clean only when the findings that the fix is about are gone, as `bound`, a check by those alone, says.

        That some other finding went is no evidence for the fix.
        """
        gone = next((check for check in bound.checks if check.name == GONE), None)
        if self.level != "clean" or gone is None or gone.passed:
            return self
        return replace(self, level="parses", checks=tuple(gone if check.name == GONE else check for check in self.checks))

    def as_plain(self) -> dict[str, Any]:
        """A JSON object; `checks` is a list."""
        checks = [asdict(check) for check in self.checks]
        return {"level": self.level, "checks": checks, "refused": self.refused, "basis": self.basis}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Verification:
        """Read what `as_plain` wrote; missing keys get their defaults."""
        checks = tuple(Check(c["name"], c["passed"], c.get("detail", "")) for c in plain.get("checks", ()))
        return cls(plain.get("level", "none"), checks, plain.get("refused", ""), plain.get("basis", ""))


@dataclass(frozen=True)
class Fix:
    """The whole fixed text (LF line ends) with its origin and evidence."""

    code: str
    explanation: str
    origin: Origin
    verification: Verification
    experience_id: str | None = None

    def as_plain(self) -> dict[str, Any]:
        """The `fix` object of a task record."""
        return {
            "code": self.code,
            "explanation": self.explanation,
            "origin": self.origin,
            "experience_id": self.experience_id,
            "verification": self.verification.as_plain(),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Fix:
        """Read what `as_plain` wrote."""
        verification = Verification.from_plain(plain["verification"])
        return cls(plain["code"], plain["explanation"], plain["origin"], verification, plain.get("experience_id"))
