"""Tests, laid out like the packages they are about."""
