"""HTTP endpoints, on an event loop here and in threads in test_endpoints_threads.py."""

from __future__ import annotations

import http.client
import logging
import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import trustme
from support.http_calls import Answer, call, connected, contexts, everything

from clientgen.runtime._async._primitives import Event, run_blocking, sleep, spawn
from clientgen.runtime._async.http_endpoints import AsyncEndpoints
from clientgen.runtime._net.endpoint_messages import EndpointAnswer, EndpointRequest

if TYPE_CHECKING:
    from collections.abc import Callable

ANYWHERE = "127.0.0.1:0"


async def echo(request: EndpointRequest) -> EndpointAnswer:
    words = [request.method, request.path, repr(request.query), request.headers.get("X-Word", "-")]
    return EndpointAnswer(202, " ".join(words).encode() + b" " + request.body, "text/x-test")


async def ask(endpoints: AsyncEndpoints, *args: Any, **options: Any) -> Answer:
    return await run_blocking(partial(call, endpoints.address, *args, **options))


async def test_requests_are_answered() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        assert endpoints.url == f"http://{endpoints.address}"
        assert repr(endpoints).endswith(f"Endpoints 'echo' at {endpoints.url}>")
        answer = await ask(endpoints, "POST", "/a%20b?x=1&x=2&y", b"body", {"x-word": "w"})
        assert answer.status == 202
        assert answer.text == "POST /a b (('x', '1'), ('x', '2'), ('y', '')) w body"
        assert answer.headers["content-type"] == "text/x-test"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert (await ask(endpoints, "HEAD", "/")).status == 202


async def test_all_addresses_of_the_machine_include_this_one() -> None:
    async with AsyncEndpoints("echo", ":0", echo) as endpoints:
        assert endpoints.address.startswith("127.0.0.1:")
        assert (await ask(endpoints, "GET", "/")).status == 202


async def test_large_bodies_are_refused() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo, max_body=1000) as endpoints:
        assert (await ask(endpoints, "POST", "/", b"x" * 1000)).status == 202
        refused = await ask(endpoints, "POST", "/", b"x" * 1001)
        assert (refused.status, refused.text) == (413, "the body is larger than 1000 bytes\n")
        in_chunks = iter([b"x" * 600, b"x" * 600])
        assert (await ask(endpoints, "POST", "/", in_chunks)).status == 413


async def test_large_headers_are_refused() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        assert (await ask(endpoints, "GET", "/", headers={"a": "x" * 40_000})).status == 400


async def test_a_failure_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(request: EndpointRequest) -> EndpointAnswer:
        raise ValueError("secret")

    async with AsyncEndpoints("failing", ANYWHERE, fail) as endpoints:
        answer = await ask(endpoints, "GET", "/x")
    assert (answer.status, "secret" in answer.text) == (500, False)
    (record,) = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert record.getMessage() == "failing: GET /x failed"


async def test_answers_that_take_too_long_are_given_up() -> None:
    over = Event()

    async def hang(request: EndpointRequest) -> EndpointAnswer:
        await over.wait()
        return EndpointAnswer()

    async with AsyncEndpoints("hanging", ANYWHERE, hang, timeout=0.05) as endpoints:
        answer = await ask(endpoints, "GET", "/")
        over.set()
    assert (answer.status, answer.text) == (503, "no answer within 0.05 s\n")


async def test_silent_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.RECEIVE_TIMEOUT_SECONDS", 0.05)
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        assert await run_blocking(lambda: told(endpoints.address, b"GET / HTT")) == b""
        headers = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
        assert b" 408 " in await run_blocking(lambda: told(endpoints.address, headers + b"ab"))


async def test_connections_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS", 1)
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        host, port = endpoints.address.split(":")

        def refused() -> bool:
            with socket.create_connection((host, int(port)), timeout=60) as first:
                first.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                assert first.recv(1000)
                try:
                    call(endpoints.address, "GET", "/")
                except OSError:
                    return True
                return False

        assert await run_blocking(refused)


SILENT = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"


def held(address: str, count: int, data: bytes, source: str = "127.0.0.1") -> ExitStack:
    """Open connections that send something and read nothing."""
    host, port = address.split(":")
    stack = ExitStack()
    for _ in range(count):
        connection = socket.create_connection(
            (host, int(port)), timeout=60, source_address=(source, 0)
        )
        stack.enter_context(connection).sendall(data)
    return stack


