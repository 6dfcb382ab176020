"""A followed log, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ClientError
from .line_stream import AsyncStoppable

if TYPE_CHECKING:
    from typing import Self

    from .._http.request import HttpRequest
    from .rest import AsyncRest

__all__ = ["AsyncLines"]


class AsyncLines(AsyncStoppable):
    """An iterator of lines as they are logged; it ends with the log, or when it is stopped.

    Bytes that are not UTF-8 are replaced. The request is sent when the first line is asked for. A
    lost connection is an error, since nobody knows which line would be the next.
    """

    def __init__(self, rest: AsyncRest, request: HttpRequest, timeout: float | None) -> None:
        super().__init__(rest, timeout)
        self._request = request

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        try:
            while not self._stopped.is_set():
                if self._lines:
                    return self._lines.popleft().decode("utf-8", "replace")
                await self._read_on()
        except ClientError:
            await self.aclose()
            raise
        await self._end(self._request)
        raise StopAsyncIteration

    async def _read_on(self) -> None:
        if self._stream is None:
            await self._open(self._request, None)
        elif not await self._read_lines():
            last = self._splitter.rest()
            if last and not self._stopped.is_set():
                self._lines.append(last)
            else:
                self._stopped.set()
