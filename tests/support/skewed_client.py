"""A client of one Kubernetes release at servers of others: prints what it meets, as JSON.

    python skewed_client.py 1.33=swagger-1.33.json 1.36=swagger-1.36.json

`kubeapi` on Python's path is the package of the client's release. This is a program, because two
packages of the same name cannot be imported together.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Container, Pod, PodSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.errors import ClientError, NotFound
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster

NEW_FIELD = "hostnameOverride"
"""A field of PodSpec that came with 1.34."""
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "raw", "namespace": "shop"},
    "spec": {"containers": [{"name": "web", "image": "web"}], NEW_FIELD: "www"},
}
NEWER = {**POD, "metadata": {"name": "set", "namespace": "shop"}}
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
"""


class Warnings(logging.Handler):
    """What the server warned of."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def collections(k: Clientset) -> Iterator[Any]:
    """Yield the calls across namespaces of every resource that has a list."""
    for group in filter(re.compile(r"\w+_v\d\w*").fullmatch, dir(Clientset)):
        client = getattr(k, group)
        for name, method in inspect.getmembers(client, inspect.ismethod):
            # Resources without a collection, such as reviews, take the namespace always.
            needed = [each.default for each in inspect.signature(method).parameters.values()]
            if not name.startswith("_") and inspect.Parameter.empty not in needed:
                collection = method()
                if hasattr(collection, "list"):
                    yield collection


def reach(k: Clientset) -> dict[str, bool]:
    """List every resource that the client has, and tell which of them the server has."""
    found: dict[str, bool] = {}
    for collection in collections(k):
        resource = collection.resource
        try:
            collection.list()
        except NotFound:
            served = False
        else:
            served = True
        found[f"{resource.api_version} {resource.plural}"] = served
    return found


def meet(spec: str) -> dict[str, Any]:
    """Use a server of this document, and tell what depends on its release."""
    cluster, warnings = FakeCluster(spec=spec), Warnings()
    cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    k = cluster.clientset(Clientset)
    logger = logging.getLogger("clientgen.warnings")
    logger.addHandler(warnings)
    found = reach(k)
    pods, raw = k.core_v1.pods("shop"), k.dynamic.resource("pods", model=Unstructured)

    def field(name: str) -> Any:
        return raw.get(name, namespace="shop")["spec"].get(NEW_FIELD)

    raw.create(Unstructured(POD))
    first = field("raw")
    pods.edit("raw", lambda pod: pod.metadata.labels.update(app="web"))
    read = pods.get("raw")
    read.metadata.annotations["note"] = "replaced"
    pods.update(read)
    assert read.metadata.labels == {"app": "web"}
    kept = [first, field("raw")]

    mine = PodSpec(containers=[Container(name="web", image="web")])
    knows = hasattr(mine, "hostname_override")
    if knows:
        mine.hostname_override = "www"
    pods.create(Pod(metadata=ObjectMeta(name="typed", namespace="shop"), spec=mine))

    assert k.manifests(DEPLOYMENT).apply().changed
    assert not k.manifests(DEPLOYMENT).apply().changed
    try:
        k.manifests(json.dumps(NEWER), strict=knows).apply()
        refused = ""
    except ClientError as error:
        refused = str(error)

    with k.informers() as factory:
        lister = factory.core_v1.pods().lister
        factory.start()
        factory.wait_for_sync(timeout=60)
        cached = {pod.metadata.name for pod in lister.list()}
    assert cached == asyncio.run(names(cluster)) >= {"raw", "typed"}
    typed = field("typed")
    pods.delete("typed")
    logger.removeHandler(warnings)
    return {
        "reached": found,
        "knows": knows,
        "kept": kept,
        "typed": typed,
        "refused": refused,
        "warnings": warnings.texts,
    }


async def names(cluster: FakeCluster) -> set[str]:
    """Return the names of all pods, by a client of asyncio."""
    async with cluster.clientset(AsyncClientset) as k:
        return {pod.metadata.name for pod in await k.core_v1.pods("shop").list()}


if __name__ == "__main__":
    servers = dict(argument.split("=", 1) for argument in sys.argv[1:])
    print(json.dumps({release: meet(spec) for release, spec in servers.items()}))
