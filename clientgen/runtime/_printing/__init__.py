"""Objects as text."""
