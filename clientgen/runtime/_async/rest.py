"""The REST client: credentials, retries, rate limits and warnings on top of a transport."""

# ruff: noqa: ASYNC109 - a transport is told how long it has

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._clock import SYSTEM_CLOCK
from .._http.json_codec import JSON
from .._http.request import HttpRequest, HttpResponse, check_headers
from .._http.response import error_from, retry_after
from .._http.retry import MAX_RETRIES, Retry, TokenBucket, annotate
from .._http.server_health import SILENCE, is_outage
from .._http.server_warnings import LoggedOnce, warnings_in
from .._http.write_permit import check_permit
from .._models.arguments import named
from .._redaction import Hidden, Unpicklable
from ..errors import ConnectionLost, RequestTimeout, TransportError
from ._primitives import Lock, call_later, holding, run_blocking, short_lock, sleep, wait_until
from .health_monitor import AsyncHealthMonitor
from .standstill_alarm import alarm_once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Self, Unpack

    from .._cache.written_caches import WrittenCaches
    from .._clock import Clock
    from .._config.cluster_config import ClusterConfig, Credential
    from .._http.call_options import ClientOptions
    from .._http.codec import Codec
    from .._http.request import Headers
    from ._primitives import Event, Function
    from .health_monitor import AsyncMonitoredStream
    from .transport import AsyncHttpTransport
    from .transport_protocol import (
        AsyncByteStream,
        AsyncConnectingTransport,
        AsyncDuplexStream,
        AsyncTransport,
    )
    from .websocket import AsyncWebSocket

__all__ = ["AsyncRest"]

Opened = TypeVar("Opened", bound="AsyncByteStream")

# What `dir` shows. The other attributes are for the runtime.
_PUBLIC = frozenset(
    (
        *("clock", "codec", "config", "field_manager", "from_config", "host"),
        *("namespace", "on_response", "send", "stream"),
    )
)
_ACCEPT = "Accept"
_REDIRECT = 300
_UNAUTHORIZED = 401
_NO_RESPONSE = "<error>"  # as in Go's metrics
_OF_TRANSPORT = ("connect_timeout", "pool_size", "max_response_bytes")
_SERVER_ERRORS = 500
# The most bytes to read of a rejected stream: enough for the error message.
_ERROR_BODY = 65536
_ERROR_SECONDS = 10.0
# The time for a watch to respond with headers, which servers send at once. The first is a
# fraction of the silence timeout; the second applies while the server does not answer.
_OPENING = 0.75
_OPEN_DOWN = 5.0


