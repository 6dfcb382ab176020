"""JSON patches (RFC 6902) and JSON merge patches (RFC 7386), as the API server applies them.

The server uses evanphx/json-patch v4, which is not what the RFC says, and not what the Python
library jsonpatch does: replacing, copying or testing a member that is not there works (it is null),
negative indices count from the end, pointers need no leading slash. Agreeing with it is the point,
so the operations are written here; `strategic` has the third kind of patch.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import json

from . import failures
from .decoding.body import Parsed, check_size, type_word
from .decoding.json_text import BadText, load_json
from .decoding.yaml_text import load_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from .failures import Failure

__all__ = [
    "APPLY",
    "JSON_PATCH",
    "MERGE_PATCH",
    "STRATEGIC_MERGE_PATCH",
    "json_patch",
    "merge_patch",
    "patch_types",
    "read_patch",
    "undecodable",
]

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"

_MOST_OPERATIONS: Final = 10_000
_MEMBERS: Final = ("op", "path", "from", "value")

Container: TypeAlias = "dict[str, Any] | list[Any]"


def patch_types(*, custom: bool) -> tuple[str, ...]:
    """The content types of patches a kind takes (fact 1.5)."""
    both = (JSON_PATCH, MERGE_PATCH)
    return (*both, APPLY) if custom else (*both, STRATEGIC_MERGE_PATCH, APPLY)


# ---------------------------------------------------------------------------------- reading


def read_patch(body: bytes, patch_type: str, *, checked: bool = True) -> Parsed:
    """Read the body of a PATCH: a list for a JSON patch, else an object.

    Args:
        body: the text.
        patch_type: one of the constants of this module.
        checked: whether field validation is on (not `Ignore`); operations are looked at then.

    Raises:
        Failure: 413 for its size, 400 for what it holds.
    """
    check_size(body)
    try:
        if patch_type == APPLY:
            return _read_apply(body)
        value, paths = load_json(body)
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
    if value is not None and not isinstance(value, dict):
        what = type_word(value)
        raise BadText(
            f"json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
        )


def _check_operations(value: Any, paths: list[str], checked: bool) -> list[str]:
    """Look at the form of the operations; gives what there is to complain of."""
    into = "into Go value of type"
    if value is not None and not isinstance(value, list):
        raise BadText(f"json: cannot unmarshal {type_word(value)} {into} []jsonPatchOp")
    operations: list[Any] = value or []
    complaints = [f'json patch duplicate field "{path}"' for path in paths]
    for index, operation in enumerate(operations):
        if operation is not None and not isinstance(operation, dict):
            raise BadText(f"json: cannot unmarshal {type_word(operation)} {into} jsonPatchOp")
        if checked:
            complaints += _check_operation(index, operation or {})
    return complaints


def _check_operation(index: int, operation: dict[str, Any]) -> list[str]:
    for name in ("op", "path", "from"):
        said = operation.get(name)
        if said is not None and not isinstance(said, str):
            raise BadText(
                f"json: cannot unmarshal {type_word(said)} into Go struct field"
                f" jsonPatchOp.{name} of type string"
            )
    unknown = [name for name in operation if name not in _MEMBERS]
    return [f'json patch unknown field "[{index}].{name}"' for name in unknown]


def undecodable(result: Any) -> Callable[[str], Failure]:
    """What makes the 422 of a patched document that cannot be decoded; give it to `normalise`.

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
    if not isinstance(document, dict):
        return _pruned(patch)
    if not isinstance(patch, dict):
        return patch
    changes: dict[str, Any] = patch
    merged: dict[str, Any] = dict(document)
    for key, value in changes.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        members: dict[str, Any] = value
        return {key: _pruned(item) for key, item in members.items() if item is not None}
    if isinstance(value, list):
        items: list[Any] = value
        return [_pruned(item) for item in items]
    return value


# --------------------------------------------------------------------------------- JSON patch


class _DoesNotApply(Exception):  # noqa: N818 - the answer is the same whatever it was
    """An operation that cannot be done; the client is not told which."""


