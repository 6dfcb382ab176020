"""Reads the annotations of classes, also on Python 3.14, which evaluates them lazily."""

from __future__ import annotations

import sys
from typing import Any


def declared_annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of a class body, and store them in its namespace.

    From Python 3.14 on, a class body without `from __future__ import annotations` has a function
    that computes its annotations (PEP 649). A name that is not defined yet becomes a ForwardRef,
    which is evaluated together with the types of the fields.
    """
    if sys.version_info >= (3, 14) and "__annotations__" not in namespace:
        import annotationlib

        evaluate = annotationlib.get_annotate_from_class_namespace(namespace)
        if evaluate is not None:
            namespace["__annotations__"] = annotationlib.call_annotate_function(
                evaluate, annotationlib.Format.FORWARDREF
            )
    annotations: dict[str, Any] = namespace.get("__annotations__", {})
    return annotations


def annotations_of(owner: type) -> dict[str, Any]:
    """Return the annotations of a class. A name that is not defined yet is a ForwardRef."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
    annotations: dict[str, Any] = vars(owner).get("__annotations__", {})
    return annotations
