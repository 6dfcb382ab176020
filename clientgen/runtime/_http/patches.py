"""The four types of patches.

https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from .._models.arguments import check_object, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._models.model import Model


class _Patch:
    """Base class of patches: a body, and its content type."""

    __slots__ = ("body",)
    content_type: ClassVar[str]
    body: Any

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and bool(other.body == self.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        # Values may be secret, so the repr shows only the names of changed members.
        return f"{type(self).__name__}({', '.join(self._outline())})"

    def _outline(self) -> Iterable[str]:
        names: Iterable[str] = getattr(self.body, "keys", tuple)()
        return names or [type(self.body).__name__]


class JsonPatch(_Patch):
    """A list of operations (RFC 6902). If a `test` operation fails, the call raises `Invalid`."""

    __slots__ = ()
    content_type = "application/json-patch+json"

    def __init__(self, operations: Iterable[Mapping[str, Any]]) -> None:
        """Raises TypeError if the body is not a list of operations."""
        value: object = operations
        self.body = list(operations) if hasattr(value, "__iter__") else [None]
        if not all(isinstance(operation, Mapping) for operation in self.body):
            example = '[{"op": "replace", "path": "/spec/replicas", "value": 3}]'
            raise TypeError(f"JsonPatch takes operations such as {example}, not {type_of(value)}")

    def _outline(self) -> Iterable[str]:
        return (f"{operation.get('op')} {operation.get('path')}" for operation in self.body)


class MergePatch(_Patch):
    """Values to set (RFC 7386). `None` deletes a member; lists are replaced as a whole."""

    __slots__ = ()
    content_type = "application/merge-patch+json"

    def __init__(self, body: Mapping[str, Any] | Model) -> None:
        """Raises TypeError if the body is not an object."""
        check_object(type(self).__name__, body)
        self.body = body


class StrategicMergePatch(_Patch):
    """A merge patch that merges lists by key. Custom resources do not support this type."""

    __slots__ = ()
    content_type = "application/strategic-merge-patch+json"

    def __init__(self, body: Mapping[str, Any] | Model) -> None:
        """Raises TypeError if the body is not an object."""
        check_object(type(self).__name__, body)
        self.body = body


class ApplyPatch(_Patch):
    """Server-side apply: the fields that a field manager sets. Programs usually call `apply()`."""

    __slots__ = ()
    content_type = "application/apply-patch+yaml"

    def __init__(self, body: Mapping[str, Any] | Model) -> None:
        """Raises TypeError if the body is not an object."""
        check_object(type(self).__name__, body)
        self.body = body


Patch: TypeAlias = JsonPatch | MergePatch | StrategicMergePatch | ApplyPatch
"""What `patch` sends: one of the four kinds of patches."""


def patch_of(patch: object) -> Patch:
    """Return a patch as it is, or a dict as a merge patch.

    Raises:
        TypeError: the argument is neither.
    """
    if isinstance(patch, (JsonPatch, MergePatch, StrategicMergePatch, ApplyPatch)):
        return patch
    if isinstance(patch, Mapping):
        return MergePatch(cast("Mapping[str, Any]", patch))
    hint = "JsonPatch([...])" if patch.__class__ is list else "MergePatch({...})"
    raise TypeError(
        "patch() takes a dict (a merge patch), MergePatch, StrategicMergePatch, JsonPatch or"
        f" ApplyPatch, not {type_of(patch)}: write {hint}, for example (they are in"
        " clientgen.runtime)"
    )


def json_pointer(*segments: str | int) -> str:
    """Build a JSON pointer from path segments: `json_pointer("metadata", "labels", "a/b")`."""
    return "".join("/" + str(segment).replace("~", "~0").replace("/", "~1") for segment in segments)
