"""The terminal, the pipe and the commands: a skin over one App, without logic of its own."""
