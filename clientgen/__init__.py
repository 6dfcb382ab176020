"""Typed Kubernetes clients for Python: the generator, and the runtime of generated code.

Nothing is imported here, so that a program that uses a generated package never loads the generator.
"""

__version__ = "0.1.0"
