# Derived from _async/wait_causes.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Reports the progress of waits, and why the Pods of a workload do not run."""

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
    from .rest import Rest

# How long an error may be delayed to find its cause.
_CAUSE_TIMEOUT_SECONDS: Final = 3.0
_MAX_PODS: Final = 50
# The Pods are read after this time without progress, and again at this interval.
_IDLE_SECONDS: Final = 5.0


def cause_in_pods(rest: Rest, obj: Any) -> str:
    """Describe why the Pods of a workload do not run; empty for other objects or on errors."""
    found = pods_of(obj) if obj is not None else None
    if found is None:
        return ""
    namespace, selector = found
    options = {"label_selector": selector, "limit": _MAX_PODS, "timeout": _CAUSE_TIMEOUT_SECONDS}
    try:
        pods = list_pages(rest, PODS.collection_path(namespace), UnstructuredList, options)
    except ClientError:
        return ""  # the cause is additional information only
    return describe_worst_pod(pods.items)


class ProgressReporter:
    """Reports the progress of a wait. A task or thread reports why Pods do not run.

    The Pods are read after some seconds without progress. Each cause is reported once.

    Args:
        rest: the client for requests.
        kind: the kind of the awaited objects.
        on_progress: called with a description of the state.
        failed: called with an exception that `on_progress` has raised in the task or thread.
    """

    def __init__(
        self,
        rest: Rest,
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
        self._reported = ""
        self._causes: set[str] = set()
        self._task: Task | None = None

    def report(self, state: str) -> None:
        """Report a state of the objects."""
        if self._on_progress is None:
            return
        with self._lock:
            self._since = self._clock.monotonic()
            self._reported = state
            self._on_progress(state)

    def begin(self, state: WaitState[Any]) -> None:
        """Start reading the Pods in a task or thread."""
        if self._is_wanted:
            self._task = spawn(lambda: self._report_causes(state), "clientgen causes of a wait")

    def end(self) -> None:
        """Stop reporting, and wait for the task or thread."""
        self._over.set()
        if self._task is not None:
            self._task.cancel()
            self._task.join()

    def _report_causes(self, state: WaitState[Any]) -> None:
        due = lambda: self._since + _IDLE_SECONDS  # noqa: E731 - `_since` changes
        while not wait_moving(self._over, self._clock, due):
            reported = self._reported
            cause = cause_in_pods(self._rest, state.blamed_object)
            try:
                self._report_cause(reported, cause)
            except Exception as error:  # noqa: BLE001 - the program's function may raise anything
                self._failed(error)
                return

    def _report_cause(self, reported: str, cause: str) -> None:
        with self._lock:
            self._since = self._clock.monotonic()
            is_new = bool(cause) and cause not in self._causes and reported == self._reported
            if is_new and self._on_progress is not None and not self._over.is_set():
                self._causes.add(cause)
                self._on_progress(f"{reported}; {cause}")
