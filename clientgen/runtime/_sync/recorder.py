# Derived from _async/recorder.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`EventRecorder`: writes events about objects in the background."""

# ruff: noqa: ASYNC109 - the recorder's clock measures timeouts

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from .._clock import SYSTEM_CLOCK
from .._controllers.event_aggregation import (
    CORE_EVENTS,
    EVENTS,
    MAX_SHORT_CHARACTERS,
    Correlator,
    EventReport,
    Reference,
    Series,
    event_name,
    truncate,
)
from .._http.patches import StrategicMergePatch
from .._http.request import build_patch, build_write
from .._http.retry import default_random
from .._http.user_agent import host_name
from .._http.write_permit import without_permit
from ..errors import AlreadyExists, ApiError, ClientError, NotFound, TransportError
from ._primitives import Event, short_lock, spawn, wait_until
from .lease_client import rest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Self

    from .._clock import Clock
    from .._controllers.event_aggregation import Write
    from .._http.request import HttpRequest
    from ._primitives import Task
    from .lease_client import Client

MAX_ATTEMPTS = 12
RETRY_SECONDS = 10.0
RETRY_JITTER = 0.25
_REQUEST_TIMEOUT_SECONDS = 30.0
_JOIN_TIMEOUT_SECONDS = 1.0

logger = logging.getLogger("clientgen.runtime.events")


