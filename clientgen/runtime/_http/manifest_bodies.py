"""Adds apiVersion, kind and name to manifests that are bodies of requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .._models.meta_v1 import PartialObjectMetadata
from .._models.model import Model

_TYPE_META = {"api_version": "apiVersion", "kind": "kind"}


def constants_of(kind: type[object]) -> Mapping[str, str]:
    """Return the api_version and kind of a class; empty for a class that has no kind."""
    if not issubclass(kind, Model) or issubclass(kind, PartialObjectMetadata):
        return {}
    constants: Mapping[str, object] = kind.__constants__
    return {name: str(constants[name]) for name in _TYPE_META if name in constants}


def completed(
    manifest: Mapping[str, Any],
    stated: Mapping[str, str],
    *,
    namespace: str = "",
    name: str = "",
) -> Mapping[str, Any]:
    """Return a manifest with apiVersion, kind and, if the caller passed a name, the name.

    Servers need apiVersion and kind for an apply (apiserver: patch.go, applyPatcher), and the name
    for a replace. Servers set the namespace themselves.

    Args:
        manifest: the body; it is not modified.
        stated: the api_version and kind of the request, if they are known.
        namespace: the namespace of the request; empty if it has none.
        name: the name of the request, if the caller passed one.

    Raises:
        ValueError: the manifest has another kind or another namespace.
    """
    missing: dict[str, Any] = {}
    for attribute, wanted in stated.items():
        key = _TYPE_META[attribute]
        given = manifest.get(key)
        if given is None or given == "":
            missing[key] = wanted
        elif given != wanted:
            raise ValueError(f"the manifest has the {key} {given!r}, not {wanted!r}")
    metadata = cast("object", manifest.get("metadata"))
    if metadata is None and name:
        missing["metadata"] = {"name": name}
    elif isinstance(metadata, Mapping):
        known = cast("Mapping[str, Any]", metadata)
        _check_namespace(known.get("namespace"), namespace)
        if name and not known.get("name"):
            missing["metadata"] = {**known, "name": name}
    return {**manifest, **missing} if missing else manifest


def _check_namespace(given: object, namespace: str) -> None:
    if given and namespace and given != namespace:
        raise ValueError(
            f"the manifest has the namespace {given!r}, but the client is for {namespace!r}"
        )
