"""The JSON of views. Reading a field that the view does not have raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .._models.decoder import to_dict
from .._models.model import Model
from .._models.model_info import fields_of, known_model, viewed_model

if TYPE_CHECKING:
    from collections.abc import Container

    from .._models.field_trees import FieldTree

Json: TypeAlias = "dict[str, Any]"


class _AllBut:
    """All names but some."""

    def __init__(self, names: Container[object]) -> None:
        self._names = names

    def __contains__(self, name: object) -> bool:
        return name not in self._names


class _PartialJson(dict[str, Any]):
    """The JSON of a view or of a part of it.

    Args:
        values: The members.
        lacking: The members that the object may have and the view does not have.
        view: The name of the view.
        path: The path of the object, such as `spec.`; empty for the view itself.
    """

    def __init__(self, values: Json, lacking: Container[object], view: str, path: str) -> None:
        super().__init__(values)
        self._lacking = lacking
        self._where = (view, path)

    def __contains__(self, name: object) -> bool:
        self._check(name)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return a member.

        Raises:
            TypeError: The view does not have it.
        """
        self._check(name)
        return super().get(name, default)

    def _check(self, name: object) -> None:
        if name in self._lacking:
            view, path = self._where
            raise TypeError(
                f"the view {view} does not have the field {path}{name}: add the field to the view,"
                " or use whole objects"
            )


def json_of(obj: object) -> Json:
    """Return the JSON of an object. That of a view has its apiVersion and kind, too."""
    if not isinstance(obj, Model):
        paths: FieldTree | None = getattr(type(obj), "__paths__", None)
        return cast("Json", _marked_by_paths(obj, paths, type(obj).__name__, ""))
    tree = to_dict(obj)
    if viewed_model(type(obj)) is None:
        return tree
    view: Any = obj
    tree |= {"apiVersion": view.api_version, "kind": view.kind}
    return cast("Json", _marked(obj, tree, type(obj).__name__, ""))


def _marked(value: object, tree: Any, view: str, path: str) -> Any:
    """Return the JSON of a value, in which reads of missing fields of views raise."""
    if isinstance(value, list) and isinstance(tree, list):
        pairs = zip(cast("list[object]", value), cast("list[object]", tree), strict=False)
        return [_marked(item, part, view, path) for item, part in pairs]
    if isinstance(value, dict) and isinstance(tree, dict):
        items, parts = cast("Json", value), cast("Json", tree)
        return {key: _marked(items.get(key), part, view, path) for key, part in parts.items()}
    model = viewed_model(type(value)) if isinstance(value, Model) else None
    if not isinstance(value, Model) or model is None:
        return tree
    fields = fields_of(known_model(type(value)))
    marked = {
        wire: _marked(getattr(value, field.name), tree[wire], view, f"{path}{wire}.")
        for wire, field in fields.items()
        if wire in tree
    }
    lacking = fields_of(model).keys() - fields.keys() - {"apiVersion", "kind"}
    return _PartialJson({**tree, **marked}, frozenset(lacking), view, path)


def _marked_by_paths(value: object, paths: FieldTree | None, view: str, path: str) -> Any:
    """Return a value of a view by paths, in which reads of fields beside the paths raise."""
    if paths is None:
        return value
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [
            _marked_by_paths(item, None if isinstance(item, list) else paths, view, path)
            for item in items
        ]
    if not isinstance(value, dict):
        return value
    marked = {
        name: _marked_by_paths(inner, paths.get(name), view, f"{path}{name}.")
        for name, inner in cast("Json", value).items()
    }
    return _PartialJson(marked, _AllBut(paths), view, path)
