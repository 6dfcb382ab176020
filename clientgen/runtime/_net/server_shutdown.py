"""The end of an aiohttp server: its running answers end, and its connections are closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp.web_server import Server

__all__ = ["shut_down", "without_tls"]


async def shut_down(server: Server, grace: float) -> None:
    """Let running answers end for `grace` seconds, and close all connections at once.

    TLS would wait up to 30 seconds for the client's farewell.
    """
    open_now = [without_tls(connection.transport) for connection in server.connections]
    server.pre_shutdown()  # idle connections
    await server.shutdown(grace)
    for transport in open_now:
        if transport is not None:
            transport.abort()
    await asyncio.sleep(0)


def without_tls(transport: asyncio.Transport | None) -> asyncio.Transport | None:
    """Return the TCP transport below TLS; None if the connection is gone.

    aiohttp closes some connections twice. asyncio's TLS forgets at the second time what is below
    it: then its `abort` does nothing, or raises AttributeError (Python 3.11.2).
    """
    tls = getattr(transport, "_ssl_protocol", transport)
    return transport if tls is transport else getattr(tls, "_transport", None)
