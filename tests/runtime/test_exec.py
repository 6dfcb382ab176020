"""Commands in containers: exec, exec_stream and attach. test_exec_threads.py is derived."""

from __future__ import annotations

import ssl
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trustme
from aiohttp import web
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from support.exec_server import (
    ExecServer,
    break_off,
    end_with_an_error,
    end_without_status,
    exec_server,
    flood,
    flood_status,
    send_nonsense,
    serve_cat,
    serve_hello,
    status_is_no_status,
    status_without_code,
    tiny_output,
)
from support.proxy import TlsTunnelProxy, TunnelProxy

from clientgen.runtime import Output
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig, TlsConfig
from clientgen.runtime.aio import AsyncExecStream, AsyncRest
from clientgen.runtime.errors import (
    BadRequest,
    ConnectionFailed,
    ConnectionLost,
    ExecFailed,
    InternalError,
    NotFound,
    RequestTimeout,
    ResponseBroken,
)
from clientgen.testing import FakeCluster, LocalServer

V4 = ("v4.channel.k8s.io",)
BIG = bytes(range(256)) * 20_000


def pod(name: str, *containers: str) -> Any:
    specs = [{"name": each, "image": "i"} for each in containers or ("app",)]
    return Pod(metadata={"name": name, "namespace": "shop"}, spec={"containers": specs})


def run(process: Any) -> int | None:  # noqa: C901 - a table
    """The commands of the containers in these tests."""
    match process.command:
        case ["echo", *words]:
            process.stdout.write(" ".join(words))
        case ["cat"]:
            while piece := process.stdin.read1():
                process.stdout.write(piece)
        case ["head"]:
            process.stdout.write(process.stdin.readline())
        case ["fail", code]:
            process.stdout.write("half")
            process.stderr.write("it is broken\n")
            return int(code)
        case ["both"]:
            process.stdout.write("out")
            process.stderr.write("err")
        case ["where"]:
            process.stdout.write(f"{process.namespace}/{process.pod}/{process.container}")
        case ["size"]:
            process.wait_for_size(2)
            process.stdout.write(str(process.sizes))
        case ["endless"]:
            while True:
                process.stdout.write(b"x" * 10_000)
        case ["sleep"]:
            process.wait_for_size()
        case _:
            raise FileNotFoundError(process.command[0])
    return 0


@pytest.fixture(params=["in process", "over HTTP"])
def k(request: pytest.FixtureRequest) -> Iterator[AsyncClientset]:
    cluster = FakeCluster(pod("web-0"), pod("two", "app", "side"), pod("other"))
    cluster.container("shop/web-*").on_exec(run)
    cluster.container("shop/two", "side").on_exec(run)
    if request.param == "in process":
        yield cluster.clientset(AsyncClientset)
        return
    with LocalServer(cluster) as server:
        yield AsyncClientset(AsyncRest(ClusterConfig(server.url)))


