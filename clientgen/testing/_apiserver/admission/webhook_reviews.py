"""AdmissionReviews: what is sent to webhooks, and what they answer.

Messages are those of k8s.io/apiserver/pkg/admission/plugin/webhook.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from clientgen._apimachinery.failures import Failure
from clientgen._json import is_array, is_object, part

from ..answered import undecodable

if TYPE_CHECKING:
    from clientgen._gvk import GroupVersionKind

    from ..served_resources import Resource
    from .attributes import Attributes

_GROUP: Final = "admission.k8s.io"
_KIND: Final = "AdmissionReview"
_VERSIONS: Final = ("v1", "v1beta1")
_MIN_ERROR_CODE: Final = 400


class BadReview(Exception):  # noqa: N818 - becomes part of a Failure
    """A webhook has not answered as it has to."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a webhook."""

    allowed: bool
    warnings: tuple[str, ...] = ()
    patch: list[Any] = field(default_factory=list[Any])
    refusal: Failure | None = None


def review_version(versions: list[str]) -> str:
    """Return the version of reviews that a webhook gets.

    Raises:
        BadReview: it knows none that the server does.
    """
    for version in versions:
        if version in _VERSIONS:
            return version
    why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    raise BadReview(f"could not create admission objects: {why}")


def review(
    attributes: Attributes,
    resource: Resource,
    kind: GroupVersionKind,
    new: dict[str, Any] | None,
    old: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the request of a review, without its uid."""
    asked = attributes.resource
    optional = {
        "subResource": attributes.subresource,
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
    }
    return {
        "kind": _kind(kind),
        "resource": _resource(resource),
        "requestKind": _kind(attributes.kind),
        "requestResource": _resource(asked),
        **{name: text for name, text in optional.items() if text},
        "operation": attributes.operation,
        "userInfo": attributes.caller.user_info(),
        "object": new,
        "oldObject": old,
        "dryRun": attributes.dry_run,
        "options": attributes.options,
    }


def _kind(kind: GroupVersionKind) -> dict[str, str]:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: Resource) -> dict[str, str]:
    return {"group": resource.group, "version": resource.version, "resource": resource.plural}


def enveloped(version: str, request: dict[str, Any], uid: str) -> bytes:
    """Return the bytes of a review."""
    head = {"kind": _KIND, "apiVersion": f"{_GROUP}/{version}"}
    return json.encode({**head, "request": {"uid": uid, **request}})


# ------------------------------------------------------------------------------------ answers


def verdict(name: str, version: str, uid: str, body: bytes, *, mutates: bool) -> Verdict:
    """Read the answer of a webhook.

    Raises:
        BadReview: it is no answer to that review.
    """
    value = _decoded(body)
    _check_kind(value, version)
    response = value.get("response")
    if not is_object(response):
        raise _invalid("webhook response was absent")
    if version == "v1" and response.get("uid") != uid:
        given = response.get("uid") or ""
        raise _invalid(f'expected response.uid="{uid}", got "{given}"')
    warnings = tuple(text for text in response.get("warnings") or () if isinstance(text, str))
    operations = _patch(response, version, mutates=mutates)
    if response.get("allowed") is not True:
        return Verdict(False, warnings, refusal=_refusal(name, response.get("status")))
    return Verdict(True, warnings, operations)


_SCHEME: Final = 'in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        value: Any = json.decode(body)
    except (DecodeError, RecursionError):
        value = ""  # it is read as YAML, in which most texts are strings
    if is_object(value):
        return value
    raise _uncalled(undecodable(body, value))


def _check_kind(value: dict[str, Any], version: str) -> None:
    api_version, kind = value.get("apiVersion") or "", value.get("kind") or ""
    if kind and api_version:
        group, _, given = api_version.rpartition("/")
        if kind != _KIND or group != _GROUP or given not in _VERSIONS:
            raise _uncalled(f'no kind "{kind}" is registered for version "{api_version}" {_SCHEME}')
        if given != version:
            names = f"({given}.{_KIND}) to ({version}.{_KIND})"
            raise _uncalled(f"converting {names}: unknown conversion")
    elif version == "v1":
        wanted = f"{_GROUP}/v1, Kind={_KIND}"
        raise _invalid(f"expected webhook response of {wanted}, got {api_version}, Kind={kind}")


def _uncalled(why: str) -> BadReview:
    return BadReview(f"failed to call webhook: {why}")


def _patch(response: dict[str, Any], version: str, *, mutates: bool) -> list[Any]:
    patch, kind = response.get("patch") or "", response.get("patchType")
    if version == "v1":
        _check_patch_type(patch, kind, mutates=mutates)
    if not mutates or not patch:
        return []
    try:
        operations: Any = json.decode(b64decode(patch, validate=True))
    except (DecodeError, RecursionError, NotBase64, ValueError, TypeError) as error:
        raise BadReview(f"received undecodable patch in webhook response: {error}") from None
    if not is_array(operations):
        why = "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
        raise BadReview(f"received undecodable patch in webhook response: {why}")
    if operations and version == "v1" and kind != "JSONPatch":
        raise BadReview(f'unsupported patch type "{kind}"')
    return operations


def _check_patch_type(patch: str, kind: str | None, *, mutates: bool) -> None:
    if not mutates:
        if patch:
            raise _invalid("validating webhook may not return response.patch")
        if kind is not None:
            raise _invalid("validating webhook may not return response.patchType")
    elif patch and kind is None:
        raise _invalid("webhook returned response.patch but not response.patchType")
    elif not patch and kind is not None:
        raise _invalid("webhook returned response.patchType but not response.patch")
    elif kind == "":
        raise _invalid('webhook returned invalid response.patchType of ""')


def _invalid(why: str) -> BadReview:
    return BadReview(f"received invalid webhook response: {why}")


class _Refusal(Failure):
    """A refusal with the Status that a webhook has answered."""

    def __init__(self, code: int, message: str, status: dict[str, Any]) -> None:
        details = part(status, "details")
        seconds = details.get("retryAfterSeconds")
        super().__init__(
            code,
            str(status.get("reason") or ""),
            message,
            retry_after=seconds if isinstance(seconds, int) and seconds > 0 else None,
        )
        self._given = details

    def status(self) -> dict[str, Any]:
        answer = super().status()
        if self._given:
            answer["details"] = self._given
        else:
            answer.pop("details")
        return answer


def _refusal(name: str, status: Any) -> Failure:
    """Return the Status of a refusal; the webhook may have said its code, reason and details."""
    given: dict[str, Any] = status if is_object(status) else {}
    code = given.get("code")
    code = code if isinstance(code, int) and code >= _MIN_ERROR_CODE else _MIN_ERROR_CODE
    why = given.get("message") or given.get("reason") or ""
    denied = f'admission webhook "{name}" denied the request'
    return _Refusal(code, f"{denied}: {why}" if why else f"{denied} without explanation", given)
