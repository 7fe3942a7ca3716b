"""The commits of the two labelled histories, by what they do. A line is a message; `(!)` at its end: reverted later."""

from __future__ import annotations

from tests.memory.git_histories import PYTHON_BUGS, SCRIPT_BUGS, Labelled, Project
from tests.memory.git_small_edits import PYTHON_EDITS, SCRIPT_EDITS

FIXES = frozenset({"fix", "fix+test", "fix2"})
"""Kinds of edits that mend a bug; all others don't."""

PYTHON: dict[str, str] = {
    "fix": """
        Fix crash when the list is empty (#212)
        Don't share the default list between calls
        Return an empty string for unknown keys
        Close the file after reading\\n\\nIt was left open until the interpreter ended, which broke Windows.
        Only split on the first equals sign
        Use utf-8 when reading templates\\n\\nFixes #87
        Handle zero-length input in mean
        Correct the loop bound
        Off by one in last item
        Stop swallowing KeyboardInterrupt
        IndexError in tail access (closes #14)
        Values that contain "=" are cut off
        Make sure that polling happens at the limit too (!)
        Avoid division by zero
        Catch only OSError when sending
        Prevent state from leaking between requests
        fix: unknown ticket raises KeyError
        Poll once more at the boundary
        GH-31: Reversed comparison while waiting
        Refs #77 -- Made the tail access stay in range
        reader: close the handle explicitly
        Reads templates as UTF-8 everywhere
        Bail out when there is nothing to average
        STORY 20031: Tolerate absent keys
        loader: work with keys that nobody has set
        The rest of the line belongs to the value
    """,
    "fix+test": """
        Fix mutable default argument (#301)\\n\\nCo-authored-by: Bo <bo@example.org>
        Missing keys no longer raise
        Handle values with several separators
        Fixed wrong average for no values
        Do not fail if the table has no such key
        Guard against empty sequences
        Wrong item returned for the last index
        Regression in 2.3: file handles are leaked
        Resolve #55: lookups of absent routes
        Properly decode non-ASCII files
        Ensure the payload error is the only one caught
        Treat None as missing
        bugfix for harbor timeouts (!)
        Unbreak parsing of query strings
        Check for the empty list first
        Limit splitting to one
        Catches OSError only, not everything
        Make lookups work when the table is empty
        Wait for the last poll before giving up
        Copy the default instead of changing it
        Adds a missing guard for absent names
    """,
    "fix2": """
        Fix two lookups that raise for missing keys (GH-77)
        Fixes #120, #121: empty input
        Handle empty and missing values consistently
    """,
    "feature": """
        Add a second way to read parcels (#99)
        Support reading meters from a stream
        Implement export, closes #13
        Introduce planet letters
        New: window harbors
        Allow custom signal handlers (fixes #140)
        Provide a default for photos
        feat(api): expose packets
        Extend engine with a warm start
        Add a fallback theme for windows
    """,
    "tweak": """
        Raise the default limit to 200
        Use a larger page
        Change how long retries wait
        Let retries wait longer, see #61
    """,
    "enhance": """
        Accept yml as well
        Show the note when there is one
        Also list notes
        Make the second ending known
        Support the short ending (#91)
    """,
    "perf": """
        Speed up comparisons
        Use a set for membership
        Do not build a list only to count it
        Count without a list
    """,
    "reword": """
        Use f-strings
        Return early
        Simplify the state of a job
        Drop the helper variable
        Replace old style formatting
        Use a conditional return
    """,
    "log": """
        Log how many rows were read
        Tell the number of rows
    """,
    "option": """
        Add verbose option (#31)
        Let callers be told more
        Accept a verbose flag everywhere
        feat: verbose mode, resolves #7
        Make output configurable
        Enable more output on request
    """,
    "tidy": """
        Refactor the readers
        Simplify ticket handling
        Extract shared code to avoid errors in copies
        Clean up after the last merge
        Modernize the garden module
        Reorganize, no functional change
        Rework letters
    """,
    "text": """
        Improve the greeting
        Fix typo in message
        Reword the greeting so that it is not wrong any more
        Update greeting text
        Better error message when a key is missing
        Correct spelling
    """,
    "comment": """
        Explain why the loop ends there
        Fix comment
        Document the bug in order
        Say what mean does when it fails
    """,
    "layout": """
        Run black
        Fix flake8 errors
        Whitespace
        style: blank lines
        Fix indentation issues found by pylint
    """,
    "rename": """
        Rename a module
        Move a module to fix the import cycle
        Give the file its right name
    """,
    "move": """
        Move function where it belongs
        Fix layering: move a helper
    """,
    "test": """
        Fix flaky test
        Test the empty case
        Add regression test for #212
        Fix failing tests on Windows
        Cover broken links
        tests: do not crash without network
    """,
    "docs": """
        Fix broken link in README
        Update the changelog
        Document how to report bugs
        docs: fix wrong example
        Mention the crash of 2.2 in the readme
    """,
    "vendored": """
        Fix crash in the bundled library
        Upgrade bundled library
    """,
    "build": """
        Release 2.4
        Bump version
        Fix the build
        Fix CI for Python 3.12
        Pin requirements because of a bug in 3.1
        Prepare 2.5
    """,
}

