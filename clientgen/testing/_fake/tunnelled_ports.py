"""Ports of containers as kubectl forwards them: SPDY in the messages of a WebSocket.

Each connection is a pair of streams with the same `requestid`: one of errors, one of data.
Facts: k8s.io/client-go/tools/portforward; httpstream.go of the kubelet.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from .._apiserver.verbs.connect import TUNNEL
from .served_ports import PortConnection, served
from .sessions import MOST_WAITING, Session
from .spdy import Data, Opened, Reset, SpdyConnection, SpdyError, data_frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._apiserver.verbs.connect import PortRequest
    from .served_ports import PortHandler

__all__ = ["TunnelledPorts"]

_MOST_STREAMS: Final = 2000


class TunnelledPorts(Session):
    """The connections to ports of one pod that kubectl makes, all over one WebSocket."""

    def __init__(self, request: PortRequest, handlers: Mapping[int, PortHandler]) -> None:
        super().__init__(TUNNEL)
        self._request = request
        self._handlers = handlers
        self._spdy = SpdyConnection()
        self._errors: dict[str, int] = {}
        self._connections: dict[int, PortConnection] = {}

    def begin(self) -> None:
        """Wait for the client."""

    def feed(self, message: bytes) -> None:
        """Take bytes from the client."""
        try:
            for event in self._spdy.feed(message):
                self._answer()
                self._take_in(event)
        except SpdyError:
            self.finish()
        self._answer()

    @property
    def is_full(self) -> bool:
        """Whether a function has much to read."""
        return any(each.input.waiting > MOST_WAITING for each in [*self._connections.values()])

    def close(self) -> None:
        """Note that the client is gone."""
        super().close()
        for connection in [*self._connections.values()]:
            connection.input.end()

    def _answer(self) -> None:
        frames, self._spdy.out = self._spdy.out, []
        for frame in frames:
            self.post(frame)

    def _take_in(self, event: Opened | Data | Reset) -> None:
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
        """Take a stream of the client; the second one of a pair begins the connection.

        Raises:
            SpdyError: It is none of a pair, or one too many.
        """
        request_id, port = headers.get("requestid", ""), headers.get("port", "")
        if len(self._errors) + len(self._connections) > _MOST_STREAMS or not port.isdecimal():
            raise SpdyError(f"a stream that is not expected: {dict(headers)}")
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
        error = served(self._handlers.get(connection.port), connection)
        with suppress(BrokenPipeError):
            self.send(data_frame(stream, b"", is_last=True))
            self.send(data_frame(errors, error.encode(), is_last=True))
        connection.reset()
        del self._connections[stream]
        self.wake()