def part_of(endpoints: AsyncEndpoints, name: str) -> Any:
    """What the servers of both flavours have, such as `peers`."""
    server: Any = endpoints._server
    return getattr(server, name) if hasattr(server, name) else getattr(server, f"_{name}")


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(20_000):
        if condition():
            return
        await sleep(0.001)
    raise AssertionError("it has not become so")


@pytest.mark.parametrize("data", [SILENT, SILENT[:20], b""])
async def test_requests_without_a_body_keep_nobody_waiting(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One client could stop all writes of a cluster, by as many as are answered at once."""
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_RUNNING_REQUESTS", 3)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.RECEIVE_TIMEOUT_SECONDS", 1000)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS_PER_PEER", 20)
    async with AsyncEndpoints("webhooks", ANYWHERE, echo, timeout=1000) as endpoints:
        with await run_blocking(lambda: held(endpoints.address, 60, data)):
            for body in (b"", b"body"):
                assert (await ask(endpoints, "POST", "/", body)).status == 202


async def test_a_client_may_have_some_of_the_connections_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its oldest one that waits makes room, also where the server has no more for others."""
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.RECEIVE_TIMEOUT_SECONDS", 1000)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS", 12)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS_PER_PEER", 12)
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with AsyncEndpoints("webhooks", ANYWHERE, echo, tls=context) as endpoints:
        host, port = endpoints.address.split(":")

        def from_elsewhere() -> bytes:
            address, source = (host, int(port)), ("127.0.0.9", 0)
            plain = socket.create_connection(address, timeout=60, source_address=source)
            with plain, trusting.wrap_socket(plain, server_hostname=host) as other:
                other.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return other.recv(1000)

        with await run_blocking(lambda: held(endpoints.address, 12, b"")):
            assert b" 202 " in await run_blocking(from_elsewhere)


async def asked_from_elsewhere(endpoints: AsyncEndpoints, body: bytes = b"") -> bytes:
    """Ask from another address, and return what comes."""
    host, port = endpoints.address.split(":")

    def ask() -> bytes:
        address, source = (host, int(port)), ("127.0.0.9", 0)
        with socket.create_connection(address, timeout=60, source_address=source) as other:
            other.sendall(b"POST /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n")
            other.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            return everything(other)

    return await run_blocking(ask)


WHOLE = b"POST /flood HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"


async def test_a_client_with_many_requests_does_not_keep_others_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next turn is of who has the fewest: requests of others stood behind all of its own."""
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_RUNNING_REQUESTS", 2)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS", 21)
    began: list[str] = []
    is_full, may_go_on, is_answered = Event(), Event(), Event()

    async def slowly(request: EndpointRequest) -> EndpointAnswer:
        if request.path == "/other":
            is_answered.set()
            return EndpointAnswer(202)
        began.append(request.path)
        if len(began) <= 2:
            if len(began) == 2:
                is_full.set()
            await may_go_on.wait()
        else:
            await is_answered.wait()  # for ever, if the flood has all turns
        return EndpointAnswer(202)

    async with AsyncEndpoints("webhooks", ANYWHERE, slowly, timeout=1000) as endpoints:
        # All of them have sent all of a request; one more connection makes room for the other.
        with await run_blocking(lambda: held(endpoints.address, 21, WHOLE)):
            await is_full.wait()
            answers: list[bytes] = []

            async def other() -> None:
                answers.append(await asked_from_elsewhere(endpoints))

            asking = spawn(other, "other")
            turns = part_of(endpoints, "turns")
            await until(lambda: "127.0.0.9" in turns._waiting)
            may_go_on.set()
            assert await asking.join(60)
    assert b" 202 " in answers[0]


async def test_clients_whose_requests_take_long_leave_turns_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two clients had all turns, and others waited as long as the program took for theirs."""
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_RUNNING_REQUESTS", 10)
    began: list[str] = []
    may_end = Event()

    async def slowly(request: EndpointRequest) -> EndpointAnswer:
        if request.path == "/flood":
            began.append(request.path)
            await may_end.wait()
        return EndpointAnswer(202)

    async with AsyncEndpoints("webhooks", ANYWHERE, slowly, timeout=1000) as endpoints:
        turns = part_of(endpoints, "turns")

        def waiting(peer: str) -> int:
            return len(turns._waiting.get(peer, ()))

        flood = partial(held, endpoints.address, 20, WHOLE)
        with await run_blocking(lambda: flood("127.0.0.2")):
            await until(lambda: len(began) + waiting("127.0.0.2") == 20)
            assert len(began) == 7
            with await run_blocking(lambda: flood("127.0.0.3")):
                await until(lambda: len(began) + waiting("127.0.0.2") + waiting("127.0.0.3") == 40)
                assert len(began) == 9
                assert b" 202 " in await asked_from_elsewhere(endpoints)
                may_end.set()  # who waits gets the turns of the others
                await until(lambda: len(began) == 40)


