"""The commits of the two labelled histories. A line is a message; `(!)` at its end: reverted later."""

from __future__ import annotations

from tests.memory.git_histories import PYTHON_BUGS, SCRIPT_BUGS, Labelled, Project, labelled


def python_project() -> tuple[Project, list[Labelled]]:
    """A library whose maintainers merge requests and write imperative subjects."""
    table = [
        *labelled("fix", """
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
        """, is_fix=True),
        *labelled("fix+test", """
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
        """, is_fix=True),
        *labelled("fix2", """
            Fix two lookups that raise for missing keys (GH-77)
            Fixes #120, #121: empty input
            Handle empty and missing values consistently
        """, is_fix=True),
        *labelled("feature", """
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
        """),
        *labelled("option", """
            Add verbose option (#31)
            Let callers be told more
            Accept a verbose flag everywhere
            feat: verbose mode, resolves #7
            Make output configurable
            Enable more output on request
        """),
        *labelled("tidy", """
            Refactor the readers
            Simplify ticket handling
            Extract shared code to avoid errors in copies
            Clean up after the last merge
            Modernize the garden module
            Reorganize, no functional change
            Rework letters
        """),
        *labelled("text", """
            Improve the greeting
            Fix typo in message
            Reword the greeting so that it is not wrong any more
            Update greeting text
            Better error message when a key is missing
            Correct spelling
        """),
        *labelled("comment", """
            Explain why the loop ends there
            Fix comment
            Document the bug in order
            Say what mean does when it fails
        """),
        *labelled("layout", """
            Run black
            Fix flake8 errors
            Whitespace
            style: blank lines
            Fix indentation issues found by pylint
        """),
        *labelled("rename", """
            Rename a module
            Move a module to fix the import cycle
            Give the file its right name
        """),
        *labelled("move", """
            Move function where it belongs
            Fix layering: move a helper
        """),
        *labelled("test", """
            Fix flaky test
            Test the empty case
            Add regression test for #212
            Fix failing tests on Windows
            Cover broken links
            tests: do not crash without network
        """),
        *labelled("docs", """
            Fix broken link in README
            Update the changelog
            Document how to report bugs
            docs: fix wrong example
            Mention the crash of 2.2 in the readme
        """),
        *labelled("vendored", """
            Fix crash in the bundled library
            Upgrade bundled library
        """),
        *labelled("build", """
            Release 2.4
            Bump version
            Fix the build
            Fix CI for Python 3.12
            Pin requirements because of a bug in 3.1
            Prepare 2.5
        """),
    ]  # fmt: skip
    return Project(PYTHON_BUGS, "py"), table


def script_project() -> tuple[Project, list[Labelled]]:
    """An application in JavaScript with CRLF line ends, whose maintainers write as it comes."""
    table = [
        *labelled("fix", """
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
        """, is_fix=True),
        *labelled("fix+test", """
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
        """, is_fix=True),
        *labelled("fix2", """
            fix several crashes without profile
            two more places that forgot to await
        """, is_fix=True),
        *labelled("feature", """
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
        """),
        *labelled("option", """
            verbose flag
            added option to fix the width
            configurable output (#44)
            optional details
            pass verbose
        """),
        *labelled("tidy", """
            refactoring
            cleanup of error handling
            split up
            removed duplicates
            code review changes
            some restructuring because of the problems last week
            cosmetics
        """),
        *labelled("text", """
            nicer greeting
            typo
            wording fixed
            changed text as discussed
            new greeting for the missing page
        """),
        *labelled("comment", """
            comments
            fix comment about the bug
            TODO note
            explain workaround
        """),
        *labelled("layout", """
            formatting
            prettier
            fix lint errors
            spaces
            fixed indentation
        """),
        *labelled("rename", """
            renamed
            fix file name
            better names
        """),
        *labelled("move", """
            moved
            moving things around to fix imports
        """),
        *labelled("test", """
            more tests
            test for #12
            fix tests
            broken test
            failing test for the sort bug
        """),
        *labelled("docs", """
            readme
            fix docs
            known bugs
            how to report an error
            broken links
            changelog
            authors
            screenshot
            install notes
        """),
        *labelled("vendored", """
            updated vendored lib
            fix bug in vendored lib
        """),
        *labelled("build", """
            0.9.1
            version
            fix travis
            build fixes
        """),
    ]  # fmt: skip
    return Project(SCRIPT_BUGS, "js", "\r\n"), table
