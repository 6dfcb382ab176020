"""`AsyncLines`: reads a log line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._http.line_decoder import LineSplitter
from ..errors import ClientError
from .frame_stream import AsyncStoppable

if TYPE_CHECKING:
    from typing import Self

    from .._http.request import HttpRequest
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream


class AsyncLines(AsyncStoppable):
    """An iterator of log lines. It ends at the end of the log, or when `stop` is called.

    Bytes that are not UTF-8 are replaced. The request is sent when the first line is read. A lost
    connection raises an error, because the next line is unknown after that.
    """

    def __init__(
        self,
        rest: AsyncRest,
        request: HttpRequest,
        timeout: float | None,
        *,
        can_resume: bool = False,
    ) -> None:
        super().__init__(rest, timeout)
        self._request = request
        self._can_resume = can_resume

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        try:
            while not self._stopped.is_set():
                if self._frames:
                    if not await self._let_others_run():
                        return self._frames.popleft().decode("utf-8", "replace")
                else:
                    await self._read_more()
        except ClientError:
            await self.aclose()
            raise
        await self._finish(self._request)
        raise StopAsyncIteration

    async def open(self) -> None:
        """Send the request now, if it was not sent before.

        Raises:
            ApiError: The server refused the request.
            TransportError: The server did not respond.
        """
        if self._stream is None and not self._stopped.is_set():
            await self._open(self._request, None, can_resume=self._can_resume)

    async def _read_more(self) -> None:
        if self._stream is None:
            await self.open()
        elif not await self._read_frames():
            if last := self._last_frame():
                self._frames.append(last)
            else:
                self._stopped.set()

    def _new_framer(self, stream: AsyncByteStream) -> LineSplitter:  # noqa: ARG002 - for all logs
        return LineSplitter()
