"""AdmissionReview of admission.k8s.io/v1: how requests are read and answered.

What a review needs is checked; fields that are not known are let through, as newer API servers may
send some. (k8s.io/api/admission/v1; apiserver: webhook/request/admissionreview.go)
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import Raw, Struct, field, json

from clientgen._gvk import GroupVersionKind, GroupVersionResource

from .._models.decode_error import DecodeError
from .._models.model_codec import decode, encode
from .._models.unstructured import Object, Unstructured
from .admission_requests import OPERATIONS, AdmissionRequest, Operation, UserInfo
from .json_difference import carried_over, patch_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .admission_requests import Denied

__all__ = [
    "AdmissionCall",
    "ReviewError",
    "allowed",
    "defaulted",
    "failed",
    "read_review",
    "refused",
    "snapshot",
    "typed_request",
]

M = TypeVar("M", bound=Object)

_API_VERSION: Final = "admission.k8s.io/v1"
_KIND: Final = "AdmissionReview"
_LONGEST_UID: Final = 256
_NULL: Final = Raw(b"null")
# Which objects a request of each operation has: the object, the old one.
_NEEDS: Final = {
    "CREATE": ("object",),
    "UPDATE": ("object", "oldObject"),
    "DELETE": ("oldObject",),
    "CONNECT": (),
}


class ReviewError(ValueError):
    """A body is no review that can be answered. The message says why."""


class _Kind(Struct, frozen=True):
    group: str = ""
    version: str = ""
    kind: str = ""


class _Resource(Struct, frozen=True):
    group: str = ""
    version: str = ""
    resource: str = ""


class AdmissionCall(Struct, frozen=True, rename="camel", kw_only=True):
    """The request of a review, its objects still JSON."""

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
    def words(self) -> str:
        """The request for logs: the operation, the kind and the object."""
        where = "/".join(filter(None, (self.namespace, self.name)))
        return _shown(" ".join(filter(None, (self.operation, self.kind.kind, where))), 400)


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
        raise ReviewError(f"the body is not an {_KIND}: {_words(error)}") from None
    if (review.api_version, review.kind) != (_API_VERSION, _KIND):
        sent = f"{_shown(review.api_version)} {_shown(review.kind)}".strip() or "something else"
        raise ReviewError(f"the body is {sent}, not {_API_VERSION} {_KIND}")
    call = review.request
    if call is None:
        raise ReviewError(f"the {_KIND} has no request")
    _check(call)
    return call


def _check(call: AdmissionCall) -> None:
    if not call.uid or len(call.uid) > _LONGEST_UID:
        raise ReviewError("request.uid is empty or too long")
    if call.operation not in OPERATIONS:
        known = ", ".join(OPERATIONS)
        raise ReviewError(f"request.operation is {_shown(call.operation)}, not one of {known}")
    for name, value in (("object", call.object), ("oldObject", call.old_object)):
        first = bytes(value)[:1]
        if first not in (b"{", b"n"):
            raise ReviewError(f"request.{name} is not a JSON object")
        if first == b"n" and name in _NEEDS[call.operation]:
            raise ReviewError(f"request.{name} is missing, and {call.operation} needs it")


def _words(error: Exception) -> str:
    """Say what is wrong with JSON. msgspec's words name places and types, never values."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _shown(text: str, longest: int = 64) -> str:
    """Return a text of the sender on one line, without control characters."""
    return ascii(text[:longest])[1:-1]


# ---- for functions ----------------------------------------------------------------------------


def typed_request(call: AdmissionCall, model: type[M]) -> AdmissionRequest[M]:
    """Return the request with objects of a class.

    Raises:
        ReviewError: The objects are of another kind than the class, or cannot be read.
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
        sent = _shown(f"{gvk.group_version.api_version} {gvk.kind}")
        raise ReviewError(
            f"this webhook is for {wanted.get('api_version')} {wanted.get('kind')}; the request"
            f" is about {sent}: correct the rules of the webhook configuration"
        )


# ---- answers ----------------------------------------------------------------------------------


def allowed(request: AdmissionRequest[Any]) -> bytes:
    """Answer that the request may go on."""
    return _answer(request.uid, {"allowed": True, **_remarks(request)})


def defaulted(call: AdmissionCall, request: AdmissionRequest[Any], before: bytes) -> bytes:
    """Answer that the request may go on, with what a function has changed in its object.

    Args:
        call: The request as it was received.
        request: The request as the function left it.
        before: What `snapshot` gave before the function was called.
    """
    response: dict[str, Any] = {"allowed": True, **_remarks(request)}
    if operations := _changes(call, request, before):
        response |= {"patchType": "JSONPatch", "patch": b64encode(json.encode(operations)).decode()}
    return _answer(request.uid, response)


def snapshot(call: AdmissionCall, request: AdmissionRequest[Any]) -> bytes:
    """Return the object of a request as its class writes it; empty if there is none to change."""
    return b"" if bytes(call.object) == b"null" else encode(request.object)


def _changes(
    call: AdmissionCall, request: AdmissionRequest[Any], before: bytes
) -> list[dict[str, Any]]:
    after = snapshot(call, request)
    if before == after:
        return []
    received = json.decode(call.object)
    return patch_between(received, carried_over(received, before, after, request.object))


def refused(request: AdmissionRequest[Any], denied: Denied) -> bytes:
    """Answer that the request must not go on, for a reason that a function gave."""
    details = {"details": {"causes": denied.causes}} if denied.causes else {}
    status = _failure(denied.code, denied.reason, denied.message) | details
    return _answer(request.uid, {"allowed": False, "status": status, **_remarks(request)})


def failed(uid: str, message: str) -> bytes:
    """Answer that nobody knows whether the request may go on: it is refused with code 500."""
    return _answer(uid, {"allowed": False, "status": _failure(500, "InternalError", message)})


def _failure(code: int, reason: str, message: str) -> dict[str, Any]:
    return {"status": "Failure", "message": message, "reason": reason, "code": code}


def _remarks(request: AdmissionRequest[Any]) -> Mapping[str, Any]:
    remarks: dict[str, Any] = {}
    if request.warnings:
        remarks["warnings"] = request.warnings
    if request.audit_annotations:
        remarks["auditAnnotations"] = request.audit_annotations
    return remarks


def _answer(uid: str, response: Mapping[str, Any]) -> bytes:
    review = {"apiVersion": _API_VERSION, "kind": _KIND, "response": {"uid": uid, **response}}
    return encode(review)
