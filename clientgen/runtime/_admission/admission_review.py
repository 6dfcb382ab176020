"""AdmissionReview of admission.k8s.io/v1: reads requests and writes responses.

The required fields are checked. Unknown fields are ignored, because newer API servers may send
them. (k8s.io/api/admission/v1; apiserver: webhook/request/admissionreview.go)
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Raw, Struct, field, json

from clientgen._gvk import GroupVersionKind, GroupVersionResource

from .._models.decode_error import DecodeError
from .._models.model_codec import decode, encode
from .._models.unstructured import Unstructured, WholeObject
from .admission_requests import OPERATIONS, AdmissionRequest, Operation, UserInfo
from .json_difference import carry_over, patch_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .admission_requests import Denied

M = TypeVar("M", bound=WholeObject)

_API_VERSION: Final = "admission.k8s.io/v1"
_KIND: Final = "AdmissionReview"
_MAX_UID_CHARACTERS: Final = 256
_NULL: Final = Raw(b"null")
# The objects that a request of each operation must have.
_REQUIRED_OBJECTS: Final = {
    "CREATE": ("object",),
    "UPDATE": ("object", "oldObject"),
    "DELETE": ("oldObject",),
    "CONNECT": (),
}


class ReviewError(ValueError):
    """The body of a request is not a valid review. The message says why."""


class _Kind(Struct, frozen=True):
    group: str = ""
    version: str = ""
    kind: str = ""


class _Resource(Struct, frozen=True):
    group: str = ""
    version: str = ""
    resource: str = ""


class AdmissionCall(Struct, frozen=True, rename="camel", kw_only=True):
    """The request of a review. Its objects are still JSON."""

    uid: str
    kind: _Kind
    operation: Operation
    resource: _Resource = _Resource()
    sub_resource: str = ""
    name: str = ""
    namespace: str = ""
    user_info: Raw = _NULL
    object: Raw = _NULL
    old_object: Raw = _NULL
    dry_run: bool | None = None
    options: dict[str, Any] | None = None

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind of the objects."""
        return GroupVersionKind(self.kind.group, self.kind.version, self.kind.kind)

    @property
    def title(self) -> str:
        """The request as text for logs: the operation, the kind and the object."""
        where = "/".join(filter(None, (self.namespace, self.name)))
        return _printable(" ".join(filter(None, (self.operation, self.kind.kind, where))), 400)


