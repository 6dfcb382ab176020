"""HTTP endpoints of a program: health, metrics, webhooks.

The twin for threads is written by hand: its server needs no event loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from .._net.endpoint_messages import EndpointAnswer, EndpointRequest
from .._net.endpoints_base import EndpointsBase

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .._net.endpoint_server import EndpointServer

_Answer: TypeAlias = Callable[[EndpointRequest], Awaitable[EndpointAnswer]]


class AsyncEndpoints(EndpointsBase[_Answer]):
    __doc__ = EndpointsBase.__doc__

    _server: EndpointServer | None = None

    async def start(self) -> None:
        """Start serving.

        Raises:
            OSError: The address cannot be listened on; the message says why.
            RuntimeError: `start` was called before.
        """
        from .._net.endpoint_server import EndpointServer  # importing aiohttp takes long

        self._server = self._new_server(EndpointServer)
        await self._server.start()

    async def stop(self, grace: float = 5.0) -> None:
        """Accept no more requests, and wait at most `grace` seconds for running answers.

        The endpoints cannot be started again. Without `start`, this does nothing.
        """
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()
