"""Tests of utils/."""
