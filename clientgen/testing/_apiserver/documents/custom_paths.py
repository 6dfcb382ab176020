"""The paths of custom resources in an OpenAPI v2 document.

Facts: docs/internals/kubernetes-semantics.md, 6.2 and 6.5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._openapi.schema import KINDS, reference_to, written_kind

from .custom_schemas import definition_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..served_resources import Resource

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
_MEDIA: Final = ["application/json", "application/yaml"]
_PATCHES: Final = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
]
_READING: Final[Mapping[str, str]] = {
    "allowWatchBookmarks": "boolean",
    "continue": "string",
    "fieldSelector": "string",
    "labelSelector": "string",
    "limit": "integer",
    "resourceVersion": "string",
    "resourceVersionMatch": "string",
    "sendInitialEvents": "boolean",
    "shardSelector": "string",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}
_WRITING: Final = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string"}
_DELETING: Final[Mapping[str, str]] = {
    "dryRun": "string",
    "gracePeriodSeconds": "integer",
    "ignoreStoreReadErrorWithClusterBreakingPotential": "boolean",
    "orphanDependents": "boolean",
    "propagationPolicy": "string",
}
_RESPONSES: Final[Mapping[str, tuple[str, ...]]] = {
    "post": ("200", "201", "202"),
    "put": ("200", "201"),
    "delete": ("200", "202"),
}
_TEXTS: Final = {"200": "OK", "201": "Created", "202": "Accepted", "401": "Unauthorized"}
_METHODS: Final = {"list": "get", "deletecollection": "delete"}
_VERBS: Final[Mapping[str, str]] = {
    "post": "create",
    "get": "read",
    "put": "replace",
    "list": "list",
    "patch": "patch",
    "delete": "delete",
    "deletecollection": "delete",
}
"""The verb of each action in an `operationId`."""


def paths(resource: Resource) -> dict[str, Any]:
    """All paths of one custom resource."""
    below = "/namespaces/{namespace}" if resource.namespaced else ""
    root = f"/apis/{resource.group}/{resource.version}"
    collection = f"{root}{below}/{resource.plural}"
    pretty = _parameters({"pretty": "string"})
    namespace = [_in_path("namespace")] if resource.namespaced else []
    name = [_in_path("name"), *namespace, *pretty]
    found = {
        collection: _item(resource, ["list", "post", "deletecollection"], [*namespace, *pretty]),
        f"{collection}/{{name}}": _item(resource, ["get", "put", "delete", "patch"], name),
    }
    for part in resource.subresources:
        found[f"{collection}/{{name}}/{part}"] = _item(
            resource, ["get", "put", "patch"], name, part
        )
    if resource.namespaced:
        found[f"{root}/{resource.plural}"] = _everywhere(resource, pretty)
    return found


def _everywhere(resource: Resource, pretty: list[dict[str, Any]]) -> dict[str, Any]:
    operation = _Operation(resource, "list", everywhere=True).written()
    # Its parameters stand with the path, there being no other operation.
    parameters = [*operation.pop("parameters"), *pretty]
    parameters.sort(key=lambda each: each["name"])
    return {"get": operation, "parameters": parameters}


def _item(
    resource: Resource, actions: Iterable[str], shared: list[dict[str, Any]], part: str = ""
) -> dict[str, Any]:
    operations = {
        _METHODS.get(action, action): _Operation(resource, action, part).written()
        for action in actions
    }
    return {**operations, "parameters": shared}


@dataclass(frozen=True, slots=True)
class _Operation:
    resource: Resource
    action: str
    part: str = ""
    everywhere: bool = False

    def written(self) -> dict[str, Any]:
        resource = self.resource
        return {
            "consumes": _PATCHES if self.action == "patch" else _MEDIA,
            "produces": _MEDIA,
            "schemes": ["https"],
            "tags": [f"{_camel_case(resource.group, first=False)}_{resource.version}"],
            "operationId": self._id(),
            "parameters": [*self._body(), *_parameters(self._query())],
            "responses": self._responses(),
            "x-kubernetes-action": self.action,
            KINDS: written_kind(resource.gvk),
        }

    def _id(self) -> str:
        resource = self.resource
        return "".join(
            [
                _VERBS[self.action],
                _camel_case(resource.group),
                _camel_case(resource.version),
                "Collection" if self.action == "deletecollection" else "",
                "Namespaced" if resource.namespaced and not self.everywhere else "",
                resource.kind,
                _camel_case(self.part),
                "ForAllNamespaces" if self.everywhere else "",
            ]
        )

    def _query(self) -> Mapping[str, str]:
        match self.action:
            case "get":
                return {"resourceVersion": "string"}
            case "post" | "put":
                return _WRITING
            case "patch":
                return _WRITING | {"force": "boolean"}
            case "delete":
                return _DELETING
            case _:
                return _READING

    def _body(self) -> list[dict[str, Any]]:
        name = {"delete": f"{_META}DeleteOptions", "patch": f"{_META}Patch"}.get(self.action)
        if name is None and self.action not in {"post", "put"}:
            return []
        body = {"name": "body", "in": "body", "schema": reference_to(name or self._shape())}
        return [body if self.action == "delete" else {**body, "required": True}]

    def _shape(self) -> str:
        """The definition of what is written and answered."""
        if self.part == "scale":
            return _SCALE
        resource = self.resource
        kind = resource.list_kind if self.action == "list" else resource.kind
        return definition_name(resource, kind)

    def _responses(self) -> dict[str, Any]:
        deleted = self.action in {"delete", "deletecollection"}
        schema = reference_to(f"{_META}Status" if deleted else self._shape())
        codes = _RESPONSES.get(self.action, ("200",))
        return {
            **{code: {"description": _TEXTS[code], "schema": schema} for code in codes},
            "401": {"description": _TEXTS["401"]},
        }


def _parameters(types: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"uniqueItems": True, "type": kind, "name": name, "in": "query"}
        for name, kind in types.items()
    ]


def _in_path(name: str) -> dict[str, Any]:
    return {"uniqueItems": True, "type": "string", "name": name, "in": "path", "required": True}


def _camel_case(text: str, *, first: bool = True) -> str:
    """`stable.example.com` as `StableExampleCom`; Kubernetes' own suffix is left out."""
    words = re.split(r"[^A-Za-z0-9_]+", text.removesuffix(".k8s.io"))
    head = words[0][:1].upper() + words[0][1:] if first else words[0]
    return head + "".join(word[:1].upper() + word[1:] for word in words[1:])
