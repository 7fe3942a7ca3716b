"""Pure functions: text and values in, text and values out. No I/O, nothing of ours imported."""
