"""Tokens, passwords and keys stay where they are; the tests of threads are derived."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
from dataclasses import replace

import pytest
from kubeapi.async_clientset import AsyncClientset
from kubeapi.core.v1.async_clients import AsyncPodClient
from support.proxy import TunnelProxy
from support.raw_server import RawServer
from support.server import CUT, ok

from clientgen.runtime._config.cluster_config import (
    AuthConfig,
    ClientCertificate,
    ClusterConfig,
    Credential,
    ExecConfig,
)
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import ClientError, ConfigError, ConnectionFailed

SECRET = "t0ps3cret"
POD = {"kind": "Pod", "metadata": {"name": "web"}}


def everything_of(error: BaseException) -> str:
    """What any handler or log could show of an error and what led to it."""
    shown = "".join(traceback.format_exception(error))
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in seen:
            seen.append(one)
            waiting += [one.__cause__, None if one.__suppress_context__ else one.__context__]
            shown += repr(one) + str(one) + repr(one.args)
    return shown


def depths_of(thing: object, depth: int = 4) -> str:
    """The repr of a thing and of all attributes inside."""
    shown = repr(thing)
    if depth:
        for value in getattr(thing, "__dict__", {}).values():
            shown += repr(value)
            if type(value).__module__.startswith(("clientgen", "kubeapi")):
                shown += depths_of(value, depth - 1)
    return shown


@pytest.mark.parametrize("token", [f"{SECRET}\n", f" {SECRET}\r\n", f"{SECRET}\n\n"])
async def test_white_space_around_a_token_is_dropped(server, config_for, token):
    server.reply(ok(POD))
    async with AsyncRest(config_for(server, auth=AuthConfig(token=token))) as rest:
        await AsyncPodClient(rest, "shop").get("web")
    assert server.requests[0].header("authorization") == f"Bearer {SECRET}"


@pytest.mark.parametrize("bad", ["\n", "\r", "\0", " ", "\x7f", "é", "\udc80", "\u200b"])
async def test_invalid_header_values_are_refused_without_being_shown(server, config_for, bad):
    value = f"{SECRET}{bad}{SECRET}"
    with pytest.raises(ConfigError, match="token contains") as caught:
        AuthConfig(token=value)
    assert SECRET not in everything_of(caught.value)
    for wrong in (SECRET.encode(), [SECRET], None):
        with pytest.raises(ConfigError, match="must be a string, not a") as caught:
            AuthConfig(token=wrong)
        assert SECRET not in everything_of(caught.value)
    if bad in " é\u200b":
        return
    with pytest.raises(ValueError, match="User-Agent contains a character") as error:
        AsyncRest(config_for(server), user_agent=value)
    assert SECRET not in everything_of(error.value)
    with pytest.raises(ConfigError, match="Impersonate-User contains a character") as caught:
        AsyncRest(config_for(server), impersonate_user=value)
    assert SECRET not in everything_of(caught.value)
    async with AsyncRest(config_for(server)) as rest:
        for header in ((f"X{bad}", "y"), ("X-Mine", value), ("Authorization", value)):
            with pytest.raises(ValueError, match="header") as error:
                await rest.send(HttpRequest("GET", "/api", (header,)))
            assert SECRET not in everything_of(error.value)
    assert server.requests == []


async def test_no_error_of_a_request_shows_the_token(server, config_for):
    config = config_for(server, auth=AuthConfig(token=SECRET))
    for answer in (b"no HTTP", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", CUT):
        server.reply(*([answer, CUT] if answer is not CUT else [CUT]))
    async with AsyncRest(config, max_retries=0) as rest:
        for _ in range(3):
            with pytest.raises(ClientError) as caught:
                await AsyncPodClient(rest, "shop").get("web")
            assert SECRET not in everything_of(caught.value)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_refuses_does_not_show_its_password(scheme, caplog):
    caplog.set_level(logging.DEBUG)
    proxy = TunnelProxy(password_header="nobody knows")
    try:
        where = f"http://jane:{SECRET}@127.0.0.1:{proxy.port}"
        config = ClusterConfig(f"{scheme}://api.example.invalid", proxy_url=where)
        async with AsyncRest(config) as rest:
            with pytest.raises(ClientError) as caught:
                await AsyncPodClient(rest, "shop").get("web")
            if scheme == "https":
                assert isinstance(caught.value, ConnectionFailed)
                assert "407" in str(caught.value)
            logging.getLogger("test").error("failed", exc_info=caught.value)
            assert SECRET not in depths_of(rest)
    finally:
        proxy.close()
    assert "Proxy-Authorization: Basic " in proxy.asked[0]
    assert SECRET not in everything_of(caught.value) + caplog.text


async def test_a_proxy_that_is_not_there_does_not_show_its_password():
    with RawServer(lambda peer: None) as gone:
        port = gone.port
    where = f"http://jane:{SECRET}@127.0.0.1:{port}"
    config = ClusterConfig("https://api.example.invalid", proxy_url=where)
    async with AsyncRest(config) as rest:
        with pytest.raises(ConnectionFailed) as caught:
            await AsyncPodClient(rest, "shop").get("web")
    assert SECRET not in everything_of(caught.value)


async def test_objects_with_credentials_neither_show_nor_pickle_them(server, config_for):
    server.reply(ok(POD))
    plugin = ExecConfig("plugin", args=(SECRET,), env=(("TOKEN", SECRET),))
    auth = AuthConfig(token=SECRET, password=SECRET, key_data=SECRET.encode(), exec=plugin)
    config = config_for(server, auth=replace(auth, key_data=b""))
    async with AsyncRest(config) as rest:
        pods = AsyncPodClient(rest, "shop")
        await pods.get("web")
        k = AsyncClientset(rest)
        things = [
            auth,
            plugin,
            config,
            ClientCertificate(b"", SECRET.encode()),
            Credential(f"Bearer {SECRET}"),
            rest,
            rest.chain.connections.transport,
            pods,
            k,
            k.core_v1,
            k.informers(),
            pods.watch(),
        ]
        for thing in things:
            assert SECRET not in depths_of(thing)
            for write in (pickle.dumps, lambda each: pickle.dumps(each, 2)):
                with pytest.raises(TypeError) as caught:
                    write(thing)
                assert SECRET not in everything_of(caught.value)
        for thing in (rest, pods, k):
            with pytest.raises(TypeError, match="holds credentials: it cannot be pickled"):
                copy.deepcopy(thing)
        for thing in (config, auth, plugin):
            assert copy.deepcopy(thing) is copy.copy(thing) is thing
    assert server.requests[0].header("authorization") == f"Bearer {SECRET}"


async def test_credentials_do_not_follow_to_another_place(server, config_for):
    """No redirect is followed: whoever answers cannot send a token elsewhere."""
    with RawServer(lambda peer: peer.read_request()) as elsewhere:
        place = f"Location: http://127.0.0.1:{elsewhere.port}/"
        for status in (301, 302, 307, 308):
            server.reply(
                f"HTTP/1.1 {status} There\r\n{place}\r\nContent-Length: 0\r\n\r\n".encode()
            )
        async with AsyncRest(config_for(server)) as rest:
            for _ in range(4):
                with pytest.raises(ClientError, match="30"):
                    await AsyncPodClient(rest, "shop").get("web")
        assert elsewhere.connections == 0
