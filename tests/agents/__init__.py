"""The static agents."""
