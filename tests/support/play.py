"""Workloads for tests of `FakeCluster.play`, and short views of what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubeapi import Clientset
from msgspec import json

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._apiserver.responses.answers import Response

NAMESPACE = "shop"


def playing(**options: Any) -> tuple[Any, Clientset, FakeClock, Any]:
    """A cluster that plays, a client, its clock, and what `play` returned."""
    clock = FakeClock()
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    cluster = FakeCluster(namespace, clock=clock, seed=1)
    play = cluster.play(**options)
    return cluster, cluster.clientset(Clientset), clock, play


def put(cluster: FakeCluster, value: dict[str, Any]) -> None:
    """Apply an object, as a client does."""
    _patch(cluster, value, "application/apply-patch+yaml", "?fieldManager=test&force=true")


def set_status(cluster: FakeCluster, value: dict[str, Any]) -> None:
    """Change the status of an object by a strategic merge patch."""
    _patch(cluster, value, "application/strategic-merge-patch+json", "/status")


def _patch(cluster: FakeCluster, value: dict[str, Any], media: str, rest: str) -> None:
    group, _, version = value["apiVersion"].rpartition("/")
    plural, metadata = f"{value['kind'].lower()}s", value["metadata"]
    base = f"/apis/{group}" if group else "/api"
    place = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    path = f"{base}/{version}{place}/{plural}/{metadata['name']}{rest}"
    request = HttpRequest("PATCH", path, (("content-type", media),), json.encode(value))
    answer = cluster.dispatcher.handle(request, lambda: None)
    assert isinstance(answer, Response)
    assert answer.status in (200, 201), answer.body


def pod_spec(image: str = "nginx:1", **more: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": image}], **more}


def template(name: str, image: str = "nginx:1", **more: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": name}}, "spec": pod_spec(image, **more)}


def deployment(
    name: str = "web", replicas: int = 2, image: str = "nginx:1", **spec: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": template(name, image),
            **spec,
        },
    }


def objects(cluster: FakeCluster, plural: str, group: str = "") -> list[dict[str, Any]]:
    """The stored objects of a kind in the test's namespace."""
    found = cluster.server.cluster.list(group, plural, NAMESPACE)
    return [each for each in found if each["metadata"].get("namespace", "") == NAMESPACE]


def one(cluster: FakeCluster, plural: str, name: str, group: str = "") -> dict[str, Any]:
    value = cluster.server.cluster.get(group, plural, NAMESPACE, name)
    assert value is not None, f"{plural} {name} is not there"
    return value


def conditions(value: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (each["type"], each["status"], each.get("reason", ""))
        for each in value["status"].get("conditions", ())
    ]


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: each for name, each in value.items() if name not in names}


def reasons(cluster: FakeCluster, name: str) -> list[str]:
    """The reasons of the events of an object, oldest first."""
    events = [each for each in objects(cluster, "events") if each["involvedObject"]["name"] == name]
    return [each["reason"] for each in sorted(events, key=lambda each: each["metadata"]["name"])]


def states(pods: Iterable[dict[str, Any]]) -> list[str]:
    """How the first containers are: `running`, or the reason why not."""
    found: list[str] = []
    for pod in pods:
        statuses = pod.get("status", {}).get("containerStatuses") or [{"state": {}}]
        state = statuses[0]["state"]
        [(word, content)] = state.items() or [("none", {})]
        found.append(content.get("reason", word))
    return found
