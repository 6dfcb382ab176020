"""Objects as the user has written them: their creation and the user's later changes.

The fields that the program has written are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, json

from clientgen._json import is_array, is_object
from clientgen.runtime._http.request import HttpRequest

if TYPE_CHECKING:
    from .._apiserver.storage.store import Change, Record
    from .._fake.actions import Action

_SERVER_FIELDS = (
    "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink",
    "deletionTimestamp", "deletionGracePeriodSeconds",
)  # fmt: skip


class UserObject(Struct):
    """An object as the user has written it.

    Attributes:
        request: the request that created it.
        value: the object, without the fields that others have written.
        has_status: whether the user has written its status, as a controller does.
        writers: the patch types and field managers with which the user has written it.
    """

    request: HttpRequest
    value: dict[str, Any]
    writers: set[tuple[str, str]]
    has_status: bool = False

    @classmethod
    def of(cls, request: HttpRequest, action: Action, record: Record) -> UserObject | None:
        """Return the object of a create request; None if the body cannot be read."""
        body: Any = action.object
        if not is_object(body):
            return None
        value = json.decode(json.encode(body))
        # The server may have generated the name. The user continues to use it.
        value["metadata"] = {**(value.get("metadata") or {}), "name": record.name}
        return cls(request, value, {_patch_type_and_manager(action)})

    def change(self, action: Action, change: Change) -> None:
        """Apply a change of the user."""
        assert change.before is not None
        assert change.after is not None
        self.value = _apply_change(
            self.value, _without_server_fields(change.before), _without_server_fields(change.after)
        )
        self.has_status = self.has_status or action.subresource == "status"
        self.writers.add(_patch_type_and_manager(action))

    @property
    def is_held(self) -> bool:
        """Whether the user has set a finalizer, which delays the deletion."""
        return bool(self.value["metadata"].get("finalizers"))

    @property
    def path(self) -> str:
        """The path of the object."""
        path = self.request.target.partition("?")[0]
        return path if self.request.method != "POST" else f"{path}/{self.value['metadata']['name']}"

    def creation(self) -> HttpRequest:
        """Return the request that creates the object again."""
        first = self.request
        return HttpRequest(first.method, first.target, first.headers, json.encode(self.value))

    def mentions(self, uid: str) -> bool:
        """Whether the object refers to the object with this uid."""
        return uid.encode() in json.encode(self.value)


def _patch_type_and_manager(action: Action) -> tuple[str, str]:
    return action.patch_type, action.options.get("fieldManager", "")


def _without_server_fields(record: Record) -> dict[str, Any]:
    value = record.value()
    for name in _SERVER_FIELDS:
        value["metadata"].pop(name, None)
    return value


def _apply_change(mine: Any, before: Any, after: Any) -> Any:
    """Apply the change from `before` to `after` to another version of the value."""
    if before == after:
        return mine
    if mine == before:
        return after
    if mine is None:
        mine = {} if is_object(before) else [] if is_array(before) else None
    if is_object(mine) and is_object(after) and (before is None or is_object(before)):
        known = before or {}
        merged = {
            name: _apply_change(mine.get(name), known.get(name), after.get(name))
            for name in (*mine, *(each for each in after if each not in mine))
            if name in after or name not in known
        }
        return {name: part for name, part in merged.items() if part is not None}
    if is_array(mine) and is_array(before) and is_array(after):
        kept = [each for each in mine if each in after or each not in before]
        return kept + [each for each in after if each not in before and each not in kept]
    return after
