"""The keys of objects in caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._models.meta_v1 import ObjectMeta


def meta_namespace_key(obj: Any) -> str:
    """Return the key of an object: `namespace/name`, or `name` if cluster-scoped.

    client-go: cache.MetaNamespaceKeyFunc.
    """
    metadata: ObjectMeta = obj.metadata
    namespace = metadata.namespace
    return f"{namespace}/{metadata.name}" if namespace else metadata.name


def split_key(key: str) -> tuple[str, str]:
    """Split a key into namespace and name. The namespace of cluster-scoped objects is empty.

    client-go: cache.SplitMetaNamespaceKey.

    Raises:
        ValueError: the key has more than two parts.
    """
    namespace, slash, name = key.rpartition("/")
    if "/" in namespace:
        raise ValueError(f"{key!r} is not a key: it must be 'namespace/name' or 'name'")
    return (namespace, name) if slash else ("", name)
