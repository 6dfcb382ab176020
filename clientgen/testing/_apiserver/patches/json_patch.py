"""JSON patches (RFC 6902), as the API server applies them.

The server uses evanphx/json-patch v4, which is not what the RFC says, and not what the Python
library jsonpatch does: replacing, copying or testing a member that is not there works (it is null),
negative indices count from the end, pointers need no leading slash. This module behaves in the same
way, so it has operations of its own.
"""

from __future__ import annotations

import copy
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import json

from clientgen._apimachinery import failures
from clientgen._apimachinery.decoding.body import MAX_BODY_BYTES
from clientgen._apimachinery.decoding.depth import is_too_deep
from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_MAX_OPERATIONS: Final = 10_000
_MAX_COPIED: Final = MAX_BODY_BYTES
"""The most bytes that the copies of a patch may have: the server's `AccumulatedCopySizeLimit`."""
_MAX_SHIFTED_ITEMS: Final = 100_000_000
"""The most items that a patch may shift when it inserts or removes others: a tenth of a second."""
_MAX_DIGITS: Final = 18
_TOO_DEEP: Final = "the result is nested too deep"
_MISSING: Final = "missing value"
_INVALID_INDEX: Final = "invalid index referenced"

Container: TypeAlias = "dict[str, Any] | list[Any]"


class DoesNotApply(Exception):  # noqa: N818 - an answer, not a defect
    """An operation that cannot be done, in the words of the library that the server uses.

    Clients that send a patch are not told them; MutatingAdmissionPolicies tell them.

    Attributes:
        is_failed_test: whether the operation is a test, and failed.
    """

    def __init__(self, why: str = "", *, is_failed_test: bool = False) -> None:
        super().__init__(why)
        self.is_failed_test = is_failed_test


class _Spent:
    """The cost of the operations of a patch so far."""

    def __init__(self) -> None:
        self._copied = 0
        self._shifted = 0

    def copy(self, value: Any) -> Any:
        """A copy of a value.

        Raises:
            DoesNotApply: it makes too much together with the copies before.
        """
        text = json.encode(value)
        self._copied += len(text)
        if self._copied > _MAX_COPIED:
            raise DoesNotApply("the copies of the patch are too large")
        return json.decode(text)

    def shift(self, items: int) -> None:
        """Note that items change their places.

        Raises:
            DoesNotApply: too many have.
        """
        self._shifted += items
        if self._shifted > _MAX_SHIFTED_ITEMS:
            raise DoesNotApply("the patch moves too many items")


def json_patch(document: dict[str, Any], operations: list[Any]) -> Any:
    """Apply the operations in their order; the document is left as it was.

    Raises:
        Failure: 413 for more than 10000 operations; 422 when one does not apply, when copies make
            more than 3 MiB, or when the result is nested too deep.
    """
    if len(operations) > _MAX_OPERATIONS:
        raise failures.Failure(
            413,
            "RequestEntityTooLarge",
            "Request entity too large: The allowed maximum operations in a JSON patch is"
            f" {_MAX_OPERATIONS}, got {len(operations)}",
            details=False,
        )
    try:
        return applied(document, operations)
    except DoesNotApply:
        raise failures.unprocessable() from None


def applied(document: dict[str, Any], operations: list[Any]) -> Any:
    """Apply the operations in their order; the document is left as it was.

    Raises:
        DoesNotApply: one does not apply, copies make too much, or the result is nested too deep.
    """
    patched: Any = copy.deepcopy(document)
    spent = _Spent()
    try:
        for operation in operations:
            patched = _apply(patched, operation or {}, spent)
    except RecursionError:
        raise DoesNotApply(_TOO_DEEP) from None
    if is_too_deep(patched):
        raise DoesNotApply(_TOO_DEEP)
    return patched


def _apply(document: Container, operation: dict[str, Any], spent: _Spent) -> Any:
    kind = operation.get("op")
    if not isinstance(kind, str) or kind not in _OPERATIONS:
        raise DoesNotApply(f"Unexpected kind: {kind}")
    if kind == "replace" and operation.get("path") == "":
        return _whole(operation)
    _OPERATIONS[kind](document, operation, spent)
    return document


def _whole(operation: dict[str, Any]) -> Any:
    value = operation.get("value")
    if is_object(value) or is_array(value):
        return copy.deepcopy(value)
    raise DoesNotApply("replace operation value must be object or array")


@contextmanager
def _told(where: str) -> Generator[None]:
    """Add the operation to the error."""
    try:
        yield
    except DoesNotApply as error:
        raise DoesNotApply(f"{where}: {error}") from None


