"""`AsyncRawStream`: a response that is read piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ResponseBroken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from .._http.request import HttpRequest
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream


class AsyncRawStream:
    """A response that is read piece by piece: an iterator of bytes, and a context manager.

    Attributes:
        status: The status code; 0 before the stream is open.
        headers: The headers, by lower-case names.
    """

    def __init__(self, rest: AsyncRest, request: HttpRequest, timeout: float | None) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self._rest = rest
        self._request = request
        self._timeout = timeout
        self._stream: AsyncByteStream | None = None
        self._first: bytes = b""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._request.info}>"

    async def __aenter__(self) -> Self:
        if self._stream is not None:
            raise RuntimeError(f"{self!r} was opened before")
        stream = await self._open(self._rest.deadline({"timeout": self._timeout}))
        self._stream, self.status, self.headers = stream, stream.status, stream.headers
        return self

    async def _open(self, deadline: float | None) -> AsyncByteStream:
        """Open the stream.

        Raises:
            ApiError: The server responded with an error.
            TransportError: There was no response before the deadline.
        """
        return await self._rest.stream(self._request, deadline)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """Read the next bytes.

        Raises:
            ConnectionLost: The connection broke.
        """
        if self._stream is None:
            raise RuntimeError(f"{self!r} is not open: use it in a `with` block")
        if self._first:
            data, self._first = self._first, b""
            return data
        if data := await self._stream.read():
            return data
        raise StopAsyncIteration

    async def read(self, limit: int | None = None) -> bytes:
        """Read the rest of the body.

        Raises:
            ConnectionLost: The connection broke.
            ResponseBroken: The rest is larger than `limit` bytes.
        """
        parts: list[bytes] = []
        size = 0
        async for data in self:
            parts.append(data)
            size += len(data)
            if limit is not None and size > limit:
                raise ResponseBroken(f"{self._request.info}: the body is larger than {limit} bytes")
        return b"".join(parts)

    def abort(self) -> None:
        """Close the connection at once. Any task or thread may call this."""
        if self._stream is not None:
            self._stream.abort()

    async def aclose(self) -> None:
        """Close the connection."""
        if self._stream is not None:
            await self._stream.aclose()
