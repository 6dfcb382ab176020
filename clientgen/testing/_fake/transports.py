"""Transports to a server in this process, without sockets, for both flavours.

For clients, they behave like a network: calls time out, streams break, and other threads and tasks
can abort streams. The cluster's clock measures timeouts, so with a FakeClock, a timeout passes when
the test moves the clock. `_Call` and `_AnswerReader` contain the logic; the transports of the
flavours wait.
"""

# The transport protocols have timeouts as arguments.
# ruff: noqa: ASYNC109

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clientgen.runtime._http.request import HttpResponse
from clientgen.runtime._http.write_permit import depart
from clientgen.runtime._streams.websocket_protocol import SWITCHING_PROTOCOLS, Frames, accept_key
from clientgen.runtime.errors import ConnectionLost, RequestTimeout

from .._apiserver.responses.answers import Deferred, Response, Stream, Upgrade
from .network_faults import ConnectionCut, CutResponse
from .waiters import LoopWaker, ThreadWaker, earliest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from clientgen.runtime._http.request import HttpRequest

    from .._apiserver.responses.answers import Answer, Headers
    from .backends import LoopCalls
    from .dispatcher import Dispatcher

    Streams: TypeAlias = "set[_AnswerReader[Any]]"
    Connections: TypeAlias = "set[_Connection[Any]]"

W = TypeVar("W", bound=ThreadWaker | LoopWaker)


class InProcessTransport:
    """`Transport` of the synchronous runtime; threads may share it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._streams: Streams = set()
        self._connections: Connections = set()

    def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request, and return the complete response."""
        waker = ThreadWaker()
        call = _Call(self._dispatcher, request, timeout, waker)
        answer = self._answer(call, waker)
        if isinstance(answer, Response):
            return call.complete_response(answer)
        stream = _Stream(call, answer, waker, timeout, set())
        chunks: list[bytes] = []
        while chunk := stream.read():
            chunks.append(chunk)
        return HttpResponse(stream.status, stream.headers, b"".join(chunks))

    def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> _Stream:
        """Send a request, and return the response as a stream after its headers."""
        waker = ThreadWaker()
        call = _Call(self._dispatcher, request, timeout, waker)
        return _Stream(call, self._answer(call, waker), waker, read_timeout, self._streams)

    def connect(self, request: HttpRequest, timeout: float | None) -> _Stream | _Duplex:
        """Send a request to switch protocols. Returns an ordinary stream if the server refuses."""
        reading, writing = ThreadWaker(), ThreadWaker()
        call = _Call(self._dispatcher, request, timeout, _wake_both(reading, writing))
        answer = self._wait_for_answer(call, reading)
        if isinstance(answer, Upgrade):
            return _Duplex(call, answer, reading, writing, self._connections)
        return _Stream(call, answer, reading, None, self._streams)

    def close(self) -> None:
        """Abort all streams and connections."""
        for stream in tuple(self._streams):
            stream.abort()
        for connection in tuple(self._connections):
            connection.abort()

    def _answer(self, call: _Call, waker: ThreadWaker) -> Response | Stream:
        return _without_upgrade(self._wait_for_answer(call, waker))

    def _wait_for_answer(self, call: _Call, waker: ThreadWaker) -> Response | Stream | Upgrade:
        self._dispatcher.finish_own_step()
        answer = call.begin()
        while isinstance(answer, Deferred):
            self._dispatcher.backends.start(answer.calls)
            waker.wait(call.dispatcher.clock, earliest(answer.deadline, call.deadline))
            answer = call.resume(answer)
        return answer


