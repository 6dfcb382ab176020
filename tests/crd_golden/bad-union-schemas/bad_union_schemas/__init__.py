"""API types."""
