"""Descriptions and events over HTTP; `test_describe_threads` on threads."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Node, Pod, Secret
from kubeapi.meta.v1 import ObjectMeta
from support.server import ScriptedServer, ok

from clientgen.runtime import MergePatch
from clientgen.runtime.aio import AsyncEventWatch, AsyncRest, describe, events, watch_events
from clientgen.runtime.errors import Expired, Forbidden, NotFound
from clientgen.runtime.models import Status, Unstructured
from clientgen.testing import FakeClock, FakeCluster, LocalServer

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web-0",
        "namespace": "shop",
        "labels": {"app": "web"},
        "annotations": {"team": "web\n\x1b[31m"},
        "finalizers": ["example.com/keep"],
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u", "controller": True}
        ],
    },
    "spec": {
        "nodeName": "n1",
        "containers": [
            {
                "name": "main",
                "image": "web:1",
                "ports": [{"containerPort": 80, "name": "http"}],
                "resources": {"requests": {"cpu": "100m"}},
                "livenessProbe": {"tcpSocket": {"port": 80}},
                "env": [
                    {"name": "MODE", "value": "fast"},
                    {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                ],
                "volumeMounts": [{"name": "data", "mountPath": "/data", "readOnly": True}],
            },
            {"name": "side", "image": "envoy:2"},
        ],
        "volumes": [{"name": "data", "configMap": {"name": "c"}}],
    },
}
STATUS: dict[str, Any] = {
    "phase": "Running",
    "podIPs": [{"ip": "10.0.0.1"}],
    "conditions": [
        {
            "type": "Ready",
            "status": "False",
            "reason": "ContainersNotReady",
            "lastTransitionTime": "2026-11-25T11:55:00Z",
        }
    ],
    "containerStatuses": [
        {
            "name": "main",
            "image": "web:1",
            "imageID": "",
            "ready": False,
            "restartCount": 4,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s"}},
            "lastState": {
                "terminated": {
                    "exitCode": 1,
                    "reason": "Error",
                    "finishedAt": "2026-11-25T11:59:00Z",
                }
            },
        },
        {
            "name": "side",
            "image": "envoy:2",
            "imageID": "",
            "ready": True,
            "restartCount": 0,
            "state": {"running": {"startedAt": "2026-11-25T11:50:00Z"}},
        },
    ],
}
DESCRIBED = """\
Name:         web-0
Namespace:    shop
Kind:         Pod (v1)
Labels:       app=web
Annotations:  team: web...
Created:      2026-11-25T12:00:00Z (0s ago)
Owners:       Node/n1 (controller)
Finalizers:   example.com/keep
Node:         n1
Status:       Running
IPs:          10.0.0.1
QoS Class:    Burstable
Containers:
  main:
    Image:          web:1
    Ports:          80/TCP (http)
    State:          Waiting: CrashLoopBackOff: back-off 40s
    Last State:     Terminated: Error, exit code 1, 2026-11-25T11:59:00Z (60s ago)
    Ready:          false
    Restart Count:  4
    Requests:       cpu 100m
    Liveness:       tcp://:80 (every 10s, timeout 1s, failures 3)
    Environment:
      MODE:  fast
      KEY:   key k of Secret s
    Mounts:         /data from data (ro)
  side:
    Image:          envoy:2
    State:          Running since 2026-11-25T11:50:00Z (10m ago)
    Ready:          true
    Restart Count:  0
Volumes:      data: configMap c
Tolerations:  node.kubernetes.io/not-ready:NoExecute for 300s
              node.kubernetes.io/unreachable:NoExecute for 300s
Conditions:
  TYPE    STATUS   SINCE   REASON               MESSAGE
  Ready   False    5m      ContainersNotReady
Events:
  LAST SEEN          TYPE      REASON    FROM      MESSAGE
  30m                Normal    Pulled    kubelet   pulled
  60s (x3 over 9m)   Warning   BackOff   kubelet   back-off