async def test_bodies_that_do_not_end_make_room_for_those_of_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_BUFFERED_BYTES", 10_000)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.RECEIVE_TIMEOUT_SECONDS", 1000)
    begun = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + b"x" * 1000
    async with AsyncEndpoints("webhooks", ANYWHERE, echo) as endpoints:
        peers = part_of(endpoints, "peers")
        with await run_blocking(lambda: held(endpoints.address, 10, begun)):
            await until(lambda: peers._reserved_bytes.total() == 10_000)
            assert b" 202 " in await asked_from_elsewhere(endpoints, b"y" * 3000)
            assert peers._reserved_bytes.total() <= 7000
    assert not caplog.records


async def test_bodies_have_a_part_of_the_memory_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_BUFFERED_BYTES_PER_PEER", 1000)
    async with AsyncEndpoints("webhooks", ANYWHERE, echo) as endpoints:
        answer = await ask(endpoints, "POST", "/", b"x" * 1001)
        assert (
            answer.text
            == "other requests and answers use all memory of the endpoint; try again later\n"
        )
        for _ in range(3):
            assert (await ask(endpoints, "POST", "/", b"x" * 1000)).status == 202


LARGE = b"x" * (16 << 20)  # the system keeps a part of it for a client that does not read
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def large(request: EndpointRequest) -> EndpointAnswer:
    return EndpointAnswer(202, b"small" if request.path == "/small" else LARGE)


async def test_answers_that_are_not_read_have_a_part_of_the_memory_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client could fill the memory with answers, and they make room for those of others."""
    monkeypatch.setattr(
        "clientgen.runtime._net.endpoint_limits.MAX_BUFFERED_BYTES_PER_PEER", len(LARGE) * 5 // 2
    )
    monkeypatch.setattr(
        "clientgen.runtime._net.endpoint_limits.MAX_BUFFERED_BYTES", len(LARGE) * 5 // 2
    )
    async with AsyncEndpoints("metrics", ANYWHERE, large, timeout=1000) as endpoints:
        peers = part_of(endpoints, "peers")
        with await run_blocking(lambda: held(endpoints.address, 2, GET)):
            await until(lambda: peers._reserved_bytes.total() == 2 * len(LARGE))
            refused = await ask(endpoints, "GET", "/")
            assert refused.status == 503
            assert (
                refused.text
                == "other requests and answers use all memory of the endpoint; try again later\n"
            )
            assert (await ask(endpoints, "GET", "/small")).status == 202
            assert (await asked_from_elsewhere(endpoints)).endswith(LARGE)
            # One of the two had to make room.
            await until(
                lambda: peers._reserved_bytes.total() == len(LARGE) and len(peers._peer_of) == 1
            )
        await until(lambda: not peers._reserved_bytes)
    assert not caplog.records


async def test_idle_connections_keep_no_answer() -> None:
    """Each kept its last one for as long as a client may be idle."""
    async with AsyncEndpoints("metrics", ANYWHERE, large) as endpoints:
        before = sys.getrefcount(LARGE)
        client = http.client.HTTPConnection(endpoints.address, timeout=60)

        def read() -> bool:
            client.request("GET", "/")
            return client.getresponse().read() == LARGE

        with closing(client):
            assert await run_blocking(read)
            await until(lambda: sys.getrefcount(LARGE) == before)
            assert len(part_of(endpoints, "peers")._peer_of) == 1


@pytest.mark.parametrize("has_tls", [False, True])
async def test_a_client_that_does_not_read_its_answer_is_cut_off(has_tls: bool) -> None:
    """It kept its connection and the answer for ever, or for as long as it read a little."""
    asked = Event()
    context, trusting = contexts() if has_tls else (None, None)

    async def begin(request: EndpointRequest) -> EndpointAnswer:
        server: Any = endpoints._server
        # The time for this function has begun. What is shorter is the time for the client.
        setattr(server, "timeout" if hasattr(server, "timeout") else "_timeout", 0.05)
        asked.set()
        return EndpointAnswer(202, LARGE)

    async with AsyncEndpoints("metrics", ANYWHERE, begin, tls=context, timeout=1000) as endpoints:
        peers = part_of(endpoints, "peers")
        with await run_blocking(lambda: connected(endpoints.address, trusting)) as connection:
            await run_blocking(lambda: connection.sendall(GET))
            await asked.wait()
            await until(lambda: not peers._peer_of and not peers._reserved_bytes)
            assert len(await run_blocking(lambda: everything(connection))) < len(LARGE)


async def test_a_connection_that_waits_for_the_farewell_of_tls_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was counted no more, and stayed open for half a minute."""
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.KEEP_ALIVE_TIMEOUT_SECONDS", 0.01)
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.MAX_CONNECTIONS_PER_PEER", 1)
    context, trusting = contexts()
    async with AsyncEndpoints("webhooks", ANYWHERE, echo, tls=context) as endpoints:

        def closed_by_the_server() -> socket.socket:
            tls = connected(endpoints.address, trusting)
            with suppress(OSError):
                tls.sendall(GET)
            everything(tls)
            return socket.socket(fileno=tls.detach())  # and never say farewell

        with await run_blocking(closed_by_the_server) as first:
            first.settimeout(20)  # asyncio would wait 30 s
            with await run_blocking(lambda: connected(endpoints.address, trusting)):
                assert await run_blocking(lambda: ended(first))


