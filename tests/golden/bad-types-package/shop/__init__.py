"""The package of the user."""