SCRIPT: dict[str, str] = {
    "fix": """
        fixed undefined user
        sorting numbers was broken
        last page was never shown, see #40
        strict comparison, otherwise "" equals 0
        wait for the store
        forgot await
        oops, index was past the end
        null check for profile
        [pager] round up instead of down
        [sort] numeric order
        #61: crash without profile
        BUG: promise instead of value
        hotfix login
        users without a profile broke the page
        never index past the array (!)
        compare without coercion
        quick fix for the photo list
        TypeError: cannot read property name of undefined
        no more undefined names
        workaround for missing profiles
        trim is called on nothing
        users: profile may be absent
        sorts as numbers now
        awaits what the store returns
        count the started page, too
    """,
    "fix+test": """
        Fix #12
        fixes sorting
        incorrect page count
        [harbor] handle anonymous users
        Fix: last element
        corrects equality
        don't lose the last page
        must await the lookup
        missing await leads to undefined (closes #71)
        avoid coercion in comparisons
        should return the last item, not undefined
        invalid results with more than ten pages (!)
        fixing the sort order for numbers\\n\\nThe default compares strings.
        solve problem with empty users
        ensure numeric sort
    """,
    "fix2": """
        fix several crashes without profile
        two more places that forgot to await
    """,
    "feature": """
        added garden view
        new planets page
        support for letters, closes #33
        first version of parcels
        more engines
        implements #29
        can export photos now
        meter history
        adding a cache for tickets
        login with letters
    """,
    "tweak": """
        200 rows
        bigger pages
        limit changed after discussion
    """,
    "enhance": """
        webp
        notes are shown
        also take the new picture format
        handle webp like jpg
    """,
    "perf": """
        faster
        use Set
        performance: no more nested loops
    """,
    "reword": """
        template strings
        use ternary
        var is out of fashion
        shorter
    """,
    "log": """
        log rows
        debug output
    """,
    "option": """
        verbose flag
        added option to fix the width
        configurable output (#44)
        optional details
        pass verbose
    """,
    "tidy": """
        refactoring
        cleanup of error handling
        split up
        removed duplicates
        code review changes
        some restructuring because of the problems last week
        cosmetics
    """,
    "text": """
        nicer greeting
        typo
        wording fixed
        changed text as discussed
        new greeting for the missing page
    """,
    "comment": """
        comments
        fix comment about the bug
        TODO note
        explain workaround
    """,
    "layout": """
        formatting
        prettier
        fix lint errors
        spaces
        fixed indentation
    """,
    "rename": """
        renamed
        fix file name
        better names
    """,
    "move": """
        moved
        moving things around to fix imports
    """,
    "test": """
        more tests
        test for #12
        fix tests
        broken test
        failing test for the sort bug
    """,
    "docs": """
        readme
        fix docs
        known bugs
        how to report an error
        broken links
        changelog
        authors
        screenshot
        install notes
    """,
    "vendored": """
        updated vendored lib
        fix bug in vendored lib
    """,
    "build": """
        0.9.1
        version
        fix travis
        build fixes
    """,
}


def python_project() -> tuple[Project, list[Labelled]]:
    """A library whose maintainers merge requests and write imperative subjects."""
    return Project(PYTHON_BUGS, PYTHON_EDITS, "py"), _labelled(PYTHON)


def script_project() -> tuple[Project, list[Labelled]]:
    """An application in JavaScript with CRLF line ends, whose maintainers write as it comes."""
    return Project(SCRIPT_BUGS, SCRIPT_EDITS, "js", "\r\n"), _labelled(SCRIPT)


def _labelled(table: dict[str, str]) -> list[Labelled]:
    messages = [(kind, line.strip().replace("\\n", "\n")) for kind, lines in table.items() for line in lines.strip().split("\n")]
    return [Labelled(said.removesuffix(" (!)"), kind, kind in FIXES, reverted=said.endswith(" (!)")) for kind, said in messages]
