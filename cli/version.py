"""The version of CodeMind, in one place."""

VERSION = "0.1.0"
