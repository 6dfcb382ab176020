"""Verbs of the API: one module for each, and for each subresource with a body of its own."""
