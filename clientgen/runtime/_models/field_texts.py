"""Texts of the fields of models, for `help()`: the strings below fields in a class body.

Python does not keep these strings, so that they cost nothing when a module is imported. They are
read from the source file when the documentation of a class is requested.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import lru_cache
from textwrap import fill
from typing import TYPE_CHECKING, Final

from clientgen._class_bodies import annotated_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WIDTH: Final = 88


def with_field_texts(cls: type) -> str | None:
    """Return the docstring of a class, and the texts of its fields if there are any."""
    own: str | None = cls.__dict__.get("__doc__")
    texts = _field_texts(cls)
    if not texts:
        return own
    lines = (
        fill(f"{name}: {text}", _WIDTH, initial_indent="    ", subsequent_indent="        ")
        for name, text in texts.items()
    )
    head = [inspect.cleandoc(own), ""] if own else []
    return "\n".join([*head, "Attributes:", *lines])


def _field_texts(cls: type) -> Mapping[str, str]:
    """Return the texts of the fields by name. Fields of base classes come first."""
    texts: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        texts |= _texts_of_module(each.__module__).get(each.__qualname__, {})
    return texts


@lru_cache(maxsize=32)
def _texts_of_module(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of each class of a module; empty if its source is not available."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    return {name: texts for name, node in _classes(tree) if (texts := _texts_of_class(node))}


def _classes(
    parent: ast.Module | ast.ClassDef, prefix: str = ""
) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the classes of a module, and classes inside of classes, with their qualified names."""
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            yield f"{prefix}{node.name}", node
            yield from _classes(node, f"{prefix}{node.name}.")


def _texts_of_class(node: ast.ClassDef) -> Mapping[str, str]:
    return {
        name: " ".join(text.split())
        for name, _, text in annotated_fields(node.body)
        if text and not name.startswith("_")
    }