class _Review(Struct, frozen=True, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: AdmissionCall | None = field(default=None)


_reviews = json.Decoder(_Review)


def read_review(body: bytes) -> AdmissionCall:
    """Read the request of a review.

    Raises:
        ReviewError: The body is not a review of admission.k8s.io/v1 with a request.
    """
    try:
        review = _reviews.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReviewError(f"the body is not an {_KIND}: {_decode_problem(error)}") from None
    if (review.api_version, review.kind) != (_API_VERSION, _KIND):
        sent = (
            f"{_printable(review.api_version)} {_printable(review.kind)}".strip()
            or "something else"
        )
        raise ReviewError(f"the body is {sent}, not {_API_VERSION} {_KIND}")
    call = review.request
    if call is None:
        raise ReviewError(f"the {_KIND} has no request")
    _check(call)
    return call


def _check(call: AdmissionCall) -> None:
    if not call.uid or len(call.uid) > _MAX_UID_CHARACTERS:
        raise ReviewError(f"request.uid must have 1 to {_MAX_UID_CHARACTERS} characters")
    if call.operation not in OPERATIONS:
        known = ", ".join(OPERATIONS)
        raise ReviewError(f"request.operation is {_printable(call.operation)}, not one of {known}")
    for name, value in (("object", call.object), ("oldObject", call.old_object)):
        first = bytes(value)[:1]
        if first not in (b"{", b"n"):
            raise ReviewError(f"request.{name} is not a JSON object")
        if first == b"n" and name in _REQUIRED_OBJECTS[call.operation]:
            raise ReviewError(f"request.{name} is missing, and {call.operation} needs it")


def _decode_problem(error: Exception) -> str:
    """Describe a decoding error. msgspec's messages name places and types, never values."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _printable(text: str, max_characters: int = 64) -> str:
    """Return a text of the request on one line, without control characters."""
    return ascii(text[:max_characters])[1:-1]


# ---- for functions ----------------------------------------------------------------------------


def typed_request(call: AdmissionCall, model: type[M]) -> AdmissionRequest[M]:
    """Decode the objects of a request as a model class.

    Raises:
        ReviewError: The objects are of another kind than the class, or cannot be decoded.
    """
    _check_kind(call.gvk, model)
    try:
        obj, old = _read(call.object, model), _read(call.old_object, model)
        user = _read(call.user_info, UserInfo)
    except DecodeError as error:
        raise ReviewError(str(error)) from None
    return AdmissionRequest(
        obj,
        old_object=old,
        operation=call.operation,
        uid=call.uid,
        name=call.name,
        namespace=call.namespace,
        resource=GroupVersionResource(
            call.resource.group, call.resource.version, call.resource.resource
        ),
        sub_resource=call.sub_resource,
        user=user,
        dry_run=bool(call.dry_run),
        options=call.options,
    )


def _read(data: Raw, model: type[M]) -> M | None:
    return None if bytes(data) == b"null" else decode(bytes(data), model)


def _check_kind(gvk: GroupVersionKind, model: type[Any]) -> None:
    if issubclass(model, Unstructured):
        return
    wanted = {name: str(value) for name, value in model.__constants__.items()}
    if (gvk.group_version.api_version, gvk.kind) != (wanted.get("api_version"), wanted.get("kind")):
        sent = _printable(f"{gvk.group_version.api_version} {gvk.kind}")
        raise ReviewError(
            f"this webhook is for {wanted.get('api_version')} {wanted.get('kind')}; the request"
            f" is about {sent}: correct the rules of the webhook configuration"
        )


# ---- responses --------------------------------------------------------------------------------


def allowed_response(request: AdmissionRequest[Any]) -> bytes:
    """Return the response that allows the request."""
    return _review_response(request.uid, {"allowed": True, **_warnings_and_annotations(request)})


def defaulted_response(call: AdmissionCall, request: AdmissionRequest[Any], before: bytes) -> bytes:
    """Return the response that allows the request, with a patch of the function's changes.

    Args:
        call: The request as it was received.
        request: The request after the function was called.
        before: The result of `encode_object` before the function was called.
    """
    response: dict[str, Any] = {"allowed": True, **_warnings_and_annotations(request)}
    if operations := _changes(call, request, before):
        response |= {"patchType": "JSONPatch", "patch": b64encode(json.encode(operations)).decode()}
    return _review_response(request.uid, response)


def encode_object(call: AdmissionCall, request: AdmissionRequest[Any]) -> bytes:
    """Encode the object of a request; empty for requests without an object."""
    return b"" if bytes(call.object) == b"null" else encode(request.object)


def _changes(
    call: AdmissionCall, request: AdmissionRequest[Any], before: bytes
) -> list[dict[str, Any]]:
    after = encode_object(call, request)
    if before == after:
        return []
    received = json.decode(call.object)
    return patch_between(received, carry_over(received, before, after, request.object))


def refused_response(request: AdmissionRequest[Any], denied: Denied) -> bytes:
    """Return the response that refuses the request, with the reason of the function."""
    details = {"details": {"causes": denied.causes}} if denied.causes else {}
    status = _failure_status(denied.code, denied.reason, denied.message) | details
    return _review_response(
        request.uid, {"allowed": False, "status": status, **_warnings_and_annotations(request)}
    )


def failed_response(uid: str, message: str) -> bytes:
    """Return the response to a request that could not be checked: refused with code 500."""
    return _review_response(
        uid, {"allowed": False, "status": _failure_status(500, "InternalError", message)}
    )


def _failure_status(code: int, reason: str, message: str) -> dict[str, Any]:
    return {"status": "Failure", "message": message, "reason": reason, "code": code}


def _warnings_and_annotations(request: AdmissionRequest[Any]) -> Mapping[str, Any]:
    remarks: dict[str, Any] = {}
    if request.warnings:
        remarks["warnings"] = request.warnings
    if request.audit_annotations:
        remarks["auditAnnotations"] = request.audit_annotations
    return remarks


def _review_response(uid: str, response: Mapping[str, Any]) -> bytes:
    review = {"apiVersion": _API_VERSION, "kind": _KIND, "response": {"uid": uid, **response}}
    return encode(review)
