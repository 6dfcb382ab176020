"""The network of a run: transports whose requests and watches can be disturbed by faults."""

# The transport protocols pass timeouts as arguments.
# ruff: noqa: ASYNC109, ARG002

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from contextvars import Context
from typing import TYPE_CHECKING, Final, Protocol

from clientgen.runtime._http.request import HttpResponse
from clientgen.runtime.errors import ConnectionLost

from .._apiserver.responses.answers import Deferred, Response, Stream, Upgrade
from .._fake.actions import action_of
from .._fake.network_faults import ConnectionCut

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from clientgen.runtime._http.request import HttpRequest

    from .._apiserver.responses.answers import Answer, Headers
    from .._fake.actions import Action
    from .._fake.dispatcher import Dispatcher
    from .virtual_loop import VirtualLoop

_END_OF_INITIAL: Final = b"k8s.io/initial-events-end"


class RunNetwork(Protocol):
    """The part of a run that transports use."""

    loop: VirtualLoop

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher of the cluster."""
        ...

    def latency(self) -> float:
        """Return the seconds that a request or an answer takes."""
        ...

    def event_lag(self, stream: WatchStream) -> float:
        """Return the seconds that a watch event takes."""
        ...

    def is_held(self, stream: WatchStream) -> bool:
        """Return whether a fault holds back the events of a stream."""
        ...

    async def before(
        self, transport: Transport, request: HttpRequest, action: Action | None
    ) -> Response | None:
        """Apply the faults before a request. Returns an answer to give instead of the server's."""
        ...

    def attributing(
        self, transport: Transport, request: HttpRequest, action: Action | None
    ) -> AbstractContextManager[None]:
        """Attribute the changes inside the `with` block to a request."""
        ...

    async def after(
        self,
        transport: Transport,
        request: HttpRequest,
        action: Action | None,
        status: int,
        body: bytes,
    ) -> None:
        """Apply the faults after the server's answer."""
        ...


