# Derived from _async/requests/__init__.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The links that requests pass on the way to the server. `request_chain` shows their order."""
