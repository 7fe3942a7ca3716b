"""Records and findings as text, JSON and JSON lines: values in, text out."""
