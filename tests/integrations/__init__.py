"""Tests of integrations/."""
