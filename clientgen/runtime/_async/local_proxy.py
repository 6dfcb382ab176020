"""A local port to the API server, as `kubectl proxy`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import h11

from .._http.raw_requests import check_no_dry_run
from .._streams.local_proxying import (
    ACCEPT_HOSTS,
    ACCEPT_PATHS,
    MAX_BODY_BYTES,
    MAX_HEAD_BYTES,
    REJECT_PATHS,
    ProxyFilter,
    RequestRefusedError,
    is_upgrade,
    refusal,
    response_head,
    upgrade_head,
    upstream_request,
)
from .._streams.port_channels import check_port
from ..errors import ClientError
from ._primitives import short_lock, spawn
from .lease_client import rest_of
from .local_listener import AsyncLocalListener
from .requests.request_link import AsyncWebSocketOpening

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from .lease_client import AsyncClient
    from .local_listener import AsyncLocalConnection
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream

logger = logging.getLogger("clientgen.runtime.ports")

_MAX_CONNECTIONS = 200
_SWITCHED = 101
_BAD_GATEWAY = 502
_TOO_LARGE = 413
_UNAVAILABLE = 503


def proxy(
    k: AsyncClient,
    *,
    port: int = 0,
    accept_paths: Sequence[str] = ACCEPT_PATHS,
    reject_paths: Sequence[str] = REJECT_PATHS,
    accept_hosts: Sequence[str] = ACCEPT_HOSTS,
    reject_methods: Sequence[str] = (),
) -> AsyncLocalProxy:
    """Open a local port to the API server, with the credentials of the client: `kubectl proxy`.

        async with proxy(k) as url:
            subprocess.run(["curl", f"{url}/api/v1/namespaces"])

    It listens on 127.0.0.1 only. Each program of this machine, of any user, can use the rights of
    the client while it is open. Web pages cannot: browsers tell that they come from another site.

    Commands in containers are rejected by default, as by kubectl. A client made by
    `with_(dry_run=True)` refuses writes. There are at most 200 connections; the oldest one that has
    sent no request is closed for a new one.

    Args:
        k: The clientset, or its `rest`.
        port: The local port; 0 for any free port.
        accept_paths: Regular expressions, one of which the decoded path must match, also with its
            repeated slashes merged.
        reject_paths: Regular expressions, none of which the decoded path may match, likewise.
        accept_hosts: Regular expressions, one of which the header Host must match, without its
            port.
        reject_methods: Regular expressions, none of which the method may match.

    Raises:
        OSError: When the block begins: the port cannot be listened on.
        TypeError: A filter is one text instead of a list.
        ValueError: A filter is not a regular expression, or the port is not valid.
    """
    passes = ProxyFilter(accept_paths, reject_paths, accept_hosts, reject_methods)
    return AsyncLocalProxy(rest_of(k), passes, check_port("port", port, least=0))


class AsyncLocalProxy:
    """A local port to the API server: see `proxy`. A context manager that gives its URL.

    Attributes:
        is_closed: Whether the port is closed.
    """

    def __init__(self, rest: AsyncRest, passes: ProxyFilter, port: int) -> None:
        self._rest = rest
        self._filter = passes
        self._port = port
        self._listener = AsyncLocalListener(self._serve)
        self._streams: set[AsyncByteStream] = set()
        self._lock = short_lock()
        self._connections: set[AsyncLocalConnection] = set()
        # Those that have not sent their request yet, the oldest first.
        self._waiting: dict[AsyncLocalConnection, None] = {}
        self._has_started = False
        self.is_closed = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.url}>"

    @property
    def url(self) -> str:
        """The URL of the port."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> str:
        """Start listening, and return the URL.

        Raises:
            OSError: The port cannot be listened on.
            RuntimeError: This proxy has started before.
        """
        if self._has_started:
            raise RuntimeError(f"{self!r} has already started; create a new one")
        self._has_started = True
        self._port = await self._listener.start(self._port)
        return self.url

    async def aclose(self) -> None:
        """Stop listening, and abort all connections."""
        self.is_closed = True
        for stream in [*self._streams]:
            stream.abort()
        await self._listener.aclose()

    async def __aenter__(self) -> str:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _serve(self, local: AsyncLocalConnection) -> None:
        """Serve one connection, which has one request."""
        exchange = _Exchange(local, self)
        try:
            if self._admit(local):
                await exchange.run()
            else:
                await exchange.refuse(_UNAVAILABLE, "there are too many connections")
        except (ClientError, OSError, h11.ProtocolError, RuntimeError) as error:
            if not self.is_closed:
                logger.debug("a connection to %s: %s", self.url, error)
        finally:
            with self._lock:
                self._forget(local)

    def _admit(self, local: AsyncLocalConnection) -> bool:
        """Return whether there may be one more connection.

        If there are too many, the oldest one without a request makes room.
        """
        with self._lock:
            if len(self._connections) >= _MAX_CONNECTIONS:
                oldest = next(iter(self._waiting), None)
                if oldest is None:
                    return False
                self._forget(oldest)
                oldest.abort()
            self._connections.add(local)
            self._waiting[local] = None
            return True

    def _forget(self, local: AsyncLocalConnection) -> None:
        self._connections.discard(local)
        self._waiting.pop(local, None)

    def has_sent_request(self, local: AsyncLocalConnection) -> None:
        """Note that a connection has sent its request."""
        with self._lock:
            self._waiting.pop(local, None)

    def check(self, request: h11.Request) -> None:
        """Check whether a request passes.

        Raises:
            RequestRefusedError: It does not.
        """
        self._filter.check(request)

    async def open(self, request: h11.Request, body: bytes, *, upgrade: bool) -> AsyncByteStream:
        """Send a request to the API server.

        Raises:
            ClientError: There was no response.
            RequestRefusedError: The request may write, and the client makes dry runs only.
        """
        rest = self._rest
        made = upstream_request(request, body, upgrade=upgrade)
        try:
            check_no_dry_run(made, rest.write_defaults)
        except ValueError:
            message = "the client of this proxy makes dry runs only"
            raise RequestRefusedError(403, message) from None
        deadline = rest.deadline({})
        if upgrade:
            stream = await rest.chain.relayed.stream(made, deadline, AsyncWebSocketOpening())
        else:
            stream = await rest.relay_stream(made, deadline)
        self._streams.add(stream)
        if self.is_closed:
            stream.abort()
        return stream

    async def close_stream(self, stream: AsyncByteStream) -> None:
        """Close a response."""
        self._streams.discard(stream)
        await stream.aclose()


