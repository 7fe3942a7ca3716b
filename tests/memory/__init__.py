"""Tests of the long-term memory."""
