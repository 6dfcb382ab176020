"""Rights that a controller needs for its declarations, known before it sends a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._http.resource import Resource


class DeclaredRight(NamedTuple):
    """A verb on a resource, in one namespace or in all."""

    verb: str
    group: str
    resource: str
    subresource: str = ""
    namespace: str = ""


class RightsListener:
    """Gets the declared rights of the controllers that use a client. Tests record them.

    Attributes:
        tell: Called when a controller starts.
    """

    def __init__(self, tell: Callable[[Iterable[DeclaredRight]], object]) -> None:
        self.tell = tell


def rights_on(
    resource: Resource,
    verbs: Iterable[str],
    namespaces: Iterable[str | None],
    subresource: str = "",
) -> list[DeclaredRight]:
    """Return rights on a resource; the namespace None means all namespaces."""
    places = [each or "" for each in namespaces] if resource.namespaced else []
    return [
        DeclaredRight(verb, resource.group, resource.plural, subresource, namespace)
        for namespace in places or [""]
        for verb in verbs
    ]


def policy_rules(rights: Iterable[DeclaredRight]) -> list[dict[str, Any]]:
    """Return rules of a role that allow rights, sorted. The namespaces do not matter."""
    verbs: dict[tuple[str, str], set[str]] = {}
    for each in rights:
        whole = f"{each.resource}/{each.subresource}" if each.subresource else each.resource
        verbs.setdefault((each.group, whole), set()).add(each.verb)
    return [
        {"apiGroups": [group], "resources": [resource], "verbs": sorted(found)}
        for (group, resource), found in sorted(verbs.items())
    ]
