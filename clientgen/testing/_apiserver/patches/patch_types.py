"""Patches: which there are, how their bodies are read, and JSON merge patches (RFC 7386).

`json_patch` and `strategic_merge` have the other two kinds that are applied to a document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery import failures
from clientgen._apimachinery.decoding.body import Parsed, check_size, type_word
from clientgen._apimachinery.decoding.json_text import BadText, load_json
from clientgen._apimachinery.decoding.yaml_text import load_yaml
from clientgen._json import is_array, is_object

from ..kinds.kind_codecs import APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from . import strategic_merge
from .json_patch import json_patch

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen._apimachinery.failures import Failure

    from ..kinds.kind_codecs import Codec
    from ..requests.api_request import Request
    from ..served_resources import Resource

__all__ = [
    "APPLY",
    "JSON_PATCH",
    "MERGE_PATCH",
    "STRATEGIC_MERGE_PATCH",
    "Patch",
    "json_patch",
    "merge_patch",
    "patch_type",
    "read_patch",
    "undecodable",
]

_MEMBERS: Final = ("op", "path", "from", "value")


# ---------------------------------------------------------------------------------- reading


def patch_type(request: Request, codec: Codec) -> str:
    """The kind of patch a request brings.

    Raises:
        Failure: 415, for a content type that is none.
    """
    media = request.content_type.partition(";")[0].strip().lower()
    known = codec.patch_types
    if media not in known:
        raise failures.unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(known)
        )
    return media


def read_patch(
    body: bytes, patch_type: str, *, checked: bool = True, whole: bool = False
) -> Parsed:
    """Read the body of a PATCH: a list for a JSON patch, else an object.

    Args:
        body: the text.
        patch_type: one of the constants of this module.
        checked: whether field validation is on (not `Ignore`); operations are looked at then.
        whole: whether 1.0 will do for an integer.

    Raises:
        Failure: 413 for its size, 400 for what it holds.
    """
    check_size(body)
    try:
        if patch_type == APPLY:
            return _read_apply(body)
        # 1.0 will do for an integer in a strategic merge patch, but not in the two others.
        whole = whole or patch_type == STRATEGIC_MERGE_PATCH
        value, paths = load_json(body, whole=whole)
        if patch_type == JSON_PATCH:
            return Parsed([] if value is None else value, _check_operations(value, paths, checked))
        _check_object(value, null=patch_type == STRATEGIC_MERGE_PATCH)
    except BadText as why:
        start = "" if patch_type == STRATEGIC_MERGE_PATCH else "error decoding patch: "
        raise failures.bad_request(f"{start}{why}") from None
    return Parsed(value or {}, [f'duplicate field "{path}"' for path in paths])


def _read_apply(body: bytes) -> Parsed:
    try:
        value, duplicates = load_yaml(body)
        _check_object(value, null=True)
    except BadText as why:
        raise failures.bad_request(f"error decoding YAML: {why}") from None
    return Parsed(value or {}, duplicates)


def _check_object(value: Any, *, null: bool) -> None:
    if value is None and not null:
        raise failures.bad_request("Invalid JSON Patch")
    if value is not None and not is_object(value):
        what = type_word(value)
        raise BadText(
            f"json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
        )


def _check_operations(value: Any, paths: list[str], checked: bool) -> list[str]:
    """Look at the form of the operations; gives what there is to complain of."""
    into = "into Go value of type"
    if value is not None and not is_array(value):
        raise BadText(f"json: cannot unmarshal {type_word(value)} {into} []jsonPatchOp")
    operations: list[Any] = value or []
    complaints = [f'json patch duplicate field "{path}"' for path in paths]
    for index, operation in enumerate(operations):
        if operation is not None and not is_object(operation):
            raise BadText(f"json: cannot unmarshal {type_word(operation)} {into} jsonPatchOp")
        if checked:
            complaints += _check_operation(index, operation or {})
    return complaints


def _check_operation(index: int, operation: dict[str, Any]) -> list[str]:
    for name in ("op", "path", "from"):
        member = operation.get(name)
        if member is not None and not isinstance(member, str):
            raise BadText(
                f"json: cannot unmarshal {type_word(member)} into Go struct field"
                f" jsonPatchOp.{name} of type string"
            )
    unknown = [name for name in operation if name not in _MEMBERS]
    return [f'json patch unknown field "[{index}].{name}"' for name in unknown]


def undecodable(result: Any) -> Callable[[str], Failure]:
    """Return what makes the 422 of a patched document that cannot be decoded, for `normalise`.

    The message shows the whole document, as the server does (fact 1.5).
    """
    shown = result if isinstance(result, str) else json.encode(result).decode()

    def refuse(why: str) -> Failure:
        cause = failures.invalid_value("patch", shown, why)
        return failures.Failure(422, "Invalid", f' "" is invalid: {cause}', causes=(cause,))

    return refuse


# --------------------------------------------------------------------------- JSON merge patch


def merge_patch(document: Any, patch: Any) -> Any:
    """Merge `patch` into a document, which is left as it was (RFC 7386).

    Beyond the RFC, nulls in objects inside lists go as well, unless the list replaces an object.
    """
    if not is_object(document):
        return _pruned(patch)
    if not is_object(patch):
        return patch
    merged: dict[str, Any] = dict(document)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _pruned(value: Any) -> Any:
    if is_object(value):
        return {key: _pruned(item) for key, item in value.items() if item is not None}
    if is_array(value):
        return [_pruned(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch other than an apply: its type and what it says."""

    media: str
    text: Any
    resource: Resource

    def of(self, value: dict[str, Any]) -> Any:
        """An object as the patch makes it."""
        if self.media == JSON_PATCH:
            return json_patch(value, self.text)
        if self.media == MERGE_PATCH:
            return merge_patch(value, self.text)
        result = strategic_merge.strategic_merge(value, self.text, self.resource.schema)
        # The type of the object stays, whatever the patch makes of its name.
        return {**result, "kind": value["kind"], "apiVersion": value["apiVersion"]}

    def undecodable(self, result: Any) -> Callable[[str], Failure]:
        """Return what makes the 422 of a result that is no such object."""
        if self.media in (JSON_PATCH, MERGE_PATCH):
            return undecodable(result)
        return strategic_merge.undecodable(self.text)
