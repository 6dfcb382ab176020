"""Manifests as bodies of requests: what the client knows of them need not be in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .._models.meta_v1 import PartialObjectMetadata
from .._models.model import Model

__all__ = ["completed", "constants_of"]

_TYPE_META = {"api_version": "apiVersion", "kind": "kind"}


def constants_of(kind: type[object]) -> Mapping[str, str]:
    """Return the api_version and kind of a class; nothing if it holds objects of any kind."""
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
    """Return a manifest with its apiVersion and kind, and its name if that is an argument.

    Servers need the first two for an apply (apiserver: patch.go, applyPatcher), and the name for a
    replace. They set the namespace themselves. Nothing else is changed.

    Args:
        manifest: what is to be sent; it stays as it is.
        stated: the api_version and kind that it must have, if they are known.
        namespace: the namespace that the request is for; empty if there is none.
        name: the name that the request is for, if it is an argument.

    Raises:
        ValueError: the manifest is of another kind or of another namespace.
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
            f"the manifest is of the namespace {given!r}, and the client of {namespace!r}"
        )
