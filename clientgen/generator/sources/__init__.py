"""Readers: one per kind of input, each answering with a `Spec`."""
