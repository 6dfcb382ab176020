"""Values that a program keeps per object, in memory. They go with the object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from .object_tracking import ObjectKey

if TYPE_CHECKING:
    from .predicates import Event
    from .reconcile_loop import Request

M = TypeVar("M")

Values: TypeAlias = dict[Callable[..., Any], Any]
"""The values of one object, by the functions that created them."""


class Memos:
    """The values of all objects of a controller. Only objects that have values take memory."""

    def __init__(self) -> None:
        self._values: dict[Request, tuple[str, Values]] = {}

    def __len__(self) -> int:
        """Return the number of objects that have values."""
        return len(self._values)

    def of(self, key: ObjectKey) -> Values:
        """Return the values of an object, which may be added to."""
        uid, values = self._values.get(key.request, ("", {}))
        if uid != key.uid:
            values = {}
            self._values[key.request] = (key.uid, values)
        return values

    def drop(self, key: ObjectKey) -> None:
        """Forget the values of an object that is gone."""
        if self._values.get(key.request, ("", {}))[0] == key.uid:
            del self._values[key.request]

    def observe(self, event: Event[Any], request: Request) -> None:
        """Forget the values of an object that was deleted, or that another object replaced."""
        gone = event.old
        if gone is not None and (event.new is None or event.new.metadata.uid != gone.metadata.uid):
            self.drop(ObjectKey(request, gone.metadata.uid))

    def forget(self, matches: Callable[[ObjectKey], bool]) -> None:
        """Forget the values of objects that are no longer watched."""
        keys = [ObjectKey(request, uid) for request, (uid, _) in self._values.items()]
        for key in keys:
            if matches(key):
                del self._values[key.request]


def memo_in(values: Values, factory: Callable[[], M]) -> M:
    """Return the value that a function created for an object, creating it if it is missing."""
    if factory not in values:  # a daemon may create the same value meanwhile: the first one counts
        values.setdefault(factory, factory())
    return cast("M", values[factory])
