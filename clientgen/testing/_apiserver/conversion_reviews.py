"""ConversionReviews: what is sent to the webhooks of definitions, and what they answer.

Messages are those of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from clientgen._apimachinery.failures import unclassified
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._json import is_array, is_object, part, texts

from .answered import problem_of, undecodable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .webhook_calls import WebhookCall

_GROUP: Final = "apiextensions.k8s.io"
_KIND: Final = "ConversionReview"
_VERSIONS: Final = ("v1", "v1beta1")


@dataclass(slots=True)
class Conversion:
    """What a webhook makes of a stored object, or the call that asks it.

    Attributes:
        uid: of the review.
        index: of the object among those of the call.
        number: how many those are.
        value: the object; without a resourceVersion.
    """

    call: WebhookCall
    uid: str
    index: int
    number: int
    value: dict[str, Any] | None = None


def review_version(webhook: Mapping[str, Any]) -> str:
    """Return the version of reviews that a webhook gets.

    Raises:
        Failure: 500, it knows none that the server does.
    """
    for version in texts(webhook, "conversionReviewVersions"):
        if version in _VERSIONS:
            return version
    raise unclassified("no supported conversion review versions")


def conversion_review(
    version: str, values: Sequence[Mapping[str, Any]], target: str, uid: str
) -> bytes:
    """Return the bytes of a review."""
    return json.encode(
        {
            "kind": _KIND,
            "apiVersion": f"{_GROUP}/{version}",
            "request": {"uid": uid, "desiredAPIVersion": target, "objects": values},
            "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        }
    )


def answered_objects(
    call: WebhookCall, version: str, uid: str, source: str, number: int
) -> list[Any]:
    """Return the objects that a webhook has answered.

    Args:
        call: the call, which has ended.
        version: of the review.
        uid: of the review.
        source: the kind that was converted, as messages name it.
        number: how many objects were sent.

    Raises:
        Failure: 500, it has failed.
    """
    assert call.outcome is not None
    start = f"conversion webhook for {source}"
    problem = problem_of(call.outcome)
    if problem:
        raise unclassified(f"{start} failed: {problem}")
    try:
        value: Any = json.decode(call.outcome.body)
    except (DecodeError, RecursionError):
        value = ""
    if not is_object(value):
        raise unclassified(f"{start} failed: {undecodable(call.outcome.body, value)}")
    why = _complaint(value, version, uid)
    if why:
        raise unclassified(f"{start} failed: {why}")
    objects: Any = part(value, "response").get("convertedObjects") or []
    if not is_array(objects) or len(objects) != number:
        got = len(objects) if is_array(objects) else 0
        raise unclassified(f"{start} returned {got} objects, expected {number}")
    return objects


def _complaint(value: dict[str, Any], version: str, uid: str) -> str:
    kind, api_version = value.get("kind") or "", value.get("apiVersion") or ""
    if version == "v1" and (kind, api_version) != (_KIND, f"{_GROUP}/v1"):
        wanted = f"{_GROUP}/v1, Kind={_KIND}"
        return f"expected webhook response of {wanted}, got {api_version}, Kind={kind}"
    response = value.get("response")
    if not is_object(response):
        return "no response provided"
    if version == "v1" and response.get("uid") != uid:
        return f'expected response.uid="{uid}", got "{response.get("uid") or ""}"'
    result = part(response, "result")
    if result.get("status") != "Success":
        status = result.get("status") or ""
        return str(result.get("message") or f"response.result.status was '{status}', not 'Success'")
    return ""


def restored(made: Any, original: Mapping[str, Any], source: str, target: str) -> dict[str, Any]:
    """Return an object that a webhook has made, with the metadata that it may not change.

    Raises:
        Failure: 500, it is another object, or none.
    """
    start = f"conversion webhook for {source} returned invalid"
    if not is_object(made):
        raise unclassified(f"{start} converted object at index 0: it is no object")
    kind, version = original.get("kind"), made.get("apiVersion") or ""
    at = f"{start} object at index 0"
    if version != target:
        why = f"invalid groupVersion (expected {target}, received {version})"
        raise unclassified(f"{at}: {why}")
    if made.get("kind") != kind:
        why = f"invalid kind (expected {kind}, received {made.get('kind') or ''})"
        raise unclassified(f"{at}: {why}")
    old, new = part(original, "metadata"), made.get("metadata")
    given: dict[str, Any] = new if is_object(new) else {}
    for name, shown in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        before, after = old.get(name) or "", given.get(name) or ""
        if before != after:
            why = f"must have the same {shown}: {before} != {after}"
            raise unclassified(f"{start} object: {why}")
    try:
        return {**made, "metadata": _metadata(old, given)}
    except ValueError as problem:
        raise unclassified(f"{start} metadata: {problem}") from None


def _metadata(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the old metadata with the new labels and annotations.

    Raises:
        ValueError: those are wrong.
    """
    metadata: dict[str, Any] = deepcopy(dict(old))
    for name, causes_of in (("labels", labels_causes), ("annotations", annotations_causes)):
        given: Any = new.get(name)
        metadata.pop(name, None)
        if given is None:
            continue
        if not is_object(given):
            raise ValueError(f"invalid metadata.{name} of type {_type(given)} in converted object")
        for key, value in given.items():
            if not isinstance(value, str):
                why = f"must be a string, but is {_type(value)} in converted object"
                raise ValueError(f"metadata.{name}[{key}] {why}")  # noqa: TRY004
        field = "metadata.labels" if name == "labels" else "metadata.annotation"
        causes = causes_of(given, field) if given != old.get(name) else []
        if causes:
            listed = list(map(str, causes))
            raise ValueError(listed[0] if len(listed) == 1 else f"[{', '.join(listed)}]")
        metadata[name] = given
    return metadata


_TYPES: Final[Mapping[type, str]] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    type(None): "<nil>",
    list: "[]interface {}",
}


def _type(value: object) -> str:
    """Return what Go calls the type of a value."""
    return _TYPES.get(type(value), "map[string]interface {}")
