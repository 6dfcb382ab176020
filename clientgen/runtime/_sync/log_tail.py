# Derived from _async/log_tail.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`LogTail`: follows the logs of many pods as one."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from .._cache.fill import Fill
from .._cache.storage import UnstructuredStorage
from .._http.path_segments import check_segment
from .._http.request import LOGS, HttpRequest, build
from .._http.response import read_object
from .._models.arguments import unexpected_option
from .._models.unstructured import Unstructured, UnstructuredList
from .._streams.container_states import container_states
from .._streams.log_lines import LogLine, LogPosition
from ..errors import (
    BadRequest,
    ClientError,
    ConnectionLost,
    Forbidden,
    NotFound,
    RequestTimeout,
    ResponseBroken,
    Unauthorized,
    one_line,
)
from ._primitives import Event, ReadByFor, spawn
from .line_stream import Lines
from .reflector import Reflector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Self

    from .._models.model_codec import WatchEvent
    from .._streams.container_states import ContainerState
    from ._primitives import Task
    from .rest import Rest

logger = logging.getLogger("clientgen.runtime.logs")

_MAX_QUEUED_LINES = 1000
_RETRY_DELAY_SECONDS = 0.1
_MAX_RETRY_DELAY_SECONDS = 30.0
_START_POLL_INTERVAL_SECONDS = 10.0
_POD_OPTIONS = ("label_selector", "field_selector")
_LINE_OPTIONS = ("since_seconds", "since_time", "tail_lines")
_OPTIONS = ("container", *_POD_OPTIONS, *_LINE_OPTIONS, "seconds", "timeout")


class TailedPods(Protocol):
    """The pods of a workload."""

    def find(self) -> str:
        """Return the label selector of the pods."""
        ...

    def admits(self, pod: Unstructured) -> bool:
        """Return whether a pod that the selector selects belongs to the workload."""
        ...


