"""Every subprocess, file and database of others: linters, sandbox, checkpoints, files."""
