"""The objects that a controller is for, from the first event of an object until it is gone.

Timers, polls and daemons follow these objects. An object that is deleted and created again under
the same name is another object: its uid differs. Nothing here waits.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .change_predicates import generation_changed, resource_version_changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from .predicates import Event
    from .reconcile_loop import Request

logger = logging.getLogger("clientgen.runtime.controllers")


class ObjectKey(NamedTuple):
    """One object: its name, and the uid that no other object of that name has."""

    request: Request
    uid: str

    def __str__(self) -> str:
        return str(self.request)


class ObjectObserver(Protocol):
    """Is told about the objects of `for_`, before predicates filter the events."""

    def observe(self, event: Event[Any], request: Request) -> None:
        """Take note of an event of an object."""
        ...

    def forget(self, matches: Callable[[ObjectKey], bool]) -> None:
        """Forget the objects that are no longer watched."""
        ...


class Follower(Protocol):
    """Does something for each object while the object exists."""

    def began(self, key: ObjectKey, obj: Any, /) -> None:
        """Begin to follow an object."""
        ...

    def changed(self, key: ObjectKey) -> None:
        """Take note that the desired state of an object has changed."""
        ...

    def ended(self, key: ObjectKey) -> None:
        """Stop following an object: it is gone, or `when` does not hold any more."""
        ...


class _Followed:
    """A follower, and the objects that it follows now."""

    def __init__(self, follower: Follower, when: Callable[[Any], bool] | None) -> None:
        self._follower = follower
        self._when = when
        self._keys: set[ObjectKey] = set()

    def saw(self, key: ObjectKey, obj: Any, *, has_changed: bool) -> None:
        """Take note of the newest state of an object."""
        is_wanted = self._is_wanted(key, obj)
        if is_wanted and key not in self._keys:
            self._keys.add(key)
            self._follower.began(key, obj)
        elif is_wanted and has_changed:
            self._follower.changed(key)
        elif not is_wanted:
            self.lost(key)

    def lost(self, key: ObjectKey) -> None:
        """Take note that an object is gone."""
        if key in self._keys:
            self._keys.remove(key)
            self._follower.ended(key)

    def _is_wanted(self, key: ObjectKey, obj: Any) -> bool:
        if self._when is None:
            return True
        try:
            return bool(self._when(obj))
        except Exception:
            logger.exception("%s: when=%r failed, nothing begins or ends", key, self._when)
            return key in self._keys


class ObjectTracker:
    """Tells its followers which objects exist."""

    def __init__(self) -> None:
        self._uids: dict[Request, str] = {}
        self._followed: list[_Followed] = []

    def __len__(self) -> int:
        return len(self._uids)

    def add(self, follower: Follower, when: Callable[[Any], bool] | None) -> None:
        """Add a follower for the objects for which `when` returns true; None for all objects."""
        self._followed.append(_Followed(follower, when))

    def observe(self, event: Event[Any], request: Request) -> None:
        """Take note of an event."""
        uid: str = event.object.metadata.uid
        known = self._uids.get(request)
        if event.new is None:
            if known == uid:  # otherwise the object was created again since
                self._lose(request)
            return
        if known is not None and known != uid:
            self._lose(request)
        self._uids[request] = uid
        has_changed = known == uid and is_change(event)
        for each in self._followed:
            each.saw(ObjectKey(request, uid), event.new, has_changed=has_changed)

    def forget(self, matches: Callable[[ObjectKey], bool]) -> None:
        """Stop following the objects that match."""
        keys = [ObjectKey(request, uid) for request, uid in self._uids.items()]
        for key in keys:
            if matches(key):
                self._lose(key.request)

    def _lose(self, request: Request) -> None:
        key = ObjectKey(request, self._uids.pop(request))
        for each in self._followed:
            each.lost(key)


def is_change(event: Event[Any]) -> bool:
    """Return whether an update changed the desired state of an object.

    A kind without a generation has no status, so each new version of its objects is a change.
    """
    return event.kind == "update" and generation_changed(event) and resource_version_changed(event)
