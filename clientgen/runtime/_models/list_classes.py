"""List classes: the class of their items, and list classes created at run time."""

from __future__ import annotations

from types import new_class
from typing import Any, TypeVar, cast, get_args

from .meta_v1 import ModelList
from .model import Model, constant
from .model_info import fields_of
from .once import once

M = TypeVar("M", bound=Model)


def item_class(list_class: type[Model]) -> type | None:
    """Return the class of a list class's items; None for other classes."""
    if not issubclass(list_class, ModelList):
        return None
    (item,) = get_args(fields_of(cast("type[Model]", list_class))["items"].type)
    return item if isinstance(item, type) else None


@once
def view_list_class(view: type[M]) -> type[ModelList[M]]:
    """Return the class of lists of a view."""
    kind: Any = view
    return new_list_class(view, kind.api_version, f"{kind.kind}List")


def new_list_class(model: type[M], api_version: str, kind: str) -> type[ModelList[M]]:
    """Create the list class of a model, like the list classes in generated packages."""

    def declare(namespace: dict[str, Any]) -> None:
        namespace["__module__"] = model.__module__
        namespace["__annotations__"] = {"api_version": str, "kind": str}
        namespace["api_version"] = constant(api_version, name="apiVersion")
        namespace["kind"] = constant(kind)

    base = cast("Any", ModelList)[model]
    created = new_class(f"{model.__name__}List", (base,), {}, declare)
    return cast("type[ModelList[M]]", created)