class _Exchange:
    """One request of a program, and its response."""

    def __init__(self, local: AsyncLocalConnection, proxy: AsyncLocalProxy) -> None:
        self._local = local
        self._proxy = proxy
        self._protocol = h11.Connection(h11.SERVER, MAX_HEAD_BYTES)
        self._is_gone = False

    async def run(self) -> None:
        """Pass on the request, and the response."""
        try:
            request, body = await self._read_request()
            if request is None:
                return
            self._proxy.has_sent_request(self._local)
            upgrade = is_upgrade(request)
            stream = await self._proxy.open(request, body, upgrade=upgrade)
        except RequestRefusedError as error:
            await self.refuse(error.status, str(error))
        except h11.RemoteProtocolError as error:
            await self.refuse(error.error_status_hint, "the request is not valid HTTP")
        except (ClientError, ValueError) as error:
            await self.refuse(_BAD_GATEWAY, str(error))
        else:
            try:
                await self._pass_on(stream)
            finally:
                await self._proxy.close_stream(stream)

    async def _read_request(self) -> tuple[h11.Request | None, bytes]:
        """Read the request; None if the program has sent none.

        Raises:
            RequestRefusedError: The request does not pass.
        """
        request: h11.Request | None = None
        body = bytearray()
        while True:
            event = await self._next_event()
            if isinstance(event, h11.Request):
                request = event
                self._proxy.check(request)
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > MAX_BODY_BYTES:
                    raise RequestRefusedError(_TOO_LARGE, "the body of the request is too large")
            else:
                return request, bytes(body)

    async def _next_event(self) -> Any:
        while (event := self._protocol.next_event()) is h11.NEED_DATA:
            if self._protocol.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._protocol.receive_data(await self._local.read())
        return event

    async def _send(self, *events: Any) -> None:
        sent = b"".join(filter(None, map(self._protocol.send, events)))
        if sent:
            await self._local.write(sent)

    async def refuse(self, status: int, message: str) -> None:
        """Answer with an error, unless a response has begun."""
        if self._protocol.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            head, body = refusal(status, message)
            await self._send(head, h11.Data(data=body), h11.EndOfMessage())
            await self._local.aclose()

    async def _pass_on(self, stream: AsyncByteStream) -> None:
        """Pass on the response. If the program goes away, the response is aborted."""
        is_switched = stream.status == _SWITCHED
        if is_switched:
            await self._send(upgrade_head(stream.headers))
        else:
            await self._send(response_head(stream.status, stream.headers))
        early = self._protocol.trailing_data[0] if is_switched else b""
        upstream = spawn(lambda: self._read_program(stream, early, is_switched), "clientgen proxy")
        try:
            while data := await stream.read():
                if is_switched:
                    await self._local.write(data)
                else:
                    await self._send(h11.Data(data=data))
            if self._is_gone or self._proxy.is_closed:
                return  # the response is not complete, and must not look complete
            if not is_switched:
                await self._send(h11.EndOfMessage())
            await self._local.aclose()
        finally:
            self._local.abort()
            stream.abort()
            await upstream.join()

    async def _read_program(self, stream: Any, early: bytes, is_switched: bool) -> None:
        """Pass on what the program sends after the request; abort when it has gone."""
        try:
            if early:
                await stream.write(early)
            while data := await self._local.read():
                if is_switched:  # otherwise dropped: each connection has one request
                    await stream.write(data)
        except ClientError:  # `_pass_on` gets the error, too
            pass
        finally:
            self._is_gone = True
            stream.abort()
