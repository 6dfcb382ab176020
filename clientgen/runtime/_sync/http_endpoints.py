"""HTTP endpoints of a program, for threads; the counterpart of the module in `_async`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._net.endpoint_messages import EndpointAnswer, EndpointRequest
from .._net.endpoints_base import EndpointsBase

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .._net.threaded_server import ThreadedServer

__all__ = ["Endpoints"]


class Endpoints(EndpointsBase[Callable[[EndpointRequest], EndpointAnswer]]):
    __doc__ = EndpointsBase.__doc__

    _server: ThreadedServer | None = None

    def start(self) -> None:
        """Begin to answer.

        Raises:
            OSError: The address cannot be listened on; the message says why.
            RuntimeError: It has started before.
        """
        from .._net.threaded_server import ThreadedServer  # as late as the other flavour's

        self._server = self._new_server(ThreadedServer)
        self._server.start()

    def stop(self, grace: float = 5.0) -> None:
        """Accept no more requests, and let running answers end, for at most this many seconds.

        It cannot be started again. Without a start, it does nothing.
        """
        server, self._server = self._server, None
        if server is not None:
            server.stop(grace)

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
