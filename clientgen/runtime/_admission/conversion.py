"""Conversions between the versions of a kind, and ConversionReview of apiextensions.k8s.io/v1.

A conversion function converts an object of one class to another class. `Conversions` finds the
shortest chain of functions between two versions, so a kind only needs functions between each
version and a common version (the hub). A review is converted completely or not at all.

A conversion may change labels and annotations, but no other metadata. (apiextensions-apiserver:
conversion/webhook_converter.go)
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec
from msgspec import Raw, Struct, json

from clientgen._gvk import GroupVersionKind

from .._models.decode_error import DecodeError
from .._models.model_codec import decode, encode, to_dict
from .admission_review import ReviewError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._models.model import Model

_API_VERSION: Final = "apiextensions.k8s.io/v1"
_KIND: Final = "ConversionReview"
_FIXED_METADATA: Final = ("name", "namespace", "uid")
_CHANGEABLE_METADATA: Final = ("labels", "annotations")


class ConversionError(Exception):
    """An object cannot be converted. The message is for clients, and contains no values."""


class ConversionCall(Struct, frozen=True, kw_only=True):
    """The request of a review. Its objects are still JSON."""

    uid: str
    desired: str = msgspec.field(name="desiredAPIVersion")
    objects: list[Raw]


class _Review(Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: ConversionCall | None = None


class _Named(Struct, frozen=True):
    name: str = ""
    namespace: str = ""


class _Header(Struct, frozen=True, rename="camel"):
    """The fields that identify an object."""

    api_version: str = ""
    kind: str = ""
    metadata: _Named = _Named()


class Step(Struct, frozen=True):
    """A conversion function, its source class and its target class."""

    source: type[Model]
    target: type[Model]
    function: Callable[[Any], Any]

    def read(self, data: bytes) -> Model:
        """Decode the object to convert.

        Raises:
            ConversionError: The object cannot be decoded.
        """
        try:
            return decode(data, self.source)
        except DecodeError as error:
            raise ConversionError(str(error)) from None

    def write(self, before: bytes, result: object) -> bytes:
        """Encode the result of the function, with the metadata of the original object.

        Raises:
            ConversionError: The result is not an object of the target class, or the function has
                changed metadata other than labels and annotations.
        """
        if not isinstance(result, self.target):
            wanted = self.target.__name__
            raise ConversionError(f"returned a {type(result).__name__} instead of a {wanted}")
        value = to_dict(result)
        value["metadata"] = _metadata(json.decode(before).get("metadata"), value.get("metadata"))
        return encode(value)


def _metadata(before: Any, after: Any) -> dict[str, Any]:
    """Return the metadata of `before` with the labels and annotations of `after`."""
    old, new = _object(before), _object(after)
    for name in _FIXED_METADATA:
        if (old.get(name) or "") != (new.get(name) or ""):
            raise ConversionError(
                f"changed metadata.{name}: give the new object the metadata of the old object;"
                " only labels and annotations may change"
            )
    kept = {name: value for name, value in old.items() if name not in _CHANGEABLE_METADATA}
    return kept | {name: new[name] for name in _CHANGEABLE_METADATA if new.get(name)}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


class Conversions:
    """The conversion functions of a program."""

    def __init__(self) -> None:
        self._steps: dict[GroupVersionKind, dict[GroupVersionKind, Step]] = {}

    def __bool__(self) -> bool:
        return bool(self._steps)

    def add(self, step: Step) -> None:
        """Add a function.

        Raises:
            ValueError: The classes are not two versions of one kind, or already have a function.
        """
        source, target = gvk_of(step.source), gvk_of(step.target)
        if (source.group, source.kind) != (target.group, target.kind) or source == target:
            raise ValueError(f"{source} and {target} are not two versions of one kind")
        if target in self._steps.get(source, {}):
            raise ValueError(f"the conversion from {source} to {target} already has a function")
        self._steps.setdefault(source, {})[target] = step

    def kinds(self) -> list[list[type[Model]]]:
        """Return the classes of each kind with conversions, in the order of their registration."""
        found: dict[tuple[str, str], dict[type[Model], None]] = {}
        for source, steps in self._steps.items():
            classes = found.setdefault((source.group, source.kind), {})
            for step in steps.values():
                classes |= {step.source: None, step.target: None}
        return [list(classes) for classes in found.values()]

    def path_of(self, data: bytes, desired: str) -> tuple[str, Sequence[Step]]:
        """Return the title of an object for messages, and the functions that convert it.

        Raises:
            ConversionError: The data is not an object, or no functions lead to the version.
        """
        try:
            header = json.decode(data, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ConversionError("an object has no apiVersion, kind and metadata") from None
        title = "/".join(filter(None, (header.metadata.namespace, header.metadata.name)))
        title = f"{header.kind} {title}".rstrip()
        group, _, version = header.api_version.rpartition("/")
        source = GroupVersionKind(group, version, header.kind)
        group, _, version = desired.rpartition("/")
        target = GroupVersionKind(group, version, header.kind)
        steps = self._shortest_path(source, target)
        if steps is None:
            raise ConversionError(
                f"{title}: no conversion from {source.group_version} to {desired} is registered"
            )
        return title, steps

    def _shortest_path(
        self, source: GroupVersionKind, target: GroupVersionKind
    ) -> list[Step] | None:
        paths: dict[GroupVersionKind, list[Step]] = {source: []}
        queue = deque([source])
        while queue and target not in paths:
            version = queue.popleft()
            for next_version, step in self._steps.get(version, {}).items():
                if next_version not in paths:
                    paths[next_version] = [*paths[version], step]
                    queue.append(next_version)
        return paths.get(target)


def gvk_of(model: type[Model]) -> GroupVersionKind:
    """Return the kind of a class.

    Raises:
        TypeError: The class has no kind.
    """
    constants: dict[str, object] = getattr(model, "__constants__", {})
    api_version, kind = constants.get("api_version"), constants.get("kind")
    if api_version is None or kind is None:
        raise TypeError(
            f"{getattr(model, '__name__', model)} has no constant apiVersion and kind: use a class"
            " of a generated package, or a class that is derived from CustomResource"
        )
    group, _, version = str(api_version).rpartition("/")
    return GroupVersionKind(group, version, str(kind))


# ---- reviews ----------------------------------------------------------------------------------

_reviews = json.Decoder(_Review)


def read_conversion(body: bytes) -> ConversionCall:
    """Read the request of a review.

    Raises:
        ReviewError: The body is not a review of apiextensions.k8s.io/v1 with a request.
    """
    try:
        review = _reviews.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # msgspec's messages name places and types, never values.
        what = str(error) if isinstance(error, msgspec.DecodeError) else "it cannot be read"
        raise ReviewError(f"the body is not a {_KIND}: {what}") from None
    if (review.api_version, review.kind) != (_API_VERSION, _KIND):
        raise ReviewError(f"the body is not {_API_VERSION} {_KIND}")
    if review.request is None or not review.request.uid or not review.request.desired:
        raise ReviewError(f"the {_KIND} has no request with a uid and a desiredAPIVersion")
    return review.request


def conversion_response(call: ConversionCall, objects: Iterable[bytes]) -> bytes:
    """Return the response with the converted objects, in the order of the request."""
    raws = [Raw(data) for data in objects]
    return _review_response(call, {"convertedObjects": raws, "result": {"status": "Success"}})


def conversion_failed_response(call: ConversionCall, message: str) -> bytes:
    """Return the response that reports a failure. It contains no objects."""
    return _review_response(call, {"result": {"status": "Failure", "message": message}})


def _review_response(call: ConversionCall, response: dict[str, Any]) -> bytes:
    review = {"apiVersion": _API_VERSION, "kind": _KIND, "response": {"uid": call.uid, **response}}
    return json.encode(review)
