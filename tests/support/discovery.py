"""Discovery documents, as servers send them."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, json

from clientgen.runtime._discovery.discovery_documents import Document

ALL = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


def resource(plural: str, kind: str, **more: Any) -> dict[str, Any]:
    """A resource of an aggregated document."""
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": "Namespaced",
        "singularResource": kind.lower(),
        "verbs": ALL,
        **more,
    }


def group(name: str, **versions: list[Any]) -> dict[str, Any]:
    listed = [
        {"version": version, "freshness": "Current", "resources": resources}
        for version, resources in versions.items()
    ]
    return {"metadata": {"name": name} if name else {}, "versions": listed}


def aggregated(path: str, *groups: Any, **more: Any) -> Document:
    value = {"kind": "APIGroupDiscoveryList", "items": list(groups), **more}
    return Document(path, Raw(json.encode(value)), '"1"', is_aggregated=True)


def plain(path: str, **value: Any) -> Document:
    return Document(path, Raw(json.encode(value)))


def documents(*given: Document) -> dict[str, Document]:
    return {each.path: each for each in given}
