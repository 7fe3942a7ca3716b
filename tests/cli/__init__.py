"""The command line, tested in this process where that is honest and as a process where it is not."""
