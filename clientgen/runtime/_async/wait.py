"""Waiting until objects are as wanted: one list, then a watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._clock import on_move, real_seconds
from .._conditions.causes import PODS, pods_of, worst_of
from .._conditions.wait_state import WaitState, waited_for
from .._http.watch import is_passing
from .._models.unstructured import Object, UnstructuredList
from ..errors import ClientError, Gone, RequestTimeout
from ._primitives import call_later, from_outside
from .pager import list_pages
from .reflector import AsyncReflector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._conditions.wait_state import Waited
    from .._models.codec import WatchEvent
    from .._models.meta_v1 import ModelList
    from .rest import AsyncRest

__all__ = ["AsyncWait", "waited_for"]

T = TypeVar("T", bound=Object)

# How long an error may be late, to tell the cause.
_CAUSE_SECONDS = 3.0
_MOST_PODS = 50


class AsyncWait(Generic[T]):
    """One wait. It survives what an informer survives, and is the sink of a reflector.

    The first request is an ordinary list, whose errors are raised. After that, only errors that
    time does not heal end the wait.

    Args:
        rest: The client for requests.
        path: The path of the collection.
        model: The class of its objects.
        list_model: The class of its lists.
        waited: What is waited for.
        options: The selectors.
        timeout: The seconds of the client's clock after which the wait fails. With 0, it looks
            once.
        on_progress: Is called with the state in words, whenever that has changed.
    """

    def __init__(
        self,
        rest: AsyncRest,
        path: str,
        model: type[T],
        list_model: type[ModelList[T]],
        waited: Waited,
        *,
        options: Mapping[str, Any],
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> None:
        if timeout is not None and not timeout >= 0:  # neither is nan
            raise ValueError(f"timeout must be 0 or a larger number of seconds, not {timeout!r}")
        self._rest = rest
        self._path = path
        self._model = model
        self._list_model = list_model
        self._options = options
        self._timeout = timeout
        self._state: WaitState[T] = WaitState(waited, on_progress)
        self._error: Exception | None = None
        self._trouble = ""
        self._reflector: AsyncReflector[T] | None = None

    async def run(self) -> list[T]:
        """Wait, and return the objects.

        Raises:
            WaitFailed: it cannot become true any more, or `fail` is true.
            WaitTimeout: it did not become true in time.
            ClientError: the server refuses to list or to watch.
        """
        state, clock = self._state, self._rest.clock
        until = None if self._timeout is None else clock.monotonic() + self._timeout
        deadline = self._rest.deadline({"timeout": self._timeout}) if self._timeout else None
        version = await self._look()
        if not state.is_over and self._timeout != 0:
            await self._follow(version, until, deadline)
        if self._error is not None:
            raise self._error
        if state.done:
            return state.objects
        causes = await self._causes(state.culprit)
        if state.failure is not None:
            raise state.failed(causes)
        raise state.timeout(self._timeout or 0.0, causes, self._trouble)

    async def _causes(self, obj: Any) -> str:
        """Say what keeps the Pods of a workload from running, if the server tells it soon."""
        found = pods_of(obj) if obj is not None else None
        if found is None:
            return ""
        namespace, selector = found
        options = {"label_selector": selector, "limit": _MOST_PODS, "timeout": _CAUSE_SECONDS}
        path = PODS.collection_path(namespace)
        try:
            pods = await list_pages(self._rest, path, UnstructuredList, options)
        except ClientError:
            return ""  # the error to come is worth more
        return worst_of(pods.items)

    async def _look(self) -> str:
        """List the objects once; returns the version of the list."""
        limit = {"timeout": self._timeout} if self._timeout else {}
        try:
            listed = await list_pages(
                self._rest, self._path, self._list_model, {**self._options, **limit}
            )
        except RequestTimeout as error:
            if not limit:
                raise
            raise self._state.timeout(limit["timeout"], trouble=str(error)) from error
        self._state.replace(listed.items)
        return listed.metadata.resource_version

    async def _follow(self, version: str, until: float | None, deadline: float | None) -> None:
        """Watch until the wait is over."""
        self._reflector = AsyncReflector(
            self._rest,
            self._path,
            self._model,
            self._list_model,
            options=self._options,
            sink=self,
            clock=self._rest.clock,
            version=version,
            deadline=deadline,
        )
        cancel_alarm = self._set_alarm(until)
        try:
            await self._reflector.run()
        finally:
            cancel_alarm()

    def _set_alarm(self, until: float | None) -> Callable[[], object]:
        """Have the wait end at a moment of the clock; returns what cancels that."""
        clock = self._rest.clock
        if until is None:
            return lambda: None
        seconds = real_seconds(clock, until)
        if seconds is not None:
            return call_later(seconds, self._give_up)
        give_up = from_outside(self._give_up)

        def moved() -> None:
            if clock.monotonic() >= until:
                give_up()

        forget = on_move(clock, moved, until)
        moved()  # it may have been moved meanwhile
        return forget

    def _give_up(self) -> None:
        """Stop at the timeout."""
        assert self._reflector is not None
        answer = self._reflector.last_answer
        if isinstance(answer, Exception):  # the state is as old as that
            self._trouble = str(answer)
        self._reflector.stop()

    # ---- the sink of a reflector --------------------------------------------------------------

    def prepare(self, obj: T) -> T:
        """Keep an object as it is."""
        return obj

    def needs_latest(self) -> bool:
        """Any list will do."""
        return False

    def reads(self, *, latest: bool) -> None:
        """Wait for what is read."""

    def replace(self, objects: list[T], version: str) -> None:  # noqa: ARG002 - the reflector's
        """Take the whole collection."""
        self._note(lambda: self._state.replace(objects))

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Take changes."""
        self._note(lambda: self._state.apply(events))

    async def failed(self, error: Exception) -> None:
        """Give up if time does not heal the error."""
        if not is_passing(error) and not isinstance(error, (Gone, RequestTimeout)):
            self._end(error)

    def _note(self, change: Callable[[], None]) -> None:
        try:
            change()
        except Exception as error:  # noqa: BLE001 - the program's condition may raise anything
            self._end(error)
        if self._state.is_over:
            self._end(None)

    def _end(self, error: Exception | None) -> None:
        self._error = self._error or error
        if self._reflector is not None:
            self._reflector.stop()
