"""HTTP endpoints of a program, for threads. `_async/http_endpoints.py` has the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._net.endpoint_messages import EndpointAnswer, EndpointRequest
from .._net.endpoints_base import EndpointsBase

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .._net.threaded_server import ThreadedServer


class Endpoints(EndpointsBase[Callable[[EndpointRequest], EndpointAnswer]]):
    __doc__ = EndpointsBase.__doc__

    _server: ThreadedServer | None = None

    def start(self) -> None:
        """Start serving.

        Raises:
            OSError: The address cannot be listened on; the message says why.
            RuntimeError: `start` was called before.
        """
        from .._net.threaded_server import ThreadedServer  # imported late, as in `_async`

        self._server = self._new_server(ThreadedServer)
        self._server.start()

    def stop(self, grace: float = 5.0) -> None:
        """Accept no more requests, and wait at most `grace` seconds for running answers.

        The endpoints cannot be started again. Without `start`, this does nothing.
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
