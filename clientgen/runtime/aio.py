"""`clientgen.runtime.aio`: what generated clients of this flavour stand on."""

from __future__ import annotations

from ._async.client import AsyncResourceClient, AsyncSubresource
from ._async.lines import AsyncLines
from ._async.rest import AsyncRest
from ._async.seam import AsyncByteStream, AsyncTransport
from ._async.watch import AsyncWatch

__all__ = [
    "AsyncByteStream",
    "AsyncLines",
    "AsyncResourceClient",
    "AsyncRest",
    "AsyncSubresource",
    "AsyncTransport",
    "AsyncWatch",
]
