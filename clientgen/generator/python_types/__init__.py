"""API types written in Python: a module of model classes, with markers above them.

`reading` joins the source of a module with its classes, `kinds` says which of them are kinds of an
API, `source` makes of them what every source answers with.
"""
