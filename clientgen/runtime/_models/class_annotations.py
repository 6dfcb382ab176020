"""The annotations of a class that is being made, also where Python evaluates them later (3.14)."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["annotations_of", "declared_annotations"]


def declared_annotations(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return what the body of a class annotates, and keep it in the body's names.

    From Python 3.14 on, a body without `from __future__ import annotations` has a function in place
    of them (PEP 649). What cannot be evaluated yet becomes a ForwardRef, which is evaluated with
    the fields' types.
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
    """Return the annotations in the body of a class, evaluated as far as that can be done."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
    annotations: dict[str, Any] = vars(owner).get("__annotations__", {})
    return annotations
