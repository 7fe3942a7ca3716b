"""Tests of checks/."""