class AsyncInProcessTransport:
    """`Transport` of the asyncio runtime; event loops in several threads may share it."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._streams: Streams = set()
        self._connections: Connections = set()

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        """Send a request, and return the complete response."""
        waker = LoopWaker(asyncio.get_running_loop())
        call = _Call(self._dispatcher, request, timeout, waker)
        answer = await self._answer(call, waker)
        if isinstance(answer, Response):
            return call.complete_response(answer)
        stream = _AsyncStream(call, answer, waker, timeout, set())
        chunks: list[bytes] = []
        while chunk := await stream.read():
            chunks.append(chunk)
        return HttpResponse(stream.status, stream.headers, b"".join(chunks))

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> _AsyncStream:
        """Send a request, and return the response as a stream after its headers."""
        waker = LoopWaker(asyncio.get_running_loop())
        call = _Call(self._dispatcher, request, timeout, waker)
        answer = await self._answer(call, waker)
        return _AsyncStream(call, answer, waker, read_timeout, self._streams)

    async def connect(
        self, request: HttpRequest, timeout: float | None
    ) -> _AsyncStream | _AsyncDuplex:
        """Send a request to switch protocols. Returns an ordinary stream if the server refuses."""
        loop = asyncio.get_running_loop()
        reading, writing = LoopWaker(loop), LoopWaker(loop)
        call = _Call(self._dispatcher, request, timeout, _wake_both(reading, writing))
        answer = await self._wait_for_answer(call, reading)
        if isinstance(answer, Upgrade):
            return _AsyncDuplex(call, answer, reading, writing, self._connections)
        return _AsyncStream(call, answer, reading, None, self._streams)

    async def aclose(self) -> None:
        """Abort all streams and connections."""
        for stream in tuple(self._streams):
            stream.abort()
        for connection in tuple(self._connections):
            connection.abort()

    async def _answer(self, call: _Call, waker: LoopWaker) -> Response | Stream:
        return _without_upgrade(await self._wait_for_answer(call, waker))

    async def _wait_for_answer(self, call: _Call, waker: LoopWaker) -> Response | Stream | Upgrade:
        # Let other tasks run, as a request over the network would.
        await asyncio.sleep(0)
        await self._dispatcher.own_step_passed()
        answer = call.begin()
        if not isinstance(answer, Deferred):
            return answer
        with self._dispatcher.backends.on_loop() as webhook_calls:
            while isinstance(answer, Deferred):
                webhook_calls.start(answer.calls)
                await waker.wait(call.dispatcher.clock, earliest(answer.deadline, call.deadline))
                answer = call.resume(answer)
            return answer


# ---- shared by both flavours ------------------------------------------------------------------


class _Call:
    """A request that waits for its response."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        request: HttpRequest,
        timeout: float | None,
        wake: Callable[[], None],
    ) -> None:
        self.dispatcher = dispatcher
        self.request = request
        self.deadline = None if timeout is None else dispatcher.clock.monotonic() + timeout
        self._wake = wake
        self._is_broken = False

    def begin(self) -> Answer:
        """Send the request to the server.

        Raises:
            LeadershipLost: the caller's work may not write any more.
        """
        depart(self._break_off)
        return self._check_not_lost(self.dispatcher.handle(self.request, self._wake))

    def resume(self, deferred: Deferred) -> Answer:
        """Try again to get a deferred response.

        Raises:
            RequestTimeout: the call's deadline has passed.
            ConnectionLost: the caller's work may not write any more.
        """
        if self._is_broken:
            raise self.lost()
        if self._is_late and earliest(deferred.deadline, self.deadline) != deferred.deadline:
            raise self._timeout()  # one step may have moved the clock past both deadlines
        answer = self._check_not_lost(self.dispatcher.resume(deferred, self._wake))
        if self._is_late and isinstance(answer, Deferred):
            raise self._timeout()
        return answer

    def _break_off(self) -> None:
        self._is_broken = True
        self._wake()

    @property
    def _is_late(self) -> bool:
        return self.deadline is not None and self.dispatcher.clock.monotonic() >= self.deadline

    def _timeout(self) -> RequestTimeout:
        return RequestTimeout(f"{self.request.info}: no response before the timeout")

    def complete_response(self, answer: Response) -> HttpResponse:
        """Convert a complete response for the client.

        Raises:
            ConnectionLost: the response is truncated.
        """
        if isinstance(answer, CutResponse):
            raise self.lost()
        return HttpResponse(answer.status, _headers(answer.headers), answer.body)

    def lost(self, why: str = "the connection was lost") -> ConnectionLost:
        """Return the error of a lost connection."""
        return ConnectionLost(f"{self.request.info}: {why}")

    def _check_not_lost(self, answer: Answer) -> Answer:
        if isinstance(answer, CutResponse) and answer.sent is None:
            raise self.lost()
        return answer