class EventRecorder:
    """Records events about objects, which `kubectl describe` shows.

        with EventRecorder(k, "my-controller") as recorder:
            recorder.event(pod, "Normal", "Bound", "bound to service web")

    `event` never waits: a task or thread writes the events. Similar events are combined into one
    event with a count. Events are dropped if the server rejects them or the queue is full. Events
    are for people: programs should not depend on them.

    Args:
        client: A clientset, or its REST client.
        controller: The name of the reporter, for example `example.com/my-controller`.
        instance: The name of the process; None derives it from the host name.
        api: The API that receives the events: `events.k8s.io/v1`, or the older `v1`.
        queue_size: How many events may wait to be written. Further events are dropped.
        clock: The clock for event times and waits.
        random: Returns numbers from 0 to 1.

    Attributes:
        dropped: The number of events that were not written. Events that the rules of
            `event_aggregation` combine or filter do not count.
    """

    def __init__(
        self,
        client: Client,
        controller: str,
        *,
        instance: str | None = None,
        api: Literal["events.k8s.io/v1", "v1"] = "events.k8s.io/v1",
        queue_size: int = 1000,
        clock: Clock = SYSTEM_CLOCK,
        random: Callable[[], float] | None = None,
    ) -> None:
        if api not in {"events.k8s.io/v1", "v1"}:
            raise ValueError(f"api must be 'events.k8s.io/v1' or 'v1', not {api!r}")
        is_core = api == "v1"
        self._rest = rest_of(client)
        self._controller = controller
        self._instance = _instance(controller, is_core=is_core) if instance is None else instance
        self._resource = CORE_EVENTS if is_core else EVENTS
        self._rules: Correlator | Series = Correlator() if is_core else Series()
        self._first_wait_is_random = is_core
        self._queue: deque[EventReport] = deque()
        self._queue_size = queue_size
        self._lock = short_lock()
        self._clock = clock
        self._random = random or default_random()
        self._last_nanoseconds = 0
        self._has_events = Event()
        self._stopping = Event()
        self._ended = Event()
        self._task: Task | None = None
        self.dropped = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._controller!r}>"

    def event(
        self,
        regarding: Any,
        type: Literal["Normal", "Warning"],  # noqa: A002 - the API's word
        reason: str,
        note: str,
        *,
        action: str | None = None,
        related: Any = None,
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        """Record an event. Never waits and never raises.

        Invalid events are logged and dropped. Texts are truncated to the server's limits.

        Args:
            regarding: The object: a model, a dict as in the API, or a reference with apiVersion,
                kind and name.
            type: `Normal`, or `Warning` for problems.
            reason: The reason as one word for programs, such as `FailedMount`. At most 128
                characters.
            note: A human-readable description. At most 1 kB.
            action: The action that was taken or failed, as one word for programs; None means
                `reason`.
            related: A second object that is involved.
            annotations: Annotations of the event.
        """
        try:
            event = self._make_report(
                regarding,
                type,
                reason=reason,
                note=note,
                action=action or reason,
                related=related,
                annotations=annotations or {},
            )
        except ValueError as error:
            logger.error("%r: an event was dropped: %s", self, error)  # noqa: TRY400 - not a bug
            self.dropped += 1
            return
        with self._lock:
            is_full = len(self._queue) >= self._queue_size or self._stopping.is_set()
            if is_full:
                self.dropped += 1
            else:
                self._queue.append(event)
        if not is_full:
            self._has_events.set()

    # ---- running ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start writing, including events that were recorded before `start`."""
        if self._task is None and not self._stopping.is_set():
            self._task = spawn(self._write_until_stopped, f"events-{self._controller}")

    def stop(self, timeout: float = 5.0) -> bool:
        """Write the remaining events, for at most `timeout` seconds.

        Returns whether all events were written. Failed writes are no longer retried. The recorder
        cannot be started again.
        """
        self._stopping.set()
        self._has_events.set()
        if self._task is None:
            self.dropped += len(self._queue)
            return not self._queue
        done = wait_until(self._ended, self._clock, self._clock.monotonic() + timeout)
        if not done:
            with self._lock:
                self.dropped += len(self._queue)
                self._queue.clear()
            self._task.cancel()
        self._task.join(_JOIN_TIMEOUT_SECONDS)
        return done

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    # ---- an event -----------------------------------------------------------------------------

    def _make_report(
        self,
        regarding: Any,
        kind: str,
        *,
        reason: str,
        note: str,
        action: str,
        related: Any,
        annotations: Mapping[str, str],
    ) -> EventReport:
        if kind not in {"Normal", "Warning"}:
            raise ValueError(f"the type of an event must be Normal or Warning, not {kind!r}")
        if not reason:
            raise ValueError("an event needs a reason")
        about, time = Reference.to(regarding), self._clock.now()
        return EventReport(
            regarding=about,
            type=kind,
            reason=truncate(reason, MAX_SHORT_CHARACTERS),
            note=truncate(note),
            action=truncate(action, MAX_SHORT_CHARACTERS),
            related=None if related is None else Reference.to(related),
            annotations=annotations,
            name=event_name(about.name, self._unique_nanoseconds(time.timestamp())) or str(uuid4()),
            time=time,
            controller=self._controller,
            instance=self._instance,
        )

    def _unique_nanoseconds(self, timestamp: float) -> int:
        """Return nanoseconds that are unique even for events at the same moment."""
        with self._lock:
            self._last_nanoseconds = max(self._last_nanoseconds + 1, int(timestamp * 1e9))
            return self._last_nanoseconds

    # ---- writing ------------------------------------------------------------------------------

    def _write_until_stopped(self) -> None:
        try:
            while not self._stopping.is_set() or self._queue:
                self._write_queued()
                for write in self._rules.due(self._clock.monotonic()):
                    self._write(write)
                if not self._stopping.is_set():
                    wait_until(self._has_events, self._clock, self._rules.next_due)
            for write in self._rules.due(self._clock.monotonic(), everything=True):
                self._write(write)
        finally:
            self._ended.set()

    def _write_queued(self) -> None:
        self._has_events.clear()
        while (event := self._take_report()) is not None:
            write = self._rules.report(event, self._clock.monotonic())
            if write is not None:
                self._write(write)

    def _take_report(self) -> EventReport | None:
        with self._lock:
            return self._queue.popleft() if self._queue else None

    def _write(self, write: Write) -> None:
        """Write an event. Retries after network errors, but not after errors of the server."""
        for count in range(MAX_ATTEMPTS):
            try:
                self._send(write)
            except TransportError as error:
                logger.warning("%r: %s", self, error)
                if count + 1 < MAX_ATTEMPTS and self._wait_for_retry(count):
                    continue
            except ApiError as error:
                is_known = isinstance(error, AlreadyExists) or error.has_cause(
                    "NamespaceTerminating"
                )
                logger.log(logging.DEBUG if is_known else logging.ERROR, "%r: %s", self, error)
            except (ClientError, OSError, ValueError, TypeError) as error:
                logger.error("%r: %s", self, error)  # noqa: TRY400 - not a bug
            else:
                return
            self.dropped += 1
            return

    def _wait_for_retry(self, count: int) -> bool:
        """Wait before the next attempt. Returns False if the recorder was stopped."""
        if self._first_wait_is_random and count == 0:
            pause = RETRY_SECONDS * self._random()
        else:
            jitter = 0.0 if self._first_wait_is_random else RETRY_JITTER * self._random()
            pause = RETRY_SECONDS * (1.0 + jitter)
        return not wait_until(self._stopping, self._clock, self._clock.monotonic() + pause)

    def _send(self, write: Write) -> None:
        options = self._rest.write_defaults
        if write.patch is not None:
            path = self._resource.object_path(write.namespace, write.name)
            try:
                patch = StrategicMergePatch(write.patch)
                self._send_request(build_patch(path, patch, options, self._rest.codec))
            except NotFound:
                logger.debug("%r: %s was deleted and is created again", self, write.name)
            else:
                return
        path = self._resource.collection_path(write.namespace)
        self._send_request(build_write("POST", path, write.body, options, self._rest.codec))

    def _send_request(self, request: HttpRequest) -> None:
        with without_permit():
            self._rest.send(request, self._rest.deadline({"timeout": _REQUEST_TIMEOUT_SECONDS}))


def _instance(controller: str, *, is_core: bool) -> str:
    """Return the name of this process, in client-go's form."""
    host = host_name()
    return host if is_core else f"{controller}-{host}"[:MAX_SHORT_CHARACTERS]