def json_patch(document: dict[str, Any], operations: list[Any]) -> Any:
    """Apply the operations in their order; the document is left as it was.

    Raises:
        Failure: 413 for more than 10000 operations; 422 when one does not apply.
    """
    if len(operations) > _MOST_OPERATIONS:
        raise failures.Failure(
            413,
            "RequestEntityTooLarge",
            "Request entity too large: The allowed maximum operations in a JSON patch is"
            f" {_MOST_OPERATIONS}, got {len(operations)}",
            details=False,
        )
    patched: Any = copy.deepcopy(document)
    try:
        for operation in operations:
            patched = _apply(patched, operation or {})
    except _DoesNotApply:
        raise failures.unprocessable() from None
    return patched


def _apply(document: Container, operation: dict[str, Any]) -> Any:
    kind = operation.get("op")
    if not isinstance(kind, str) or kind not in _OPERATIONS:
        raise _DoesNotApply
    if kind == "replace" and operation.get("path") == "":
        return _whole(operation)
    _OPERATIONS[kind](document, operation)
    return document


def _whole(operation: dict[str, Any]) -> Any:
    value = operation.get("value")
    if not isinstance(value, dict | list):
        raise _DoesNotApply
    return copy.deepcopy(value)


def _add(document: Container, operation: dict[str, Any]) -> None:
    holder, key = _find(document, operation.get("path"))
    _insert(holder, key, copy.deepcopy(operation.get("value")))


def _remove(document: Container, operation: dict[str, Any]) -> None:
    _take(*_find(document, operation.get("path")))


def _replace(document: Container, operation: dict[str, Any]) -> None:
    holder, key = _find(document, operation.get("path"))
    value = copy.deepcopy(operation.get("value"))
    if isinstance(holder, list):
        holder[_index(key, len(holder))] = value
    else:
        holder[key] = value


def _move(document: Container, operation: dict[str, Any]) -> None:
    value = _take(*_find(document, operation.get("from")))
    _insert(*_find(document, operation.get("path")), value)


def _copy(document: Container, operation: dict[str, Any]) -> None:
    value = copy.deepcopy(_get(*_find(document, operation.get("from"))))
    _insert(*_find(document, operation.get("path")), value)


def _test(document: Container, operation: dict[str, Any]) -> None:
    path = operation.get("path")
    found = document if path == "" else _get(*_find(document, path))
    if not _same(found, operation.get("value")):
        raise _DoesNotApply


_OPERATIONS: Final[dict[str, Callable[[Container, dict[str, Any]], None]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _find(document: Container, pointer: Any) -> tuple[Container, str]:
    """Follow a pointer up to its last part: what holds the value, and the key there.

    Whatever stands before the first slash is not looked at.
    """
    if not isinstance(pointer, str) or "/" not in pointer:
        raise _DoesNotApply
    *parts, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    holder: Any = document
    for part in parts:
        holder = _get(holder, part)
        if not isinstance(holder, dict | list):
            raise _DoesNotApply
    return holder, last


def _get(holder: Container, key: str) -> Any:
    """A member that is not there is null; an item has to be there."""
    if isinstance(holder, list):
        return holder[_index(key, len(holder))]
    return holder.get(key)


def _take(holder: Container, key: str) -> Any:
    if isinstance(holder, list):
        return holder.pop(_index(key, len(holder)))
    if key not in holder:
        raise _DoesNotApply
    return holder.pop(key)


def _insert(holder: Container, key: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    else:
        holder.insert(_index(key, len(holder) + 1), value)


def _index(key: str, length: int) -> int:
    """Read an index into a list; -1 is the last."""
    digits = key[1:] if key[:1] in ("+", "-") else key
    if not (digits.isascii() and digits.isdecimal()):
        raise _DoesNotApply
    index = int(key)
    if not -length <= index < length:
        raise _DoesNotApply
    return index % length if length else index


def _same(left: Any, right: Any) -> bool:
    """Compare as JSON texts: true is not 1, and 1 is not 1.0."""
    if isinstance(left, dict) and isinstance(right, dict):
        first: dict[str, Any] = left
        second: dict[str, Any] = right
        return first.keys() == second.keys() and all(
            _same(value, second[key]) for key, value in first.items()
        )
    if isinstance(left, list) and isinstance(right, list):
        items: list[Any] = left
        others: list[Any] = right
        return len(items) == len(others) and all(map(_same, items, others))
    return type(left) is type(right) and left == right
