"""Types of a harbour."""
