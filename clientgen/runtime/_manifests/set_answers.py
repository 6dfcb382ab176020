"""Reads and checks the responses of a server to the requests of a manifest set."""

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


def object_in(
    response: HttpResponse, request: HttpRequest, codec: Codec, key: ObjectKey
) -> Unstructured:
    """Read an object, and check that it is the requested object.

    Raises:
        ApiError, ResponseBroken: as `read_object`.
        DecodeError: the response is not an object, or is another object.
    """
    obj = read_object(response, Unstructured, request, codec)
    for problem in _answer_problems(obj, key):
        raise DecodeError(f"{request.info}: the server answered with {problem}")
    return obj


def _answer_problems(obj: Mapping[str, Any], key: ObjectKey) -> list[str]:
    """Return the problem of a response, if any. The text does not quote the response."""
    fields = metadata_of(obj)
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    partial = obj.get("kind") == "PartialObjectMetadata"
    if not partial and group_kind(group, str(obj.get("kind"))) != key.group_kind:
        return [f"an object of another kind than {key.group_kind}"]
    if fields.get("name") != key.name or (fields.get("namespace") or "") != key.namespace:
        return [f"another object than {key}"]
    return [] if isinstance(fields.get("uid"), str) else ["an object without a uid"]


def version_of(obj: Mapping[str, Any] | None) -> str:
    """Return the resource version of an object; empty if there is none."""
    return str(metadata_of(obj).get("resourceVersion") or "")


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two states of an object differ in resourceVersion and managedFields only."""
    return _comparable_content(one) == _comparable_content(other)


def _comparable_content(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = metadata_of(obj)
    ignored = ("managedFields", "resourceVersion")
    return {**obj, "metadata": {name: metadata[name] for name in metadata if name not in ignored}}


def is_final(error: Exception) -> bool:
    """Return whether all other requests would fail, too: no connection, or wrong credentials."""
    return isinstance(error, (TransportError, Unauthorized))


def is_established(definition: Mapping[str, Any]) -> bool:
    """Return whether objects of a CustomResourceDefinition can be created."""
    conditions: object = mapping(definition.get("status")).get("conditions")
    entries = cast("list[object]", conditions) if isinstance(conditions, list) else []
    return any(
        condition.get("type") == "Established" and condition.get("status") == "True"
        for condition in map(mapping, entries)
    )
