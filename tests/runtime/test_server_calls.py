"""Calls about the server and the caller. test_server_calls_threads.py is derived."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Node, Pod
from support.server import CUT, ScriptedServer, chunk, head, ok, reply

from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import (
    ConnectionLost,
    DecodeError,
    Forbidden,
    NoResourceMatch,
    NotFound,
    ServiceUnavailable,
)
from clientgen.testing import FakeCluster, LocalServer

ROLE: Any = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {"name": "reader", "namespace": "shop"},
    "rules": [
        {"apiGroups": [""], "resources": ["pods", "pods/log"], "verbs": ["get", "list"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["create"]},
    ],
}
BINDING: Any = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "reader", "namespace": "shop"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
    "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "ann"}],
}


@pytest.fixture
def cluster() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(ROLE, BINDING)) as server:
        yield server


async def test_version_and_paths(cluster: LocalServer) -> None:
    async with AsyncClientset.from_config(cluster.kubeconfig) as k:
        version = await k.version()
        assert version.git_version.startswith(f"v{version.major}.{version.minor}.")
        assert (await k.raw("GET", "/readyz")).text == "ok"
        found = await k.raw("GET", "/api/v1/namespaces", query={"limit": 1}, timeout=60)
        assert found.json()["kind"] == "NamespaceList"
        made = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}}
        path = "/api/v1/namespaces/default/configmaps"
        body = str(made).replace("'", '"')
        assert (await k.raw("POST", path, body=body)).status == 201
        async with k.raw_stream("GET", f"{path}?limit=5") as response:
            assert (response.status, response.headers["content-type"]) == (200, "application/json")
            assert b'"name":"a"' in (await response.read()).replace(b" ", b"")
        with pytest.raises(NotFound):
            await k.raw("GET", f"{path}/b")
        with pytest.raises(NotFound):
            async with k.raw_stream("GET", f"{path}/b"):
                pass


@pytest.mark.parametrize(
    ("method", "path", "options", "message"),
    [
        ("GET", "https://elsewhere.invalid/api", {}, "path must begin with '/'"),
        ("GET", "@elsewhere.invalid/api", {}, "path must begin with '/'"),
        ("GET", "/api/../admin", {}, "path must not have"),
        ("GET", "/api/%2e%2e/admin", {}, "path must not have"),
        ("GET", "/api/..%5cadmin", {}, "path must not have"),
        ("get", "/api", {}, "method must be a word in capitals"),
        ("GET /x", "/api", {}, "method must be a word in capitals"),
        ("GET", "/api", {"headers": {"Authorization": "Bearer x"}}, "headers cannot set Auth"),
        ("GET", "/api", {"headers": {"X-A": "b\r\nX-B: c"}}, "X-A contains a character"),
        ("POST", "/api", {"body": {"a": 1}}, "body must be bytes or text, not a dict"),
        ("GET", "/api", {"check": True}, "unexpected option 'check'"),
    ],
)
async def test_a_path_stays_on_the_server(
    cluster: LocalServer, method: str, path: str, options: Any, message: str
) -> None:
    async with AsyncClientset.from_config(cluster.kubeconfig) as k:
        with pytest.raises((ValueError, TypeError), match=message):
            await k.raw(method, path, **options)
        with pytest.raises((ValueError, TypeError), match=message):
            async with k.raw_stream(method, path, **options):
                pass


async def test_answers_that_are_no_answers(server: ScriptedServer, config_for: Any) -> None:
    no_answers: tuple[Any, ...] = (
        b"<html>",
        b"[" * 100_000,
        {},
        {"status": {}},
        {"status": {"userInfo": {}}},
    )
    for body in no_answers:
        server.reply(ok(body))
    server.reply(reply(500, b"[+]ping ok\n[-]etcd failed"))
    server.reply(reply(302, b"", "Location: file:///etc/passwd"))
    server.reply(ok({"status": {"userInfo": {"username": "ann", "groups": None, "extra": None}}}))
    server.reply(ok({"status": {"allowed": "yes"}}))
    server.reply(head(chunked=True), chunk(b"half"), CUT)
    async with AsyncClientset(AsyncRest(config_for(server), max_retries=0)) as k:
        for _ in no_answers:
            with pytest.raises(DecodeError):
                await k.whoami()
        with pytest.raises(Exception, match="etcd failed"):
            await k.raw("GET", "/readyz?verbose")
        with pytest.raises(Exception, match="302"):
            await k.raw("GET", "/moved")
        me = await k.whoami()
        assert (me.username, me.groups, me.extra) == ("ann", (), {})
        assert await k.can_i("get", "/metrics") is False
        with pytest.raises(ConnectionLost):
            async with k.raw_stream("GET", "/big") as response:
                await response.read()
    assert len(server.requests) == 10  # a redirect is not followed


async def test_openapi_is_sent_again_only_if_it_has_changed(
    server: ScriptedServer, config_for: Any
) -> None:
    server.reply(ok({"swagger": "2.0"}, 'Etag: "1"'))
    server.reply(reply(304, b"", 'Etag: "1"'))
    server.reply(ok({"swagger": "2.1"}, 'Etag: "2"'))
    server.reply(ok({"openapi": "3.0.0"}))
    server.reply(ok({"openapi": "3.0.1"}))
    server.reply(reply(503, {"kind": "Status", "status": "Failure", "code": 503}))
    async with AsyncClientset(AsyncRest(config_for(server))) as k:
        first = await k.openapi()
        assert await k.openapi() is first
        assert (await k.openapi())["swagger"] == "2.1"
        assert (await k.openapi("apps/v1"))["openapi"] == "3.0.0"
        assert (await k.openapi("v1"))["openapi"] == "3.0.1"
        with pytest.raises(ServiceUnavailable):
            await k.openapi()
        for wrong in ("../v1", "apps/v1/x", "/v1"):
            with pytest.raises(ValueError, match=r"cannot be|must be"):
                await k.openapi(wrong)
    sent = [(each.target, each.header("if-none-match")) for each in server.requests]
    assert sent == [
        ("/openapi/v2", None),
        ("/openapi/v2", '"1"'),
        ("/openapi/v2", '"1"'),
        ("/openapi/v3/apis/apps/v1", None),
        ("/openapi/v3/api/v1", None),
        ("/openapi/v2", '"2"'),
    ]


async def test_openapi_of_a_server(cluster: LocalServer) -> None:
    async with AsyncClientset.from_config(cluster.kubeconfig) as k:
        assert "io.k8s.api.core.v1.Pod" in (await k.openapi())["definitions"]
        assert await k.openapi() is await k.openapi()
        assert (
            "/apis/apps/v1/namespaces/{namespace}/deployments"
            in (await k.openapi("apps/v1"))["paths"]
        )
        with pytest.raises(NotFound):
            await k.openapi("apps/v7")


async def test_who_i_am_and_what_i_may(cluster: LocalServer) -> None:
    async with AsyncClientset.from_config(cluster.kubeconfig) as k:
        assert "system:masters" in (await k.whoami()).groups
        assert await k.can_i("*", "*", namespace="")
        assert await k.can_i("get", "/metrics")
    ann = AsyncClientset.from_config(cluster.kubeconfig, impersonate_user="ann")
    async with ann as k:
        assert (await k.whoami()).username == "ann"
        with pytest.raises(Forbidden):
            await k.list(Pod)
        assert await k.can_i("list", Pod, namespace="shop")
        assert await k.can_i("get", "po", namespace="shop", name="web-0", subresource="log")
        assert await k.can_i("create", "deployments.apps", namespace="shop")
        refused: Any = [
            (("list", Pod), {}),
            (("list", Pod), {"namespace": ""}),
            (("delete", Pod), {"namespace": "shop"}),
            (("get", Node), {}),
            (("get", "/metrics"), {}),
            (("*", "*"), {"namespace": "shop"}),
        ]
        for arguments, more in refused:
            assert not await k.can_i(*arguments, **more)
        rules = await k.access_rules(namespace="shop")
        verbs = {
            (resource, verb)
            for rule in rules.resource_rules
            for resource in rule.resources
            for verb in rule.verbs
        }
        assert {("pods/log", "get"), ("deployments", "create")} <= verbs
        assert any("/version" in rule.non_resource_urls for rule in rules.non_resource_rules)
        assert not rules.incomplete


async def test_mistakes_are_told_before_a_review_is_sent(cluster: LocalServer) -> None:
    async with AsyncClientset.from_config(cluster.kubeconfig) as k:
        wrong: Any = [
            (("Create", Pod), {}, "verb must be a word in lower case"),
            (("", Pod), {}, "verb must be a word in lower case"),
            (("get", Node), {"namespace": "shop"}, "nodes are not in namespaces"),
            (("get", Pod), {"namespace": "a/b"}, "namespace cannot be 'a/b'"),
            (("get", "/metrics"), {"namespace": "shop"}, "a path has no name"),
        ]
        for arguments, more, message in wrong:
            with pytest.raises(ValueError, match=message):
                await k.can_i(*arguments, **more)
        with pytest.raises(NoResourceMatch, match="did you mean"):
            await k.can_i("get", "deploymnts")
        with pytest.raises(ValueError, match="namespace must be"):
            await k.access_rules(namespace="")
