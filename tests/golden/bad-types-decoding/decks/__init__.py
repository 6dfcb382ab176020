"""Types over several modules."""
