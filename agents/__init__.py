"""The manager, the reviewer and the fixer: one role each, one public async method, no graph, no memory, no printing."""
