"""The synchronous flavour, derived from `_async`; `_primitives` and `transport` are by hand."""
