"""Tar archives to and from containers."""
