"""There is nothing in it."""
