"""Middleware, headers and the log of requests. test_middleware_threads.py is derived."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, use_span
from prometheus_client import CollectorRegistry
from support.plugins import Plugin
from support.server import ScriptedServer, event, head, ok, reply

from clientgen.runtime import HttpRequest, HttpResponse, PrometheusRequestMetrics, as_curl
from clientgen.runtime._config.cluster_config import ClusterConfig, ExecConfig
from clientgen.runtime.aio import AsyncMiddleware, AsyncRest, AsyncSend, trace_requests
from clientgen.runtime.errors import ConfigError, Forbidden, TransportError
from clientgen.testing import FakeCluster, LocalServer

MAP: Any = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "shop"}}
POD: Any = {
    "kind": "Pod",
    "apiVersion": "v1",
    "metadata": {"name": "web-0", "namespace": "shop"},
    "spec": {"containers": [{"name": "web", "image": "web:1"}]},
}
BUSY = reply(429, {"kind": "Status", "status": "Failure", "code": 429}, "Retry-After: 0")


@pytest.fixture
def cluster() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(MAP)) as server:
        yield server


def clients(server: LocalServer, *middleware: AsyncMiddleware, **options: Any) -> AsyncClientset:
    return AsyncClientset.from_config(server.kubeconfig, middleware=middleware, **options)


# ---- middleware -------------------------------------------------------------------------------


async def test_it_sees_adds_repeats_and_refuses(server: ScriptedServer, config_for: Any) -> None:
    seen: list[tuple[str, str, int, int]] = []

    async def audit(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        response = await send(request)
        seen.append((request.method, request.target, request.attempt, response.status))
        return response

    async def stamp(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        assert all(name != "Authorization" for name, _ in request.headers)
        request.headers += (("X-Changed", "yes"),)
        return await send(request.with_header("user-agent", "mine").with_header("X-Trace", "7"))

    async def again(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        response = await send(request)
        return await send(request) if response.status == 418 else response

    async def guard(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        if request.method == "DELETE":
            raise PermissionError("no deletes today")
        if request.method == "PUT":
            return HttpResponse(403, {}, b'{"kind": "Status", "message": "read only"}')
        return await send(request)

    for answer in (BUSY, reply(418), ok(MAP)):
        server.reply(answer)
    middleware = [audit, stamp, again, guard]
    async with AsyncRest(config_for(server), middleware=middleware) as rest:
        k = AsyncClientset(rest)
        maps = k.core_v1.config_maps("shop")
        assert (await maps.get("a")).metadata.name == "a"
        with pytest.raises(PermissionError, match="no deletes today"):
            await maps.delete("a")
        with pytest.raises(Forbidden, match="read only"):
            await maps.update(MAP)
    path = "/api/v1/namespaces/shop/configmaps/a"
    assert seen == [("GET", path, 1, 429), ("GET", path, 2, 200), ("PUT", path, 1, 403)]
    assert len(server.requests) == 3
    for request in server.requests:
        names = [name.lower() for name, _ in request.headers]
        assert len(names) == len(set(names))  # what it adds to one attempt is not in the next
        assert [request.header(name) for name in ("User-Agent", "X-Trace", "X-Changed")] == [
            *("mine", "7", "yes")
        ]
        assert request.header("Authorization") == "Bearer s3cret"


async def test_streams_pass_it_and_what_it_does_not_return_is_closed(
    server: ScriptedServer, config_for: Any
) -> None:
    async def twice(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        first = await send(request)
        assert (first.status, first.body) == (200, b"")
        return await send(request)

    async def refuse(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        await send(request)
        return HttpResponse(403, {}, b'{"kind": "Status", "message": "no watches"}')

    async def answer(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        return HttpResponse(200, {}, json.dumps({"type": "ADDED", "object": MAP}).encode() + b"\n")

    async def fail(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        await send(request)
        raise PermissionError("seen and refused")

    config = config_for(server)
    for _ in range(4):
        server.reply(head(chunked=True), event("ADDED", MAP), threading.Event())
    for middleware in (twice, answer):
        async with AsyncClientset(AsyncRest(config, middleware=[middleware])) as k:
            async for change in k.core_v1.config_maps("shop").watch():
                assert change.object.metadata.name == "a"
                break
    for middleware, error in ((refuse, Forbidden), (fail, PermissionError)):
        async with AsyncClientset(AsyncRest(config, middleware=[middleware])) as k:
            with pytest.raises(error):
                async for _change in k.core_v1.config_maps("shop").watch():
                    pass
            transport: Any = k.rest.chain.connections.transport
            assert not transport._streams
    assert len(server.requests) == 4


async def test_commands_pass_it_before_they_start(cluster: LocalServer) -> None:
    seen: list[tuple[str, int]] = []

    async def audit(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        response = await send(request)
        seen.append((request.target.partition("?")[0].rpartition("/")[2], response.status))
        return response

    async def refuse(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        return HttpResponse(403, {}, b'{"kind": "Status", "message": "no commands"}')

    def run(process: Any) -> int:
        process.stdout.write("done")
        return 0

    cluster.cluster.add(POD)
    cluster.cluster.container("shop/web-0").on_exec(run)
    async with clients(cluster, audit) as k:
        assert (await k.core_v1.pods("shop").exec("web-0", ["work"])).text == "done"
    async with clients(cluster, refuse) as k:
        with pytest.raises(Forbidden, match="no commands"):
            await k.core_v1.pods("shop").exec("web-0", ["work"])
    assert seen == [("exec", 101)]


async def swallow(request: HttpRequest, send: AsyncSend) -> Any:
    await send(request)


async def misdirect(request: HttpRequest, send: AsyncSend) -> HttpResponse:
    return await send(HttpRequest("GET", "@elsewhere.invalid/api"))


async def smuggle(request: HttpRequest, send: AsyncSend) -> HttpResponse:
    return await send(HttpRequest("GET", "/a", (("X-A", "b\r\nX-B: c"),)))


async def mistake(request: HttpRequest, send: Any) -> HttpResponse:
    return await send("/api")


@pytest.mark.parametrize(
    ("middleware", "error", "message"),
    [
        (swallow, TypeError, "the middleware swallow returned None: it must return the response"),
        (misdirect, ValueError, "the middleware misdirect set a target that is not a path"),
        (smuggle, ValueError, "the header X-A contains a character"),
        (mistake, TypeError, r"the middleware mistake called send\(\) with a str"),
    ],
)
async def test_a_broken_one_is_named(
    cluster: LocalServer, middleware: Any, error: type[Exception], message: str
) -> None:
    async with clients(cluster, middleware) as k:
        with pytest.raises(error, match=message):
            await k.core_v1.config_maps("shop").get("a")
        with pytest.raises(error, match=message):
            async for _change in k.core_v1.config_maps("shop").watch():
                pass


@pytest.mark.parametrize("given", ["audit", swallow, [swallow, None], {1: 2}])
def test_only_a_list_of_functions_is_taken(given: Any) -> None:
    with pytest.raises(TypeError, match="must be a list of functions"):
        AsyncRest(ClusterConfig("https://cluster.invalid"), middleware=given)


# ---- headers ----------------------------------------------------------------------------------


async def test_headers_go_with_every_request(server: ScriptedServer, config_for: Any) -> None:
    server.reply(ok(MAP))
    server.reply(head(chunked=True), event("ADDED", MAP), threading.Event())
    async with AsyncRest(config_for(server), headers={"X-Team": "web"}) as rest:
        maps = AsyncClientset(rest).core_v1.config_maps("shop")
        await maps.get("a")
        async for _change in maps.watch():
            break
    assert [request.header("x-team") for request in server.requests] == ["web", "web"]


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"X-A": "b\r\nX-B: c"}, "the header X-A contains a character"),
        ({"X A": "b"}, "'X A' cannot be the name of a header"),
        ({"authorization": "Bearer t0ken"}, "headers cannot set authorization: the credentials"),
        ({"Impersonate-Extra-scopes": "x"}, "use impersonate_extra="),
        ({"User-Agent": "x"}, "use user_agent="),
        ({"Host": "x"}, "headers cannot set Host: the client sets it"),
        ({"X-A": 1}, "headers must map text to text, but 'X-A' has an int"),
        ([("X-A", "b")], "headers must be a mapping"),
    ],
)
def test_headers_that_cannot_be_set_are_refused(headers: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as refusal:
        AsyncRest(ClusterConfig("https://cluster.invalid"), headers=headers)
    assert "t0ken" not in str(refusal.value)


# ---- the log ----------------------------------------------------------------------------------


async def test_each_attempt_is_a_line(
    server: ScriptedServer, config_for: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "clientgen.http")
    for answer in (BUSY, ok(MAP)):
        server.reply(answer)
    server.reply(head(chunked=True), event("ADDED", MAP), threading.Event())
    server.reply(b"HTTP/1.1 nonsense\r\n\r\n")
    async with AsyncRest(config_for(server)) as rest:
        maps = AsyncClientset(rest).core_v1.config_maps("shop")
        await maps.get("a")
        async for _change in maps.watch(label_selector="app=web"):
            break
        with pytest.raises(TransportError):
            await maps.create({"metadata": {"name": "b"}})
        first, second, watch, failed = (
            each for each in caplog.records if each.name == "clientgen.http"
        )
    url = f"{server.url}/api/v1/namespaces/shop/configmaps"
    for record, status, attempt in ((first, 429, 1), (second, 200, 2)):
        assert record.getMessage().startswith(f"GET {url}/a {status} in ")
        assert record.getMessage().endswith(f" bytes, attempt {attempt}")
        fields: Any = record.args
        assert fields["status"] == status
    assert watch.getMessage().startswith(f"GET {url}?allowWatchBookmarks=true&labelSelector=app%3D")
    assert watch.getMessage().endswith(" ms, a stream, attempt 1")
    assert failed.getMessage().startswith(f"POST {url} failed in ")


async def test_bodies_are_logged_without_secrets(
    cluster: LocalServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(5, "clientgen.http")
    token = "t0ps3cret"
    secret: Any = {"metadata": {"name": "s"}, "stringData": {"name": token, "path": token}}
    env = [{"name": "DB_PASSWORD", "value": token}, {"name": "MODE", "value": "fast"}]
    container: Any = {"name": "web", "image": "web:1", "env": env}
    async with clients(cluster, headers={"X-Key": token}) as k:
        await k.core_v1.secrets("shop").create(secret)
        await k.core_v1.secrets("shop").patch("s", {"data": {"key": "dDBwczNjcmV0"}})
        await k.core_v1.secrets("shop").list()
        await k.core_v1.pods("shop").create(
            {"metadata": {"name": "p"}, "spec": {"containers": [container]}}
        )
        accounts = k.core_v1.service_accounts("shop")
        await accounts.create({"metadata": {"name": "reader"}})
        got = await accounts.create_token("reader", {})
        await k.get(Pod, "p", namespace="shop")
        assert got.status.token
    assert token not in caplog.text
    assert "dDBwczNjcmV0" not in caplog.text
    assert got.status.token not in caplog.text
    assert "curl -X POST" in caplog.text
    assert '"image":"web:1"' in caplog.text
    assert '{"name":"DB_PASSWORD","value":"***"}' in caplog.text
    assert '{"name":"MODE","value":"fast"}' in caplog.text


def test_a_request_as_a_command() -> None:
    request = HttpRequest(
        "PATCH",
        "/api/v1/namespaces/shop/pods/it's?access_token=abc&force=true",
        (("Authorization", "Bearer t0ken"), ("Content-Type", "application/json-patch+json")),
        b'[{"op":"replace","path":"/spec/x","value":1}]',
    )
    assert as_curl(request, "https://host:6443") == (
        "curl -X PATCH -H 'Authorization: Bearer ***'"
        " -H 'Content-Type: application/json-patch+json'"
        """ --data-binary '[{"op":"replace","path":"/spec/x","value":1}]'"""
        """ 'https://host:6443/api/v1/namespaces/shop/pods/it'"'"'s?access_token=***&force=true'"""
    )
    patch = HttpRequest(
        "PATCH", "/api/v1/namespaces/a/secrets/b", (), b'[{"op":"add","value":"x"}]'
    )
    assert as_curl(patch, "").endswith(
        """'[{"op":"add","value":"***"}]' /api/v1/namespaces/a/secrets/b"""
    )


# ---- metrics ----------------------------------------------------------------------------------


async def test_metrics_have_the_names_of_client_go(
    server: ScriptedServer, config_for: Any, tmp_path: Path
) -> None:
    registry = CollectorRegistry()
    plugin = Plugin(tmp_path).says(
        {"token": "t0ken", "expirationTimestamp": "2999-01-01T00:00:00Z"}
    )
    broken = replace(plugin.config().auth, exec=ExecConfig("no-such-plugin"))
    for answer in (BUSY, ok(MAP)):
        server.reply(answer)
    server.reply(head(chunked=True), event("ADDED", MAP), threading.Event())
    metrics = PrometheusRequestMetrics(registry)
    with pytest.raises(ConfigError):
        async with AsyncRest(config_for(server, auth=broken), metrics=metrics) as rest:
            await AsyncClientset(rest).core_v1.config_maps("shop").get("a")
    config = config_for(server, auth=plugin.config().auth)
    async with AsyncRest(config, qps=1000.0, metrics=PrometheusRequestMetrics(registry)) as rest:
        maps = AsyncClientset(rest).core_v1.config_maps("shop")
        await maps.get("a")
        async for _change in maps.watch():
            break
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in registry.collect()
        for sample in family.samples
    }
    host = f"127.0.0.1:{server.port}"
    assert samples["rest_client_requests_total", host, "200", "GET"] == 2
    assert samples["rest_client_requests_total", host, "429", "GET"] == 1
    assert samples["rest_client_request_retries_total", host, "200", "GET"] == 1
    assert samples["rest_client_request_duration_seconds_count", host, "GET"] == 3
    assert samples["rest_client_request_size_bytes_sum", host, "GET"] == 0
    assert samples["rest_client_response_size_bytes_count", host, "GET"] == 2
    assert samples["rest_client_rate_limiter_duration_seconds_count", host, "GET"] == 2
    assert samples["rest_client_exec_plugin_call_total", "0", "no_error"] == 1
    assert samples["rest_client_exec_plugin_call_total", "1", "plugin_not_found_error"] == 1
    assert samples[("rest_client_exec_plugin_ttl_seconds",)] == float("inf")  # no certificates


async def test_spans_have_the_attributes_of_http_clients(
    server: ScriptedServer, config_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = SpanContext(0x0AF7651916CD43DD8448EB211C80319C, 0x00F067AA0BA902B7, is_remote=True)
    spans: list[Any] = []

    class Recorded(NonRecordingSpan):
        def __init__(self, name: str, **options: Any) -> None:
            super().__init__(parent)
            self.facts = {"name": name, **options.pop("attributes"), "kind": options.pop("kind")}
            assert not options
            spans.append(self)

        def set_attribute(self, key: str, value: Any) -> None:
            self.facts[key] = value

        def set_status(self, status: Any, description: Any = None) -> None:
            self.facts["status"] = status.status_code

    class Tracer:
        @contextmanager
        def start_as_current_span(self, name: str, **options: Any) -> Iterator[Any]:
            with use_span(Recorded(name, **options)) as span:
                yield span

    def tracer(_: str) -> Tracer:
        return Tracer()

    monkeypatch.setattr("clientgen.runtime._http.request_spans.get_tracer", tracer)
    for answer in (BUSY, ok(MAP)):
        server.reply(answer)
    async with AsyncRest(config_for(server), middleware=[trace_requests]) as rest:
        await AsyncClientset(rest).core_v1.config_maps("shop").get("a", resource_version="0")
    first = {
        "name": "GET",
        "kind": SpanKind.CLIENT,
        "http.request.method": "GET",
        "url.path": "/api/v1/namespaces/shop/configmaps/a",
        "http.response.status_code": 429,
    }
    assert [span.facts for span in spans] == [
        {**first, "error.type": "429", "status": StatusCode.ERROR},
        {**first, "http.response.status_code": 200, "http.request.resend_count": 1},
    ]
    for request in server.requests:
        sent = request.header("traceparent")
        assert sent == "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-00"
