"""From client-side to server-side apply.

kubectl's own apply keeps the configuration it applied last in an annotation. When its server-side
apply (the manager `kubectl`) finds that annotation, values in it that equal the live ones are no
conflicts. The annotation is kept up to date, so that a user can still go back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_object

from .comparison import compare
from .field_paths import Set
from .json_values import metadata_of
from .typed import Mistyped, field_set, problems

if TYPE_CHECKING:
    from .ownership_shapes import Type

_ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"


def _annotations(value: dict[str, Any]) -> dict[str, Any]:
    found = metadata_of(value).get("annotations")
    return found if is_object(found) else {}


def allowed_conflicts(live: dict[str, Any], kind: Type, version: str) -> Set:
    """Return the paths that a client applied last and that are unchanged."""
    text = _annotations(live).get(_ANNOTATION)
    try:
        last = json.loads(text) if text else None
        if not is_object(last) or last.get("apiVersion") != version:
            return Set()
        if problems(last, kind, duplicates=False):
            return Set()
        found = compare(last, live, kind)
        return field_set(last, kind) - found.changed - found.removed
    except (ValueError, Mistyped, RecursionError):
        return Set()


def with_annotation(value: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    """The object with what was applied now in its annotation, if it has that annotation at all."""
    annotations = _annotations(value)
    if not annotations.get(_ANNOTATION):
        return value
    last = json.dumps(_bare(config), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    metadata = {**value["metadata"], "annotations": {**annotations, _ANNOTATION: last + "\n"}}
    return {**value, "metadata": metadata}


def _bare(config: dict[str, Any]) -> dict[str, Any]:
    annotations = _annotations(config)
    if _ANNOTATION not in annotations:
        return config
    left = {name: text for name, text in annotations.items() if name != _ANNOTATION}
    return {**config, "metadata": {**config["metadata"], "annotations": left}}
