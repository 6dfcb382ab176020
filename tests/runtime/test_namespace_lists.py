"""Lists of several namespaces: by names, by patterns, and by labels of the namespaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, assert_type

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Namespace, Node
from kubeapi.meta.v1 import LabelSelector, ObjectMeta, Status

from clientgen.runtime import HttpRequest, HttpResponse
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncSend
from clientgen.runtime.errors import DecodeError, Forbidden, RequestTimeout
from clientgen.runtime.models import ModelList
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._fake.reactors import Pattern

NAMES = ("shop", "team-a", "team-b", "bank")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    maps = [
        ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, labels={"app": name}))
        for namespace in NAMES
        for name in ("one", "two")
    ]
    labels = {"bank": {"tier": "gold"}, "team-b": {"tier": "gold"}}
    spaces = [
        Namespace(metadata=ObjectMeta(name=each, labels=labels.get(each, {}))) for each in NAMES
    ]
    with LocalServer(FakeCluster(*spaces, *maps)) as running:
        yield running


def sent(server: LocalServer) -> list[str]:
    return sorted(str(action) for action in server.cluster.actions)


def forbid(server: LocalServer, resource: str, namespace: str = "*") -> None:
    message = f"{resource} is forbidden in {namespace!r}"
    status = Status(status="Failure", reason="Forbidden", code=403, message=message)
    server.cluster.fail("list", resource, Forbidden(status), times=None, namespace=namespace)


@pytest.mark.parametrize(
    ("namespaces", "found"),
    [
        (["team-*", "shop"], ["shop", "team-a", "team-b"]),
        ("team-?", ["team-a", "team-b"]),
        (["bank", "b*", "gone"], ["bank"]),
        (["nothing-*"], []),
        ("tier=gold", ["bank", "team-b"]),
        ({"tier": "gold"}, ["bank", "team-b"]),
        (LabelSelector(match_labels={"tier": "gold"}), ["bank", "team-b"]),
    ],
)
async def test_which_namespaces(server: LocalServer, namespaces: Any, found: list[str]) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        listed = await k.list(ConfigMap, namespaces=namespaces, label_selector="app=two")
        assert_type(listed, ModelList[ConfigMap])
        assert [each.metadata.namespace for each in listed] == found
        assert all(each.kind == "ConfigMap" for each in listed)
        assert listed.metadata.resource_version == ""
        assert sent(server).count("list namespaces") == 1
        pages = k.each(ConfigMap, namespaces=namespaces, limit=1)
        expected = [(each, name) for each in found for name in ("one", "two")]
        assert [(each.metadata.namespace, each.metadata.name) async for each in pages] == expected
        metadata = await k.metadata.resource("cm").list(namespaces=namespaces)
        assert len(metadata.items) == 2 * len(found)


async def test_names_need_no_right_to_list_namespaces(server: LocalServer) -> None:
    forbid(server, "namespaces")
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert len(await k.list(ConfigMap, namespaces=["team-b", "shop", "shop"])) == 4
        assert sent(server) == ["list configmaps shop", "list configmaps team-b"]
        with pytest.raises(Forbidden) as caught:
            await k.list(ConfigMap, namespaces=["shop", "team-*"])
        assert "the right to list namespaces" in caught.value.__notes__[0]


async def test_a_refused_namespace_fails_the_call(server: LocalServer) -> None:
    forbid(server, "configmaps", "bank")
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(Forbidden, match="'bank'"):
            await k.list(ConfigMap, namespaces=["*"])
        with pytest.raises(Forbidden, match="'bank'"):
            _ = [each async for each in k.each(ConfigMap, namespaces=["shop", "bank"])]


@pytest.mark.parametrize("name", ["", "../nodes", "a/b"])
async def test_names_of_the_server_are_checked(server: LocalServer, name: str) -> None:
    listed: Any = {
        "apiVersion": "v1",
        "kind": "NamespaceList",
        "metadata": {},
        "items": [{"metadata": {"name": name}}],
    }
    answer = Response(200, json.dumps(listed).encode())
    server.cluster.dispatcher.add_rule(Pattern("list", "namespaces"), lambda *_: answer, None)
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(DecodeError, match="a namespace without a valid name"):
            await k.list(ConfigMap, namespaces="tier=gold")


async def test_at_most_eight_are_read_at_a_time(server: LocalServer) -> None:
    names = [f"n{number}" for number in range(20)]
    under_way: list[int] = []
    running: set[str] = set()

    async def count(request: HttpRequest, send: AsyncSend) -> HttpResponse:
        running.add(request.target)
        under_way.append(len(running))
        try:
            if len(under_way) < 8:
                await sleep(0.2)
            return await send(request)
        finally:
            running.discard(request.target)

    async with AsyncClientset.from_config(server.kubeconfig, middleware=[count]) as k:
        assert len(await k.list(ConfigMap, namespaces=[*names, "shop"])) == 2
        assert len(under_way) == len(names) + 1
        assert 2 <= max(under_way) <= 8
        with pytest.raises(RequestTimeout):
            await k.list(ConfigMap, namespaces=names, timeout=0.000001)


@pytest.mark.parametrize(
    ("namespaces", "options", "message"),
    [
        ([], {}, "namespaces is empty; None means all namespaces"),
        (["Shop"], {}, "lower case"),
        (["team-[ab]"], {}, "wildcards * and ?"),
        (["team-[ab]*"], {}, "wildcards * and ?"),
        (["a/b*"], {}, "wildcards * and ?"),
        ([None], {}, "namespace"),
        (7, {}, "namespace"),
        ({}, {}, "selector of the namespaces is empty"),
        (LabelSelector(), {}, "selector of the namespaces is empty"),
        ("tier in (", {}, "tier in"),
        (["shop"], {"limit": 5}, "limit is for the list of one collection: use each"),
        (["shop"], {"continue_": "t"}, "continue_ is for the list of one collection"),
        (["shop"], {"namespace": "shop"}, "namespace or namespaces, not both"),
    ],
)
async def test_wrong_arguments_send_nothing(
    server: LocalServer, namespaces: Any, options: Any, message: str
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises((TypeError, ValueError)) as caught:
            await k.list(ConfigMap, namespaces=namespaces, **options)
        assert message in str(caught.value)
        with pytest.raises(ValueError, match=r"not namespaced|cluster-scoped"):
            await k.list(Node, namespaces=["no-such-*"])
        assert sent(server) == []