class _AnswerReader(Generic[W]):
    """Reads a response piece by piece. The subclasses wait."""

    def __init__(
        self,
        call: _Call,
        answer: Response | Stream,
        waker: W,
        read_timeout: float | None,
        open_streams: Streams,
    ) -> None:
        self.status = answer.status
        self.headers = _headers(answer.headers)
        self._call = call
        self._dispatcher = call.dispatcher
        self._source = _Body(answer) if isinstance(answer, Response) else answer
        self._waker = waker
        self._read_timeout = read_timeout
        self._open_streams = open_streams
        self._is_over = False
        open_streams.add(self)

    def abort(self) -> None:
        """Make `read` return at once. Any task or thread may call this. It never waits."""
        self._is_over = True
        self._waker()
        self._release()

    def _silence_deadline(self) -> float | None:
        """Return the time at which a silent stream counts as lost; None for no limit."""
        if self._read_timeout is None:
            return None
        return self._dispatcher.clock.monotonic() + self._read_timeout

    def _take(self) -> bytes | None:
        """Return the next bytes; empty at the end, None if no bytes are ready.

        Raises:
            ConnectionLost: the connection breaks.
        """
        if self._is_over:
            return b""
        try:
            chunk = self._dispatcher.take(self._source)
        except ConnectionCut:
            self._release()
            raise self._call.lost() from None
        if chunk is None:
            self._is_over = True
            self._release()
        return chunk or (b"" if chunk is None else None)

    def _check_silence(self, silence_deadline: float | None) -> None:
        if silence_deadline is not None and self._dispatcher.clock.monotonic() >= silence_deadline:
            self._release()
            raise self._call.lost("the connection was silent for too long")

    def _release(self) -> None:
        self._is_over = True
        self._open_streams.discard(self)
        self._dispatcher.close(self._source)


class _Stream(_AnswerReader[ThreadWaker]):
    """`ByteStream` of the synchronous runtime."""

    def read(self) -> bytes:
        """Wait for the next bytes; empty at the end, and after `abort`."""
        silence_deadline = self._silence_deadline()
        while (chunk := self._take()) is None:
            self._check_silence(silence_deadline)
            self._dispatcher.backends.start(self._source.calls)
            self._dispatcher.advance_clock(self._waker.is_woken)
            self._waker.wait(
                self._dispatcher.clock, earliest(silence_deadline, self._source.deadline)
            )
        return chunk

    def close(self) -> None:
        """Close the connection."""
        self.abort()


class _AsyncStream(_AnswerReader[LoopWaker]):
    """`AsyncByteStream` of the asyncio runtime."""

    _webhook_calls: LoopCalls | None = None

    async def read(self) -> bytes:
        """Wait for the next bytes; empty at the end, and after `abort`."""
        silence_deadline = self._silence_deadline()
        while (chunk := self._take()) is None:
            self._check_silence(silence_deadline)
            if self._source.calls:
                self._webhook_calls = self._webhook_calls or self._dispatcher.backends.on_loop()
                self._webhook_calls.start(self._source.calls)
            self._dispatcher.advance_clock(self._waker.is_woken)
            await self._waker.wait(
                self._dispatcher.clock, earliest(silence_deadline, self._source.deadline)
            )
        return chunk

    async def aclose(self) -> None:
        """Close the connection."""
        self.abort()
        if self._webhook_calls is not None:
            self._webhook_calls.end()


