"""API types written in Python.

`class_reader` joins the source of a module with its classes. `declared_kinds` finds the kinds of an
API among them. `source` turns these into a `Spec`, like every other source.
"""
