"""Pauses of a request that end when the caller's work may not write any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._http.write_permit import permit_for
from .._primitives import Event, from_clock, sleep

if TYPE_CHECKING:
    from ..._http.request import HttpRequest


async def pause(request: HttpRequest, seconds: float) -> None:
    """Wait before a request is sent, for this many real seconds.

    The wait of a write ends with the permit of the caller's work, so that a thread that has lost
    the lease does not wait in vain: the next link refuses the request.
    """
    permit = permit_for(request.method)
    if permit is None:
        await sleep(seconds)
        return
    ended = Event()
    forget = permit.on_end(from_clock(ended.set))
    try:
        await ended.wait(seconds)
    finally:
        forget()
