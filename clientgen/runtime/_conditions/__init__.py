"""Conditions of objects, and the readiness of each kind."""
