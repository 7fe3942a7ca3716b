"""Situations that people met with tools of this kind, each a small input with what must come out."""
