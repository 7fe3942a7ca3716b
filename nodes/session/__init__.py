"""The steps of the session graph, in the order of a task."""
