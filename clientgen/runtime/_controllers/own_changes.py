"""Decides whether an event tells a reconciliation nothing but what it has written itself.

Nothing of this depends on the time, or on the order of a response and its event. An event shows an
own write only if both hold:

- The object of the event is the one in the response to the write: uid, resourceVersion, contents.
- From the old object of the event to the new one, nothing has changed but values that the request
  contained. If the request had a resourceVersion as a precondition, it is enough that the old
  object has this version: then no other write came between.

The second condition is needed, because the steps of several writes may be merged into one event (a
relist, a compaction), and because a write without an effect returns the state that somebody else
has written. A change that the server makes on its own, such as a default, is not explained by the
request, so that its event counts as foreign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from msgspec import MsgspecError, json

from .._http.patches import MergePatch
from .._models.base import ModelBase
from .._models.decoder import to_dict
from .._models.model_info import known_model
from .._models.unstructured import Unstructured
from ..errors import ClientError

if TYPE_CHECKING:
    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .predicates import Event

_CREATED: Final = 201
_MISSING: Final = object()
# The members of which one tells which item of a list is which, in lists of Kubernetes.
_IDENTITIES: Final = ("uid", "type", "name", "key", "ip", "containerPort", "port", "mountPath")
# Longer lists are compared as a whole.
_MAX_COMPARED_ITEMS: Final = 100


class OwnWrite(NamedTuple):
    """A write of a reconciliation, and its response."""

    uid: str
    version: str
    """The resourceVersion in the response."""
    base: str
    """The resourceVersion that was the precondition of the write; empty without one."""
    is_create: bool
    sent: object
    """The body of the request, as plain data; None if there was a precondition."""
    merges_lists: bool
    """Whether lists in the request are merged item by item, rather than replaced."""
    body: bytes
    codec: Codec

    def answer_as(self, kind: type[Any]) -> dict[str, Any]:
        """Return the object in the response as plain data, as it looks in a cache of a class."""
        model: Any = known_model(kind) if issubclass(kind, ModelBase) else kind
        return _contents(self.codec.decode(self.body, model))


def read_write(request: HttpRequest, response: HttpResponse, codec: Codec) -> OwnWrite | None:
    """Return a write with its response; None if its event cannot be recognized, or will not come.

    Operations of a JSON patch do not tell values, and a PUT sends values that others have written,
    so both need a precondition.
    """
    codec = codec.for_answer(response.headers)
    try:
        sent: object = json.decode(request.body or b"")
        obj = codec.decode(response.body, Unstructured)
    except (ClientError, MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    metadata = obj.metadata
    base, version = _precondition(sent), metadata.resource_version
    is_create = response.status == _CREATED
    is_partial = request.method == "PATCH" and isinstance(sent, dict)
    if not (metadata.uid and version) or not (base or is_create or is_partial):
        return None
    if base:
        sent = None  # only `base` is compared then
    merges_lists = ("Content-Type", MergePatch.content_type) not in request.headers
    return OwnWrite(
        metadata.uid, version, base, is_create, sent, merges_lists, response.body, codec
    )


def _precondition(sent: object) -> str:
    """Return the resourceVersion that the body of a request demands; empty without one."""
    found: object = None
    if isinstance(sent, dict):
        metadata: object = cast("dict[str, object]", sent).get("metadata")
        if isinstance(metadata, dict):
            found = cast("dict[str, object]", metadata).get("resourceVersion")
    elif isinstance(sent, list):
        for operation in cast("list[object]", sent):
            if isinstance(operation, dict):
                test = cast("dict[str, object]", operation)
                if test.get("op") == "test" and test.get("path") == "/metadata/resourceVersion":
                    found = test.get("value")
    return found if isinstance(found, str) else ""


def shows_own_write(event: Event[Any], write: OwnWrite) -> bool:
    """Return whether an event shows a write, and no change of anybody else.

    Args:
        event: An add or an update.
        write: The write whose response had the uid and the version of the new object.
    """
    old, new = event.old, event.object
    try:
        after = _contents(new)
        if after != write.answer_as(new.__class__):
            return False  # the server was restored from a backup, or the cache transforms objects
        if old is None:
            return write.is_create
        if write.base:
            return bool(write.base == old.metadata.resource_version)
        return _explains(write.sent, _contents(old), after, merges_lists=write.merges_lists)
    except (ClientError, ValueError, TypeError, RecursionError):
        return False  # it cannot be compared


def _contents(obj: object) -> dict[str, Any]:
    """Return an object as plain data, without what each write changes.

    Items of lists have no apiVersion and kind.
    """
    contents = to_dict(obj)
    contents.pop("apiVersion", None)
    contents.pop("kind", None)
    metadata: dict[str, Any] = contents.get("metadata") or {}
    for name in ("resourceVersion", "managedFields"):
        metadata.pop(name, None)
    return contents


def _explains(
    sent: object, before: dict[str, Any], after: dict[str, Any], *, merges_lists: bool
) -> bool:
    """Return whether all differences of two states of an object are values of a request."""
    names = before.keys() | after.keys()
    changed = {each for each in names if before.get(each) != after.get(each)}
    generations = [each.get("metadata", {}).pop("generation", None) for each in (before, after)]
    if generations[0] != generations[1] and changed <= {"metadata", "status"}:
        return False  # something else has changed, which the cache does not have
    return _is_explained(before, after, sent, merges_lists=merges_lists)


def _is_explained(old: object, new: object, sent: object, *, merges_lists: bool) -> bool:
    """Return whether a request explains the step from an old value to a new one."""
    if old == new or sent is _MISSING:
        return old == new
    if new is _MISSING:
        return sent is None  # a merge patch deletes with null
    if isinstance(new, dict) and isinstance(sent, dict):
        before = cast("dict[str, Any]", old) if isinstance(old, dict) else {}
        return _are_members_explained(
            before, cast("Any", new), cast("Any", sent), merges_lists=merges_lists
        )
    if merges_lists and isinstance(new, list) and isinstance(sent, list):
        items: list[Any] = cast("Any", old) if isinstance(old, list) else []
        return _are_items_explained(items, cast("Any", new), cast("Any", sent))
    return new == sent


def _are_members_explained(
    old: dict[str, Any], new: dict[str, Any], sent: dict[str, Any], *, merges_lists: bool
) -> bool:
    """Return whether each member was changed as sent, and none was removed by others."""
    return all(
        _is_explained(
            *(each.get(name, _MISSING) for each in (old, new, sent)), merges_lists=merges_lists
        )
        for name in old.keys() | new.keys()
    )


def _are_items_explained(old: list[Any], new: list[Any], sent: list[Any]) -> bool:
    """Return whether items were added or changed as sent, and none was removed."""
    if max(len(old), len(new), len(sent)) > _MAX_COMPARED_ITEMS:
        return False
    left = [each for each in old if each not in new]
    for item in new:
        if item in old:
            continue
        same = next((each for each in left if _is_same_item(each, item)), _MISSING)
        if not any(_is_explained(same, item, each, merges_lists=True) for each in sent):
            return False
        if same is not _MISSING:
            left.remove(same)
    return not left


def _is_same_item(one: object, other: object) -> bool:
    """Return whether two items of lists are states of the same item."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    first, second = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
    name = next((each for each in _IDENTITIES if each in first), None)
    return name is not None and first[name] == second.get(name, _MISSING)
