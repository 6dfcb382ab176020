"""Parts of an OpenAPI v2 document written as OpenAPI v3 writes them.

Facts: docs/internals/kubernetes-semantics.md, 6.2 and 6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from clientgen._openapi.operation import METHODS
from clientgen._openapi.schema import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

COMPONENTS: Final = "#/components/schemas/"
"""The prefix of references in OpenAPI v3."""
_EITHER: Final[Mapping[str, tuple[str, str]]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": ("string", "number"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": ("integer", "string"),
}
"""The definitions of which v2 says less: what they may be besides strings."""


def definition_to_v3(name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A definition in the form of v3, which says more of a few values than v2 can."""
    schema = _schema(raw)
    types = _EITHER.get(name)
    if types:
        schema.pop("type", None)
        schema["oneOf"] = [{"type": type_name} for type_name in types]
    return schema


def _schema(raw: Mapping[str, Any], *, is_property: bool = False) -> dict[str, Any]:
    node = dict(raw)
    if "properties" in node:
        node["properties"] = {
            key: _schema(member, is_property=True) for key, member in node["properties"].items()
        }
    for key in "items", "additionalProperties":
        if isinstance(node.get(key), dict):
            node[key] = _schema(node[key])
    target = node.pop("$ref", None)
    if target is None:
        return node
    pointer = {"$ref": str(target).replace(DEFINITIONS, COMPONENTS, 1)}
    # Nothing may stand beside a reference in v3, so properties wrap theirs.
    return {**node, "allOf": [pointer]} if is_property else {**node, **pointer}


# --------------------------------------------------------------------------------------- paths


def item_to_v3(item: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A path's operations and parameters in the form of v3.

    Args:
        item: what a v2 document says of the path.
        shared: the parameters of the document that have a name.
    """
    converted: dict[str, Any] = {
        method: _operation(item[method], shared) for method in METHODS if method in item
    }
    if item.get("parameters"):
        converted["parameters"] = [
            _parameter(parameter) for parameter in _resolved(item["parameters"], shared)
        ]
    return converted


_SAME: Final = ("tags", "description", "operationId", "deprecated")


def _operation(raw: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    parameters = list(_resolved(raw.get("parameters", ()), shared))
    converted = {key: raw[key] for key in _SAME if key in raw}
    queried = [_parameter(parameter) for parameter in parameters if parameter.get("in") != "body"]
    if queried:
        converted["parameters"] = queried
    for body in parameters:
        if body.get("in") == "body":
            converted["requestBody"] = _body(body, raw.get("consumes") or ["*/*"])
    produced = raw.get("produces") or ["*/*"]
    converted["responses"] = {
        code: _response(response, produced) for code, response in raw.get("responses", {}).items()
    }
    return converted | {key: value for key, value in raw.items() if key.startswith("x-")}


def _resolved(
    parameters: Iterable[Mapping[str, Any]], shared: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    for parameter in parameters:
        name = str(parameter.get("$ref", "")).removeprefix("#/parameters/")
        yield cast("Mapping[str, Any]", shared.get(name, {})) if name else parameter


def _parameter(raw: Mapping[str, Any]) -> dict[str, Any]:
    stated = {key: raw[key] for key in ("name", "in", "description", "required") if key in raw}
    schema = {key: raw[key] for key in ("type", "format", "uniqueItems", "items") if key in raw}
    return {**stated, "schema": schema}


def _body(raw: Mapping[str, Any], consumed: list[str]) -> dict[str, Any]:
    content = {media: {"schema": _schema(raw.get("schema", {}))} for media in sorted(consumed)}
    return {"content": content} | ({"required": True} if raw.get("required") else {})


def _response(raw: Mapping[str, Any], produced: list[str]) -> dict[str, Any]:
    converted: dict[str, Any] = {"description": raw.get("description", "")}
    if "schema" in raw:
        schema = _schema(raw["schema"])
        converted["content"] = {media: {"schema": schema} for media in sorted(produced)}
    return converted
