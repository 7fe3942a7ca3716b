"""The measured claims of docs/benchmarks.md, each a command that prints a Markdown table."""
