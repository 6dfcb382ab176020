"""The schemas of custom resources as the OpenAPI documents show them.

A definition's `openAPIV3Schema` is shown as it is in v3, but for what every object has. The v2
document cannot say everything: values that may be null, or an integer or a string, or that keep
unknown members lose their type there, and defaults and combinations of schemas are left out.

References are written as in v2 documents; `openapi_v3` rewrites all of them alike.

Facts: docs/internals/kubernetes-semantics.md, 6.3 and 6.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._openapi.schema import KINDS, reference_to, written_kind

from .server_discovery import Served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..served_resources import Resource

Node: TypeAlias = dict[str, Any]

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_UNSAYABLE: Final = frozenset(["nullable", "default", "allOf", "anyOf", "oneOf", "not"])
_TYPING: Final = frozenset(["type", "items", "properties"])


@dataclass(frozen=True, slots=True)
class Custom:
    """A custom resource, as far as documents show it.

    Attributes:
        read: returns the `openAPIV3Schema` of its version.
        selectable: the fields that field selectors may name, as `spec.color`.
        storage_version: the version its objects are stored in.
        is_ending: whether its definition goes.
    """

    resource: Resource
    read: Callable[[], Mapping[str, Any]]
    selectable: tuple[str, ...]
    storage_version: str
    is_ending: bool = False

    @property
    def served(self) -> Served:
        """The resource as discovery has it."""
        stored = (self.resource.group, self.storage_version)
        return Served(self.resource, stored, is_custom=True, is_ending=self.is_ending)

    def definitions(self, root: Node) -> dict[str, Node]:
        """Its definition and that of its list, by name; `root` is from `degraded` or `whole`."""
        resource = self.resource
        name = definition_name(resource, resource.kind)
        items = {"type": "array", "description": f"List of {resource.plural}."}
        list_ = {
            "description": f"{resource.list_kind} is a list of {resource.kind}",
            "type": "object",
            "required": ["items"],
            "properties": {
                **_identity("ListMeta"),
                "items": {**items, "items": reference_to(name)},
            },
        }
        return {
            name: root | self._extensions(resource.kind),
            definition_name(resource, resource.list_kind): list_
            | self._extensions(resource.list_kind),
        }

    def _extensions(self, kind: str) -> Node:
        gvk = self.resource.gvk.group_version.with_kind(kind)
        fields = [{"fieldPath": path} for path in self.selectable]
        return {KINDS: [written_kind(gvk)]} | (
            {"x-kubernetes-selectable-fields": fields} if fields else {}
        )


def definition_name(resource: Resource, kind: str) -> str:
    """Return the name of the definition of a kind, or of its list."""
    return resource.gvk.group_version.with_kind(kind).definition_name


def _identity(metadata: str) -> dict[str, Node]:
    """Return the fields that all objects have."""
    return {
        "apiVersion": {
            "description": "The group and version of the schema this object follows.",
            "type": "string",
        },
        "kind": {"description": "The kind of this object, in CamelCase.", "type": "string"},
        "metadata": {
            "description": "What all objects say of themselves.",
            **reference_to(_META + metadata),
        },
    }


def whole(raw: Mapping[str, Any]) -> Node:
    """The schema of a custom resource for the v3 document."""
    return _rooted(_changed(raw, _spelled_out))


def degraded(raw: Mapping[str, Any]) -> Node:
    """The schema of a custom resource for the v2 document."""
    if raw.get(_PRESERVES):
        return {"type": "object"}
    return _rooted(_changed(raw, _without_unsayable))


def _rooted(root: Node) -> Node:
    return root | {"properties": root.get("properties", {}) | _identity("ObjectMeta")}


def _changed(raw: Mapping[str, Any], change: Callable[[Node], Node]) -> Node:
    """The schema with every node changed, the innermost first."""
    node = {key: value for key, value in raw.items() if key != "uniqueItems"}
    if "properties" in node:
        node["properties"] = {
            key: _changed(each, change) for key, each in node["properties"].items()
        }
    for key in "items", "additionalProperties":
        if isinstance(node.get(key), dict):
            node[key] = _changed(node[key], change)
    return change(node)


def _spelled_out(node: Node) -> Node:
    if node.get(_INT_OR_STRING) and not _says_integer_or_string(node):
        node = node | {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    return _with_identity(node) if node.get(_EMBEDDED) else node


def _says_integer_or_string(node: Node) -> bool:
    return "anyOf" in node or any("anyOf" in each for each in node.get("allOf", ()))


def _without_unsayable(node: Node) -> Node:
    untyped = any(node.get(key) for key in ("nullable", _INT_OR_STRING, _PRESERVES))
    dropped = _UNSAYABLE | _TYPING if untyped else _UNSAYABLE
    kept = {key: value for key, value in node.items() if key not in dropped}
    if node.get(_EMBEDDED) and not node.get(_PRESERVES):
        return _with_identity(kept)
    return kept


def _with_identity(node: Node) -> Node:
    required = node.get("required", [])
    missing = [key for key in ("kind", "apiVersion") if key not in required]
    return node | {
        "required": [*required, *missing],
        "properties": node.get("properties", {}) | _identity("ObjectMeta"),
    }
