"""Requests: taken apart, authorized, resolved; their options and bodies."""
