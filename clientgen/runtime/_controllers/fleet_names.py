"""The names of the clusters of a fleet, and the requests for objects in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._models.arguments import type_of
from .reconcile_loop import ClusterRequest, Request

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_CHARACTERS: Final = 253


def check_cluster_name(name: object) -> str:
    """Check the name of a cluster, which is a label of metrics and a part of messages.

    Raises:
        TypeError: The name is not a string.
        ValueError: The name is empty, too long, or has characters that cannot be printed.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a cluster must be a string, not {type_of(name)}")
    if not name or len(name) > _MAX_CHARACTERS or not name.isprintable() or name != name.strip():
        shown = f"{name[:40]!r}{'...' if len(name) > _MAX_CHARACTERS else ''}"
        raise ValueError(
            f"{shown} cannot be the name of a cluster: use 1 to {_MAX_CHARACTERS} characters that"
            " can be printed, without blanks at the ends"
        )
    return name


def requests_in(obj: Any, clusters: Iterable[str]) -> list[Request]:
    """Return requests for the object of the same name in each of the clusters."""
    metadata = obj.metadata
    request = Request(metadata.namespace, metadata.name)
    return [ClusterRequest.of(request, name) for name in clusters]
