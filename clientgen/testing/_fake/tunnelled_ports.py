"""Port-forward of kubectl, which sends SPDY frames inside the messages of a WebSocket.

A connection is a pair of streams with the same `requestid`: an error stream and a data stream.
Facts: k8s.io/client-go/tools/portforward; httpstream.go of the kubelet.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from .._apiserver.verbs.connect import TUNNEL
from .served_ports import PortConnection, serve
from .sessions import MAX_BUFFERED_BYTES, Session
from .spdy import Data, Opened, Reset, SpdyConnection, SpdyError, data_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._apiserver.verbs.connect import PortRequest
    from .served_ports import PortHandler

_MAX_STREAMS: Final = 2000


class TunnelledPorts(Session):
    """All connections of one kubectl to ports of one pod, over one WebSocket."""

    def __init__(self, request: PortRequest, handlers: Mapping[int, PortHandler]) -> None:
        super().__init__(TUNNEL)
        self._request = request
        self._handlers = handlers
        self._spdy = SpdyConnection()
        self._errors: dict[str, int] = {}
        self._connections: dict[int, PortConnection] = {}

    def begin(self) -> None:
        """Do nothing: a connection begins when the client opens its streams."""

    def feed(self, message: bytes) -> None:
        """Receive bytes from the client."""
        try:
            for event in self._spdy.feed(message):
                self._send_replies()
                self._handle_event(event)
        except SpdyError:
            self.finish()
        self._send_replies()

    @property
    def is_full(self) -> bool:
        """Whether the client must wait until a function has read more."""
        return any(
            each.input.buffered_bytes > MAX_BUFFERED_BYTES for each in [*self._connections.values()]
        )

    def close(self) -> None:
        """Note that the client has disconnected."""
        super().close()
        for connection in [*self._connections.values()]:
            connection.input.end()

    def _send_replies(self) -> None:
        frames, self._spdy.out = self._spdy.out, []
        for frame in frames:
            self.post(frame)

    def _handle_event(self, event: Opened | Data | Reset) -> None:
        match event:
            case Opened():
                self._open(event.stream, event.headers)
            case Data(stream=stream):
                if connection := self._connections.get(stream):
                    connection.input.feed(event.data)
                    if event.is_last:
                        connection.input.end()
            case Reset(stream=stream):
                if connection := self._connections.get(stream):
                    connection.reset()

    def _open(self, stream: int, headers: Mapping[str, str]) -> None:
        """Accept a stream of the client. The second stream of a pair begins the connection.

        Raises:
            SpdyError: the stream belongs to no pair, or the client has too many streams.
        """
        request_id, port = headers.get("requestid", ""), headers.get("port", "")
        if len(self._errors) + len(self._connections) > _MAX_STREAMS or not port.isdecimal():
            raise SpdyError(f"unexpected stream: {dict(headers)}")
        if headers.get("streamtype") == "error":
            self._errors[request_id] = stream
        elif request_id in self._errors:
            connection = PortConnection(self._request, int(port), self, partial(data_frame, stream))
            self._connections[stream] = connection
            threading.Thread(
                target=self._run,
                args=[stream, self._errors.pop(request_id)],
                name=f"clientgen {connection!r}",
                daemon=True,
            ).start()

    def _run(self, stream: int, errors: int) -> None:
        connection = self._connections[stream]
        error = serve(self._handlers.get(connection.port), connection)
        with suppress(BrokenPipeError):
            self.send(data_frame(stream, b"", is_last=True))
            self.send(data_frame(errors, error.encode(), is_last=True))
        connection.reset()
        del self._connections[stream]
        self.wake()
