"""The JSON of the objects that are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .._conditions.view_json import json_of
from .._models.arguments import type_of
from .._models.decoder import to_dict
from .._models.meta_v1 import ModelList
from .._models.model import Model
from .._models.model_info import is_path_view

if TYPE_CHECKING:
    from .._models.unstructured import Object

Objects: TypeAlias = "Object | Mapping[str, Any] | Iterable[Object | Mapping[str, Any]]"
"""One object, a list of objects as the server sends it, or any objects."""


def tree_of(objects: Objects) -> dict[str, Any]:
    """Return the JSON of an object. A list becomes a `List` of its items, as in kubectl.

    Raises:
        TypeError: something is not an object.
    """
    if not isinstance(objects, ModelList) and isinstance(objects, (Model, Mapping)):
        return tree_of_object(cast("object", objects))
    items = [tree_of_object(each) for each in items_of(cast("Any", objects))]
    return {
        "apiVersion": "v1",
        "items": items,
        "kind": "List",
        "metadata": {"resourceVersion": ""},
    }


def items_of(objects: Objects) -> list[Any]:
    """Return the single objects."""
    if isinstance(objects, ModelList):
        return list(cast("ModelList[object]", objects))
    if isinstance(objects, Mapping):
        manifest = cast("Mapping[str, Any]", objects)
        is_list = str(manifest.get("kind", "")).endswith("List")
        return list(manifest.get("items") or ()) if is_list else [manifest]
    if isinstance(objects, Model):
        return [objects]
    if isinstance(objects, (str, bytes)) or not isinstance(cast("object", objects), Iterable):
        raise TypeError(
            f"objects are models or mappings, or a list of them, not {type_of(objects)}"
        )
    return list(cast("Iterable[Any]", objects))


def tree_of_object(obj: object) -> dict[str, Any]:
    """Return the JSON of one object. Reading a field that a view does not have raises.

    Raises:
        TypeError: it is not an object.
        ValueError: it is nested too deeply.
    """
    if not isinstance(obj, (Model, Mapping)):
        raise TypeError(f"an object is a model or a mapping, not {type_of(obj)}")
    try:
        is_typed = isinstance(obj, Model) or is_path_view(type(cast("object", obj)))
        return json_of(cast("object", obj)) if is_typed else to_dict(cast("object", obj))
    except RecursionError:
        raise ValueError("the object is nested too deeply to be printed") from None
