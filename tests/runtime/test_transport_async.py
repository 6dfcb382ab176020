"""Connections: proxies, plain HTTP, sharing; `test_transport_sync` runs the same on threads."""

# A loop or a block that fails half way is what is tested.

from __future__ import annotations

import sys

import pytest
from support.models import PODS, Pod, PodList, pod, pod_list
from support.proxy import TunnelProxy
from support.server import CLOSE, ok

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import Event, call_later
from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime.aio import AsyncResourceClient, AsyncRest


class AsyncPodClient(AsyncResourceClient):
    resource = PODS


@pytest.fixture
def proxy():
    made = TunnelProxy("Basic dXNlcjpwYXNzIHdvcmQ=")
    yield made
    made.close()


async def test_requests_go_through_the_proxy(server, config_for, proxy):
    server.reply(ok(pod()))
    url = f"http://user:pass%20word@127.0.0.1:{proxy.port}"
    async with AsyncRest(config_for(server, proxy_url=url)) as rest:
        await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert proxy.asked[0].startswith(f"CONNECT 127.0.0.1:{server.port} ")
    assert "s3cret" not in proxy.asked[0]


async def test_a_proxy_that_refuses_is_an_error_without_the_password(server, config_for, proxy):
    url = f"http://user:wrong@127.0.0.1:{proxy.port}"
    async with AsyncRest(config_for(server, proxy_url=url)) as rest:
        with pytest.raises(errors.ConnectionFailed) as caught:
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert "407" in str(caught.value)
    assert "wrong" not in str(caught.value)


async def test_a_proxy_that_is_not_there_is_an_error_without_the_password(
    server, config_for, proxy
):
    proxy.close()
    url = f"http://user:wrong@127.0.0.1:{proxy.port}"
    async with AsyncRest(config_for(server, proxy_url=url)) as rest:
        with pytest.raises(errors.ConnectionFailed) as caught:
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert "wrong" not in str(caught.value)


async def test_a_socks_proxy_needs_its_library(server, config_for, monkeypatch):
    for name in ("aiohttp_socks", "socks"):
        monkeypatch.setitem(sys.modules, name, None)
    async with AsyncRest(config_for(server, proxy_url="socks5://127.0.0.1:1")) as rest:
        with pytest.raises(errors.ConfigError, match=r"clientgen\[socks\]"):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})


async def test_plain_http_carries_no_credentials(plain_server):
    plain_server.reply(ok(pod_list(pod())))
    config = ClusterConfig(plain_server.url, auth=AuthConfig(token="s3cret"))
    async with AsyncRest(config) as rest:
        assert len(await AsyncPodClient(rest)._list(PodList, {})) == 1
    assert plain_server.requests[0].header("authorization") is None


async def test_an_idle_connection_that_the_server_has_closed_is_not_used(server, config_for):
    server.reply(ok(pod(), "Connection: close"), CLOSE)
    server.reply(ok(pod()))
    async with AsyncRest(config_for(server)) as rest:
        for _ in range(2):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {})
    assert server.connections == 2


async def test_requests_may_go_elsewhere():
    seen: list[HttpRequest] = []

    class AsyncInProcess:
        closed = False

        async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
            seen.append(request)
            return HttpResponse(200, {}, b'{"kind":"Pod","metadata":{"name":"x"}}')

        async def aclose(self) -> None:
            self.closed = True

    transport = AsyncInProcess()
    config = ClusterConfig("https://in.process", auth=AuthConfig(token="t"))
    async with AsyncRest(config, transport=transport, user_agent="me/1") as rest:
        assert (await AsyncPodClient(rest, "default")._get(Pod, "x", {})).metadata.name == "x"
    assert transport.closed
    assert seen == [
        HttpRequest(
            "GET",
            "/api/v1/namespaces/default/pods/x",
            (
                ("Accept", "application/json"),
                ("User-Agent", "me/1"),
                ("Authorization", "Bearer t"),
            ),
        )
    ]


async def test_a_deadline_covers_the_connecting(server, config_for):
    # It accepts, and then waits for a CONNECT that never comes.
    silent = TunnelProxy()
    config = config_for(server, server=f"https://127.0.0.1:{silent.port}")
    async with AsyncRest(config) as rest:
        with pytest.raises(errors.RequestTimeout):
            await AsyncPodClient(rest, "default")._get(Pod, "web-0", {"timeout": 0.1})
    silent.close()


async def test_an_event_is_waited_for():
    happened = Event()
    assert not await happened.wait(0.001)
    call_later(0.01, happened.set)
    assert await happened.wait(10)
    assert happened.is_set()
    assert await happened.wait(10)
