"""Shortens the descriptions of a definition: controller-gen's `maxDescLen`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clientgen._json import is_object

_SENTENCE: Final = re.compile(r".*[.!?\u3002\uff01\uff1f]", re.DOTALL)


def shortened(definition: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Return a CustomResourceDefinition whose descriptions have at most `limit` characters.

    A longer description ends with its last whole sentence within the limit, or at the limit if no
    sentence fits. With a limit of 0, there are no descriptions.
    """
    spec = definition["spec"]
    versions = [_version(version, limit) for version in spec["versions"]]
    return {**definition, "spec": {**spec, "versions": versions}}


def _version(version: Mapping[str, Any], limit: int) -> dict[str, Any]:
    schema = _schema(version["schema"]["openAPIV3Schema"], limit)
    return {**version, "schema": {"openAPIV3Schema": schema}}


def _schema(schema: Mapping[str, Any], limit: int) -> dict[str, Any]:
    made = {**schema, **{key: _inner(schema[key], limit) for key in _PARTS if key in schema}}
    if is_object(schema.get("properties")):
        properties = schema["properties"].items()
        made["properties"] = {name: _schema(inner, limit) for name, inner in properties}
    if "description" in schema:
        made["description"] = _text(schema["description"], limit)
        if not made["description"]:
            del made["description"]
    return made


_PARTS: Final = ("items", "additionalProperties")


def _inner(value: Any, limit: int) -> Any:
    return _schema(value, limit) if is_object(value) else value


def _text(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[:limit]
    whole = _SENTENCE.match(cut)
    return (whole[0] if whole else cut).rstrip()
