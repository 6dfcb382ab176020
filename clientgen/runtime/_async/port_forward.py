"""`AsyncPortForward`: a local port whose connections lead to a pod."""

from __future__ import annotations

import logging
from socket import socketpair
from typing import TYPE_CHECKING, Protocol

from .._http.request import HttpRequest
from .._http.response import read_object
from .._models.unstructured import Unstructured
from .._streams.container_states import check_not_ended
from .._streams.port_channels import DATA, SUBPROTOCOL, PortReader, check_refused
from ..errors import ClientError
from ._primitives import Event, spawn
from .local_listener import AsyncLocalListener

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import TracebackType

    from .local_listener import AsyncLocalConnection
    from .rest import AsyncRest
    from .websocket import AsyncWebSocket

logger = logging.getLogger("clientgen.runtime.ports")

_OPEN_TIMEOUT_SECONDS = 30.0
_CHUNK_BYTES = 1 << 15
# After the program has closed its side, the connection ends when the pod sends nothing for this
# long.
_SILENCE_SECONDS = 10.0
_CHANNEL = bytes((DATA,))


class PodPort:
    """A port of a pod, by the path of its `portforward` subresource."""

    def __init__(self, path: str, port: int) -> None:
        self.path = path
        self.port = port

    @property
    def request(self) -> HttpRequest:
        """The request for one connection."""
        return HttpRequest("GET", f"{self.path}?ports={self.port}")


class PodFinder(Protocol):
    """Finds the pod for connections."""

    async def find(self) -> PodPort:
        """Return the port of the pod for the next connection.

        Raises:
            ClientError: No pod was found.
        """
        ...

    def lose(self, port: PodPort) -> bool:
        """Note that a pod could not be reached. Returns whether to find another pod."""
        ...


class SinglePod:
    """Finds a pod by its name."""

    def __init__(self, rest: AsyncRest, path: str, port: int) -> None:
        self._rest = rest
        self._path = path
        self._target = PodPort(f"{path}/portforward", port)
        self._was_found = False

    async def find(self) -> PodPort:
        """Return the port of the pod.

        Raises:
            ApiError: The pod does not exist. Checked the first time only.
            OperationRefused: The pod has ended. Checked the first time only.
        """
        if not self._was_found:
            request = HttpRequest("GET", self._path)
            response = await self._rest.send(request, self._rest.deadline({}))
            check_not_ended(read_object(response, Unstructured, request, self._rest.codec))
            self._was_found = True
        return self._target

    def lose(self, port: PodPort) -> bool:  # noqa: ARG002 - there is no other pod
        """Return False: there is no other pod to find."""
        return False


