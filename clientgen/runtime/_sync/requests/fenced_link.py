# Derived from _async/requests/fenced_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The first link of a client whose writes need a permit, whichever thread or task makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._http.write_permit import with_permit

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from ..._http.write_permit import Permit
    from ..transport_protocol import ByteStream
    from .request_link import RequestLink, StreamOpening


class FencedLink:
    """Passes requests and streams to the next link, with a permit.

    Args:
        next_link: The next link.
        permit: The permit of the work that has the client.
    """

    def __init__(self, next_link: RequestLink, permit: Permit) -> None:
        self.next = next_link
        self._permit = permit

    def send(
        self, request: HttpRequest, deadline: float | None, *options: int | None
    ) -> HttpResponse:
        """Send a request.

        Raises:
            LeadershipLost: The request is a write, and the permit has ended.
        """
        with with_permit(self._permit):
            return self.next.send(request, deadline, *options)

    def stream(
        self,
        request: HttpRequest,
        deadline: float | None,
        opening: StreamOpening,
        *options: int | None,
    ) -> ByteStream:
        """Open a stream.

        Raises:
            LeadershipLost: The stream may change something, and the permit has ended.
        """
        with with_permit(self._permit):
            return self.next.stream(request, deadline, opening, *options)
