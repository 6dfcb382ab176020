"""What the user wants of an object: what it was created with, and all that the user changed later.

What the program has written into the object is no part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, json

from clientgen._json import is_array, is_object
from clientgen.runtime._http.request import HttpRequest

if TYPE_CHECKING:
    from .._apiserver.storage.store import Change, Record
    from .._fake.actions import Action

__all__ = ["Wish"]

_OF_SERVER = (
    "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink",
    "deletionTimestamp", "deletionGracePeriodSeconds",
)  # fmt: skip


class Wish(Struct):
    """An object as the user wants it now.

    Attributes:
        request: the one that created it.
        value: the object, without what others have written.
        has_status: whether the user has written its status, as a controller does.
        writers: who has written it on behalf of the user, and how.
    """

    request: HttpRequest
    value: dict[str, Any]
    writers: set[tuple[str, str]]
    has_status: bool = False

    @classmethod
    def of(cls, request: HttpRequest, action: Action, record: Record) -> Wish | None:
        """The wish of a request that has created an object; None if it cannot be read."""
        body: Any = action.object
        if not is_object(body):
            return None
        value = json.decode(json.encode(body))
        # The name may be a generated one. The user goes on to use it.
        value["metadata"] = {**(value.get("metadata") or {}), "name": record.name}
        return cls(request, value, {_writer(action)})

    def change(self, action: Action, change: Change) -> None:
        """Take over what the user has changed."""
        assert change.before is not None
        assert change.after is not None
        self.value = _merged(self.value, _value(change.before), _value(change.after))
        self.has_status = self.has_status or action.subresource == "status"
        self.writers.add(_writer(action))

    @property
    def is_held(self) -> bool:
        """Whether a finalizer of the user's own holds the object."""
        return bool(self.value["metadata"].get("finalizers"))

    @property
    def path(self) -> str:
        """The path of the object."""
        path = self.request.target.partition("?")[0]
        return path if self.request.method != "POST" else f"{path}/{self.value['metadata']['name']}"

    def creation(self) -> HttpRequest:
        """The request that creates it again."""
        first = self.request
        return HttpRequest(first.method, first.target, first.headers, json.encode(self.value))

    def mentions(self, uid: str) -> bool:
        """Whether the object refers to another one."""
        return uid.encode() in json.encode(self.value)


def _writer(action: Action) -> tuple[str, str]:
    return action.patch_type, action.options.get("fieldManager", "")


def _value(record: Record) -> dict[str, Any]:
    value = record.value()
    for name in _OF_SERVER:
        value["metadata"].pop(name, None)
    return value


def _merged(mine: Any, before: Any, after: Any) -> Any:
    """Make the same change in another version of a value."""
    if before == after:
        return mine
    if mine == before:
        return after
    if mine is None:
        mine = {} if is_object(before) else [] if is_array(before) else None
    if is_object(mine) and is_object(after) and (before is None or is_object(before)):
        known = before or {}
        merged = {
            name: _merged(mine.get(name), known.get(name), after.get(name))
            for name in (*mine, *(each for each in after if each not in mine))
            if name in after or name not in known
        }
        return {name: part for name, part in merged.items() if part is not None}
    if is_array(mine) and is_array(before) and is_array(after):
        kept = [each for each in mine if each in after or each not in before]
        return kept + [each for each in after if each not in before and each not in kept]
    return after
