"""How grave each ruff rule is in a bug review, and what to do about it.

Only bug families are asked for: layout, naming and typing rules named none of 216 measured bugs and made up to 400
findings on correct programs. A paste is a fragment, so rules that need the rest of the file are low or off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schema.finding import Category, Severity

SELECT = (
    *("F", "E9", "B", "S", "ASYNC", "PLE", "PLW", "A001", "A004", "ARG001", "E711", "E712", "E721", "E722", "SIM115"),
    *("RUF006", "RUF008", "RUF009", "RUF012", "RUF016", "RUF018", "RUF024", "RUF030", "RUF032", "RUF034", "RUF040"),
    *("RUF048", "RUF060", "RUF064", "PGH005"),
    # Preview rules, named one by one: mutation while iterating, float equality, return value in a generator.
    *("B909", "B901", "PLE1141", "PLE4703", "RUF069"),
)
IGNORE = (
    # Style, or right in most code that has it.
    *("B009", "B010", "B013", "B905", "B911", "B912", "B028", "F405", "PLW0108", "PLW0603", "PLW0604", "PLW1641", "PLW3301"),
    # Audit notes: assert, random, every subprocess call, every import of a module that could be misused.
    *("S101", "S310", "S311", "S603", "S606", "S607", "S4", "ASYNC109"),
    # The rules of `text/` speak of these characters, with a fix.
    *("PLE2502", "PLE2510", "PLE2512", "PLE2513", "PLE2514", "PLE2515"),
)


@dataclass(frozen=True)
class Grade:
    """What a finding of a rule gets; `confidence` is an estimate from the measured alarms on correct programs."""

    severity: Severity
    category: Category = "bug"
    confidence: float = 0.8
    suggestion: str = ""


_SQL = "Pass the values as parameters of the query instead of building its text."
_CREDENTIAL = "Read the secret from the environment or a secret store, and change it: it was in the source."
_NO_SHELL = "Call the program with a list of arguments and without a shell, or quote each value with shlex.quote."
_ASYNC = "Await the asynchronous equivalent, or run the call with asyncio.to_thread."
_FORMAT = "Make the placeholders and the values agree."
_NARROW = "Catch the exceptions that you expect, and log or re-raise the rest."

DISPLAY_ONLY = frozenset({"B006", "E712", "F504", "F522", "F523"})
"""Fixes that are shown and never applied: `x == True` as `x` is another value for 1 and "yes", a value without a placeholder
is mostly a placeholder that was forgotten, and where our own rule mends no default (B006), there is a reason."""

GRADES: Mapping[str, Grade] = {
    "": Grade("low", "maintainability", 0.5),
    # pyflakes
    "F": Grade("medium"),
    "F401": Grade("low", "maintainability", 0.9, "Remove the import if nothing else needs it."),
    "F402": Grade("low", "maintainability", 0.7, "Give the loop variable another name than the import."),
    "F403": Grade("low", "maintainability", 0.7, "Import the names that are used."),
    "F404": Grade("high", "bug", 0.95, "Move `from __future__` imports to the top of the file."),
    "F50": Grade("medium", "bug", 0.9, _FORMAT),
    "F52": Grade("medium", "bug", 0.9, _FORMAT),
    "F541": Grade("low", "maintainability", 0.9),
    "F60": Grade("medium", "bug", 0.9, "Remove or rename the key that is given twice: only the last one counts."),
    "F621": Grade("high"),
    "F622": Grade("high"),
    "F631": Grade("high", "bug", 0.99, "Remove the parentheses: a non-empty tuple is always true, so this never fails."),
    "F632": Grade("high", "bug", 0.95, "Compare values with `==`."),
    "F633": Grade("high", "bug", 0.95),
    "F634": Grade("high", "bug", 0.99, "Remove the parentheses or the comma: a non-empty tuple is always true."),
    "F704": Grade("low", "bug", 0.3, "Fine inside of an async function: the paste may be a part of one."),
    "F706": Grade("low", "bug", 0.3, "Fine inside of a function: the paste may be a part of one."),
    "F722": Grade("low", "bug", 0.6),
    "F811": Grade("medium", "bug", 0.7, "Rename or remove one of the two: only the last one exists."),
    "F821": Grade("high", "bug", 0.85, "Define or import the name, or correct its spelling."),
    "F822": Grade("low", "bug", 0.7, "Define the name or take it out of `__all__`."),
    "F823": Grade("high", "bug", 0.95, "Assign the name before it is used, or declare it global or nonlocal."),
    "F84": Grade("low", "maintainability", 0.8, "Use the value or remove the assignment."),
    "F901": Grade("medium", "bug", 0.9),
    # bugbear
    "B": Grade("low", "maintainability", 0.7),
    "B002": Grade("high", "bug", 0.95, "Python has no `++`: write `x += 1`."),
    "B003": Grade("medium", "bug", 0.9, "Change os.environ in place (clear, update)."),
    "B005": Grade("medium", "bug", 0.8, "strip() takes a set of characters: use removeprefix or removesuffix."),
    "B006": Grade("medium", "bug", 0.95, "Use None as the default and make the value in the body."),
    "B012": Grade("medium", "bug", 0.9, "Move the jump out of `finally`: it swallows the exception."),
    "B015": Grade("low", "bug", 0.7, "Assign or assert the comparison: its result is thrown away."),
    "B016": Grade("high", "bug", 0.99, "Raise an exception."),
    "B018": Grade("low", "bug", 0.6, "Use the value or remove the expression."),
    "B019": Grade("low", "reliability", 0.8, "Cache outside of the method: the cache keeps every instance alive."),
    "B020": Grade("medium", "bug", 0.9, "Give the loop variable another name."),
    "B022": Grade("medium", "bug", 0.95, "Name the exceptions to suppress."),
    "B023": Grade("high", "bug", 0.9, "Bind the loop variable when the function is made, for example as a default argument."),
    "B025": Grade("medium", "bug", 0.9, "Remove the second handler: it is never reached."),
    "B029": Grade("medium", "bug", 0.95, "Name the exceptions to catch: an empty tuple catches none."),
    "B030": Grade("high", "bug", 0.9, "Catch exception classes only."),
    "B031": Grade("medium", "bug", 0.8, "Turn the group into a list before using it twice."),
    "B032": Grade("medium", "bug", 0.8, "Use `=`: this annotates, it does not assign."),
    "B034": Grade("medium", "bug", 0.8, "Pass count and flags by keyword."),
    "B035": Grade("medium", "bug", 0.9, "Use the loop variable in the key: every round writes the same key."),
    "B039": Grade("medium", "bug", 0.9, "Use None as the default and set the value where it is needed."),
    "B901": Grade("medium", "bug", 0.7, "Yield the value: a generator's return value is dropped by a for loop."),
    "B909": Grade("medium", "bug", 0.8, "Iterate over a copy, or build a new collection."),
    # security
    "S": Grade("medium", "security", 0.7),
    "S102": Grade("medium", "security", 0.8, "Avoid exec on text that comes from outside."),
    "S104": Grade("low", "security", 0.6, "Bind to the one address that is needed."),
    "S105": Grade("high", "security", 0.7, _CREDENTIAL),
    "S106": Grade("high", "security", 0.7, _CREDENTIAL),
    "S107": Grade("high", "security", 0.7, _CREDENTIAL),
    "S108": Grade("low", "security", 0.5, "Use tempfile."),
    "S110": Grade("medium", "reliability", 0.9, _NARROW),
    "S112": Grade("medium", "reliability", 0.8, _NARROW),
    "S113": Grade("medium", "reliability", 0.95, "Give the request a timeout in seconds: without one it may wait for ever."),
    "S201": Grade("high", "security", 0.9, "Never run with debug=True where others can reach it."),
    "S202": Grade("high", "security", 0.8, "Extract with filter='data'."),
    "S301": Grade("medium", "security", 0.7, "Load only data that you wrote, or use JSON."),
    "S302": Grade("medium", "security", 0.7, "Load only data that you wrote, or use JSON."),
    "S306": Grade("medium", "security", 0.95, "Use tempfile.mkstemp or NamedTemporaryFile."),
    "S307": Grade("high", "security", 0.9, "Parse the text instead: ast.literal_eval for literals, json.loads for JSON."),
    "S31": Grade("low", "security", 0.6, "Use defusedxml for XML that comes from outside."),
    "S312": Grade("medium", "security", 0.8, "Use an encrypted protocol."),
    "S321": Grade("low", "security", 0.7, "Use an encrypted protocol."),
    "S324": Grade("medium", "security", 0.8, "Use SHA-256, or say usedforsecurity=False."),
    "S501": Grade("high", "security", 0.95, "Leave certificate verification on."),
    "S506": Grade("high", "security", 0.9, "Use yaml.safe_load."),
    "S507": Grade("high", "security", 0.9, "Check the host key."),
    "S601": Grade("medium", "security", 0.7, _NO_SHELL),
    "S602": Grade("high", "security", 0.85, _NO_SHELL),
    "S604": Grade("medium", "security", 0.7, _NO_SHELL),
    "S605": Grade("high", "security", 0.85, _NO_SHELL),
    "S608": Grade("high", "security", 0.8, _SQL),
    "S609": Grade("high", "security", 0.8, "Expand the file names in Python: a file called `-rf` becomes an option."),
    "S610": Grade("medium", "security", 0.8, _SQL),
    "S611": Grade("medium", "security", 0.8, _SQL),
    "S701": Grade("high", "security", 0.9, "Switch autoescape on."),
    # async
    "ASYNC1": Grade("low", "reliability", 0.7),
    "ASYNC100": Grade("medium", "bug", 0.8),
    "ASYNC105": Grade("high", "bug", 0.95, "Await the call."),
    "ASYNC2": Grade("high", "performance", 0.9, _ASYNC),
    "ASYNC230": Grade("medium", "performance", 0.8, _ASYNC),
    "ASYNC240": Grade("medium", "performance", 0.7, _ASYNC),
    # pylint errors and warnings
    "PLE": Grade("high", "bug", 0.9),
    "PLE06": Grade("medium", "bug", 0.8),
    "PLE0704": Grade("low", "bug", 0.6, "Raise an exception: outside of a handler there is none to raise again."),
    "PLE1142": Grade("low", "bug", 0.3, "Fine inside of an async function: the paste may be a part of one."),
    "PLE12": Grade("medium", "bug", 0.9, _FORMAT),
    "PLE1310": Grade("medium", "bug", 0.9, "strip() takes a set of characters: use removeprefix or removesuffix."),
    "PLE15": Grade("medium", "bug", 0.9),
    "PLW": Grade("low", "maintainability", 0.7),
    "PLW0128": Grade("medium", "bug", 0.8),
    "PLW0129": Grade("medium", "bug", 0.95, "Assert a condition: a non-empty string is always true."),
    "PLW0133": Grade("high", "bug", 0.95, "Raise the exception."),
    "PLW0177": Grade("medium", "bug", 0.95, "Use math.isnan: nothing is equal to NaN."),
    "PLW0245": Grade("high", "bug", 0.95, "Write super()."),
    "PLW0711": Grade("high", "bug", 0.99, "Catch a tuple of exceptions: `A or B` is just A."),
    "PLW1501": Grade("high", "bug", 0.95),
    "PLW1507": Grade("medium", "bug", 0.9),
    "PLW2101": Grade("high", "bug", 0.95, "Keep the lock in a name that all threads share."),
    # single rules
    "A": Grade("low", "maintainability", 0.6, "Give it another name: the builtin can't be used below."),
    "ARG001": Grade("low", "maintainability", 0.4, "Use the parameter, or remove it if no caller needs it."),
    "E711": Grade("medium", "bug", 0.8, "Compare with `is None` or `is not None`."),
    "E712": Grade("low", "maintainability", 0.6, "Test the value itself, or compare with `is`."),
    "E721": Grade("medium", "bug", 0.7, "Use isinstance, or `is` for exactly this type."),
    "E722": Grade("medium", "reliability", 0.9, _NARROW),
    "E9": Grade("high", "bug", 0.99),
    "PGH005": Grade("medium", "bug", 0.95),
    "RUF006": Grade("medium", "reliability", 0.9, "Keep a reference to the task: an unreferenced task may be collected before it is done."),
    "RUF008": Grade("medium", "bug", 0.9, "Use field(default_factory=...)."),
    "RUF009": Grade("medium", "bug", 0.7, "Use field(default_factory=...)."),
    "RUF012": Grade("low", "maintainability", 0.6, "Make the attribute in __init__, or mark it ClassVar if all instances share it."),
    "RUF016": Grade("high", "bug", 0.95),
    "RUF018": Grade("low", "bug", 0.8),
    "RUF024": Grade("medium", "bug", 0.9, "Use a dict comprehension: all keys share this one value."),
    "RUF03": Grade("medium", "bug", 0.8),
    "RUF032": Grade("low", "bug", 0.8),
    "RUF040": Grade("medium", "bug", 0.8),
    "RUF048": Grade("medium", "bug", 0.8),
    "RUF06": Grade("medium", "bug", 0.8),
    "RUF069": Grade("low", "bug", 0.6, "Compare with math.isclose."),
    "SIM115": Grade("medium", "reliability", 0.8, "Open the file in a `with` statement."),
    "invalid-syntax": Grade("high", "bug", 0.95, "Correct the syntax: until then nothing else here can be checked."),
}
"""Grades by the longest prefix of the code."""


def grade(code: str) -> Grade:
    """The grade of the longest known prefix."""
    return next(GRADES[code[:end]] for end in range(len(code), -1, -1) if code[:end] in GRADES)