class Transport:
    """`AsyncTransport` to the cluster of a run, for the user or for a process of the program.

    Attributes:
        name: the name of the replica; empty for the user.
        is_down: whether the process has been killed, so that all requests fail.
        offline_until: the moment at which the network is back.
    """

    def __init__(self, run: RunNetwork, name: str = "") -> None:
        self.run = run
        self.name = name
        self.streams: set[WatchStream] = set()
        self.is_down = False
        self.offline_until = 0.0

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request, and return the complete answer."""
        run, action = self.run, action_of(request)
        self._check(request)
        failed = await run.before(self, request, action)
        if failed is None:
            await asyncio.sleep(run.latency())
            self._check(request)
        answer = failed or await self.ask(request, action)
        body = answer.body if isinstance(answer, Response) else await self._read_all(answer)
        await run.after(self, request, action, answer.status, body)
        await asyncio.sleep(run.latency())
        self._check(request)
        return HttpResponse(answer.status, headers_of(answer.headers), body)

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> WatchStream:
        """Send a request, and return the answer as a stream after its headers."""
        action = action_of(request)
        self._check(request)
        await asyncio.sleep(self.run.latency())
        self._check(request)
        answer = await self.ask(request, action)
        return WatchStream(self, request, action, answer)

    async def aclose(self) -> None:
        """Abort all streams."""
        for stream in tuple(self.streams):
            stream.abort()

    def break_streams(self) -> None:
        """Break the connections of all streams."""
        for stream in tuple(self.streams):
            stream.break_off()

    def _check(self, request: HttpRequest) -> None:
        if self.is_down or self.offline_until > self.run.loop.now:
            raise ConnectionLost(f"{request.info}: the connection was lost")

    async def ask(self, request: HttpRequest, action: Action | None) -> Response | Stream:
        """Let the server answer now; waits for the webhooks that it calls."""
        is_ready = asyncio.Event()
        with self.run.attributing(self, request, action):
            answer: Answer = self.run.dispatcher.handle(request, is_ready.set)
        with self.run.dispatcher.backends.on_loop(alone=True) as webhook_calls:
            while isinstance(answer, Deferred):
                webhook_calls.start(answer.calls)
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, answer.deadline - self.run.loop.now)):
                        await is_ready.wait()
                is_ready.clear()
                with self.run.attributing(self, request, action):
                    answer = self.run.dispatcher.resume(answer, is_ready.set)
        assert not isinstance(answer, Upgrade)  # this transport opens no WebSockets
        return answer

    async def _read_all(self, answer: Stream) -> bytes:
        chunks: list[bytes] = []
        while (chunk := answer.take()) is not None:
            chunks.append(chunk)
            if not chunk:
                await asyncio.sleep(0.1)
        return b"".join(chunks)


class WatchStream:
    """A stream whose events arrive when the run delivers them."""

    def __init__(
        self,
        transport: Transport,
        request: HttpRequest,
        action: Action | None,
        answer: Response | Stream,
    ) -> None:
        self.status = answer.status
        self.headers: Mapping[str, str] = headers_of(answer.headers)
        self.resource = action.group_resource if action is not None else ""
        self.is_program = bool(transport.name)
        self._transport = transport
        self._request = request
        self._run = transport.run
        self._answer = answer
        self._partial = b""
        self._lines: deque[tuple[float, bytes, bool]] = deque()
        self._latest = 0.0
        self._is_initial = action is not None and "sendInitialEvents" in action.options
        self._ended = False
        self._broken = False
        self._is_over = False
        self._is_pull_scheduled = False
        self._waiter: asyncio.Future[None] | None = None
        transport.streams.add(self)
        if isinstance(answer, Response):
            self._lines.append((0.0, answer.body, True))
            self._ended = True
        else:
            with self._run.dispatcher.lock:
                answer.on_ready(self._on_ready)
            self._pull()

    # ---- from the server ----------------------------------------------------------------------

    def _on_ready(self) -> None:
        if not self._is_pull_scheduled and not self._is_over:
            self._is_pull_scheduled = True
            self._run.loop.call_soon(self._pull, context=Context())

    def _pull(self) -> None:
        self._is_pull_scheduled = False
        if self._is_over or self._ended or isinstance(self._answer, Response):
            return
        try:
            while chunk := self._run.dispatcher.take(self._answer):
                self._add(chunk)
        except ConnectionCut:
            self.break_off()
            return
        if calls := self._answer.calls:
            self._run.dispatcher.backends.on_loop(alone=True).start(calls)
        if chunk is None:
            self._ended = True
            self.wake()
        elif (deadline := self._answer.deadline) is not None:
            self._run.loop.at(deadline, self._pull, context=Context())

    def _add(self, chunk: bytes) -> None:
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        for line in lines:
            if not line:
                continue
            lag = 0.0 if self._is_initial else self._run.event_lag(self)
            self._latest = max(self._latest, self._run.loop.now + lag)
            self._lines.append((self._latest, line + b"\n", self._is_initial))
            self._run.loop.at(self._latest, self.wake, context=Context())
            if self._is_initial and _END_OF_INITIAL in line:
                self._is_initial = False

    # ---- to the client ------------------------------------------------------------------------

    async def read(self) -> bytes:
        """Wait for the next bytes; empty at the end, and after `abort`."""
        while True:
            if self._is_over:
                return b""
            if self._broken:
                self._release()
                raise ConnectionLost(f"{self._request.info}: the connection was lost")
            if data := self._take_due():
                return data
            if self._ended and not self._lines:
                self._release()
                return b""
            waiter = self._waiter = self._run.loop.create_future()
            try:
                await waiter
            finally:
                self._waiter = None

    def _take_due(self) -> bytes:
        chunks: list[bytes] = []
        while self._lines:
            due, line, is_initial = self._lines[0]
            if due > self._run.loop.now or (not is_initial and self._run.is_held(self)):
                break
            chunks.append(line)
            self._lines.popleft()
        return b"".join(chunks)

    def wake(self) -> None:
        """Let the reader check again whether events can be delivered."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def break_off(self) -> None:
        """Break the connection. Events that were not read are lost."""
        self._broken = True
        self.wake()

    def abort(self) -> None:
        """Make `read` return at once."""
        self.wake()
        self._release()

    async def aclose(self) -> None:
        """Close the connection."""
        self.abort()

    def _release(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._transport.streams.discard(self)
            if not isinstance(self._answer, Response):
                self._run.dispatcher.close(self._answer)


def headers_of(pairs: Headers) -> Mapping[str, str]:
    """Headers by lower-case name."""
    return {name.lower(): value for name, value in pairs}
