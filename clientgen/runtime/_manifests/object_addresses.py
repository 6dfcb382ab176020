"""Reads the kind and the namespace of an object from the object itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from .._http.path_segments import is_name
from .._models.arguments import type_of
from .._models.model import Model
from .._models.model_info import known_model

if TYPE_CHECKING:
    from clientgen._gvk import GroupVersionKind

    from .._http.resource import Resource


def kind_of(body: object) -> type[Model] | GroupVersionKind:
    """Return the kind of an object: the class of a model, or the kind in a manifest.

    Raises:
        TypeError: `body` is neither a model nor a mapping.
        ValueError: a mapping has no apiVersion or no kind.
    """
    if isinstance(body, Model):
        return cast("type[Model]", known_model(type(body)))
    if not isinstance(body, Mapping):
        raise TypeError(f"an object is a model or a mapping, not {type_of(body)}")
    return _stated_kind(cast("Mapping[str, object]", body))


def _stated_kind(body: Mapping[str, object]) -> GroupVersionKind:
    from clientgen._gvk import GroupVersion  # imported late: few objects are manifests

    api_version, kind = body.get("apiVersion"), body.get("kind")
    if not is_name(api_version) or not is_name(kind):
        raise ValueError("the manifest must have an apiVersion and a kind")
    return GroupVersion.parse(api_version).with_kind(kind)


def namespace_for(
    resource: Resource, body: Model | Mapping[str, Any], namespace: str | None, default: str
) -> str | None:
    """Return the namespace of an object; None for cluster-scoped resources.

    A cluster-scoped object may have a namespace, because servers remove the namespace (apiserver:
    EnsureObjectNamespaceMatchesRequestNamespace).

    Args:
        resource: the resource of the object's kind.
        body: the object.
        namespace: the namespace that the caller passed, if any.
        default: the namespace to use if neither the caller nor the object has a namespace.

    Raises:
        ValueError: the caller passed another namespace than that of the object, or passed a
            namespace for a cluster-scoped resource.
    """
    if not resource.namespaced:
        if namespace is not None:
            raise ValueError(f"{resource.plural} are cluster-scoped, so no namespace can be given")
        return None
    stated: str | None = _namespace_in(body)
    if stated is None or stated == "":
        return default if namespace is None else namespace
    if namespace is not None and namespace != stated:
        raise ValueError(
            f"the object is in the namespace {stated!r}, but namespace={namespace!r} was passed"
        )
    return stated


def _namespace_in(body: Model | Mapping[str, Any]) -> Any:
    """Return metadata.namespace of an object. In a mapping, the value may be of any type."""
    if isinstance(body, Model):
        return getattr(getattr(body, "metadata", None), "namespace", None)
    metadata = body.get("metadata")
    if not isinstance(metadata, Mapping):
        return None
    return cast("Mapping[str, object]", metadata).get("namespace")
