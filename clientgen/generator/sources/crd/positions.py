"""Places in manifests: JSON pointers while the generator works, lines when people read them.

Lines are searched only for messages. A place is `file[2]#/spec/scope` (the third document of the
file) until a run ends with problems; `manifest_lines.located` then makes it `file:17 #/spec/scope`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from clientgen._json import is_array, is_object
from clientgen._openapi.json_source import pointer

# Paths of the server's internal form, which has once what all versions share.
_INTERNAL = {
    "spec.validation": "spec.versions[0].schema",
    "spec.subresources": "spec.versions[0].subresources",
    "spec.additionalPrinterColumns": "spec.versions[0].additionalPrinterColumns",
    "spec.selectableFields": "spec.versions[0].selectableFields",
    "spec.version": "spec.versions[0].name",
    "spec.conversion.webhookClientConfig": "spec.conversion.webhook.clientConfig",
    "spec.conversion.conversionReviewVersions": "spec.conversion.webhook.conversionReviewVersions",
}
_NAME = re.compile(r"\.?([^.\[]+)")


def below(where: str, *parts: str | int) -> str:
    """The place of a value within the one at `where`."""
    return where + (pointer(*parts)[1:] if "#" in where else pointer(*parts))


def found_at(value: Any, parts: list[str | int]) -> Any:
    """The value at a path; None when it leads nowhere."""
    for part in parts:
        if is_object(value):
            value = value.get(str(part))
        elif is_array(value) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def field_parts(field: str, definition: Mapping[str, Any]) -> list[str | int]:
    """The path that a field error of the API server means.

    `spec.versions[0].schema.openAPIV3Schema.properties[a.b].type` says what brackets hold only to
    those who know the definition: indices of lists, keys of objects, which may have dots in them.
    """
    field = _external(field)
    parts: list[str | int] = []
    value: Any = definition
    while field:
        part, field = _next(field, value)
        parts.append(part)
        value = found_at(value, [part])
    return parts


def _external(field: str) -> str:
    for internal in sorted(_INTERNAL, key=len, reverse=True):
        rest = field[len(internal) :]
        if field.startswith(internal) and rest[:1] in ("", ".", "["):
            field = _INTERNAL[internal] + rest
            break
    return field.replace(".JSONPath", ".jsonPath") if field.endswith(".JSONPath") else field


def _next(field: str, value: Any) -> tuple[str | int, str]:
    if not field.startswith("["):
        match = _NAME.match(field)
        return (match[1], field[match.end() :]) if match else (field, "")
    if is_object(value):
        keys = [key for key in value if field.startswith(f"[{key}]")]
        if keys:
            key = max(keys, key=len)
            return key, field[len(key) + 2 :]
    inner, _, rest = field[1:].partition("]")
    return int(inner) if inner.isdecimal() and not is_object(value) else inner, rest
