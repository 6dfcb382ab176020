"""The chain of links that requests pass. The tests for threads are in ..._threads.py."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from clientgen.runtime import RequestAttempt
from clientgen.runtime._async.requests.request_chain import AsyncRequestChain
from clientgen.runtime._async.requests.request_link import AsyncPassThrough
from clientgen.runtime._async.transport_protocol import AsyncByteStream
from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import ConnectionLost, Forbidden, RequestTimeout

READ = HttpRequest("GET", "/api/v1/namespaces/shop/configmaps/a")
WRITE = HttpRequest("PUT", READ.target, (("Content-Type", "application/json"),), b"{}")
OK = HttpResponse(200, {}, b"{}")
UNAUTHORIZED = HttpResponse(401, {}, b"{}")
BUSY = HttpResponse(429, {"retry-after": "0"}, b"{}")
FORBIDDEN = HttpResponse(403, {}, json.dumps({"kind": "Status", "code": 403}).encode())


class AsyncStreamed:
    """The body of a response, as a stream."""

    def __init__(self, response: HttpResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.is_closed = False
        self._pieces = deque([response.body] if response.body else [])

    async def read(self) -> bytes:
        return self._pieces.popleft() if self._pieces else b""

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        raise AssertionError(data)

    def abort(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


class AsyncScript:
    """A transport that gives the responses of a script, or raises its errors, in their order."""

    def __init__(self, *script: HttpResponse | Exception) -> None:
        self._script = deque(script)
        self.requests: list[HttpRequest] = []
        self.streams: list[AsyncStreamed] = []

    def headers(self, name: str) -> list[str | None]:
        """The values of a header of all requests."""
        return [dict(request.headers).get(name) for request in self.requests]

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        return self._next(request)

    async def stream(
        self, request: HttpRequest, timeout: float | None, read_timeout: float | None
    ) -> AsyncByteStream:
        return self._streamed(request)

    async def connect(self, request: HttpRequest, timeout: float | None) -> AsyncStreamed:
        return self._streamed(request)

    async def aclose(self) -> None:
        pass

    def _next(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        response = self._script.popleft()
        if isinstance(response, Exception):
            raise response
        return response

    def _streamed(self, request: HttpRequest) -> AsyncStreamed:
        stream = AsyncStreamed(self._next(request))
        self.streams.append(stream)
        return stream


CONFIG = ClusterConfig("https://cluster.invalid:6443", auth=AuthConfig(token="secret"))


def rest(transport: AsyncScript, **options: Any) -> AsyncRest:
    return AsyncRest(CONFIG, transport=transport, **options)


# ---- one more link ----------------------------------------------------------------------------


class AsyncReasonLink(AsyncPassThrough):
    """Tells the server why something is written."""

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        if request.method != "GET":
            headers = (*request.headers, ("X-Reason", "a test"))
            request = HttpRequest(request.method, request.target, headers, request.body)
        return await self.next.send(request, deadline)


class AsyncChainWithReason(AsyncRequestChain):
    def _api_links(self) -> Iterator[AsyncPassThrough]:
        yield from (*super()._api_links(), AsyncReasonLink())


async def test_one_more_link_is_a_class_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._async.rest.AsyncRequestChain", AsyncChainWithReason)
    script = AsyncScript(OK, BUSY, OK, FORBIDDEN, OK)
    async with rest(script) as client:
        await client.send(READ)
        await client.send(WRITE)
        with pytest.raises(Forbidden):
            await client.send(WRITE)
        await (await client.stream(READ)).aclose()
    # A retry passes the link again, and a stream passes it as it is.
    assert script.headers("X-Reason") == [None, "a test", "a test", "a test", None]
    assert script.headers("Content-Type")[1] == "application/json"
    assert [str(token) for token in script.headers("Authorization")] == ["Bearer secret"] * 5


# ---- what streams pass ------------------------------------------------------------------------


async def _logs(client: AsyncRest, deadline: float | None) -> AsyncByteStream:
    return await client.stream(READ, deadline)


async def _watch(client: AsyncRest, deadline: float | None) -> AsyncByteStream:
    return await client.stream(READ, deadline, is_watch=True)


async def _proxied(client: AsyncRest, deadline: float | None) -> AsyncByteStream:
    return await client.relay_stream(READ, deadline)


async def test_streams_are_rate_limited_but_not_watches() -> None:
    script = AsyncScript(OK, OK, OK, OK)
    async with rest(script, qps=0.001, burst=2) as client:
        soon = client.deadline({"timeout": 60})
        for opening in (_watch, _logs, _proxied, _watch):
            await (await opening(client, soon)).aclose()
        for opening in (_logs, _proxied):
            with pytest.raises(RequestTimeout, match="the rate limit"):
                await opening(client, soon)
        with pytest.raises(RequestTimeout, match="the rate limit"):
            await client.send(READ, soon)
    assert len(script.requests) == 4


async def test_relayed_responses_are_those_of_somebody_else() -> None:
    warned: Mapping[str, str] = {"warning": '299 - "of a pod"', "retry-after": "0"}
    warnings: list[str] = []
    script = AsyncScript(HttpResponse(503, warned, b""), HttpResponse(429, warned, b""))
    async with rest(script, warning_handler=warnings.append) as client:
        assert (await client.relay(WRITE)).status == 503
        stream = await client.relay_stream(READ)
        assert stream.status == 429
        await stream.aclose()
        assert not client.chain.own_writes.has_written
    assert warnings == []


async def test_a_401_of_a_stream_without_another_credential_is_final() -> None:
    script = AsyncScript(UNAUTHORIZED)
    async with rest(script) as client:
        stream = await client.relay_stream(READ)
        assert (stream.status, len(script.requests)) == (401, 1)
        await stream.aclose()


# ---- observers of requests --------------------------------------------------------------------


class Recorded:
    """Metrics that compare by their name, as those of one registry do."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.attempts: list[tuple[object, ...]] = []
        self.delays: list[tuple[str, str]] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recorded) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def attempted(self, attempt: RequestAttempt, /) -> None:
        assert attempt.seconds >= 0
        sizes = attempt.request_bytes, attempt.response_bytes
        self.attempts.append((attempt.host, attempt.method, attempt.code, attempt.number, *sizes))

    def rate_limited(self, host: str, method: str, seconds: float, /) -> None:
        assert seconds >= 0
        self.delays.append((host, method))

    def plugin_called(self, *_: object) -> None:
        raise AssertionError

    def certificate_rotated(self, seconds: float, /) -> None:
        raise AssertionError(seconds)