async def test_curl_waits_for_permission_to_send_large_bodies() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        host, port = endpoints.address.split(":")

        def permitted() -> bytes:
            with socket.create_connection((host, int(port)), timeout=60) as connection:
                connection.sendall(
                    b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    b"Content-Length: 2\r\nConnection: close\r\n\r\n"
                )
                began = connection.recv(1000)
                connection.sendall(b"ab")
                rest = b""
                while data := connection.recv(1000):
                    rest += data
                return began + b"|" + rest

        began, _, rest = (await run_blocking(permitted)).partition(b"|")
        assert began == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert rest.endswith(b" ab")


async def test_a_connection_has_many_requests_at_once() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo, max_body=10) as endpoints:
        get = b"GET /%d?a HTTP/1.1\r\nHost: a\r\n\r\n"
        chunked = (
            b"POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
        )
        absolute = b"GET http://elsewhere/d?b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        said = await run_blocking(lambda: told(endpoints.address, get % 1 + chunked + absolute))
        bodies = [part.rpartition(b"\r\n\r\n")[2] for part in said.split(b"HTTP/1.1 202 ")[1:]]
        assert bodies == [
            b"GET /1 (('a', ''),) - ",
            b"POST /c () - ab",
            b"GET /d (('b', ''),) - ",
        ]


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"x" * 200,
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: magic\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n bad: b\r\nno colon\r\n\r\n",
        b"x" * 100_000,
    ],
)
async def test_what_is_no_request_is_refused(data: bytes) -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        said = await run_blocking(lambda: told(endpoints.address, data))
        assert said == b"" or said.split()[1][:1] in {b"4", b"5"}
        assert (await ask(endpoints, "GET", "/")).status == 202


