"""Evaluates the selectors of an informer on an object, without a request to the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._http.selectors import EVERYTHING, parse_field_selector, parse_label_selector
from .._models.decoder import to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._models.meta_v1 import ObjectMeta


class LocalSelection:
    """The label selector, the field selector and the shard of an informer.

    A field can be compared if its value in the object is a string, a boolean or an integer. If the
    object lacks the field, the result is unknown: the server may have a default or another source.
    """

    def __init__(
        self,
        labels: str | None,
        fields: str | None,
        is_in_shard: Callable[[Any], bool] | None = None,
    ) -> None:
        self._is_known = True
        self._is_in_shard = is_in_shard
        try:
            self._labels = parse_label_selector(labels) if labels else EVERYTHING
            self._fields = parse_field_selector(fields) if fields else []
        except ValueError:  # the server refuses the selector, too, or accepts a newer syntax
            self._is_known = False

    def selects(self, obj: Any) -> bool | None:
        """Return whether an object is selected; None if that is unknown."""
        if self._is_in_shard is not None and not self._is_in_shard(obj):
            return False
        if not self._is_known:
            return None
        metadata: ObjectMeta = obj.metadata
        if not self._labels.matches(metadata.labels):
            return False
        return self._matches_fields(obj) if self._fields else True

    def _matches_fields(self, obj: Any) -> bool | None:
        tree = to_dict(obj)
        result: bool | None = True
        for path, must_equal, wanted in self._fields:
            value = _text_at(tree, path)
            if value is None:
                result = None
            elif (value == wanted) is not must_equal:
                return False
        return result


def _text_at(tree: Mapping[str, Any], path: str) -> str | None:
    """Return the value of a field in the server's notation; None if it cannot be compared."""
    value: Any = dict(tree)
    for step in path.split("."):
        if not isinstance(value, dict):
            return None
        value = cast("dict[str, Any]", value).get(step)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int)) else None
