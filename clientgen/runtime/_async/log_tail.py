"""`AsyncLogTail`: the logs of many pods as one."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Any

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
from .line_stream import AsyncLines
from .reflector import AsyncReflector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Self

    from .._models.model_codec import WatchEvent
    from .._streams.container_states import ContainerState
    from ._primitives import Task
    from .rest import AsyncRest

__all__ = ["AsyncLogTail"]

logger = logging.getLogger("clientgen.runtime.logs")

_MOST_WAITING = 1000
_PAUSE = 0.1
_LONGEST_PAUSE = 30.0
_READY = 10.0
_OF_PODS = ("label_selector", "field_selector")
_OF_LINES = ("since_seconds", "since_time", "tail_lines")
_KNOWN = ("container", *_OF_PODS, *_OF_LINES, "timeout")


class AsyncLogTail(ReadByFor):
    """An iterator of the lines of many logs, as they are written. It ends when it is stopped.

        async with k.core_v1.pods("shop").tail(label_selector="app=web") as lines:
            async for line in lines:
                print(line)

    New pods and containers join, restarted ones go on. After a lost connection, it reads on where
    it was: no line is lost or comes twice, as far as the node still has it. (Nodes keep the logs of
    a container's last two instances.) Lines of one container are in order; those of several are in
    the order in which they come. While nobody reads, the logs wait.

    Raises:
        Forbidden: The pods may not be listed, or their logs not be read.
        RequestTimeout: The `timeout` has passed.
    """

    def __init__(self, rest: AsyncRest, path: str, options: Mapping[str, Any]) -> None:
        for name in options.keys() - set(_KNOWN):
            raise unexpected_option(name, _KNOWN)
        # The tasks know the source only, so that a tail that nobody has any more stops.
        self._source = _Source(rest, path, options)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> LogLine:
        line = await self._source.next()
        if line is None:
            await self.aclose()
            self._source.check()
            raise StopAsyncIteration
        return line

    def stop(self) -> None:
        """End the iteration at once and without an error, from any task or thread."""
        self._source.stop()

    async def aclose(self) -> None:
        """Stop, and wait until all connections are closed."""
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if source := getattr(self, "_source", None):
            source.stop()


class _Source:
    """Follows the pods, and collects the lines of their containers."""

    def __init__(self, rest: AsyncRest, path: str, options: Mapping[str, Any]) -> None:
        self.rest = rest
        self.options = options
        self.stopped = Event()
        self._path = path
        self._reflector = AsyncReflector(
            rest,
            path,
            UnstructuredStorage(Unstructured, UnstructuredList),
            options={name: options[name] for name in _OF_PODS if name in options},
            sink=self,
            clock=rest.clock,
        )
        self._lines: deque[LogLine] = deque()
        self._ready = Event()
        self._room = Event()
        self._followers: dict[tuple[str, str], _Follower] = {}
        self._tasks: set[Task] = set()
        self._watching: Task | None = None
        self._error: Exception | None = None
        self._has_begun = self._is_listed = False
        self._cancel_alarm: Callable[[], object] | None = None

    # ---- the reader's side ----------------------------------------------------------------------

    async def next(self) -> LogLine | None:
        """Return the next line; None at the end."""
        if not self._has_begun:
            self._begin()
        while not self.stopped.is_set():
            if self._lines:
                line = self._lines.popleft()
                if len(self._lines) < _MOST_WAITING // 2:
                    self._room.set()
                return line
            self._ready.clear()
            if not self._lines and not self.stopped.is_set():
                await self._ready.wait()
        return None

    def check(self) -> None:
        """Make sure that nothing went wrong.

        Raises:
            Exception: What did.
        """
        error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        """Have everything end soon."""
        self.stopped.set()
        if self._cancel_alarm is not None:
            self._cancel_alarm()
        self._reflector.stop()
        for follower in [*self._followers.values()]:
            follower.stop()
        self._ready.set()
        self._room.set()

    async def aclose(self) -> None:
        """Stop, and wait for the tasks."""
        self.stop()
        if self._watching is not None:
            await self._watching.join()
        for task in [*self._tasks]:
            await task.join()

    def _begin(self) -> None:
        self._has_begun = True
        timeout = self.options.get("timeout")
        if timeout is not None:
            deadline = self.rest.clock.monotonic() + timeout
            self._cancel_alarm = self.rest.alarm_at(deadline, self._expire)
        self._watching = spawn(self._reflector.run, "clientgen tail: pods")

    def _expire(self, why: str) -> None:
        if not self.stopped.is_set():
            words = why or "the logs were followed until the timeout"
            self.fail(RequestTimeout(f"{self._path}: {words}"))

    # ---- the followers' side --------------------------------------------------------------------

    async def put(self, line: LogLine) -> None:
        """Hand a line over, and wait while many are not read."""
        while len(self._lines) >= _MOST_WAITING and not self.stopped.is_set():
            self._room.clear()
            if len(self._lines) >= _MOST_WAITING and not self.stopped.is_set():
                await self._room.wait()
        self._lines.append(line)
        self._ready.set()

    def fail(self, error: Exception) -> None:
        """End the iteration with an error."""
        self._error = self._error or error
        self.stop()

    # ---- what the reflector delivers ------------------------------------------------------------

    def prepare(self, obj: Unstructured) -> Unstructured | None:
        """Leave out what cannot be a pod: names become parts of URLs."""
        try:
            check_segment("namespace", obj.namespace)
            check_segment("name", obj.name)
        except (TypeError, ValueError) as error:
            logger.warning("%s: a pod has no valid name: %s", self._path, error)
            return None
        return obj

    def needs_latest(self) -> bool:
        """Any state will do."""
        return False

    def reads(self, *, latest: bool) -> None:
        """Ignore that a list begins."""

    def replace(self, objects: list[Unstructured], version: str) -> None:  # noqa: ARG002
        """Take a list."""
        there = {each.metadata.uid for each in objects}
        for uid in {uid for uid, _ in self._followers} - there:
            self._remove(uid)
        is_new, self._is_listed = self._is_listed, True
        for each in objects:
            self._see(each, is_new=is_new)

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Take changes."""
        for event in events:
            if event.type == "BOOKMARK" or self.prepare(event.object) is None:
                continue
            if event.type == "DELETED":
                self._remove(event.object.metadata.uid)
            else:
                self._see(event.object, is_new=True)

    async def failed(self, error: Exception) -> None:
        """End if the pods may not be read at all; else there will be another attempt."""
        refusals = (Forbidden, Unauthorized, BadRequest, NotFound)
        if isinstance(error, refusals) and not self._is_listed:
            self.fail(error)
        else:
            logger.warning("%s: %s; trying again", self._path, error)

    def _see(self, pod: Unstructured, *, is_new: bool) -> None:
        wanted = self.options.get("container")
        for state in container_states(pod):
            if wanted not in (None, state.name):
                continue
            key = pod.metadata.uid, state.name
            follower = self._followers.get(key)
            if follower is not None:
                follower.see(state)
            elif state.has_begun and not self.stopped.is_set():
                follower = self._followers[key] = _Follower(self, pod, state, is_new=is_new)
                self._tasks = {task for task in self._tasks if not task.done}
                self._tasks.add(spawn(follower.run, f"clientgen tail: {follower.title}"))

    def _remove(self, uid: str) -> None:
        for key in [key for key in self._followers if key[0] == uid]:
            self._followers.pop(key).lose()


class _Follower:
    """Follows the log of one container, through its restarts."""

    def __init__(
        self, source: _Source, pod: Unstructured, state: ContainerState, *, is_new: bool
    ) -> None:
        self._source = source
        self._rest = source.rest
        self._uid = pod.metadata.uid
        self._names = pod.namespace, pod.name, state.name
        self._pod_path = f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
        self._state = state
        self._is_new = is_new
        self._instance = 0 if is_new else state.restarts
        self._position = LogPosition()
        self._begun: float | None = None
        self._lines: AsyncLines | None = None
        self._is_complete = False
        self._is_lost = False
        self._changed = Event()

    @property
    def title(self) -> str:
        """Of what this is, in names of threads and messages."""
        return "/".join(self._names)

    def see(self, state: ContainerState) -> None:
        """Note the state of the container."""
        self._state = state
        self._changed.set()

    def lose(self) -> None:
        """Note that the pod is gone."""
        self._is_lost = True
        self._changed.set()

    def stop(self) -> None:
        """End soon."""
        if self._lines is not None:
            self._lines.stop()
        self._changed.set()

    async def run(self) -> None:
        """Follow the log until the pod is gone, or the tail is stopped."""
        pause = _PAUSE
        while not self._source.stopped.is_set():
            before = self._position.since
            try:
                if not await self._read():
                    return
                if self._position.since != before or self._is_complete:
                    pause = _PAUSE
                    continue
                await self._wait(pause)
            except NotFound:
                return
            except BadRequest:  # it has not begun yet
                await self._wait(_READY)
            except (Forbidden, Unauthorized) as error:
                self._source.fail(error)
                return
            except ClientError as error:
                if self._position.since != before:
                    pause = _PAUSE
                logger.info("%s: %s; reading on in %.1f s", self.title, error, pause)
                clock = self._rest.clock
                await self._rest.pause(self._source.stopped, clock, pause, error)
            except Exception as error:  # noqa: BLE001 - the reader is to hear of it
                self._source.fail(error)
                return
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _read(self) -> bool:
        """Read the log to its end; gives whether there may be more of it."""
        if self._begun is None:
            self._begun = self._rest.clock.monotonic()
        if self._is_complete and not await self._awaits_another():
            return False
        async with AsyncLines(self._rest, self._request(), None, can_resume=True) as lines:
            self._lines = lines
            if self._source.stopped.is_set():  # before it could stop these
                return False
            await lines.open()
            # What it is the log of is known only now: there may have been a restart.
            state = await self._look()
            if state is None:
                return False
            if state.restarts > self._instance + (1 if self._is_complete else 0):
                await self._read_previous()
            self._instance, self._is_complete = state.restarts, False
            self._position.resume()
            await self._pass_on(lines)
        # What had ended when it was opened was read to its end.
        self._is_complete = state.is_over
        return True

    async def _pass_on(self, lines: AsyncLines) -> None:
        """Hand lines over.

        Raises:
            ResponseBroken: The node cannot read on.
        """
        async for line in lines:
            if self._position.is_node_error(line):
                raise ResponseBroken(f"the node does not read on in the log: {one_line(line)}")
            if taken := self._position.take(line):
                await self._source.put(LogLine(*self._names, *taken))
            if self._source.stopped.is_set():
                return

    async def _read_previous(self) -> None:
        """Read what the instance before has written, as far as it is new."""
        self._position.resume()
        try:
            async with AsyncLines(self._rest, self._request(previous=True), None) as lines:
                await self._pass_on(lines)
        except (BadRequest, ResponseBroken) as error:  # the node has not kept it
            if isinstance(error, ConnectionLost):
                raise
            logger.warning("%s: the log before a restart is lost", self.title)

    async def _look(self) -> ContainerState | None:
        """Return the state of the container; None if it is gone, or this is to end."""
        request = HttpRequest("GET", self._pod_path)
        deadline = self._rest.deadline({"timeout": _LONGEST_PAUSE})
        response = await self._source.stopped.unless(self._rest.send(request, deadline))
        if response is None:
            return None
        pod = read_object(response, Unstructured, request, self._rest.codec)
        if pod.metadata.uid != self._uid:
            return None
        return next((each for each in container_states(pod) if each.name == self._names[2]), None)

    async def _awaits_another(self) -> bool:
        """Wait for the next instance of the container; gives whether there is one."""
        while not self._source.stopped.is_set():
            self._changed.clear()
            if self._state.restarts > self._instance:
                return True
            if self._is_lost or self._state.is_final:
                return False
            if not self._source.stopped.is_set():
                await self._changed.wait()
        return False

    async def _wait(self, seconds: float) -> None:
        self._changed.clear()
        if not self._source.stopped.is_set():
            await self._changed.wait(seconds)

    def _request(self, *, previous: bool = False) -> HttpRequest:
        options: dict[str, Any] = {"container": self._names[2], "timestamps": True}
        options |= {"previous": True} if previous else {"follow": True}
        if self._position.since:
            options["since_time"] = self._position.since
        elif not self._is_new:
            options |= self._start()
        return build("GET", f"{self._pod_path}/log", options, LOGS)

    def _start(self) -> dict[str, Any]:
        """Return where to begin; later, so far back as to miss nothing since then."""
        options = self._source.options
        start = {name: options[name] for name in _OF_LINES if name in options}
        begun = self._begun or 0.0
        elapsed = int(self._rest.clock.monotonic() - begun)
        if not start or not elapsed or "since_time" in start:
            return start
        return {"since_seconds": start.get("since_seconds", 0) + elapsed + 1}
