"""The state of a wait: the objects seen so far, and whether the wait is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from ..errors import WaitFailed, WaitTimeout
from .checks import Check, as_check
from .verdict import NO_OBJECT, Verdict, met

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._models.model_codec import WatchEvent

T = TypeVar("T")

_Key = tuple[str, str]


class WaitTarget(Struct, frozen=True):
    """The target of a wait.

    Attributes:
        kind: The kind of the objects.
        where: The namespace and name of the object, or the selectors, for messages.
        until: The check that has to become true.
        fail: The check that ends the wait with an error.
        is_one: Whether the target is a single object by name.
        uid: The uid of the object; empty if any object with the name counts.
    """

    kind: str
    where: str
    until: Check[Any]
    fail: Check[Any] | None = None
    is_one: bool = True
    uid: str = ""

    def includes(self, obj: Any) -> bool:
        """Return whether an object belongs to the target. Servers may ignore field selectors."""
        namespace, name = _key(obj)
        return not self.is_one or self.where == (f"{namespace}/{name}" if namespace else name)

    def __str__(self) -> str:
        if self.is_one:
            return f"{self.kind} {self.where}"
        return f"every {self.kind}{f' {self.where}' if self.where else ''}"


def wait_target(
    kind: str,
    where: str,
    until: Callable[[T], object],
    fail: Callable[[T], object] | None = None,
    *,
    is_one: bool = True,
    uid: str = "",
) -> WaitTarget:
    """Create a target from conditions or functions of the object.

    Raises:
        TypeError: `until` or `fail` is neither a check nor a function.
    """
    bad = None if fail is None else as_check(fail)
    return WaitTarget(kind, where, as_check(until), bad, is_one=is_one, uid=uid)


class _Entry(Struct):
    """The last state of an object, and the verdict on it."""

    object: Any
    verdict: Verdict
    is_gone: bool = False


class WaitState(Generic[T]):
    """The state of a wait. The wait is over when it is `done`, or when `failure` is an error.

    For most checks, all existing objects have to meet the check at the same moment, and at least
    one object has to exist; objects may be added and deleted meanwhile. For checks that are true
    for missing objects, such as `deleted`, only the objects of the first list count, by their uid.

    Args:
        waited: The target of the wait.
        on_progress: Called with a description of the state whenever it has changed.
    """

    def __init__(
        self, waited: WaitTarget, on_progress: Callable[[str], object] | None = None
    ) -> None:
        self.waited = waited
        self.failure: WaitFailed | None = None
        self.done = False
        self._on_progress = on_progress
        self._entries: dict[_Key, _Entry] = {}
        self._unmet: set[_Key] = set()
        self._is_begun = False
        self._reported = ""

    @property
    def is_over(self) -> bool:
        """Whether the wait has succeeded or failed."""
        return self.done or self.failure is not None

    @property
    def objects(self) -> list[T]:
        """The last states of the objects, including deleted ones if the check allows deletion."""
        return [entry.object for entry in self._entries.values()]

    def replace(self, objects: Iterable[T]) -> None:
        """Replace the state by a complete list of the objects."""
        present = {_key(obj): obj for obj in objects if self.waited.includes(obj)}
        for key in [key for key in self._entries if key not in present]:
            self._remove(key)
        for key, obj in present.items():
            self._update(key, obj)
        if self.waited.is_one and not present and not self._is_begun:
            self._fail_if_absent(None)
        self._is_begun = True
        self._update_done()

    def apply(self, events: Iterable[WatchEvent[Any]]) -> None:
        """Apply watch events one by one: a check that is true for a moment ends the wait."""
        for event in events:
            if self.is_over:
                return
            if event.type != "BOOKMARK" and not self.waited.includes(event.object):
                continue
            if event.type == "DELETED":
                self._remove(_key(event.object))
            elif event.type in {"ADDED", "MODIFIED"}:
                self._update(_key(event.object), event.object)
            else:
                continue
            self._update_done()

    @property
    def blamed_object(self) -> T | None:
        """The object that has failed the wait, or is not ready; None without such an object."""
        obj: T | None = self.last[0] if self.failure is None else self.failure.object
        return obj

    def failed_error(self, causes: str) -> WaitFailed:
        """Return the error of a failed wait. `causes` describes other objects, such as Pods."""
        assert self.failure is not None
        if not causes:
            return self.failure
        return WaitFailed(f"{self.failure}; {causes}", self.failure.object)

    def timeout(self, seconds: float, causes: str = "", trouble: str = "") -> WaitTimeout:
        """Return the error of a wait that took too long.

        Args:
            seconds: The duration of the wait; 0 if the objects were read once.
            causes: A description of other objects, such as Pods, that explains the state.
            trouble: The last error of reading from the server; empty without an error.
        """
        obj, why = self.last
        words = "; ".join(each for each in (why, causes, trouble) if each)
        what = f"{self.waited}: {self.waited.until!r} is not true{_after(seconds)}"
        return WaitTimeout(f"{what}: {words}", obj)

    def standstill_timeout(self, why: str, causes: str, trouble: str) -> WaitTimeout:
        """Return the error of a wait whose FakeClock has not moved.

        `timeout` explains the arguments.
        """
        obj, state = self.last
        words = "; ".join(each for each in (state, causes, trouble, why) if each)
        return WaitTimeout(f"{self.waited}: {self.waited.until!r} is not true: {words}", obj)

    @property
    def last(self) -> tuple[Any, str]:
        """The first object that does not meet the check, and a description of its state."""
        # In the order of the server's list. A copy, because another thread may call this.
        for key, entry in list(self._entries.items()):
            if key in self._unmet:
                return entry.object, self._with_name(key, entry.verdict.why)
        if not self._is_begun:
            return None, "its state was not read yet"
        return None, NO_OBJECT if self.waited.is_one else "no such object exists"

    # ---- one object ---------------------------------------------------------------------------

    @property
    def _allows_absence(self) -> bool:
        return self.waited.until.on_absence is True

    def _update(self, key: _Key, obj: Any) -> None:
        entry = self._entries.get(key)
        if self._allows_absence and self._is_new_object(obj, entry):
            if entry is not None:
                self._remove(key)
            return
        verdict = self.waited.until.check(obj)
        self._entries[key] = _Entry(obj, verdict)
        if verdict.met:
            self._unmet.discard(key)
        else:
            self._unmet.add(key)
        self._fail_if_bad(key, obj, verdict)

    def _is_new_object(self, obj: Any, entry: _Entry | None) -> bool:
        """Return whether an object is new. The wait is not for the deletion of new objects."""
        uid: str = obj.metadata.uid
        if entry is not None:
            return entry.is_gone or uid != entry.object.metadata.uid
        return self._is_begun or bool(self.waited.uid and uid != self.waited.uid)

    def _remove(self, key: _Key) -> None:
        entry = self._entries.get(key)
        if entry is None or entry.is_gone:
            return
        self._unmet.discard(key)
        if self._allows_absence:
            self._entries[key] = _Entry(entry.object, met(NO_OBJECT), is_gone=True)
        else:
            del self._entries[key]
        self._fail_if_absent(entry.object)

    # ---- all objects --------------------------------------------------------------------------

    def _update_done(self) -> None:
        if self.is_over:
            return
        self.done = not self._unmet and bool(self._entries or self._allows_absence)
        self._report_progress()

    def _fail_if_bad(self, key: _Key, obj: Any, verdict: Verdict) -> None:
        if verdict.met or self.failure is not None:
            return
        if verdict.failed:
            why = f"{self.waited.until!r} cannot become true: {self._with_name(key, verdict.why)}"
            self.failure = WaitFailed(f"{self.waited}: {why}", obj)
        elif self.waited.fail is not None:
            bad = self.waited.fail.check(obj)
            if bad.met:
                why = f"{self.waited.fail!r} is true: {self._with_name(key, bad.why)}"
                self.failure = WaitFailed(f"{self.waited}: {why}", obj)

    def _fail_if_absent(self, obj: Any) -> None:
        fail = self.waited.fail
        if (
            self.failure is None
            and fail is not None
            and fail.on_absence
            and not self._allows_absence
        ):
            why = "it was deleted" if obj is not None else NO_OBJECT
            why = why if obj is None else self._with_name(_key(obj), why)
            self.failure = WaitFailed(f"{self.waited}: {fail!r} is true: {why}", obj)

    def _with_name(self, key: _Key, why: str) -> str:
        """Add the name of the object to a description, if the wait is for several objects."""
        return (
            why
            if self.waited.is_one
            else f"{self.waited.kind} {'/'.join(filter(None, key))}: {why}"
        )

    def _report_progress(self) -> None:
        if self._on_progress is None:
            return
        words = self._state()
        if words != self._reported:
            self._reported = words
            self._on_progress(words)

    def _state(self) -> str:
        if self.waited.is_one:
            for entry in self._entries.values():
                return entry.verdict.why
            return NO_OBJECT
        total, done = len(self._entries), len(self._entries) - len(self._unmet)
        if self.done or not total:
            return f"{done} of {total} objects are done"
        return f"{done} of {total} objects are done; {self.last[1]}"


def _after(seconds: float) -> str:
    if not seconds:
        return ""
    digits = f"{round(seconds, 1):g}" if seconds >= 1 else f"{seconds:.2g}"
    return f" after {digits} s"


def _key(obj: Any) -> _Key:
    return obj.metadata.namespace, obj.metadata.name