def told(address: str, data: bytes) -> bytes:
    """Send bytes, and return all that comes until the server ends the connection."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        with suppress(OSError):
            connection.sendall(data)
        return everything(connection)


async def test_a_stop_ends_idle_connections() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:
        host, port = endpoints.address.split(":")
        began = await run_blocking(lambda: socket.create_connection((host, int(port)), timeout=60))
        began.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert await run_blocking(lambda: began.recv(1000))
        await endpoints.stop(grace=60)
        with began:
            assert await run_blocking(lambda: began.recv(1000)) == b""


async def test_many_clients_are_answered() -> None:
    async with AsyncEndpoints("echo", ANYWHERE, echo) as endpoints:

        def clients() -> set[int]:
            with ThreadPoolExecutor(150) as pool:
                ask = partial(call, endpoints.address, "POST", "/", b"x" * 1000)
                return {each.result().status for each in [pool.submit(ask) for _ in range(600)]}

        assert await run_blocking(clients) == {202}


async def test_a_client_that_begins_no_tls_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._net.endpoint_limits.RECEIVE_TIMEOUT_SECONDS", 0.05)
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    async with AsyncEndpoints("webhooks", ANYWHERE, echo, tls=context) as endpoints:
        assert await run_blocking(lambda: told(endpoints.address, b"")) == b""
        plain = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        assert b"202" not in await run_blocking(lambda: told(endpoints.address, plain))


async def test_a_stop_waits_for_no_farewell_of_tls() -> None:
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    endpoints = AsyncEndpoints("webhooks", ANYWHERE, echo, tls=context)
    await endpoints.start()

    def ask_and_stay(connection: str) -> socket.socket:
        host, port = endpoints.address.split(":")
        plain = socket.create_connection((host, int(port)), timeout=20)
        with trusting.wrap_socket(plain, server_hostname=host) as tls:
            tls.sendall(f"GET / HTTP/1.1\r\nHost: a\r\nConnection: {connection}\r\n\r\n".encode())
            assert b"202" in tls.recv(1000)
            return socket.socket(fileno=tls.detach())  # and never say farewell

    # The library closes the first at once, and again when it stops.
    silent = [await run_blocking(partial(ask_and_stay, each)) for each in ("close", "keep-alive")]
    await endpoints.stop()
    for each in silent:
        each.settimeout(20)  # asyncio would wait 30 s
        with each:
            assert await run_blocking(partial(ended, each))


def ended(connection: socket.socket) -> bool:
    with suppress(ConnectionResetError):
        while connection.recv(1000):
            pass
    return True


async def test_a_port_in_use_is_told() -> None:
    async with AsyncEndpoints("metrics", ANYWHERE, echo) as endpoints:
        second = AsyncEndpoints("health", endpoints.address, echo)
        with pytest.raises(OSError) as told:
            await second.start()
        assert str(told.value).endswith(
            f"health: cannot listen on {endpoints.address}: the port is in use by another program,"
            " or by another endpoint of this program"
        )
        with pytest.raises(RuntimeError, match="already started"):
            await endpoints.start()


async def test_a_stop_lets_running_answers_end() -> None:
    began, may_end = Event(), Event()

    async def slowly(request: EndpointRequest) -> EndpointAnswer:
        began.set()
        await may_end.wait()
        return EndpointAnswer(200, b"done")

    endpoints = AsyncEndpoints("slow", ANYWHERE, slowly)
    await endpoints.stop()
    await endpoints.start()
    answers: list[Answer] = []

    async def client() -> None:
        answers.append(await ask(endpoints, "GET", "/"))

    asking = spawn(client, "client")
    await began.wait()
    stopping = spawn(endpoints.stop, "stop")
    while await accepts(endpoints):
        await sleep(0.001)
    may_end.set()
    assert await stopping.join(60)
    assert await asking.join(60)
    assert [answer.text for answer in answers] == ["done"]
    await endpoints.stop()


async def accepts(endpoints: AsyncEndpoints) -> bool:
    host, port = endpoints.address.split(":")

    def connects() -> bool:
        try:
            socket.create_connection((host, int(port)), timeout=60).close()
        except OSError:
            return False
        return True

    return await run_blocking(connects)


async def test_certificates_can_be_changed_while_it_runs() -> None:
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    async with AsyncEndpoints("webhooks", ANYWHERE, echo, tls=context) as endpoints:
        assert endpoints.url.startswith("https://")
        serials = [await run_blocking(partial(serial, endpoints.address, trusting))]
        assert (await ask(endpoints, "GET", "/", tls=trusting)).status == 202
        authority.issue_cert("127.0.0.1").configure_cert(context)
        serials.append(await run_blocking(partial(serial, endpoints.address, trusting)))
    assert serials[0] != serials[1]


def serial(address: str, trusting: ssl.SSLContext) -> object:
    host, port = address.split(":")
    with (
        socket.create_connection((host, int(port)), timeout=60) as plain,
        trusting.wrap_socket(plain, server_hostname=host) as connection,
    ):
        shown = connection.getpeercert()
        assert shown is not None
        return shown["serialNumber"]


@pytest.mark.parametrize(
    "address", ["8080", "localhost", "::1:8080", "127.0.0.1:http", ":70000", ":-1", "", ":٣"]
)
def test_wrong_addresses_are_refused_at_once(address: str) -> None:
    with pytest.raises(ValueError, match=r'health: .* is not an address; write ":8080"'):
        AsyncEndpoints("health", address, echo)


async def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(OSError, match=r"cannot listen on 192\.0\.2\.1:80: "):
        await AsyncEndpoints("health", "192.0.2.1:80", echo).start()
