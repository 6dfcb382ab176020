"""What a server answers to the requests of a manifest set, and whether it makes sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._http.response import read_object
from .._models.decode_error import DecodeError
from .._models.unstructured import Unstructured
from ..errors import TransportError, Unauthorized
from .apply_order import group_kind
from .set_objects import mapping, metadata_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .apply_plan import ObjectKey

__all__ = [
    "is_established",
    "is_final",
    "is_same",
    "object_in",
    "version_of",
]


def object_in(
    response: HttpResponse, request: HttpRequest, codec: Codec, key: ObjectKey
) -> Unstructured:
    """Read an object, and check that it is the one that was asked for.

    Raises:
        ApiError, ResponseBroken: as `read_object`.
        DecodeError: it is no object, or another one.
    """
    obj = read_object(response, Unstructured, request, codec)
    for problem in _problems(obj, key):
        raise DecodeError(f"{request.info}: the server answered with {problem}")
    return obj


def _problems(obj: Mapping[str, Any], key: ObjectKey) -> list[str]:
    """What is wrong with an answer; no text of it is shown, since it may be secret."""
    fields = metadata_of(obj)
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    partial = obj.get("kind") == "PartialObjectMetadata"
    if not partial and group_kind(group, str(obj.get("kind"))) != key.group_kind:
        return [f"an object of another kind than {key.group_kind}"]
    if fields.get("name") != key.name or (fields.get("namespace") or "") != key.namespace:
        return [f"another object than {key}"]
    return [] if isinstance(fields.get("uid"), str) else ["an object without a uid"]


def version_of(obj: Mapping[str, Any] | None) -> str:
    """The resourceVersion of an object; empty without one."""
    return str(metadata_of(obj).get("resourceVersion") or "")


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two states of an object differ in nothing but in who owns the fields."""
    return _content(one) == _content(other)


def _content(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = metadata_of(obj)
    ignored = ("managedFields", "resourceVersion")
    return {**obj, "metadata": {name: metadata[name] for name in metadata if name not in ignored}}


def is_final(error: Exception) -> bool:
    """Tell whether the next request would fail in the same way: nobody answers, or to nobody."""
    return isinstance(error, (TransportError, Unauthorized))


def is_established(definition: Mapping[str, Any]) -> bool:
    """Tell whether objects of a CustomResourceDefinition can be created."""
    conditions: object = mapping(definition.get("status")).get("conditions")
    entries = cast("list[object]", conditions) if isinstance(conditions, list) else []
    found = [mapping(each) for each in entries]
    return any(each.get("type") == "Established" and each.get("status") == "True" for each in found)