async def test_a_command_is_run(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        done = await pods.exec("web-0", ["echo", "a b", "ä&=?", ""])
        assert (done.text, done.stderr, done.exit_code) == ("a b ä&=? ", b"", 0)
        assert "a b" not in repr(done)


async def test_an_exit_code_is_a_value_or_an_error(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        failed = await pods.exec("web-0", ["fail", "42"])
        assert (failed.stdout, failed.stderr, failed.exit_code) == (b"half", b"it is broken\n", 42)
        with pytest.raises(ExecFailed, match="exit code 42: it is broken") as caught:
            await pods.exec("web-0", ["fail", "42"], check=True)
        assert caught.value.exit_code == 42
        assert caught.value.result.stdout == b"half"
        assert (await pods.exec("web-0", ["echo"], check=True)).exit_code == 0


async def test_much_goes_in_and_comes_out(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        assert (await pods.exec("web-0", ["cat"], stdin=BIG)).stdout == BIG
        assert (await pods.exec("web-0", ["cat"], stdin="ä")).text == "ä"
        assert (await pods.exec("web-0", ["cat"], stdin=b"")).stdout == b""
        assert (await pods.exec("web-0", ["head"], stdin=b"one\n" + BIG)).stdout == b"one\n"


async def test_output_has_a_limit(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        assert (await pods.exec("web-0", ["echo", "123"], limit=3)).stdout == b"123"
        with pytest.raises(ResponseBroken, match="more than limit=100000 bytes"):
            await pods.exec("web-0", ["endless"], limit=100_000)


@pytest.mark.slow
async def test_tiny_pieces_of_output_take_little_more_memory_than_they_have_bytes() -> None:
    count = 100_000
    with exec_server(tiny_output(count)) as server:
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url))) as k:
            tracemalloc.start()
            try:
                done = await k.core_v1.pods("shop").exec("web-0", ["cat"], limit=count)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
    assert done.stdout == b"x" * count
    assert peak < 60 * count  # pieces that are kept as objects take 100 bytes each


def hurry(k: Any, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have so much time pass once a command runs."""
    alarm_at = k.rest.alarm_at
    monkeypatch.setattr(
        k.rest, "alarm_at", lambda deadline, alarm: alarm_at(deadline - seconds, alarm)
    )


async def test_a_command_has_a_timeout(k: AsyncClientset, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(k, 60, monkeypatch)
    async with k:
        with pytest.raises(RequestTimeout, match="did not end before the timeout"):
            await k.core_v1.pods("shop").exec("web-0", ["sleep"], timeout=60)


async def test_a_command_that_cannot_be_run_is_an_error(k: AsyncClientset) -> None:
    async with k:
        with pytest.raises(InternalError, match=r"error executing command in container.*nothing"):
            await k.core_v1.pods("shop").exec("web-0", ["nothing"])


async def test_containers_are_named_where_there_are_several(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        assert (await pods.exec("web-0", ["where"])).text == "shop/web-0/app"
        assert (await pods.exec("two", ["where"], container="side")).text == "shop/two/side"
        with pytest.raises(BadRequest, match=r"specified for pod two, choose one of: \[app side"):
            await pods.exec("two", ["where"])
        with pytest.raises(BadRequest, match="container nope is not valid for pod two"):
            await pods.exec("two", ["where"], container="nope")


async def test_refusals_are_those_of_the_server(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        with pytest.raises(NotFound, match='pods "missing" not found'):
            await pods.exec("missing", ["echo"])
        with pytest.raises(BadRequest, match="pod other does not have a host assigned"):
            await pods.exec("other", ["echo"])
        stream = pods.attach("missing")
        with pytest.raises(NotFound):
            await stream.__aenter__()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("ls -l", "command must be a list of words"),
        ([], "command is empty"),
        ([""], "command is empty"),
        ([b"ls"], "not a bytes"),
        (["ls", "a\0b"], "null character"),
        (None, "not None"),
    ],
)
async def test_wrong_commands_are_refused(k: AsyncClientset, command: Any, told: str) -> None:
    async with k:
        with pytest.raises((TypeError, ValueError), match=told):
            await k.core_v1.pods("shop").exec("web-0", command)


async def test_wrong_options_are_refused(k: AsyncClientset) -> None:
    async with k:
        pods: Any = k.core_v1.pods("shop")
        with pytest.raises(TypeError, match="unexpected option 'conainer'"):
            await pods.exec("web-0", ["ls"], conainer="app")
        with pytest.raises(TypeError, match=r"stdin must be bytes or text, not an? int"):
            await pods.exec("web-0", ["ls"], stdin=3)
        with pytest.raises(ValueError, match="name"):
            await pods.exec("", ["ls"])


async def test_a_stream_is_written_and_read(k: AsyncClientset) -> None:
    async with k:
        async with k.core_v1.pods("shop").exec_stream("web-0", ["cat"], stdin=True) as process:
            await process.write("one")
            assert await process.__anext__() == Output("stdout", b"one")
            await process.write(b"two")
            assert await process.__anext__() == Output("stdout", b"two")
            assert process.exit_code is None
            await process.close_stdin()
            assert await process.wait() == 0
        assert process.exit_code == 0


async def test_outputs_are_told_apart(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        async with pods.exec_stream("web-0", ["both"]) as process:
            pieces = [each async for each in process]
        assert pieces == [Output("stdout", b"out"), Output("stderr", b"err")]
        async with pods.exec_stream("web-0", ["both"], tty=True) as process:
            pieces = [each async for each in process]
        assert {each.stream for each in pieces} == {"stdout"}
        assert b"".join(each.data for each in pieces) == b"outerr"


async def test_the_size_of_a_terminal_is_told(k: AsyncClientset) -> None:
    async with k, k.core_v1.pods("shop").exec_stream("web-0", ["size"], tty=True) as process:
        await process.resize(80, 24)
        await process.resize(120, 50)
        assert (await process.__anext__()).data == b"[(80, 24), (120, 50)]"
        with pytest.raises(ValueError, match="width=0"):
            await process.resize(0, 24)


async def test_a_stream_is_used_in_order(k: AsyncClientset) -> None:
    async with k:
        stream = k.core_v1.pods("shop").exec_stream("web-0", ["echo"])
        with pytest.raises(RuntimeError, match="is not open: use it in a `with` block"):
            await stream.wait()
        async with stream as process:
            with pytest.raises(RuntimeError, match="open it with stdin=True"):
                await process.write("x")
            assert await process.wait() == 0
            assert await process.wait() == 0
        with pytest.raises(RuntimeError, match="was opened before"):
            await stream.__aenter__()


async def test_leaving_a_stream_ends_it(k: AsyncClientset) -> None:
    async with k:
        async with k.core_v1.pods("shop").exec_stream("web-0", ["endless"]) as process:
            assert (await process.__anext__()).stream == "stdout"
        with pytest.raises(ConnectionLost, match="before the server sent the exit code"):
            await process.wait()


async def test_many_commands_at_once(k: AsyncClientset) -> None:
    async with k:
        pods = k.core_v1.pods("shop")
        answers: list[str] = []

        async def one(number: int) -> None:
            done = await pods.exec("web-0", ["cat"], stdin=f"{number} {'x' * number * 100}")
            answers.append(done.text.partition(" ")[0])

        async def start(number: int) -> Any:
            async def work() -> None:
                await one(number)

            return spawn(work, f"exec {number}")

        tasks = [await start(number) for number in range(100)]
        for task in tasks:
            assert await task.join(60)
        assert sorted(answers, key=int) == [str(number) for number in range(100)]


async def test_the_timeout_of_a_client_is_not_that_of_a_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It limits how long the server may take to start it."""
    cluster = FakeCluster(pod("web-0"))

    @cluster.container("shop/web-0").on_exec
    def run(process: Any) -> int:
        for _ in range(30):
            if process.is_closed:
                return 1
            time.sleep(0.01)
        return 0

    async with cluster.clientset(AsyncClientset, timeout=100) as k:
        hurry(k, 1000, monkeypatch)
        pods = k.core_v1.pods("shop")
        assert (await pods.exec("web-0", ["sleep"])).exit_code == 0
        with pytest.raises(RequestTimeout, match="did not end before the timeout"):
            await pods.exec("web-0", ["sleep"], timeout=100)


async def test_attach_reads_the_main_process() -> None:
    cluster = FakeCluster(pod("web-0"))

    @cluster.container("shop/web-0").on_attach
    def main(process: Any) -> int:
        assert process.command == []
        process.stdout.write("hello " + process.stdin.readline().decode())
        return 4

    k = cluster.clientset(AsyncClientset)
    async with k, k.core_v1.pods("shop").attach("web-0", stdin=True) as process:
        await process.write("you\n")
        assert (await process.__anext__()).data == b"hello you\n"
        # As a node: the exit code of the process stays in the status of the pod.
        assert await process.wait() == 0


# ---- servers that are odd -----------------------------------------------------------------------


def client(server: ExecServer, **config: Any) -> AsyncClientset:
    return AsyncClientset(AsyncRest(ClusterConfig(server.url, **config)))


async def test_an_old_server_cannot_end_the_input() -> None:
    with exec_server(serve_cat, subprotocols=V4) as server:
        async with client(server) as k:
            pods = k.core_v1.pods("shop")
            with pytest.raises(ResponseBroken, match=r"v4\.channel\.k8s\.io cannot close stdin"):
                await pods.exec("web-0", ["cat"], stdin=b"x")
    with exec_server(serve_hello, subprotocols=V4) as server:
        async with client(server) as k:
            assert (await k.core_v1.pods("shop").exec("web-0", ["x"])).text == "hello"


async def test_a_server_that_speaks_something_else_is_refused() -> None:
    with exec_server(serve_hello, subprotocols=("v9.channel.k8s.io",)) as server:
        async with client(server) as k:
            with pytest.raises(ResponseBroken, match="none of the subprotocols"):
                await k.core_v1.pods("shop").exec("web-0", ["x"])


async def test_a_server_that_opens_no_websocket_is_told() -> None:
    with exec_server(serve_hello) as server:
        server.before = lambda _: web.Response(text="hello")
        async with client(server) as k:
            with pytest.raises(ResponseBroken, match="answered 200 instead of opening a WebSocket"):
                await k.core_v1.pods("shop").exec("web-0", ["x"])


@pytest.mark.parametrize(
    ("handler", "told"),
    [
        (end_without_status, "before the server sent the exit code"),
        (break_off, "connection"),
        (end_with_an_error, "1011 the kubelet is gone"),
    ],
)
async def test_an_end_without_an_exit_code_is_an_error(handler: Any, told: str) -> None:
    with exec_server(handler) as server:
        async with client(server) as k:
            pods = k.core_v1.pods("shop")
            with pytest.raises(ConnectionLost, match=told):
                await pods.exec("web-0", ["x"])
            async with pods.exec_stream("web-0", ["x"]) as process:
                assert (await process.__anext__()).data == b"half"
                with pytest.raises(ConnectionLost, match=told):
                    await process.__anext__()


async def test_messages_that_nobody_knows_are_ignored() -> None:
    with exec_server(send_nonsense) as server:
        async with client(server) as k:
            assert (await k.core_v1.pods("shop").exec("web-0", ["x"])).text == "hello text"


@pytest.mark.parametrize(
    ("handler", "told"),
    [
        (flood_status, "the status of the process is too long"),
        (status_is_no_status, "the status of the process is malformed"),
        (status_without_code, "the server sent no exit code"),
    ],
)
async def test_a_status_that_makes_no_sense_is_an_error(handler: Any, told: str) -> None:
    with exec_server(handler) as server:
        async with client(server) as k:
            with pytest.raises(ResponseBroken, match=told):
                await k.core_v1.pods("shop").exec("web-0", ["x"])


async def test_tls_and_credentials_are_those_of_every_request(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    def check(request: web.BaseRequest) -> web.StreamResponse | None:
        if request.headers["Authorization"] == "Bearer new":
            return None
        token.write_text("new")
        return web.json_response({"kind": "Status", "code": 401}, status=401)

    with exec_server(serve_cat, context=context) as server:
        server.before = check
        tls = TlsConfig(ca_data=authority.cert_pem.bytes())
        async with client(server, tls=tls, auth=AuthConfig(token_file=str(token))) as k:
            done = await k.core_v1.pods("shop").exec("web-0", ["cat"], stdin=BIG)
        assert done.stdout == BIG
        assert len(server.requests) == 2
    with exec_server(serve_cat, context=context) as server:
        async with client(server) as k:
            with pytest.raises(ConnectionFailed, match="certificate"):
                await k.core_v1.pods("shop").exec("web-0", ["cat"])


async def test_commands_go_through_a_proxy() -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with exec_server(serve_cat, context=context) as server:
        with closing(TunnelProxy("Proxy-Authorization: Basic dXNlcjpwdw==")) as proxy:
            tls = TlsConfig(ca_data=authority.cert_pem.bytes())
            url = f"http://user:pw@127.0.0.1:{proxy.port}"
            async with client(server, tls=tls, proxy_url=url) as k:
                done = await k.core_v1.pods("shop").exec("web-0", ["cat"], stdin=BIG)
        assert done.stdout == BIG
        assert server.requests[0].headers.get("Proxy-Authorization") is None
    assert [each.split()[0] for each in proxy.asked] == ["CONNECT"]


async def test_commands_go_through_a_proxy_that_is_reached_by_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))  # urllib3 trusts the proxy by it
    server_at, proxy_at = exec_server(serve_cat, context=context), closing(TlsTunnelProxy(context))
    with server_at as server, proxy_at as proxy:
        tls = TlsConfig(ca_data=authority.cert_pem.bytes())
        url = f"https://127.0.0.1:{proxy.port}"
        async with client(server, tls=tls, proxy_url=url) as k:
            pods = k.core_v1.pods("shop")
            assert (await pods.exec("web-0", ["cat"], stdin=BIG)).stdout == BIG
            async with pods.exec_stream("web-0", ["cat"], stdin=True) as process:
                await process.write(b"twice")
                assert (await process.__anext__()).data == b"twice"
                process.abort()
    assert [each.split()[0] for each in proxy.asked] == ["CONNECT"] * 2


async def test_a_slow_reader_slows_the_process_down() -> None:
    sent: list[int] = []

    with exec_server(flood(sent)) as server:
        k = client(server)
        async with k, k.core_v1.pods("shop").exec_stream("web-0", ["x"]) as process:
            await process.__anext__()
            before = -1
            while len(sent) != before:
                before = len(sent)
                await sleep(0.1)
            assert len(sent) < 1500
            total = 32_768 + sum([len(each.data) async for each in process])
    assert total == 2000 * 32_768


async def test_a_stream_can_be_given_up_from_elsewhere(k: AsyncClientset) -> None:
    async with k:
        stream: AsyncExecStream = k.core_v1.pods("shop").exec_stream("web-0", ["sleep"], stdin=True)
        async with stream as process:

            async def give_up() -> None:
                await sleep(0.05)
                process.abort()

            task = spawn(give_up, "give up")
            with pytest.raises(ConnectionLost):
                await process.wait()
            await task.join()
