"""Patches: how their bodies are read, and how they are applied to a document."""