class LogTail(ReadByFor):
    """An iterator of the lines of many logs, as they are written.

    It ends when `stop` is called, or after `seconds`.

        with k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
            for line in lines:
                print(line)

    New pods and containers are included, and restarted containers continue. After a lost
    connection, it resumes at the next line: no line is lost or repeated, as long as the node still
    has the log. (Nodes keep the logs of a container's last two instances.) Lines of one container
    are in order; lines of several containers are in the order of arrival. While the program does
    not read, the nodes wait.

    Raises:
        Forbidden: The client may not list the pods, or not read their logs.
        RequestTimeout: The `timeout` has passed.
    """

    def __init__(
        self,
        rest: Rest,
        path: str,
        options: Mapping[str, Any],
        pods: TailedPods | None = None,
    ) -> None:
        for name in options.keys() - set(_OPTIONS):
            raise unexpected_option(name, _OPTIONS)
        # The tasks refer to the source only, so that an abandoned tail is collected and stops.
        self._source = _Source(rest, path, options, pods)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> LogLine:
        line = self._source.next()
        if line is None:
            self.close()
            self._source.check()
            raise StopIteration
        return line

    def stop(self) -> None:
        """End the iteration at once and without an error. Any task or thread may call this."""
        self._source.stop()

    def close(self) -> None:
        """Stop, and wait until all connections are closed."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if source := getattr(self, "_source", None):
            source.stop()


class _Source:
    """Watches the pods, and collects the lines of their containers."""

    def __init__(
        self,
        rest: Rest,
        path: str,
        options: Mapping[str, Any],
        pods: TailedPods | None,
    ) -> None:
        self.rest = rest
        self.options = options
        self.stopped = Event()
        self.pods = pods
        self._path = path
        selection = {name: options[name] for name in _POD_OPTIONS if name in options}
        self._reflector = self._new_reflector(selection)
        self._lines: deque[LogLine] = deque()
        self._ready = Event()
        self._has_room = Event()
        self._followers: dict[tuple[str, str], _Follower] = {}
        self._tasks: set[Task] = set()
        self._watching: Task | None = None
        self._error: Exception | None = None
        self._has_begun = self._is_listed = False
        self._cancel_alarms: list[Callable[[], object]] = []
        # Whether the lines that have been read are still delivered after the end.
        self._delivers_rest = False

    def _new_reflector(self, selection: Mapping[str, Any]) -> Reflector[Unstructured]:
        return Reflector(
            self.rest,
            self._path,
            UnstructuredStorage(Unstructured, UnstructuredList),
            options=selection,
            sink=self,
            clock=self.rest.clock,
        )

    # ---- for the reader -------------------------------------------------------------------------

    def next(self) -> LogLine | None:
        """Wait for the next line; None at the end."""
        if not self._has_begun:
            self._begin()
        while not self.stopped.is_set() or (self._delivers_rest and self._lines):
            if self._lines:
                line = self._lines.popleft()
                if len(self._lines) < _MAX_QUEUED_LINES // 2:
                    self._has_room.set()
                return line
            self._ready.clear()
            if not self._lines and not self.stopped.is_set():
                self._ready.wait()
        return None

    def check(self) -> None:
        """Raise the error that has ended the iteration, if there was one.

        Raises:
            Exception: The error.
        """
        error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        """Make all tasks end soon."""
        self.stopped.set()
        for cancel in self._cancel_alarms:
            cancel()
        self._reflector.stop()
        for follower in [*self._followers.values()]:
            follower.stop()
        self._ready.set()
        self._has_room.set()

    def close(self) -> None:
        """Stop, and wait for the tasks."""
        self.stop()
        if self._watching is not None:
            self._watching.join()
        for task in [*self._tasks]:
            task.join()

    def _begin(self) -> None:
        self._has_begun = True
        for name, action in (("timeout", self._expire), ("seconds", self._end)):
            seconds = self.options.get(name)
            if seconds is not None:
                deadline = self.rest.clock.monotonic() + seconds
                self._cancel_alarms.append(self.rest.alarm_at(deadline, action))
        self._watching = spawn(self._watch, "clientgen tail: pods")

    def _watch(self) -> None:
        """Watch the pods. For a workload, find them first."""
        if self.pods is not None and not self._find(self.pods):
            return
        self._reflector.run()

    def _find(self, pods: TailedPods) -> bool:
        """Find the pods of a workload. Returns whether they can be watched."""
        try:
            selector = self.stopped.run_unless_set(pods.find())
        except Exception as error:  # noqa: BLE001 - the reader raises it
            self.fail(error)
            return False
        fields = self.options.get("field_selector")
        selection = {"label_selector": selector, "field_selector": fields}
        self._reflector = self._new_reflector(selection)
        return selector is not None and not self.stopped.is_set()

    def _expire(self, why: str) -> None:
        if not self.stopped.is_set():
            words = why or "the timeout has passed"
            self.fail(RequestTimeout(f"{self._path}: {words}"))

    def _end(self, why: str) -> None:
        """End the iteration after `seconds`, or with an error if the clock cannot reach them."""
        if why:
            self._expire(why)
        elif not self.stopped.is_set():
            self._delivers_rest = True
            self.stop()

    # ---- for the followers ----------------------------------------------------------------------

    def put(self, line: LogLine) -> None:
        """Add a line. Waits while the program does not read."""
        while len(self._lines) >= _MAX_QUEUED_LINES and not self.stopped.is_set():
            self._has_room.clear()
            if len(self._lines) >= _MAX_QUEUED_LINES and not self.stopped.is_set():
                self._has_room.wait()
        self._lines.append(line)
        self._ready.set()

    def fail(self, error: Exception) -> None:
        """End the iteration with an error."""
        self._error = self._error or error
        self.stop()

    # ---- the sink of the reflector --------------------------------------------------------------

    def prepare(self, obj: Unstructured) -> Unstructured | None:
        """Leave out pods with invalid names, because names become parts of URLs."""
        try:
            check_segment("namespace", obj.namespace)
            check_segment("name", obj.name)
        except (TypeError, ValueError) as error:
            logger.warning("%s: a pod has no valid name: %s", self._path, error)
            return None
        return obj

    def needs_latest(self) -> bool:
        """Return False: a list may come from the server's cache."""
        return False

    def list_begins(self, *, latest: bool) -> Fill[Unstructured]:  # noqa: ARG002
        """Return what collects the items of a list."""
        return Fill(self.prepare)

    def replace(self, fill: Fill[Unstructured], version: str) -> None:  # noqa: ARG002
        """Process a complete list of pods."""
        objects = fill.entries.values()
        listed_uids = {each.metadata.uid for each in objects}
        for uid in {uid for uid, _ in self._followers} - listed_uids:
            self._remove(uid)
        is_new, self._is_listed = self._is_listed, True
        for each in objects:
            self._update_followers(each, is_new=is_new)

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Process changes of pods."""
        for event in events:
            if event.type == "BOOKMARK" or self.prepare(event.object) is None:
                continue
            if event.type == "DELETED":
                self._remove(event.object.metadata.uid)
            else:
                self._update_followers(event.object, is_new=True)

    def failed(self, error: Exception) -> None:
        """End the iteration if the client may not list the pods.

        The reflector retries after other errors.
        """
        refusals = (Forbidden, Unauthorized, BadRequest, NotFound)
        if isinstance(error, refusals) and not self._is_listed:
            self.fail(error)
        else:
            logger.warning("%s: %s; retrying", self._path, error)

    def _update_followers(self, pod: Unstructured, *, is_new: bool) -> None:
        wanted = self.options.get("container")
        for state in container_states(pod):
            if wanted not in (None, state.name):
                continue
            key = pod.metadata.uid, state.name
            follower = self._followers.get(key)
            if follower is not None:
                follower.update(state)
            elif state.has_begun and not self.stopped.is_set():
                follower = self._followers[key] = _Follower(self, pod, state, is_new=is_new)
                self._tasks = {task for task in self._tasks if not task.done}
                self._tasks.add(spawn(follower.run, f"clientgen tail: {follower.title}"))

    def _remove(self, uid: str) -> None:
        for key in [key for key in self._followers if key[0] == uid]:
            self._followers.pop(key).mark_deleted()


class _Follower:
    """Follows the log of one container, across restarts."""

    def __init__(
        self, source: _Source, pod: Unstructured, state: ContainerState, *, is_new: bool
    ) -> None:
        self._source = source
        self._rest = source.rest
        self._pod = pod
        self._uid = pod.metadata.uid
        self._names = pod.namespace, pod.name, state.name
        self._pod_path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
        self._state = state
        self._is_new = is_new
        self._instance = 0 if is_new else state.restarts
        self._position = LogPosition()
        self._begun_at: float | None = None
        self._lines: Lines | None = None
        self._is_complete = False
        self._is_deleted = False
        self._changed = Event()

    @property
    def title(self) -> str:
        """The container, for names of threads and messages."""
        return "/".join(self._names)

    def update(self, state: ContainerState) -> None:
        """Update the state of the container."""
        self._state = state
        self._changed.set()

    def mark_deleted(self) -> None:
        """Note that the pod was deleted."""
        self._is_deleted = True
        self._changed.set()

    def stop(self) -> None:
        """Make `run` end soon."""
        if self._lines is not None:
            self._lines.stop()
        self._changed.set()

    def run(self) -> None:
        """Follow the log until the pod is gone, or the tail is stopped."""
        pause = _RETRY_DELAY_SECONDS
        while not self._source.stopped.is_set():
            before = self._position.since
            try:
                if not (self._is_admitted() and self._read_log()):
                    return
                if self._position.since != before or self._is_complete:
                    pause = _RETRY_DELAY_SECONDS
                    continue
                self._wait(pause)
            except NotFound:
                return
            except BadRequest:  # the container has not started yet
                self._wait(_START_POLL_INTERVAL_SECONDS)
            except (Forbidden, Unauthorized) as error:
                self._source.fail(error)
                return
            except ClientError as error:
                if self._position.since != before:
                    pause = _RETRY_DELAY_SECONDS
                logger.info("%s: %s; resuming in %.1f s", self.title, error, pause)
                clock = self._rest.clock
                self._rest.pause(self._source.stopped, clock, pause, error)
            except Exception as error:  # noqa: BLE001 - the reader raises it
                self._source.fail(error)
                return
            pause = min(2 * pause, _MAX_RETRY_DELAY_SECONDS)

    def _is_admitted(self) -> bool:
        """Return whether the pod belongs to the workload of the tail, if it has one."""
        pods = self._source.pods
        if pods is None:
            return True
        return bool(self._source.stopped.run_unless_set(pods.admits(self._pod)))

    def _read_log(self) -> bool:
        """Read the log to its end. Returns whether the container may write more."""
        if self._begun_at is None:
            self._begun_at = self._rest.clock.monotonic()
        if self._is_complete and not self._wait_for_next_instance():
            return False
        with Lines(self._rest, self._request(), None, can_resume=True) as lines:
            self._lines = lines
            if self._source.stopped.is_set():  # `stop` may have run before `_lines` was set
                return False
            lines.open()
            # Read the state after opening the log: the container may have been restarted before.
            state = self._read_state()
            if state is None:
                return False
            if state.restarts > self._instance + (1 if self._is_complete else 0):
                self._read_previous()
            self._instance, self._is_complete = state.restarts, False
            self._position.resume()
            self._emit(lines)
        # If the instance had terminated before the log was opened, its log was read completely.
        self._is_complete = state.is_over
        return True

    def _emit(self, lines: Lines) -> None:
        """Pass lines to the source.

        Raises:
            ResponseBroken: The node cannot continue reading the log.
        """
        for line in lines:
            if self._position.is_node_error(line):
                raise ResponseBroken(f"the node failed to read the log: {one_line(line)}")
            if taken := self._position.take(line):
                self._source.put(LogLine(*self._names, *taken))
            if self._source.stopped.is_set():
                return

    def _read_previous(self) -> None:
        """Read the new lines of the previous instance."""
        self._position.resume()
        try:
            with Lines(self._rest, self._request(previous=True), None) as lines:
                self._emit(lines)
        except (BadRequest, ResponseBroken) as error:  # the node no longer has the log
            if isinstance(error, ConnectionLost):
                raise
            logger.warning("%s: the log before a restart is lost", self.title)

    def _read_state(self) -> ContainerState | None:
        """Read the state of the container; None if the pod is gone, or after `stop`."""
        request = HttpRequest("GET", self._pod_path)
        deadline = self._rest.deadline({"timeout": _MAX_RETRY_DELAY_SECONDS})
        response = self._source.stopped.run_unless_set(self._rest.send(request, deadline))
        if response is None:
            return None
        pod = read_object(response, Unstructured, request, self._rest.codec)
        if pod.metadata.uid != self._uid:
            return None
        return next((each for each in container_states(pod) if each.name == self._names[2]), None)

    def _wait_for_next_instance(self) -> bool:
        """Wait for the next instance of the container. Returns False if there will be no other."""
        while not self._source.stopped.is_set():
            self._changed.clear()
            if self._state.restarts > self._instance:
                return True
            if self._is_deleted or self._state.is_final:
                return False
            if not self._source.stopped.is_set():
                self._changed.wait()
        return False

    def _wait(self, seconds: float) -> None:
        self._changed.clear()
        if not self._source.stopped.is_set():
            self._changed.wait(seconds)

    def _request(self, *, previous: bool = False) -> HttpRequest:
        options: dict[str, Any] = {"container": self._names[2], "timestamps": True}
        options |= {"previous": True} if previous else {"follow": True}
        if self._position.since:
            options["since_time"] = self._position.since
        elif not self._is_new:
            options |= self._start()
        return build("GET", f"{self._pod_path}/log", options, LOGS)

    def _start(self) -> dict[str, Any]:
        """Return the options that select the first line, by the time when `run` began."""
        options = self._source.options
        start = {name: options[name] for name in _LINE_OPTIONS if name in options}
        begun = self._begun_at or 0.0
        elapsed = int(self._rest.clock.monotonic() - begun)
        if not start or not elapsed or "since_time" in start:
            return start
        return {"since_seconds": start.get("since_seconds", 0) + elapsed + 1}
