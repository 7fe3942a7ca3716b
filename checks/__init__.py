"""What may be said about code and about a proposed fix: all analysers together, and the levels of evidence."""
