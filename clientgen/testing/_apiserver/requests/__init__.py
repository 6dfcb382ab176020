"""Requests: parsed, authorized, resolved; options and bodies."""
