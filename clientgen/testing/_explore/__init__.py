"""Explores what a controller does when time, order and faults are against it."""
