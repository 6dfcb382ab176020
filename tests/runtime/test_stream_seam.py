"""Another kind of stream than the body of an answer: an upgraded connection, such as a WebSocket.

The transport here knows how to upgrade a connection, and the client has one method more. All that
goes for other requests goes for these too. The tests for threads are in ..._threads.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path

import pytest

from clientgen.runtime._async.requests.request_link import AsyncStreamOpening
from clientgen.runtime._async.transport_protocol import AsyncByteStream
from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import Forbidden

EXEC = HttpRequest("GET", "/api/v1/namespaces/shop/pods/web-0/exec?command=sh")
SWITCHED = 101


class AsyncChannel:
    """An upgraded connection that sends back what is sent; or the body of a refusal."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.is_closed = False
        self._waiting = deque([body] if body else [])

    async def send(self, data: bytes) -> None:
        self._waiting.append(data.upper())

    async def read(self) -> bytes:
        return self._waiting.popleft() if self._waiting else b""

    def abort(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


class AsyncUpgrader:
    """A transport whose answers to upgrades are given; it has nothing else to answer."""

    def __init__(self, *answers: tuple[int, Mapping[str, str], bytes]) -> None:
        self.channels = [AsyncChannel(*answer) for answer in answers]
        self.requests: list[dict[str, str]] = []

    async def upgrade(self, request: HttpRequest, timeout: float | None) -> AsyncChannel:
        assert (request.method, request.target) == (EXEC.method, EXEC.target)
        self.requests.append(dict(request.headers))
        return self.channels[len(self.requests) - 1]

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        raise AssertionError(request)

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> AsyncByteStream:
        raise AssertionError(request)

    async def aclose(self) -> None:
        for channel in self.channels:
            channel.abort()


class AsyncUpgradeOpening(AsyncStreamOpening):
    async def open(
        self, transport: AsyncUpgrader, request: HttpRequest, timeout: float | None
    ) -> AsyncChannel:
        return await transport.upgrade(request, timeout)


class AsyncUpgradingRest(AsyncRest):
    async def upgrade(self, request: HttpRequest, timeout: float) -> AsyncChannel:
        deadline = self.deadline({"timeout": timeout})
        return await self.chain.first.stream(request, deadline, AsyncUpgradeOpening())


def rest(transport: AsyncUpgrader, token_file: Path, **options: object) -> AsyncUpgradingRest:
    auth = AuthConfig(token_file=str(token_file))
    config = ClusterConfig("https://cluster.invalid", auth=auth)
    return AsyncUpgradingRest(config, transport=transport, **options)


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    made = tmp_path / "token"
    made.write_text("first")
    return made


async def test_an_upgraded_connection_carries_what_the_client_is(token_file: Path) -> None:
    transport = AsyncUpgrader((SWITCHED, {}, b""))
    async with rest(transport, token_file, user_agent="me/1") as client:
        channel = await client.upgrade(EXEC, 5.0)
        await channel.send(b"ls")
        assert await channel.read() == b"LS"
        assert not channel.is_closed
    assert channel.is_closed
    (headers,) = transport.requests
    assert headers["User-Agent"] == "me/1"
    assert str(headers["Authorization"]) == "Bearer first"


async def test_a_401_renews_the_credential_and_an_overload_is_waited_for(token_file: Path) -> None:
    warned = {"warning": '299 - "old"'}
    transport = AsyncUpgrader(
        (SWITCHED, {}, b""),
        (401, {}, b""),
        (429, {"retry-after": "0"}, b""),
        (SWITCHED, warned, b""),
    )
    warnings: list[str] = []
    async with rest(transport, token_file, warning_handler=warnings.append) as client:
        await client.upgrade(EXEC, 5.0)
        token_file.write_text("second")  # noqa: ASYNC240 - a few bytes
        assert await client.upgrade(EXEC, 5.0) is transport.channels[3]
        assert [each.is_closed for each in transport.channels] == [False, True, True, False]
    assert warnings == ["old"]
    tokens = [str(headers["Authorization"]) for headers in transport.requests]
    assert tokens == ["Bearer first", "Bearer first", "Bearer second", "Bearer second"]


async def test_a_refusal_is_the_error_that_its_status_says(token_file: Path) -> None:
    body = (
        b'{"kind":"Status","status":"Failure","reason":"Forbidden","message":"no exec","code":403}'
    )
    transport = AsyncUpgrader((403, {}, body))
    async with rest(transport, token_file) as client:
        with pytest.raises(Forbidden, match="no exec"):
            await client.upgrade(EXEC, 5.0)
    assert transport.channels[0].is_closed
