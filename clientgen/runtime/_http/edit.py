"""Read-modify-write without losing changes: only the difference is sent.

The object is encoded before and after the change. The difference is sent as a merge patch that
includes the uid and the resourceVersion of the object that was read. Fields that the package does
not know are kept. If another client has changed the object in between, the server responds with a
Conflict and nothing is overwritten. (Kubernetes API concepts: updates to existing resources.)

A concurrent change of any field causes a conflict. A patch that tested only the fields that it
changes would allow changes of other fields, on which `change` may depend: a sum of two counters
would be stored although one of the counters has changed. It is not possible to find out which
fields a function has read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import json

from clientgen._json import is_array, is_object

from .._models import model_codec
from .._models.members import is_unset, member
from .._models.model import Model
from .._models.unstructured import Unstructured
from .patches import JsonPatch, MergePatch, json_pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .patches import Patch

Json: TypeAlias = dict[str, Any]

# The fields of the metadata that are preconditions of a patch.
_GUARDS = ("uid", "resourceVersion")


class _NullMember(Exception):  # noqa: N818 - it never leaves this module
    """A merge patch cannot set a null: in a merge patch, null means "delete"."""


def changed(current: object, change: Callable[[Any], object]) -> Patch | None:
    """Call `change` on the object. Returns the patch to send, or None if nothing changed.

    Raises:
        TypeError: `change` is a coroutine function, which would not be awaited, or it returned
            another object, which would not be sent.
    """
    before = model_codec.encode(current)
    result = change(current)
    if hasattr(result, "__await__"):
        getattr(result, "close", lambda: None)()
        raise TypeError("change must be a plain function, not a coroutine function")
    if isinstance(result, Model | Unstructured) and _is_another(result, current):
        raise TypeError("change must modify the object it is given; a returned object is not sent")
    after = model_codec.encode(current)
    if before == after:
        return None
    old, new = json.decode(before), json.decode(after)
    _keep_empties(old, new, current)
    return difference(old, new)


def _keep_empties(before: Json, after: Json, obj: object) -> None:
    """Restore empty lists and maps that are set, but that the encoder leaves out."""
    for name, old in before.items():
        value = member(obj, name)
        if name not in after:
            if old in ([], {}) and not is_unset(value):
                after[name] = old
        elif is_object(old) and is_object(after[name]):
            _keep_empties(old, after[name], value)


def _is_another(result: object, current: object) -> bool:
    """Return whether a function returned another object of the same class."""
    return result is not current and isinstance(current, type(result))


def log_unchanged(path: str) -> None:
    """Log at debug level that nothing was sent."""
    import logging  # imported late: most edits change the object

    words = (
        "edit of %s: the function changed nothing, so nothing is sent"
        " (is there a `==` instead of a `=`?)"
    )
    logging.getLogger("clientgen.runtime._http.edit").debug(words, path)


def difference(before: Json, after: Json) -> Patch | None:
    """Return the patch from one object to the other, with the uid and version as preconditions.

    Lists are replaced as a whole. A JSON patch is used only to set a null inside free-form JSON,
    which a merge patch cannot express.
    """
    before, after = _copy_to_modify(before), _copy_to_modify(after)
    guards = _guards(before)
    after.get("metadata", {}).update(guards)
    try:
        patch = _merge_patch(before, after)
    except _NullMember:
        operations = list(_json_patch(before, after, ()))
        return JsonPatch([*_guard_operations(guards), *operations])
    if not patch:
        return None
    if guards:
        patch["metadata"] = {**patch.get("metadata", {}), **guards}
    return MergePatch(patch)


def status_difference(old: object, new: object) -> Patch | None:
    """Return the patch from one status to another, with the uid and version as preconditions.

    Returns None if nothing has changed. The preconditions are those of `old`. The metadata of `new`
    may be newer.

    Raises:
        TypeError: `new` is a patch.
        ValueError: the states belong to two objects, they differ outside of status and metadata, or
            `old` was not read from the server.
    """
    if type(new) is dict:
        raise TypeError(
            "the new state is a dict, not an object: copy the old one with deep_copy() and change"
            " its status"
        )
    encoded = model_codec.encode(old), model_codec.encode(new)
    before, after = (json.decode(each) for each in encoded)
    _check_states(before, after)
    if encoded[0] == encoded[1]:
        return None
    parts = [{name: each[name] for name in ("status",) if name in each} for each in (before, after)]
    first, second = ({"metadata": _guards(before), **part} for part in parts)
    return difference(first, second)


def _guards(obj: Json) -> Json:
    metadata: Json = obj.get("metadata") or {}
    return {name: metadata[name] for name in _GUARDS if metadata.get(name)}


def _check_states(before: Json, after: Json) -> None:
    """Check that two states are of the same object, and differ only in status and metadata."""
    uids = [_guards(each).get("uid") for each in (before, after)]
    if not uids[0]:
        raise ValueError("the old state has no uid: it must be read from the server first")
    if uids[0] != uids[1]:
        raise ValueError("the two states are of different objects: their uids differ")
    names = sorted({*before, *after} - {"metadata", "status"})
    changed_ones = [name for name in names if not _is_same_json(before.get(name), after.get(name))]
    if changed_ones:
        raise ValueError(f"only the status is sent, but {' and '.join(changed_ones)} changed, too")


def _copy_to_modify(value: Json) -> Json:
    """Copy the object and its metadata, which the caller modifies."""
    if is_object(value.get("metadata")):
        return {**value, "metadata": {**value["metadata"]}}
    return {**value}


def _merge_patch(before: Json, after: Json) -> Json:
    patch: Json = {name: None for name in before if name not in after}
    for name, new in after.items():
        old = before.get(name)
        if name in before and _is_same_json(old, new):
            continue
        if is_object(old) and is_object(new):
            if inner := _merge_patch(old, new):
                patch[name] = inner
        elif _has_null(new):
            raise _NullMember
        else:
            patch[name] = new
    return patch


def _json_patch(before: Json, after: Json, path: tuple[str, ...]) -> Iterator[Json]:
    for name in before:
        if name not in after:
            yield {"op": "remove", "path": json_pointer(*path, name)}
    for name, new in after.items():
        old = before.get(name)
        if name not in before:
            yield {"op": "add", "path": json_pointer(*path, name), "value": new}
        elif is_object(old) and is_object(new):
            yield from _json_patch(old, new, (*path, name))
        elif not _is_same_json(old, new):
            yield {"op": "replace", "path": json_pointer(*path, name), "value": new}


def _guard_operations(guards: Json) -> Iterator[Json]:
    """Yield operations that set the uid and version. The server answers 409 if they are old.

    With a `test` operation, the server would answer 422.
    """
    for name, value in guards.items():
        yield {"op": "replace", "path": json_pointer("metadata", name), "value": value}


def _is_same_json(old: Any, new: Any) -> bool:
    """Return whether two values are equal as JSON, where 1, 1.0 and true differ."""
    return bool(old == new) and json.encode(old) == json.encode(new)


def _has_null(value: Any) -> bool:
    """Return whether a value contains nulls, also in lists. Servers drop nulls of merge patches."""
    if is_object(value):
        return any(_has_null(member) for member in value.values())
    if is_array(value):
        return any(member is not None and _has_null(member) for member in value)
    return value is None
