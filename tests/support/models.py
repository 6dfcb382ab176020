"""Models as the generator writes them, for tests of the runtime alone."""

from __future__ import annotations

from clientgen.runtime._http.resource import Resource
from clientgen.runtime._models.meta_v1 import ModelList, ObjectMeta
from clientgen.runtime._models.model import NO_RAW, Literal, Model, Raw, auto, constant, field

PODS = Resource("", "v1", "pods", "Pod", namespaced=True)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)


class Container(Model):
    name: str
    image: str | None = None


class PodSpec(Model):
    containers: list[Container]
    node_name: str | None = None
    node_selector: dict[str, str] = field(default_factory=dict)
    extension: Raw = field(default=NO_RAW)


class PodStatus(Model):
    phase: str | None = None


class Pod(Model):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Pod"] = constant("Pod")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PodSpec = auto(PodSpec)
    status: PodStatus = auto(PodStatus)


class PodList(ModelList[Pod]):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["PodList"] = constant("PodList")


def pod(name: str = "web-0", version: str = "1", **more: object) -> dict[str, object]:
    """A pod as the server sends it."""
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "resourceVersion": version,
        },
        "spec": {"containers": [{"name": "main", "image": "nginx"}]},
        "status": {"phase": "Running"},
        **more,
    }


def pod_list(*pods: dict[str, object], version: str = "10", token: str = "") -> dict[str, object]:
    metadata: dict[str, object] = {"resourceVersion": version}
    if token:
        metadata |= {"continue": token, "remainingItemCount": 1}
    items = [{k: v for k, v in each.items() if k not in {"kind", "apiVersion"}} for each in pods]
    return {"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items}