"""


def event(name: str, about: Any, reason: str, last: str, **more: Any) -> dict[str, Any]:
    involved = {
        "apiVersion": about.api_version,
        "kind": about.kind,
        "name": about.metadata.name,
        "namespace": about.metadata.namespace or "",
        "uid": about.metadata.uid,
    }
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": about.metadata.namespace or "default"},
        "involvedObject": involved,
        "type": "Normal",
        "reason": reason,
        "message": reason.lower(),
        "firstTimestamp": last,
        "lastTimestamp": last,
        "source": {"component": "kubelet"},
        **more,
    }


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}},
        Node(metadata=ObjectMeta(name="n1")),
        clock=FakeClock(NOW),
    )
    with LocalServer(cluster) as running:
        yield running


async def running_pod(k: AsyncClientset) -> Pod:
    """Create the pod and three events, the newest first."""
    await k.create(Unstructured(POD))
    pod = await k.core_v1.pods("shop").status("web-0").patch(MergePatch({"status": STATUS}))
    newest = {"count": 3, "firstTimestamp": "2026-11-25T11:51:00Z", "message": "back-off\n"}
    last = "2026-11-25T11:59:00Z"
    await k.create(event("b", pod, "BackOff", last, type="Warning", **newest))
    await k.create(event("a", pod, "Pulled", "2026-11-25T11:30:00Z"))
    older = pod.metadata.uid
    pod.metadata.uid = "of-an-older-pod"
    await k.create(event("c", pod, "Killing", "2026-11-25T11:10:00Z"))
    pod.metadata.uid = older
    return pod


async def test_a_pod_is_described(server: LocalServer) -> None:
    # The clock of the cluster is that of the clients in this process only.
    async with server.cluster.clientset(AsyncClientset) as k:
        pod = await running_pod(k)
        assert await describe(k, pod) == DESCRIBED
        assert await describe(k.rest, Pod, "web-0", namespace="shop") == DESCRIBED


async def test_events_are_sorted_by_the_time_they_were_seen(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pod = await running_pod(k)
        found = await events(k, pod)
        assert [each["reason"] for each in found] == ["Killing", "Pulled", "BackOff"]
        assert await events(k, Pod, "web-0", namespace="shop") == found
        assert await events(k) == await events(k, namespace="shop") == found
        assert await events(k, Pod, "web-1", namespace="shop") == []
        warnings = await events(k, Unstructured.of(pod), types=["warning"])
        assert [each.name for each in warnings] == ["b"]
        node = await k.core_v1.nodes().get("n1")
        await k.create(event("n", node, "Rebooted", "2026-11-25T11:59:00Z"))
        assert [each.name for each in await events(k, node)] == ["n"]
        assert "Rebooted" in await describe(k, Node, "n1")


async def test_events_are_watched(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pod = await running_pod(k)
        seen: list[str] = []
        async with watch_events(k, pod) as watch:
            assert isinstance(watch, AsyncEventWatch)
            async for each in watch:
                seen.append(f"{each['reason']} {each.get('count', 1)}")
                if len(seen) == 3:
                    await k.core_v1.events("shop").delete("c")
                    await k.core_v1.events("shop").patch("a", {"count": 2})
                    await k.create(event("d", pod, "Started", "2026-11-25T11:59:30Z"))
                if len(seen) == 5:
                    watch.stop()
        assert seen == ["Killing 1", "Pulled 1", "BackOff 3", "Pulled 2", "Started 1"]


async def test_a_watch_that_cannot_resume_lists_again(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pod = await running_pod(k)
        gone = Status(status="Failure", reason="Expired", code=410, message="too old")
        server.cluster.fail("watch", "events", Expired(gone))
        seen: list[str] = []
        async with watch_events(k, pod, types=["Normal"]) as watch:
            async for each in watch:
                seen.append(each.name)
                if each.name == "a":
                    await k.core_v1.events("shop").patch("c", {"count": 2})
                if len(seen) == 3:
                    break
        assert seen == ["c", "a", "c"]


async def test_values_of_secrets_are_not_shown(server: LocalServer) -> None:
    password = "hunter2-and-more"
    encoded = b64encode(password.encode()).decode()
    annotations = {
        "copy": f"it is {password}",
        "encoded": encoded,
        "json": '{"password": "another"}',
        "long": "x" * 200,
        "kubectl.kubernetes.io/last-applied-configuration": password,
        "team": "web",
    }
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        meta = ObjectMeta(name="s", namespace="shop", annotations=annotations)
        secret = Secret(metadata=meta, string_data={"password": password})
        described = await describe(k, await k.create(secret))
    assert password not in described
    assert encoded not in described
    assert "another" not in described
    assert "x" * 101 not in described
    assert "team: web\n" in described
    assert "password:  16 bytes\n" in described


async def test_secrets_are_secrets_whatever_the_server_says(
    plain_server: ScriptedServer, config_for: Any
) -> None:
    value = b64encode(b"hunter2").decode()
    plain_server.reply(ok({"metadata": {"name": "s"}, "kind": "Safe", "data": {"a": value}}))
    plain_server.reply(ok({"kind": "EventList", "apiVersion": "v1", "items": []}))
    async with AsyncClientset(AsyncRest(config_for(plain_server))) as k:
        described = await describe(k, Secret, "s")
    assert value not in described
    assert "a:  7 bytes" in described


async def test_other_kinds_show_all_fields(server: LocalServer) -> None:
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "i", "namespace": "shop"},
        "spec": {"rules": [{"host": "a.example"}], "ingressClassName": "nginx"},
    }
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        described = await describe(k, await k.create(ingress))
    assert "spec:\n  rules[0]:\n    host:  a.example\n  ingressClassName:  nginx\n" in described


async def test_what_may_not_be_read_is_told(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        config_map = ConfigMap(metadata=ObjectMeta(name="c", namespace="shop"), data={"a": "1\n2"})
        await k.create(config_map)
        refused = Status(status="Failure", reason="Forbidden", code=403, message="no")
        server.cluster.fail("list", "events", Forbidden(refused))
        assert (await describe(k, config_map)).endswith(
            "Data:\n  a:  1\n      2\nEvents:       <forbidden>\n"
        )
        with pytest.raises(NotFound, match="web-1"):
            await describe(k, Pod, "web-1", namespace="shop")
        wrong: list[Any] = [("Pod",), (Pod,), (config_map, "c")]
        for arguments in wrong:
            with pytest.raises(TypeError, match=r"object|OBJECT"):
                await describe(k, *arguments)
        with pytest.raises(ValueError, match="Normal and Warning"):
            await events(k, types=["Bad"])
