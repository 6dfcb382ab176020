"""Conditions to wait for: decisions."""
