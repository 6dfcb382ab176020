"""The chain of admission: which requests it hears of, when, and what it may do to them."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from clientgen._apimachinery.failures import forbidden
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.admission import Attributes, Chain, Plugin
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._apiserver.storage.cluster_state import ClusterState

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class Recorder(Plugin):
    """Notes what it is shown, and adds a label to what is created or updated."""

    def __init__(self, cluster: ClusterState) -> None:
        super().__init__(cluster)
        self.seen: list[tuple[str, Attributes]] = []
        self.label = ""
        self.refused = ""

    def admit(self, attributes: Attributes) -> None:
        self.seen.append(("admit", replace(attributes, object=deepcopy(attributes.object))))
        if self.label and attributes.object is not None:
            metadata = {**attributes.object["metadata"], "labels": {self.label: "yes"}}
            attributes.replace({**attributes.object, "metadata": metadata, "unknown": 1})

    def validate(self, attributes: Attributes) -> None:
        self.seen.append(("validate", attributes))
        if self.refused and attributes.operation == self.refused:
            raise forbidden("", "configmaps", attributes.name, "no")

    def said(self) -> list[str]:
        texts = [_told(step, attributes) for step, attributes in self.seen]
        self.seen.clear()
        return texts


def _told(step: str, attributes: Attributes) -> str:
    resource = attributes.resource.group_resource
    if attributes.subresource:
        resource += f"/{attributes.subresource}"
    has = "new" if attributes.object is not None else ""
    has += "old" if attributes.old_object is not None else ""
    where = f"{attributes.namespace}/{attributes.name}"
    options = (attributes.options or {}).get("kind", "")
    kind = attributes.kind.kind
    return f"{step} {attributes.operation} {resource} {kind} {where} {has} {options}".rstrip()


def both(text: str) -> list[str]:
    return [f"admit {text}", f"validate {text}"]


class World:
    def __init__(self) -> None:
        self.server = ApiServer(seed=1)
        self.recorder = Recorder(self.server.cluster)
        self.server.cluster.admission = Chain([self.recorder], [self.recorder])

    def __call__(
        self, method: str, path: str, body: Any = None, media: str = "application/json"
    ) -> tuple[int, dict[str, Any]]:
        content = None if body is None else json.dumps(body).encode()
        headers = (("Content-Type", media), ("Accept", "application/json"))
        answer = self.server.handle(HttpRequest(method, path, headers, content))
        assert isinstance(answer, Response)
        return answer.status, json.loads(answer.body)


@pytest.fixture
def world() -> World:
    return World()


def config_map(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **more}}


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD["spec"]},
    },
}


def test_every_write_passes(world: World) -> None:
    world("POST", MAPS, config_map())
    assert world.recorder.said() == both("CREATE configmaps ConfigMap default/a new CreateOptions")
    updated = both("UPDATE configmaps ConfigMap default/a newold UpdateOptions")
    world("PUT", f"{MAPS}/a", config_map())
    assert world.recorder.said() == updated
    for media in ("merge-patch+json", "strategic-merge-patch+json"):
        world("PATCH", f"{MAPS}/a", {"data": {"a": media}}, f"application/{media}")
        assert world.recorder.said() == updated
    patch = [{"op": "add", "path": "/data/b", "value": "c"}]
    world("PATCH", f"{MAPS}/a", patch, "application/json-patch+json")
    assert world.recorder.said() == updated
    apply = "application/apply-patch+yaml"
    world("PATCH", f"{MAPS}/a?fieldManager=me", config_map(), apply)
    assert world.recorder.said() == updated
    world("PATCH", f"{MAPS}/b?fieldManager=me", config_map("b"), apply)
    assert world.recorder.said() == both("CREATE configmaps ConfigMap default/b new CreateOptions")
    world("DELETE", f"{MAPS}/a")
    assert world.recorder.said() == both("DELETE configmaps ConfigMap default/a old DeleteOptions")
    world("POST", MAPS, config_map("c"))
    world.recorder.said()
    world("DELETE", f"{MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt")
    assert world.recorder.said() == 2 * both(
        "DELETE configmaps ConfigMap default/ old DeleteOptions"
    )


def test_subresources_pass_with_the_kind_of_their_bodies(world: World) -> None:
    world("POST", DEPLOYMENTS, DEPLOYMENT)
    world("POST", PODS, POD)
    world.recorder.said()
    scale = "UPDATE deployments.apps/scale Scale default/d newold UpdateOptions"
    merge = "application/merge-patch+json"
    status, body = world("PATCH", f"{DEPLOYMENTS}/d/scale", {"spec": {"replicas": 3}}, merge)
    assert (status, body["spec"]) == (200, {"replicas": 3})
    assert world.recorder.said() == both(scale)
    world("PATCH", f"{DEPLOYMENTS}/d/status", {"status": {"replicas": 3}}, merge)
    assert world.recorder.said() == both(
        "UPDATE deployments.apps/status Deployment default/d newold UpdateOptions"
    )
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}}
    world("POST", f"{PODS}/p/binding", {**binding, "target": {"kind": "Node", "name": "n"}})
    assert world.recorder.said() == both("CREATE pods/binding Binding default/p new CreateOptions")
    world("POST", f"{PODS}/p/exec?command=ls&container=c")
    options = world.recorder.seen[0][1].object
    assert options == {
        "kind": "PodExecOptions",
        "apiVersion": "v1",
        "container": "c",
        "command": ["ls"],
    }
    assert world.recorder.said() == both("CONNECT pods/exec PodExecOptions default/p new")
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    world("POST", f"{PODS}/p/eviction", eviction)
    # The delete behind it is not asked about.
    assert world.recorder.said() == both(
        "CREATE pods/eviction Eviction default/p new CreateOptions"
    )


def test_what_is_changed_is_decoded_and_stored(world: World) -> None:
    world.recorder.label = "seen"
    _, value = world("POST", MAPS, config_map("", generateName="a-"))
    assert value["metadata"]["labels"] == {"seen": "yes"}
    assert "unknown" not in value
    (_, first), (_, last) = world.recorder.seen
    assert (first.name, last.name) == ("", value["metadata"]["name"])
    assert last.object is not None
    assert last.object["metadata"]["uid"] == value["metadata"]["uid"]
    assert "uid" not in (first.object or {})["metadata"]


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE", "DELETE"])
def test_what_is_refused_does_not_happen(world: World, operation: str) -> None:
    world("POST", MAPS, config_map("a"))
    world.recorder.refused = operation
    method, path = {
        "CREATE": ("POST", MAPS),
        "UPDATE": ("PUT", f"{MAPS}/a"),
        "DELETE": ("DELETE", f"{MAPS}/a"),
    }[operation]
    name = "b" if operation == "CREATE" else "a"
    changed = config_map(name, labels={"x": "y"})
    status, _ = world(method, path, None if operation == "DELETE" else changed)
    assert status == 403
    _, left = world("GET", MAPS)
    assert [each["metadata"].get("labels") for each in left["items"]] == [None]


def test_namespaces_are_told_with_themselves(world: World) -> None:
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    world("POST", "/api/v1/namespaces", body)
    assert world.recorder.said() == both("CREATE namespaces Namespace n/n new CreateOptions")
