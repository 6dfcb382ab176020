"""Waiting until objects are as wanted: one list, then a watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._cache.storage import Storage
from .._conditions.wait_state import WaitState, wait_target
from .._http.request import GET, build
from .._http.watch_progress import is_passing
from .._models.unstructured import Object
from ..errors import ClientError, Forbidden, Gone, NotFound, RequestTimeout
from ._primitives import from_outside
from .pager import list_pages
from .reflector import AsyncReflector
from .standstill_alarm import alarm_at, alarm_at_standstill
from .wait_causes import AsyncCauseTeller, cause_in_pods

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._conditions.wait_state import WaitTarget
    from .._models.meta_v1 import ModelList
    from .._models.model_codec import WatchEvent
    from .rest import AsyncRest

__all__ = ["AsyncWait", "wait_target"]

T = TypeVar("T", bound=Object)

# How long an error may be late, to find out what a 404 means.
_PROOF_SECONDS = 3.0


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
        whole: The seconds of the wait that this one is a part of, for messages.
        on_progress: Is called with the state in words, whenever that has changed; and with what
            keeps the Pods of a workload from running, from another thread if there are threads.
    """

    def __init__(
        self,
        rest: AsyncRest,
        path: str,
        model: type[T],
        list_model: type[ModelList[T]],
        waited: WaitTarget,
        *,
        options: Mapping[str, Any],
        timeout: float | None = None,
        whole: float | None = None,
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
        self._told_seconds = (whole or timeout or 0.0) if timeout else 0.0
        self._teller = AsyncCauseTeller(rest, waited.kind, on_progress, self._end)
        self._state: WaitState[T] = WaitState(waited, on_progress and self._teller.tell)
        self._error: Exception | None = None
        self._trouble = ""
        self._standstill = ""
        self._reflector: AsyncReflector[T] | None = None
        self.is_unknown = False
        """Whether the server answered the first list with a 404: it does not know the resource."""

    async def run(self) -> list[T]:
        """Wait, and return the objects.

        Raises:
            WaitFailed: it cannot become true any more, or `fail` is true.
            WaitTimeout: it did not become true in time, or nobody moves the FakeClock.
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
        causes = await cause_in_pods(self._rest, state.blamed_object)
        if state.failure is not None:
            raise state.failed_error(causes)
        if self._standstill:
            raise state.standstill_timeout(self._standstill, causes, self._trouble)
        raise state.timeout(self._told_seconds, causes, self._trouble)

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
            raise self._state.timeout(self._told_seconds, trouble=str(error)) from error
        except NotFound:
            self.is_unknown = True
            if not await self._is_gone():
                raise
            self._state.replace([])
            return ""
        self._state.replace(listed.items)
        return listed.metadata.resource_version

    async def _is_gone(self) -> bool:
        """Tell whether a 404 for the collection is what is waited for.

        The objects of a CustomResourceDefinition go with it. Whatever else answers at a wrong
        address with 404 has no API groups.
        """
        if self._state.waited.until.on_absence is not True:
            return False
        deadline = self._rest.deadline({"timeout": _PROOF_SECONDS})
        try:
            await self._rest.send(build("GET", "/apis", {}, GET), deadline)
        except Forbidden:
            return True  # an API server says so
        except ClientError:
            return False
        return True

    async def _follow(self, version: str, until: float | None, deadline: float | None) -> None:
        """Watch until the wait is over."""
        self._reflector = AsyncReflector(
            self._rest,
            self._path,
            Storage(self._model, self._list_model),
            options=self._options,
            sink=self,
            clock=self._rest.clock,
            version=version,
            deadline=deadline,
        )
        cancel_alarm = self._set_alarm(until)
        give_up = from_outside(self._give_up)

        def stands_still(why: str) -> None:
            self._standstill = why
            give_up()

        watch_no_more = alarm_at_standstill(self._rest.clock, stands_still)
        self._teller.begin(self._state)
        try:
            await self._reflector.run()
        finally:
            watch_no_more()
            cancel_alarm()
            await self._teller.end()

    def _set_alarm(self, until: float | None) -> Callable[[], object]:
        """Have the wait end at a moment of the clock; returns what cancels that."""
        if until is None:
            return lambda: None
        return alarm_at(self._rest.clock, until, self._give_up)

    def _give_up(self) -> None:
        """Stop at the timeout."""
        assert self._reflector is not None
        answer = self._reflector.last_answer
        if isinstance(answer, Exception):  # the state is as old as that
            self._trouble = str(answer)
        self._reflector.stop()

    # ---- the sink of a reflector --------------------------------------------------------------

    prepare = None  # objects are kept as they are

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
        if isinstance(error, NotFound) and await self._is_gone():
            self._note(lambda: self._state.replace([]))
        elif not is_passing(error) and not isinstance(error, (Gone, RequestTimeout)):
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
