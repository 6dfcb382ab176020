"""One-line descriptions of what people look up with `kubectl explain`, in words of our own.

The committed document says nothing of its types: Kubernetes' texts are not ours to ship. What a
document says itself stays.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from clientgen._openapi.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANY: Final = "*"
_BUILT_IN: Final = "io.k8s."


def described(name: str, definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition with what is known to say about it and its fields, where it says nothing."""
    if not name.startswith(_BUILT_IN):
        return definition
    schema = Schema(definition)
    own = _texts().get(name.rpartition(".")[2], {})
    texts = {**_texts()[_ANY], **own} if schema.kinds else own
    if not texts:
        return definition
    fields = {
        field: _with(part.raw, texts.get(field, "")) for field, part in schema.properties.items()
    }
    return _with(schema.extended(fields).raw if fields else definition, own.get("", ""))


def _with(schema: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"description": text, **schema} if text else {**schema}


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    package = __name__.rpartition(".")[0]
    text = resources.files(package).joinpath("descriptions.json").read_bytes()
    table: dict[str, dict[str, str]] = json.loads(text)
    return table
