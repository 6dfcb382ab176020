"""Causes of an object's state that only its Pods tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._conditions.causes import PODS, describe_worst_pod, may_have_pods, pods_of
from .._models.unstructured import UnstructuredList
from ..errors import ClientError
from ._primitives import Event, short_lock, spawn, wait_moving
from .pager import list_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._conditions.wait_state import WaitState
    from ._primitives import Task
    from .rest import AsyncRest

__all__ = ["AsyncCauseTeller", "cause_in_pods"]

# How long an error may be late, to tell the cause.
_CAUSE_SECONDS: Final = 3.0
_MOST_PODS: Final = 50
# How long nothing has to change until the Pods are looked at, and again.
_QUIET_SECONDS: Final = 5.0


async def cause_in_pods(rest: AsyncRest, obj: Any) -> str:
    """Say what keeps the Pods of a workload from running, if the server tells it soon."""
    found = pods_of(obj) if obj is not None else None
    if found is None:
        return ""
    namespace, selector = found
    options = {"label_selector": selector, "limit": _MOST_PODS, "timeout": _CAUSE_SECONDS}
    try:
        pods = await list_pages(rest, PODS.collection_path(namespace), UnstructuredList, options)
    except ClientError:
        return ""  # the wait is about something else
    return describe_worst_pod(pods.items)


class AsyncCauseTeller:
    """Tells the progress of a wait; and beside it, what keeps Pods from running.

    The Pods are looked at when nothing has been told for some seconds. Each cause is told once.

    Args:
        rest: the client for requests.
        kind: the kind of the objects that are waited for.
        on_progress: is called with the state in words.
        failed: is called with what `on_progress` raises beside the wait.
    """

    def __init__(
        self,
        rest: AsyncRest,
        kind: str,
        on_progress: Callable[[str], object] | None,
        failed: Callable[[Exception], object],
    ) -> None:
        self._rest = rest
        self._clock = rest.clock
        self._is_wanted = on_progress is not None and may_have_pods(kind)
        self._on_progress = on_progress
        self._failed = failed
        self._lock = short_lock()
        self._over = Event()
        self._since = self._clock.monotonic()
        self._told = ""
        self._causes: set[str] = set()
        self._task: Task | None = None

    def tell(self, state: str) -> None:
        """Tell a state of the object."""
        if self._on_progress is None:
            return
        with self._lock:
            self._since = self._clock.monotonic()
            self._told = state
            self._on_progress(state)

    def begin(self, state: WaitState[Any]) -> None:
        """Begin to look at the Pods beside the wait."""
        if self._is_wanted:
            self._task = spawn(lambda: self._look(state), "clientgen causes of a wait")

    async def end(self) -> None:
        """Tell nothing more."""
        self._over.set()
        if self._task is not None:
            self._task.cancel()
            await self._task.join()

    async def _look(self, state: WaitState[Any]) -> None:
        due = lambda: self._since + _QUIET_SECONDS  # noqa: E731 - it moves
        while not await wait_moving(self._over, self._clock, due):
            told = self._told
            cause = await cause_in_pods(self._rest, state.blamed_object)
            try:
                self._tell_cause(told, cause)
            except Exception as error:  # noqa: BLE001 - the program's function may raise anything
                self._failed(error)
                return

    def _tell_cause(self, told: str, cause: str) -> None:
        with self._lock:
            self._since = self._clock.monotonic()
            is_new = bool(cause) and cause not in self._causes and told == self._told
            if is_new and self._on_progress is not None and not self._over.is_set():
                self._causes.add(cause)
                self._on_progress(f"{told}; {cause}")
