"""Shuts down an aiohttp server: waits for running answers, and closes all connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp.web_server import Server


async def shut_down(server: Server, grace: float) -> None:
    """Wait up to `grace` seconds for running answers, then close all connections immediately.

    Closing without an abort would make TLS connections wait up to 30 seconds for the client's
    close_notify.
    """
    transports = [without_tls(connection.transport) for connection in server.connections]
    server.pre_shutdown()  # closes idle connections
    await server.shutdown(grace)
    for transport in transports:
        if transport is not None:
            transport.abort()
    await asyncio.sleep(0)


def without_tls(transport: asyncio.Transport | None) -> asyncio.Transport | None:
    """Return the TCP transport below TLS; None if the connection has ended.

    aiohttp closes some connections twice. When aiohttp closes a connection the second time,
    asyncio's TLS transport drops its TCP transport. After that, `abort` of the TLS transport does
    nothing, or raises AttributeError (Python 3.11.2).
    """
    tls = getattr(transport, "_ssl_protocol", transport)
    return transport if tls is transport else getattr(tls, "_transport", None)
