"""Mutation tests of the golden cases: see `scripts/golden-mutations`."""