async def test_each_attempt_is_told_to_all_metrics_once() -> None:
    script = AsyncScript(BUSY, OK, ConnectionLost("gone"), OK, OK)
    host = "cluster.invalid:6443"
    seen: list[tuple[str, ...]] = []
    metrics, equal, other = Recorded("a"), Recorded("a"), Recorded("b")

    def observe(*response: str) -> None:
        seen.append(response)

    async with rest(script, qps=1000.0, metrics=metrics) as client:
        client.on_response = observe
        client.chain.add_metrics(equal)
        client.chain.add_metrics(other)
        await client.send(WRITE)
        with pytest.raises(ConnectionLost):
            await client.send(WRITE)
        assert seen == [(host, "PUT", "429"), (host, "PUT", "200"), (host, "PUT", "<error>")]
        assert metrics.attempts == [
            (host, "PUT", "429", 1, 2, 2),
            (host, "PUT", "200", 2, 2, 2),
            (host, "PUT", "<error>", 1, 2, None),
        ]
        assert other.attempts == metrics.attempts
        assert metrics.delays == other.delays == [(host, "PUT")] * 3
        assert not equal.attempts
        client.on_response = None
        assert client.on_response is None
        client.chain.remove_metrics(other)
        client.chain.remove_metrics(other)  # nothing is left to undo
        await (await client.stream(READ)).aclose()
        client.chain.remove_metrics(equal)  # one of two
        await client.send(READ)
    assert len(seen) == 3
    assert len(other.attempts) == 3
    assert metrics.attempts[3:] + equal.attempts == [
        (host, "GET", "200", 1, 0, None),
        (host, "GET", "200", 1, 0, 2),
    ]


# ---- what clients of a server share -----------------------------------------------------------


async def test_clients_share_one_object_of_each_class() -> None:
    async with rest(AsyncScript()) as client:
        assert client.shared.get(dict) is None
        first = client.shared.get_or_create(dict, dict)
        assert client.shared.get_or_create(dict, dict) is first
        client.shared.put(list, [1])
        assert client.shared.get(list) == [1]
        assert client.shared.get(dict) is first
