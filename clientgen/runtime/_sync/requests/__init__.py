# Derived from _async/requests/__init__.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The links that requests pass on their way to the server, in the order of `request_chain`."""