class _Connection(Generic[W]):
    """A WebSocket to the server as a connection of bytes. The subclasses wait."""

    status = SWITCHING_PROTOCOLS

    def __init__(
        self, call: _Call, upgrade: Upgrade, reading: W, writing: W, open_connections: Connections
    ) -> None:
        key = dict(call.request.headers).get("Sec-WebSocket-Key", "")
        headers = {"sec-websocket-accept": accept_key(str(key))}
        if upgrade.subprotocol:
            headers["sec-websocket-protocol"] = upgrade.subprotocol
        self.headers: Mapping[str, str] = headers
        self._call = call
        self._upgrade = upgrade
        self._frames = Frames(is_server=True)
        self._frames_lock = threading.Lock()
        self._reading, self._writing = reading, writing
        self._open_connections = open_connections
        self._is_over = self._has_ended = False
        open_connections.add(self)

    def abort(self) -> None:
        """Make `read` return at once. Any task or thread may call this. It never waits."""
        self._is_over = True
        self._open_connections.discard(self)
        self._upgrade.close()
        self._reading()
        self._writing()

    def _take(self) -> bytes | None:
        """Return the next bytes; empty at the end, None if no bytes are ready."""
        if self._is_over or self._has_ended:
            return b""
        with self._frames_lock:
            messages = None if self._frames.is_over else self._upgrade.take()
            for message in messages or ():
                self._frames.send(message)
            if messages is None:
                self._frames.close()
                self._has_ended = True
            return self._frames.take() or None

    def _feed(self, data: bytes) -> None:
        """Receive bytes from the client.

        Raises:
            ConnectionLost: the connection has ended.
        """
        if self._is_over or self._has_ended:
            raise self._call.lost()
        with self._frames_lock:
            for message in self._frames.receive(data):
                self._upgrade.feed(message)
        if self._frames.is_over:
            self._upgrade.close()
            self._reading()

    @property
    def _may_write(self) -> bool:
        return self._is_over or self._has_ended or not self._upgrade.is_full


class _Duplex(_Connection[ThreadWaker]):
    """`DuplexStream` of the synchronous runtime."""

    def read(self) -> bytes:
        """Wait for the next bytes; empty at the end, and after `abort`."""
        while (chunk := self._take()) is None:
            self._reading.wait(self._call.dispatcher.clock, None)
        return chunk

    def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes. Without a timeout, wait while the server does not read them."""
        self._feed(data)
        while timeout is None and not self._may_write:
            self._writing.wait(self._call.dispatcher.clock, None)

    def close(self) -> None:
        """Close the connection."""
        self.abort()


class _AsyncDuplex(_Connection[LoopWaker]):
    """`AsyncDuplexStream` of the asyncio runtime."""

    async def read(self) -> bytes:
        """Wait for the next bytes; empty at the end, and after `abort`."""
        while (chunk := self._take()) is None:
            await self._reading.wait(self._call.dispatcher.clock, None)
        return chunk

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send bytes. Without a timeout, wait while the server does not read them."""
        self._feed(data)
        while timeout is None and not self._may_write:
            await self._writing.wait(self._call.dispatcher.clock, None)

    async def aclose(self) -> None:
        """Close the connection."""
        self.abort()


def _wake_both(one: Callable[[], None], other: Callable[[], None]) -> Callable[[], None]:
    def wake() -> None:
        one()
        other()

    return wake


def _without_upgrade(answer: Response | Stream | Upgrade) -> Response | Stream:
    """Return the response to a request that does not switch protocols."""
    assert not isinstance(answer, Upgrade)
    return answer


class _Body(Stream):
    """Reads the body of a complete response as a stream."""

    def __init__(self, response: Response) -> None:
        self.status = response.status
        self.headers = response.headers
        self._cut = isinstance(response, CutResponse)
        sent = response.sent if isinstance(response, CutResponse) else None
        self._remaining: bytes = response.body[:sent]

    @property
    def deadline(self) -> float | None:
        """None, because the body is ready."""
        return None

    def take(self) -> bytes | None:
        """Return the rest of the body, or None at its end."""
        data, self._remaining = self._remaining, b""
        if data:
            return data
        if self._cut:
            raise ConnectionCut
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Call `wake` at once, because the body is ready."""
        wake()

    def close(self) -> None:
        """Do nothing: a complete response holds no resources."""


def _headers(pairs: Headers) -> Mapping[str, str]:
    headers: dict[str, str] = {}
    for name, value in pairs:
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers
