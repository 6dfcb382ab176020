"""Answers: their kinds, and how objects and lists become bytes."""
