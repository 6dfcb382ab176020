"""A reader for each kind of input."""
