"""Build time: spec and markers to files. Nothing here is imported by generated code."""
