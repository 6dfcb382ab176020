"""Waits until a condition is true for objects, with a list and then a watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._cache.fill import Fill
from .._cache.storage import Storage
from .._conditions.wait_state import WaitState, wait_target
from .._http.request import GET, build
from .._http.watch_progress import is_passing
from .._models.unstructured import Object
from ..errors import ClientError, Forbidden, Gone, NotFound, RequestTimeout
from ._primitives import from_any_thread
from .pager import list_pages
from .reflector import AsyncReflector
from .standstill_alarm import alarm_at, alarm_at_standstill
from .wait_causes import AsyncProgressReporter, cause_in_pods

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._conditions.wait_state import WaitTarget
    from .._models.meta_v1 import ModelList
    from .._models.model_codec import WatchEvent
    from .rest import AsyncRest

__all__ = ["AsyncWait", "wait_target"]

T = TypeVar("T", bound=Object)

# How long an error may be delayed to check the meaning of a 404.
_PROOF_TIMEOUT_SECONDS = 3.0


class AsyncWait(Generic[T]):
    """One wait. It is the sink of a reflector, and retries after the same errors as an informer.

    The first request is an ordinary list, whose errors are raised. After that, temporary errors are
    retried, and other errors end the wait.

    Args:
        rest: The client for requests.
        path: The path of the collection.
        model: The class of its objects.
        list_model: The class of its lists.
        waited: The target of the wait.
        options: The selectors.
        timeout: The seconds of the client's clock after which the wait fails. 0 checks once.
        whole: The seconds of a wait for several targets, for messages.
        on_progress: Called with a description of the state whenever it has changed, and with the
            reasons why the Pods of a workload do not run. In `_sync`, it may be called from another
            thread.
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
        if timeout is not None and not timeout >= 0:  # rejects NaN, too
            raise ValueError(f"timeout must be 0 or a larger number of seconds, not {timeout!r}")
        self._rest = rest
        self._path = path
        self._model = model
        self._list_model = list_model
        self._options = options
        self._timeout = timeout
        self._shown_seconds = (whole or timeout or 0.0) if timeout else 0.0
        self._reporter = AsyncProgressReporter(rest, waited.kind, on_progress, self._end_wait)
        self._state: WaitState[T] = WaitState(waited, on_progress and self._reporter.report)
        self._error: Exception | None = None
        self._trouble = ""
        self._standstill = ""
        self._reflector: AsyncReflector[T] | None = None
        self.is_unknown = False
        """Whether the server answered the first list with a 404, so the resource does not exist."""

    async def run(self) -> list[T]:
        """Wait, and return the objects. On cancellation, the watch is closed.

        Raises:
            WaitFailed: the condition cannot become true any more, or `fail` is true.
            WaitTimeout: the condition did not become true in time, or the FakeClock stands still.
            ClientError: the server refuses the list or the watch.
        """
        state, clock = self._state, self._rest.clock
        until = None if self._timeout is None else clock.monotonic() + self._timeout
        deadline = self._rest.deadline({"timeout": self._timeout}) if self._timeout else None
        version = await self._list_once()
        if not state.is_over and self._timeout != 0:
            await self._watch(version, until, deadline)
        if self._error is not None:
            raise self._error
        if state.done:
            return state.objects
        causes = await cause_in_pods(self._rest, state.blamed_object)
        if state.failure is not None:
            raise state.failed_error(causes)
        if self._standstill:
            raise state.standstill_timeout(self._standstill, causes, self._trouble)
        raise state.timeout(self._shown_seconds, causes, self._trouble)

    async def _list_once(self) -> str:
        """List the objects once. Returns the resource version of the list."""
        limit = {"timeout": self._timeout} if self._timeout else {}
        try:
            listed = await list_pages(
                self._rest, self._path, self._list_model, {**self._options, **limit}
            )
        except RequestTimeout as error:
            if not limit:
                raise
            raise self._state.timeout(self._shown_seconds, trouble=str(error)) from error
        except NotFound:
            self.is_unknown = True
            if not await self._is_kind_deleted():
                raise
            self._state.replace([])
            return ""
        self._state.replace(listed.items)
        return listed.metadata.resource_version

    async def _is_kind_deleted(self) -> bool:
        """Return whether a 404 for the collection means that the objects are deleted.

        Custom objects are deleted with their CustomResourceDefinition. But a server that is not an
        API server answers 404, too: such a server does not serve `/apis`.
        """
        if self._state.waited.until.on_absence is not True:
            return False
        deadline = self._rest.deadline({"timeout": _PROOF_TIMEOUT_SECONDS})
        try:
            await self._rest.send(build("GET", "/apis", {}, GET), deadline)
        except Forbidden:
            return True  # only an API server refuses `/apis`
        except ClientError:
            return False
        return True

    async def _watch(self, version: str, until: float | None, deadline: float | None) -> None:
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
        end = from_any_thread(self._end_at_timeout)

        def on_standstill(why: str) -> None:
            self._standstill = why
            end()

        cancel_standstill_alarm = alarm_at_standstill(self._rest.clock, on_standstill)
        self._reporter.begin(self._state)
        try:
            await self._reflector.run()
        finally:
            cancel_standstill_alarm()
            cancel_alarm()
            await self._reporter.end()

    def _set_alarm(self, until: float | None) -> Callable[[], object]:
        """End the wait at a time of the clock. Returns a function that cancels the alarm."""
        if until is None:
            return lambda: None
        return alarm_at(self._rest.clock, until, self._end_at_timeout)

    def _end_at_timeout(self) -> None:
        """End the wait at the timeout."""
        assert self._reflector is not None
        answer = self._reflector.last_answer
        if isinstance(answer, Exception):  # the error is newer than the known state
            self._trouble = str(answer)
        self._reflector.stop()

    # ---- the sink of a reflector --------------------------------------------------------------

    def needs_latest(self) -> bool:
        """Return False: a list may come from the server's cache."""
        return False

    def list_begins(self, *, latest: bool) -> Fill[T]:  # noqa: ARG002
        """Return what collects the items of a list."""
        return Fill()

    def replace(self, fill: Fill[T], version: str) -> None:  # noqa: ARG002 - a method of sinks
        """Process a complete list."""
        self._change_state(lambda: self._state.replace([*fill.entries.values()]))

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Process watch events."""
        self._change_state(lambda: self._state.apply(events))

    async def failed(self, error: Exception) -> None:
        """End the wait if the error is not temporary."""
        if isinstance(error, NotFound) and await self._is_kind_deleted():
            self._change_state(lambda: self._state.replace([]))
        elif not is_passing(error) and not isinstance(error, (Gone, RequestTimeout)):
            self._end_wait(error)

    def _change_state(self, change: Callable[[], None]) -> None:
        try:
            change()
        except Exception as error:  # noqa: BLE001 - the program's condition may raise anything
            self._end_wait(error)
        if self._state.is_over:
            self._end_wait(None)

    def _end_wait(self, error: Exception | None) -> None:
        self._error = self._error or error
        if self._reflector is not None:
            self._reflector.stop()
