"""Records as text and JSON."""