class AsyncPortForward:
    """A local port whose connections lead to a port of a pod.

        async with k.core_v1.pods("shop").port_forward("web-0", 5432) as port:
            connection = await asyncpg.connect(host="127.0.0.1", port=port)

    Each connection to the local port has its own connection to the pod. A broken connection does
    not affect later ones. The logger `clientgen.runtime.ports` gets the errors of connections,
    because the program at the local port only sees that its connection ends.

    Args:
        rest: The client.
        finder: Finds the pod, at the start and for each connection.
        local_port: The local port; 0 for any free port.
    """

    def __init__(self, rest: AsyncRest, finder: PodFinder, local_port: int) -> None:
        self._rest = rest
        self._finder = finder
        self._local_port = local_port
        self._listener = AsyncLocalListener(self._serve)
        self._has_started = False
        self._sockets: set[AsyncWebSocket] = set()
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of port {self._local_port}>"

    @property
    def local_port(self) -> int:
        """The local port; before `start`, the requested port."""
        return self._local_port

    async def start(self) -> int:
        """Start listening on 127.0.0.1, and return the local port.

        Raises:
            ApiError: The pod does not exist.
            OperationRefused: The pod has ended, or the Service or workload has no running pod.
            OSError: The local port cannot be listened on.
            RuntimeError: This port forward has started before.
        """
        if self._has_started:
            raise RuntimeError(f"{self!r} has already started; create a new one")
        self._has_started = True
        await self._finder.find()
        self._local_port = await self._listener.start(self._local_port)
        return self._local_port

    async def dial(self) -> socket.socket:
        """Return a socket that is connected to the pod, without opening a local port.

        The connection ends when the socket is closed.

        Raises:
            ApiError: The pod does not exist.
            OperationRefused: The pod has ended, or the Service or workload has no running pod.
            RuntimeError: This port forward was closed.
        """
        if self._is_closed:
            raise RuntimeError(f"{self!r} is closed")
        await self._finder.find()
        program_socket, pod_socket = socketpair()
        try:
            await self._listener.adopt(pod_socket)
        except BaseException:
            program_socket.close()
            pod_socket.close()
            raise
        return program_socket

    async def aclose(self) -> None:
        """Stop listening, and abort all connections."""
        self._is_closed = True
        for socket in [*self._sockets]:
            socket.abort()
        await self._listener.aclose()

    async def __aenter__(self) -> int:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _serve(self, local: AsyncLocalConnection) -> None:
        """Serve one connection to the local port. Errors are logged."""
        try:
            socket, target = await self._connect()
            self._sockets.add(socket)
            try:
                if not self._is_closed:
                    await _Connection(local, socket, target, self._on_error).run()
            finally:
                self._sockets.discard(socket)
                await socket.aclose()
        except (ClientError, RuntimeError) as error:  # RuntimeError: no more threads
            self._log_error(error)

    def _on_error(self, target: PodPort, error: ClientError) -> None:
        """Log the error of a connection, and find the pod again for the next connection."""
        self._finder.lose(target)
        self._log_error(error)

    def _log_error(self, error: Exception) -> None:
        if not self._is_closed:
            logger.warning("a connection to local port %d: %s", self._local_port, error)

    async def _connect(self) -> tuple[AsyncWebSocket, PodPort]:
        """Connect to the pod. If it cannot be reached, connect to another pod."""
        target = await self._finder.find()
        try:
            return await self._open(target), target
        except ClientError:
            if not self._finder.lose(target):
                raise
        target = await self._finder.find()
        return await self._open(target), target

    async def _open(self, target: PodPort) -> AsyncWebSocket:
        deadline = self._rest.deadline({"timeout": _OPEN_TIMEOUT_SECONDS})
        return await self._rest.connect(target.request, (SUBPROTOCOL,), deadline)


class _Connection:
    """Passes bytes in both directions until one side ends."""

    def __init__(
        self,
        local: AsyncLocalConnection,
        socket: AsyncWebSocket,
        target: PodPort,
        on_error: Callable[[PodPort, ClientError], object],
    ) -> None:
        self._local = local
        self._socket = socket
        self._target = target
        self._on_error = on_error
        self._info = target.request.info
        self._reader = PortReader(target.port, self._info)
        self._ended = Event()
        self._received = 0

    async def run(self) -> None:
        """Pass bytes in both directions.

        Errors are logged before the program sees the end of its connection, because the program may
        then close the port.
        """
        upstream = spawn(self._send, "clientgen port-forward")
        try:
            await self._receive()
            check_refused(self._reader, self._info)
            await self._local.aclose()
        except ClientError as error:
            self._on_error(self._target, error)
        finally:
            self._ended.set()
            self._local.abort()
            self._socket.abort()
            await upstream.join()

    async def _receive(self) -> None:
        while (message := await self._socket.receive()) is not None:
            if data := self._reader.feed(message):
                self._received += len(data)
                try:
                    await self._local.write(data)
                except OSError:  # the program has closed its connection
                    return

    async def _send(self) -> None:
        try:
            while data := await self._local.read():
                for start in range(0, len(data), _CHUNK_BYTES):
                    await self._socket.send(_CHANNEL + data[start : start + _CHUNK_BYTES])
        except ClientError:  # `_receive` gets the error, too
            return
        await self._await_silence()
        self._socket.abort()

    async def _await_silence(self) -> None:
        """Wait for the rest of the pod's data: the protocol cannot send the end of the input."""
        before = -1
        while before != self._received and not self._ended.is_set():
            before = self._received
            await self._ended.wait(_SILENCE_SECONDS)
