"""One-line descriptions of what people look up with `kubectl explain`, in words of our own.

The committed document says nothing of its types: Kubernetes' texts are not ours to ship. What a
document says itself stays.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["described"]

_ANY: Final = "*"
_BUILT_IN: Final = "io.k8s."
_EVERYWHERE: Final = "x-kubernetes-group-version-kind"


def described(name: str, definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition with what is known to say about it and its fields, where it says nothing."""
    if not name.startswith(_BUILT_IN):
        return definition
    own = _texts().get(name.rpartition(".")[2], {})
    texts = {**_texts()[_ANY], **own} if definition.get(_EVERYWHERE) else own
    if not texts:
        return definition
    found: dict[str, Any] = _with(definition, own.get("", ""))
    fields: Mapping[str, Any] = definition.get("properties", {})
    if fields:
        found["properties"] = {
            field: _with(schema, texts.get(field, "")) for field, schema in fields.items()
        }
    return found


def _with(schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"description": text, **schema} if text else {**schema}


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    package = __name__.rpartition(".")[0]
    text = resources.files(package).joinpath("descriptions.json").read_bytes()
    table: dict[str, dict[str, str]] = json.loads(text)
    return table