class AsyncRest(Unpicklable):
    """Sends requests to one cluster, on behalf of any number of typed clients.

    Responses 429 and 5xx with a Retry-After header are retried for every verb, up to `max_retries`
    times. GETs are also retried after a lost connection, as in client-go. A 401 makes the client
    read credential files and run plugins again; if the credential changed, the request is sent once
    more. Credentials are sent over TLS only. If `transport` is given, it carries the requests
    instead of the network.

    Use it as a context manager, or call `aclose`.

    Attributes:
        config: The configuration of the cluster.
        codec: The codec of bodies.
        field_manager: The field manager of server-side apply.
        clock: The clock of timeouts. In a test with a fake cluster, it is the cluster's. Pauses
            before retries are of real time.
    """

    def __init__(
        self,
        config: ClusterConfig,
        *,
        transport: AsyncTransport | None = None,
        codec: Codec = JSON,
        **options: Unpack[ClientOptions],
    ) -> None:
        from .._config.credentials import Credentials
        from .._http.user_agent import field_manager, user_agent

        _check_options(options)
        self.config = config
        self.codec = codec
        self.clock: Clock = SYSTEM_CLOCK
        agent = options.get("user_agent") or user_agent()
        self.field_manager = field_manager(agent)
        self._timeout = options.get("timeout")
        self._max_retries = options.get("max_retries", MAX_RETRIES)
        self._warning_handler = options.get("warning_handler", LoggedOnce())
        qps = options.get("qps", 0.0)
        self._bucket = (
            TokenBucket(qps, options.get("burst", max(1, int(2 * qps)))) if qps > 0 else None
        )
        self._bucket_lock = short_lock()
        self._pool = _pool_options(options)
        self.on_response: Callable[[str, str, str], object] | None = None
        """Called with host, method and status code after each attempt, for metrics."""
        self.discovery_cache = options.get("discovery_cache", True)
        self.shared: dict[str, Any] = {}
        """What clients of this server share, such as its discovery."""
        self.written_caches: WrittenCaches | None = None
        """The informers that show own writes; None before there is one."""
        self.has_written = False
        """Whether something may have been written: lists of informers are then the latest state."""
        self._fixed: Headers = (
            (_ACCEPT, codec.accept),  # the first, where `_signed` replaces it
            ("User-Agent", agent),
            *_impersonation(config, options),
        )
        check_headers(self._fixed)
        self._headers: Headers = self._fixed
        self._credentials = Credentials(config)
        self._shown: Credential | None = None
        self._adopting = Lock()
        self._is_given = transport is not None
        self._transport: AsyncTransport | None = transport
        self._http: AsyncHttpTransport | None = None
        self._closed = False
        self._alarms: set[Callable[[], object]] = set()
        silence = options.get("silence_timeout", SILENCE)
        self._health_monitor = (
            AsyncHealthMonitor(config.server, self, silence)
            if silence and transport is None
            else None
        )

    @classmethod
    def from_config(
        cls,
        kubeconfig: str | PathLike[str] | None = None,
        context: str | None = None,
        *,
        codec: Codec = JSON,
        **options: Unpack[ClientOptions],
    ) -> Self:
        """Create a client from KUBECONFIG, `~/.kube/config` or the pod's service account.

        Raises:
            ConfigError: the configuration is missing or invalid.
        """
        from .._config.kubeconfig import load_config  # configs built in code need no YAML

        return cls(load_config(kubeconfig, context), codec=codec, **options)

    def __dir__(self) -> list[str]:
        """What programs use; the rest is for the runtime."""
        public = _PUBLIC | {self.aclose.__name__}
        return [name for name in object.__dir__(self) if name in public or name.startswith("__")]

    @property
    def namespace(self) -> str:
        """The default namespace of the configuration."""
        return self.config.namespace

    @property
    def host(self) -> str:
        """The host and port of the server."""
        return self.config.server.rpartition("//")[2].partition("/")[0]

    @property
    def timeout(self) -> float | None:
        """The seconds that a request may take unless its call says otherwise; None for no limit."""
        return self._timeout

    def whole_deadline(self, options: Mapping[str, Any]) -> float | None:
        """Return when all of a call must be done that sends many requests, or runs a command.

        The timeout of the client limits each request of it, and no more.
        """
        return self.deadline({"timeout": options.get("timeout")})

    def deadline(self, options: Mapping[str, Any]) -> float | None:
        """Return the moment of the clock at which a call with these options must be done."""
        timeout: float | None = options.get("timeout", self._timeout) if options else self._timeout
        if timeout != timeout:  # noqa: PLR0124 - only nan is not itself
            raise ValueError("timeout is a number of seconds, not nan")
        try:
            return None if timeout is None else self.clock.monotonic() + timeout
        except TypeError:
            what = f"timeout is a number of seconds, not {named(timeout)}"
            raise TypeError(what) from None

    def left(self, deadline: float) -> float:
        """Return the seconds until a deadline; 0 after it."""
        return max(0.0, deadline - self.clock.monotonic())

    def real_deadline(self, deadline: float | None) -> float | None:
        """Return the monotonic time that is as far away: for what takes real time in any case."""
        return None if deadline is None else monotonic() + self.left(deadline)

    async def send(
        self,
        request: HttpRequest,
        deadline: float | None = None,
        *,
        max_retries: int | None = None,
    ) -> HttpResponse:
        """Send a request, with retries, and return the complete successful response.

        `max_retries` overrides the client's; the reflector retries by itself. Informers of this
        client show what was written before this returns.

        Raises:
            ApiError: the server responded with an error.
            TransportError: there was no complete response before the deadline.
        """
        if request.method == "GET":
            return await self._send(request, deadline, max_retries)
        self.has_written = True
        caches = self.written_caches
        pending = None if caches is None else caches.sending(request)
        if pending is None:
            return await self._send(request, deadline, max_retries)
        try:
            response = await self._send(request, deadline, max_retries)
            pending.answered(response, self.codec)
        finally:
            pending.over()
        return response

    async def _send(
        self, request: HttpRequest, deadline: float | None, max_retries: int | None
    ) -> HttpResponse:
        retry: Retry | None = None
        retries = self._max_retries if max_retries is None else max_retries
        before: Exception | None = None
        while True:
            if self._bucket is not None:
                await self._take_turn(self._bucket, request, deadline)
            error: Exception
            try:
                response = await self._exchange(request, deadline)
            except TransportError as problem:
                if isinstance(problem, RequestTimeout):
                    self.drop_idle()
                retry = retry or Retry(request.method, retries, self.real_deadline(deadline))
                delay, error = retry.after_error(problem, monotonic()), problem
            else:
                if "warning" in response.headers:
                    self._warn(response.headers, request)
                if response.status < _REDIRECT:
                    return response
                retry = retry or Retry(request.method, retries, self.real_deadline(deadline))
                wait_asked = retry_after(response.headers)
                delay = retry.after_response(response.status, wait_asked, monotonic())
                error = error_from(request, response, self.codec)
            if delay is None:
                raise annotate(error, retry.count, before)
            before = error
            await sleep(delay)

    async def stream(
        self,
        request: HttpRequest,
        deadline: float | None = None,
        read_timeout: float | None = None,
        *,
        max_retries: int | None = None,
        is_watch: bool = False,
        can_resume: bool = False,
    ) -> AsyncByteStream:
        """Send a request and return the response as a stream. Lost connections are not retried.

        `max_retries` is as in `send`. A watch must respond soon, or it counts as lost. `can_resume`
        states that the reader loses nothing if the stream is cut.

        Raises:
            ApiError: the server responded with an error.
            TransportError: there was no response before the deadline.
        """
        begin = partial(self._begin, request, deadline, read_timeout, is_watch)
        stream = await self._accepted(request, begin, deadline, max_retries)
        if self._health_monitor is not None:
            self._health_monitor.listen(cast("AsyncMonitoredStream", stream), can_resume=can_resume)
        return stream

    async def relay(self, request: HttpRequest, deadline: float | None = None) -> HttpResponse:
        """Send a request once, and return the response of whoever answers, whatever its status.

        Raises:
            TransportError: there was no complete response before the deadline.
        """
        if self._bucket is not None:
            await self._take_turn(self._bucket, request, deadline)
        return await self._exchange(request, deadline)

    async def relay_stream(
        self, request: HttpRequest, deadline: float | None = None
    ) -> AsyncByteStream:
        """Send a request once, and return the response as a stream, whatever its status.

        Raises:
            TransportError: there was no response before the deadline.
        """
        begin = partial(self._begin, request, deadline, None, False)
        stream = await self._open(begin, deadline)
        if self._health_monitor is not None:
            self._health_monitor.listen(cast("AsyncMonitoredStream", stream), can_resume=False)
        return stream

    async def connect(
        self, request: HttpRequest, subprotocols: Sequence[str], deadline: float | None = None
    ) -> AsyncWebSocket:
        """Open a WebSocket. `deadline` is for the server's answer; it may be silent afterwards.

        Args:
            request: The request, without the headers of the handshake.
            subprotocols: What this side speaks, the best first.
            deadline: Until when the server has to answer.

        Raises:
            ApiError: The server refused.
            TransportError: There was no response before the deadline, or it opens no WebSocket.
        """
        from .._streams.websocket_protocol import Handshake  # few programs open a WebSocket
        from .websocket import AsyncWebSocket as Connected

        handshake = Handshake(subprotocols)
        headers = handshake.headers_for(request.headers)
        asking = HttpRequest(request.method, request.target, headers)
        stream = await self._accepted(
            asking, partial(self._switch, asking, deadline), deadline, None
        )
        try:
            subprotocol = handshake.chosen_subprotocol(stream.status, stream.headers, request.info)
        except TransportError:
            await stream.aclose()
            raise
        if self._health_monitor is not None:
            self._health_monitor.listen(cast("AsyncMonitoredStream", stream), can_resume=False)
        return Connected(stream, subprotocol, request.info)

    async def _accepted(
        self,
        request: HttpRequest,
        begin: Function[[AsyncTransport], Opened],
        deadline: float | None,
        max_retries: int | None,
    ) -> Opened:
        """Begin a stream, again if need be, until the server accepts.

        `begin` makes one attempt: it signs the request, and sends it by the method of the transport
        for that kind of stream.
        """
        retries = self._max_retries if max_retries is None else max_retries
        retry = Retry(request.method, retries, self.real_deadline(deadline))
        while True:
            stream = await self._open(begin, deadline)
            if self._health_monitor is not None and stream.status < _SERVER_ERRORS:
                self._health_monitor.answered()
            if "warning" in stream.headers:
                self._warn(stream.headers, request)
            if stream.status < _REDIRECT:
                return stream
            body = await _read_some(stream, self.real_deadline(deadline))
            response = HttpResponse(stream.status, stream.headers, body)
            delay = retry.after_response(stream.status, retry_after(stream.headers), monotonic())
            if delay is None:
                raise annotate(error_from(request, response, self.codec), retry.count, None)
            await sleep(delay)

    def limit_silence(self, stream: AsyncByteStream, seconds: float) -> None:
        """Make a stream fail when no data arrives for this many seconds, from now on."""
        if self._http is not None:
            cast("AsyncMonitoredStream", stream).limit_silence(seconds)

    @property
    def is_mute(self) -> bool:
        """Whether the server is known not to respond, so that slow operations should not start."""
        return self._health_monitor is not None and self._health_monitor.is_mute

    async def pause(
        self, stopped: Event, clock: Clock, seconds: float, error: Exception | None
    ) -> bool:
        """Wait before retrying an operation that failed with `error`.

        The wait ends at once when `stopped` is set, and soon after an unreachable server is back.
        Returns whether the server came back.
        """
        if self._health_monitor is None or not is_outage(error):
            await wait_until(stopped, clock, clock.monotonic() + seconds)
            return False
        return await self._health_monitor.pause(stopped, clock, seconds)

    def alarm_at(self, deadline: float, alarm: Callable[[str], object]) -> Callable[[], object]:
        """Call something at a deadline, unless the client is closed before.

        If nobody moves the FakeClock, it is called with a sentence that says so, else with an empty
        one. Returns what cancels that; it has to be called in any case.
        """
        end = alarm_once(self.clock, deadline, alarm)

        def cancel() -> None:
            self._alarms.discard(cancel)
            end()

        self._alarms.add(cancel)
        return cancel

    async def ask(self, target: str, timeout: float, *, fresh: bool) -> tuple[int, bool]:
        """Ask the server something small: see `health_monitor`."""
        await self._ready(self.clock.monotonic() + timeout)
        assert self._http is not None
        request = self._signed(HttpRequest("GET", target))
        return await self._http.ask(request, timeout, fresh=fresh)

    @property
    def silence(self) -> float | None:
        """The seconds without data after which connections are given up, or None for no limit."""
        return None if self._health_monitor is None else self._health_monitor.silence

    def drop_idle(self) -> None:
        """Make the next requests open new connections, because one was found dead."""
        if self._http is not None:
            self._http.drop_idle()

    async def hang_up(self) -> None:
        """Close the connection for that."""
        if self._http is not None:
            await self._http.hang_up()

    async def aclose(self) -> None:
        """Close all connections; streams end."""
        self._closed = True
        self._shown = None
        for cancel in tuple(self._alarms):
            cancel()
        if self._health_monitor is not None:
            await self._health_monitor.aclose()
        if self._transport is not None:
            await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.config.server!r})"

    # ---- one attempt --------------------------------------------------------------------------

    async def _exchange(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        credential, transport = await self._ready(deadline)
        response = await self._sent(transport, request, deadline)
        if response.status == _UNAUTHORIZED and await self._renews(credential, deadline):
            _, transport = await self._ready(deadline)
            response = await self._sent(transport, request, deadline)
        return response

    async def _sent(
        self, transport: AsyncTransport, request: HttpRequest, deadline: float | None
    ) -> HttpResponse:
        check_permit(request.method, request.target)
        try:
            response = await transport.send(self._signed(request), self._left(request, deadline))
        except TransportError:
            self._note(request, _NO_RESPONSE)
            raise
        self._note(request, str(response.status))
        return response

    def _note(self, request: HttpRequest, code: str) -> None:
        if self.on_response is not None:
            self.on_response(self.host, request.method, code)

    async def _open(
        self, begin: Function[[AsyncTransport], Opened], deadline: float | None
    ) -> Opened:
        credential, transport = await self._ready(deadline)
        stream = await begin(transport)
        if stream.status == _UNAUTHORIZED and await self._renews(credential, deadline):
            await stream.aclose()
            _, transport = await self._ready(deadline)
            stream = await begin(transport)
        return stream

    async def _begin(
        self,
        request: HttpRequest,
        deadline: float | None,
        silence: float | None,
        is_watch: bool,
        transport: AsyncTransport,
    ) -> AsyncByteStream:
        check_permit(request.method, request.target)
        try:
            stream = await self._opened(request, deadline, silence, is_watch, transport)
        except TransportError:
            self._note(request, _NO_RESPONSE)
            raise
        self._note(request, str(stream.status))
        return stream

    async def _switch(
        self, request: HttpRequest, deadline: float | None, transport: AsyncTransport
    ) -> AsyncDuplexStream:
        if not hasattr(transport, "connect"):
            raise NotImplementedError(f"{type(transport).__name__} opens no WebSockets")
        connecting = cast("AsyncConnectingTransport", transport)
        check_permit(request.method, request.target, acts=True)
        try:
            stream = await connecting.connect(self._signed(request), self._left(request, deadline))
        except TransportError:
            self._note(request, _NO_RESPONSE)
            raise
        self._note(request, str(stream.status))
        return stream

    async def _opened(
        self,
        request: HttpRequest,
        deadline: float | None,
        silence: float | None,
        is_watch: bool,
        transport: AsyncTransport,
    ) -> AsyncByteStream:
        remaining, limit = self._left(request, deadline), None
        if is_watch and self._health_monitor is not None:
            limit = (
                _OPEN_DOWN
                if self._health_monitor.is_mute
                else _OPENING * self._health_monitor.silence
            )
        if limit is None or (remaining is not None and remaining < limit):
            return await transport.stream(self._signed(request), remaining, silence)
        try:
            return await transport.stream(self._signed(request), limit, silence)
        except RequestTimeout:
            self.drop_idle()
            raise ConnectionLost(f"{request.info}: no response within {limit:g} s") from None

    def _left(self, request: HttpRequest, deadline: float | None) -> float | None:
        if deadline is None:
            return None
        remaining = self.left(deadline)
        if not remaining:
            raise RequestTimeout(f"{request.info}: the deadline has passed")
        return remaining

    def _signed(self, request: HttpRequest) -> HttpRequest:
        headers = self._headers
        if request.headers:
            check_headers(request.headers)
            own = request.headers
            has_accept = any(name == _ACCEPT for name, _ in own)
            headers = own + (headers[1:] if has_accept else headers)
        return HttpRequest(request.method, request.target, headers, request.body)

    # ---- credentials --------------------------------------------------------------------------

    async def _ready(self, deadline: float | None) -> tuple[Credential, AsyncTransport]:
        """A good credential, and the connections that belong to it.

        Raises:
            RequestTimeout: there was none by the deadline. A plugin goes on: the next call may use
                what it answers.
        """
        credential = self._credentials.cached()
        if credential is None or credential is not self._shown:
            self._check_open()
            try:
                credential = await holding(
                    self._adopting, self._renewed, self.real_deadline(deadline)
                )
            except TimeoutError:
                raise RequestTimeout("the deadline passed while waiting for credentials") from None
            # It may have been closed meanwhile: nobody would close what is opened now.
            self._check_open()
        assert self._transport is not None
        return credential, self._transport

    def _check_open(self) -> None:
        if self._closed:
            self._shown = None
            raise RuntimeError(f"{self!r} is closed")

    async def _renewed(self) -> Credential:
        """The credential that is good now, after everything that it takes to show it."""
        credential = self._credentials.cached()
        if credential is None:
            credential = await run_blocking(self._credentials.refresh)
        if credential is not self._shown:
            await self._adopt(credential)
        return credential

    async def _adopt(self, credential: Credential) -> None:
        """Show another credential from now on, over new connections if it takes that."""
        if not self._is_given and (
            self._shown is None or self._shown.connection != credential.connection
        ):
            await self._connect(credential)
        authorization = credential.authorization
        shown = (("Authorization", Hidden(authorization)),) if authorization else ()
        check_headers(shown)
        self._headers = self._fixed + shown
        self._shown = credential

    async def _connect(self, credential: Credential) -> None:
        """Open new connections; the old ones are closed as soon as nobody waits for an answer."""
        from .transport import AsyncHttpTransport  # the HTTP library is a big import

        old, context = self._http, None
        if self.config.is_secure:
            from .._config.tls import ssl_context

            make = partial(
                ssl_context, self.config.tls, credential.certificate, credential.authority
            )
            context = await run_blocking(make)
        self._transport = self._http = AsyncHttpTransport(self.config, context, **self._pool)
        if old is not None:
            await old.retire()

    async def _renews(self, credential: Credential, deadline: float | None) -> bool:
        """After a 401: whether there is another credential to show."""
        self._credentials.rejected(credential)
        renewed, _ = await self._ready(deadline)
        return renewed is not credential

    # ---- rate limiting and warnings -----------------------------------------------------------

    async def _take_turn(
        self, bucket: TokenBucket, request: HttpRequest, deadline: float | None
    ) -> None:
        now = monotonic()
        with self._bucket_lock:
            delay = bucket.reserve(now)
        if deadline is not None and delay >= self.left(deadline):
            raise RequestTimeout(
                f"{request.info}: the rate limit would delay the request past its deadline"
            )
        if delay:
            await sleep(delay)

    def _warn(self, headers: Mapping[str, str], request: HttpRequest) -> None:
        handler = self._warning_handler
        if handler is None:
            return
        for text in warnings_in(headers["warning"]):
            if isinstance(handler, LoggedOnce):
                handler(text, request)
            else:
                handler(text)


async def _read_some(stream: AsyncByteStream, deadline: float | None) -> bytes:
    """Read the body of a refusal, as far as it goes and comes in time."""
    body = b""
    remaining = _ERROR_SECONDS
    if deadline is not None:  # be done before it has passed, so that the refusal is told
        remaining = min(remaining, max(0.0, deadline - monotonic()) / 2)
    cancel_alarm = call_later(remaining, stream.abort)
    try:
        while len(body) < _ERROR_BODY and (chunk := await stream.read()):
            body += chunk
    except TransportError:
        pass  # the status is known, and that is what counts
    finally:
        cancel_alarm()
        await stream.aclose()
    return body


def _check_options(options: Mapping[str, Any]) -> None:
    from .._http.call_options import ClientOptions

    unknown = sorted(options.keys() - ClientOptions.__annotations__.keys())
    if unknown:
        known_options = ", ".join(ClientOptions.__annotations__)
        raise TypeError(
            f"no such client option: {', '.join(unknown)}; the options are {known_options}"
        )


def _pool_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the transport takes; it has defaults for the others."""
    return {name: options[name] for name in _OF_TRANSPORT if name in options}


def _impersonation(config: ClusterConfig, options: ClientOptions) -> Headers:
    """Whom to act as: the options win over the configuration."""
    from .._config.cluster_config import Impersonation
    from .._config.impersonation import impersonation_headers

    chosen = config.impersonate
    if any(name.startswith("impersonate_") for name in options):
        chosen = Impersonation(
            options.get("impersonate_user", ""),
            options.get("impersonate_uid", ""),
            options.get("impersonate_groups", ()),
            options.get("impersonate_extra", {}),
        )
    return tuple(impersonation_headers(chosen)) if chosen else ()
