"""The name is one of Python's own."""
