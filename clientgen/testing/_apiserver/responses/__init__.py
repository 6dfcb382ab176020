"""Kinds of answers; objects and lists as bytes."""
