"""Built-in rewrites: fixes that a template can't say. Each takes a site and returns its edits, or None where it is unsure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.document import Document
from rules.loop_variables import bind_loop_variables
from rules.returned_numbers import returns_number
from rules.sites import Site
from rules.sql_parameters import sql_parameters
from schema.finding import TextEdit

Rewrite = Callable[[Document, Site], "list[TextEdit] | None"]

REWRITES: Mapping[str, Rewrite] = {
    "bind_loop_variables": bind_loop_variables,
    "returns_number": returns_number,
    "sql_parameters": sql_parameters,
}
"""By the name that `fix.rewrite` gives."""
