"""Determines from the path of a request which object the request writes.

https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from .._http.request import HttpRequest

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# In a path, these words after the name of a Namespace are its subresources. All other words are
# namespaced resources.
_NAMESPACE_PARTS = frozenset({"status", "finalize"})


class WriteTarget(Struct, frozen=True):
    """The object or collection that a request writes.

    `name` is empty for a create and for a collection.
    """

    method: str
    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    is_plain: bool = True
    """Whether the request leaves the propagation policy to the server's default."""

    @property
    def is_create(self) -> bool:
        """Whether the request creates an object."""
        return self.method == "POST" and not self.name

    @property
    def is_delete(self) -> bool:
        """Whether the request deletes an object or a collection."""
        return self.method == "DELETE" and not self.subresource

    @property
    def key(self) -> str:
        """The key of the object in a cache; empty if the request does not name the object."""
        return f"{self.namespace}/{self.name}" if self.namespace and self.name else self.name


def target_of(request: HttpRequest) -> WriteTarget | None:
    """Return the target of a request; None if the request writes nothing, or is not understood."""
    method = request.method
    if method not in _WRITES or _is_dry_run(request):
        return None
    parts = request.target.partition("?")[0].split("/")
    match parts:
        case ["", "api", version, *rest]:
            group = ""
        case ["", "apis", group, version, *rest]:
            pass
        case _:
            return None
    namespace = ""
    match rest:
        case ["namespaces", name, plural, *_] if plural not in _NAMESPACE_PARTS:
            namespace, rest = name, rest[2:]
        case ["namespaces", _, _] if group:
            return None
        case _:
            pass
    plural, name, *below = (*rest, "") if len(rest) == 1 else rest or ("", "")
    if not plural:
        return None
    is_plain = not _has_propagation(request.body)
    return WriteTarget(
        method,
        group,
        version,
        plural,
        _unquoted(namespace),
        _unquoted(name),
        "/".join(below),
        is_plain,
    )


def _is_dry_run(request: HttpRequest) -> bool:
    """Return whether the server stores nothing. Unreadable options of a delete count as dry run."""
    if "dryRun=" in request.target:
        return True
    body = request.body
    if request.method != "DELETE" or not body:
        return False
    return not body.startswith(b"{") or b'"dryRun"' in body


def _has_propagation(body: bytes | None) -> bool:
    if body is None:
        return False
    return b'"propagationPolicy"' in body or b'"orphanDependents"' in body


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # imported late: most names are not quoted

    return unquote(text)