def _add(document: Container, operation: dict[str, Any], spent: _Spent) -> None:
    path = operation.get("path")
    with _told(f'add operation does not apply: doc is missing path: "{path}"'):
        holder, key = _find(document, path)
    with _told(f"error in add for path: '{path}'"):
        _insert(holder, key, copy.deepcopy(operation.get("value")), spent)


def _remove(document: Container, operation: dict[str, Any], spent: _Spent) -> None:
    path = operation.get("path")
    with _told(f'remove operation does not apply: doc is missing path: "{path}"'):
        holder, key = _find(document, path)
    with _told(f"error in remove for path: '{path}'"):
        _take(holder, key, spent)


def _replace(document: Container, operation: dict[str, Any], spent: _Spent) -> None:  # noqa: ARG001
    path = operation.get("path")
    with _told(f"replace operation does not apply: doc is missing path: {path}"):
        holder, key = _find(document, path)
    value = copy.deepcopy(operation.get("value"))
    if isinstance(holder, list):
        try:
            holder[_index(key, len(holder))] = value
        except DoesNotApply:
            why = f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
            raise DoesNotApply(why) from None
    else:
        holder[key] = value


def _move(document: Container, operation: dict[str, Any], spent: _Spent) -> None:
    path, source = operation.get("path"), operation.get("from")
    with _told(f"move operation does not apply: doc is missing from path: {source}"):
        holder, key = _find(document, source)
    with _told(f"error in move for path: '{key}'"):
        value = _take(holder, key, spent)
    with _told(f"move operation does not apply: doc is missing destination path: {path}"):
        holder, key = _find(document, path)
    with _told(f"error in move for path: '{path}'"):
        _insert(holder, key, value, spent)


def _copy(document: Container, operation: dict[str, Any], spent: _Spent) -> None:
    path, source = operation.get("path"), operation.get("from")
    with _told(f"copy operation does not apply: doc is missing from path: {source}"):
        holder, key = _find(document, source)
    with _told(f"error in copy for from: '{source}'"):
        value = _get(holder, key)
    value = spent.copy(value)
    with _told(f"copy operation does not apply: doc is missing destination path: {path}"):
        holder, key = _find(document, path)
    with _told("error while adding value during copy"):
        _insert(holder, key, value, spent)


def _test(document: Container, operation: dict[str, Any], spent: _Spent) -> None:  # noqa: ARG001
    path = operation.get("path")
    tested: Any = document
    if path != "":
        with _told(f"test operation does not apply: is missing path: {path}"):
            holder, key = _find(document, path)
        with _told(f"error in test for path: '{path}'"):
            tested = _get(holder, key)
    if not _same(tested, operation.get("value")):
        raise DoesNotApply(f"testing value {path} failed: test failed", is_failed_test=True)


_OPERATIONS: Final[dict[str, Callable[[Container, dict[str, Any], _Spent], None]]] = {
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
        raise DoesNotApply(_MISSING)
    *parts, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    holder = document
    for part in parts:
        try:
            inside = _get(holder, part)
        except DoesNotApply:
            raise DoesNotApply(_MISSING) from None
        if not (is_object(inside) or is_array(inside)):
            raise DoesNotApply(_MISSING)
        holder = inside
    return holder, last


def _get(holder: Container, key: str) -> Any:
    """A member that is not there is null; an item has to be there."""
    if isinstance(holder, list):
        return holder[_index(key, len(holder))]
    return holder.get(key)


def _take(holder: Container, key: str, spent: _Spent) -> Any:
    if isinstance(holder, list):
        spent.shift(len(holder))
        return holder.pop(_index(key, len(holder)))
    if key not in holder:
        raise DoesNotApply(f"Unable to remove nonexistent key: {key}: {_MISSING}")
    return holder.pop(key)


def _insert(holder: Container, key: str, value: Any, spent: _Spent) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    else:
        spent.shift(len(holder))
        holder.insert(_index(key, len(holder) + 1), value)


def _index(key: str, length: int) -> int:
    """Read an index into a list; -1 is the last."""
    digits = key[1:] if key[:1] in ("+", "-") else key
    if not (digits.isascii() and digits.isdecimal()):
        raise DoesNotApply(f'strconv.Atoi: parsing "{key}": invalid syntax')
    if len(digits) > _MAX_DIGITS:
        raise DoesNotApply(f'strconv.Atoi: parsing "{key}": value out of range')
    index = int(key)
    if not -length <= index < length:
        raise DoesNotApply(f"Unable to access invalid index: {index}: {_INVALID_INDEX}")
    return index % length if length else index


def _same(left: Any, right: Any) -> bool:
    """Compare as JSON texts: true is not 1, and 1 is not 1.0."""
    if is_object(left) and is_object(right):
        return left.keys() == right.keys() and all(
            _same(value, right[key]) for key, value in left.items()
        )
    if is_array(left) and is_array(right):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and left == right
