"""State of a wait: what is known of the objects, and whether it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from ..errors import WaitFailed, WaitTimeout
from .checks import Check, as_check
from .verdict import NO_OBJECT, Verdict, met

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._models.model_codec import WatchEvent

__all__ = ["WaitState", "Waited", "waited_for"]

T = TypeVar("T")

_Key = tuple[str, str]


class Waited(Struct, frozen=True):
    """What is waited for.

    Attributes:
        kind: The kind of the objects.
        where: The namespace and name of the object, or the selectors, for messages.
        until: What has to become true.
        fail: What ends the wait with an error.
        is_one: Whether it is about one object by its name.
        uid: The uid of the object, if only that object counts.
    """

    kind: str
    where: str
    until: Check[Any]
    fail: Check[Any] | None = None
    is_one: bool = True
    uid: str = ""

    def includes(self, obj: Any) -> bool:
        """Tell whether an object is meant. Servers may send others, if they ignore selectors."""
        namespace, name = _key(obj)
        return not self.is_one or self.where == (f"{namespace}/{name}" if namespace else name)

    def __str__(self) -> str:
        if self.is_one:
            return f"{self.kind} {self.where}"
        return f"every {self.kind}{f' {self.where}' if self.where else ''}"


def waited_for(
    kind: str,
    where: str,
    until: Callable[[T], object],
    fail: Callable[[T], object] | None = None,
    *,
    is_one: bool = True,
    uid: str = "",
) -> Waited:
    """Describe what is waited for, by conditions or functions of the object.

    Raises:
        TypeError: `until` or `fail` is neither.
    """
    bad = None if fail is None else as_check(fail)
    return Waited(kind, where, as_check(until), bad, is_one=is_one, uid=uid)


class _Entry(Struct):
    """What is known of an object."""

    object: Any
    verdict: Verdict
    is_gone: bool = False


class WaitState(Generic[T]):
    """What a wait knows. It is over when it is `done`, or when `failure` is an error.

    Where an object has to be there, all objects that exist have to be as wanted at one moment, and
    there has to be one at least; objects come and go meanwhile. Where the lack of an object is as
    good, as for `deleted`, only those count that were there at first: they are known by their uid.

    Args:
        waited: what is waited for.
        on_progress: is called with the state in words, whenever that has changed.
    """

    def __init__(self, waited: Waited, on_progress: Callable[[str], object] | None = None) -> None:
        self.waited = waited
        self.failure: WaitFailed | None = None
        self.done = False
        self._on_progress = on_progress
        self._entries: dict[_Key, _Entry] = {}
        self._open: set[_Key] = set()
        self._is_begun = False
        self._told = ""

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to wait for."""
        return self.done or self.failure is not None

    @property
    def objects(self) -> list[T]:
        """The last state of the objects. Of those that are gone, too, if that is as good."""
        return [entry.object for entry in self._entries.values()]

    def replace(self, objects: Iterable[T]) -> None:
        """Take the whole collection as it is now."""
        present = {_key(obj): obj for obj in objects if self.waited.includes(obj)}
        for key in [key for key in self._entries if key not in present]:
            self._remove(key)
        for key, obj in present.items():
            self._take(key, obj)
        if self.waited.is_one and not present and not self._is_begun:
            self._fail_if_absent(None)
        self._is_begun = True
        self._decide()

    def apply(self, events: Iterable[WatchEvent[Any]]) -> None:
        """Take changes, one after the other: what is true for a moment is true."""
        for event in events:
            if self.is_over:
                return
            if event.type != "BOOKMARK" and not self.waited.includes(event.object):
                continue
            if event.type == "DELETED":
                self._remove(_key(event.object))
            elif event.type in {"ADDED", "MODIFIED"}:
                self._take(_key(event.object), event.object)
            else:
                continue
            self._decide()

    @property
    def culprit(self) -> T | None:
        """The object that the error is about, if there is one."""
        obj: T | None = self.last[0] if self.failure is None else self.failure.object
        return obj

    def failed(self, causes: str) -> WaitFailed:
        """Make the error of a wait that has failed; `causes` are those in other objects."""
        assert self.failure is not None
        if not causes:
            return self.failure
        return WaitFailed(f"{self.failure}; {causes}", self.failure.object)

    def timeout(self, seconds: float, causes: str = "", trouble: str = "") -> WaitTimeout:
        """Make the error of a wait that took too long.

        Args:
            seconds: how long it took; 0 if it was looked at once.
            causes: why the object is as it is, from other objects.
            trouble: why nothing newer is known, if the server could not be read.
        """
        obj, why = self.last
        words = "; ".join(each for each in (why, causes, trouble) if each)
        what = f"{self.waited}: {self.waited.until!r} is not true{_after(seconds)}"
        return WaitTimeout(f"{what}: {words}", obj)

    def stood_still(self, why: str, causes: str, trouble: str) -> WaitTimeout:
        """Make the error of a wait whose clock nobody moves; the arguments are as above."""
        obj, state = self.last
        words = "; ".join(each for each in (state, causes, trouble, why) if each)
        return WaitTimeout(f"{self.waited}: {self.waited.until!r} is not true: {words}", obj)

    @property
    def last(self) -> tuple[Any, str]:
        """The object that is not yet as wanted, and its state in words."""
        # In the order of the server's list. Another thread may ask.
        for key, entry in list(self._entries.items()):
            if key in self._open:
                return entry.object, self._named(key, entry.verdict.why)
        if not self._is_begun:
            return None, "nothing is known of it"
        return None, NO_OBJECT if self.waited.is_one else "there is none"

    # ---- one object ---------------------------------------------------------------------------

    @property
    def _may_be_gone(self) -> bool:
        return self.waited.until.on_absence is True

    def _take(self, key: _Key, obj: Any) -> None:
        entry = self._entries.get(key)
        if self._may_be_gone and self._is_another(obj, entry):
            if entry is not None:
                self._remove(key)
            return
        verdict = self.waited.until.check(obj)
        self._entries[key] = _Entry(obj, verdict)
        if verdict.met:
            self._open.discard(key)
        else:
            self._open.add(key)
        self._fail_if_bad(key, obj, verdict)

    def _is_another(self, obj: Any, entry: _Entry | None) -> bool:
        """Tell whether it is not among the objects that the wait is about."""
        uid: str = obj.metadata.uid
        if entry is not None:
            return entry.is_gone or uid != entry.object.metadata.uid
        return self._is_begun or bool(self.waited.uid and uid != self.waited.uid)

    def _remove(self, key: _Key) -> None:
        entry = self._entries.get(key)
        if entry is None or entry.is_gone:
            return
        self._open.discard(key)
        if self._may_be_gone:
            self._entries[key] = _Entry(entry.object, met(NO_OBJECT), is_gone=True)
        else:
            del self._entries[key]
        self._fail_if_absent(entry.object)

    # ---- all of them --------------------------------------------------------------------------

    def _decide(self) -> None:
        if self.is_over:
            return
        self.done = not self._open and bool(self._entries or self._may_be_gone)
        self._tell()

    def _fail_if_bad(self, key: _Key, obj: Any, verdict: Verdict) -> None:
        if verdict.met or self.failure is not None:
            return
        if verdict.failed:
            why = f"{self.waited.until!r} cannot become true: {self._named(key, verdict.why)}"
            self.failure = WaitFailed(f"{self.waited}: {why}", obj)
        elif self.waited.fail is not None:
            bad = self.waited.fail.check(obj)
            if bad.met:
                why = f"{self.waited.fail!r} is true: {self._named(key, bad.why)}"
                self.failure = WaitFailed(f"{self.waited}: {why}", obj)

    def _fail_if_absent(self, obj: Any) -> None:
        fail = self.waited.fail
        if self.failure is None and fail is not None and fail.on_absence and not self._may_be_gone:
            why = "it was deleted" if obj is not None else NO_OBJECT
            why = why if obj is None else self._named(_key(obj), why)
            self.failure = WaitFailed(f"{self.waited}: {fail!r} is true: {why}", obj)

    def _named(self, key: _Key, why: str) -> str:
        """Say of which object it is, where there may be several."""
        return (
            why
            if self.waited.is_one
            else f"{self.waited.kind} {'/'.join(filter(None, key))}: {why}"
        )

    def _tell(self) -> None:
        if self._on_progress is None:
            return
        words = self._state()
        if words != self._told:
            self._told = words
            self._on_progress(words)

    def _state(self) -> str:
        if self.waited.is_one:
            for entry in self._entries.values():
                return entry.verdict.why
            return NO_OBJECT
        total, done = len(self._entries), len(self._entries) - len(self._open)
        if self.done or not total:
            return f"{done} of {total} are as wanted"
        return f"{done} of {total} are as wanted; {self.last[1]}"


def _after(seconds: float) -> str:
    if not seconds:
        return ""
    digits = f"{round(seconds, 1):g}" if seconds >= 1 else f"{seconds:.2g}"
    return f" after {digits} s"


def _key(obj: Any) -> _Key:
    return obj.metadata.namespace, obj.metadata.name
