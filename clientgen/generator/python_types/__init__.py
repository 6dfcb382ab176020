"""API types written in Python: a module of model classes, with markers above them.

`class_reader` joins the source of a module with its classes. `kinds` finds the kinds of an API
among them. `source` turns these into a `Spec`, like every other source.
"""
