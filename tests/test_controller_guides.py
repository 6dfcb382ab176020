"""The snippets of the guides to controllers and tests run, in the order of their page.

A page is one program of asyncio. What a top-level `async with` opens stays open to the end of the
page, as for a reader who types the snippets one after the other.
"""

from __future__ import annotations

import ast
import asyncio
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset

from clientgen.testing import FakeCluster

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ROOT / "docs/guides"
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
OBJECTS = """
apiVersion: v1
kind: Namespace
metadata: {name: bank}
---
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {pool: big}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec: {nodeName: node-1, containers: [{name: web, image: "web:1"}]}
status: {phase: Running}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
DEFINITION = OBJECTS.rpartition("---")[2]
WEB = """
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Namespace

web = Deployment(
    metadata={
        "name": "web",
        "namespace": "shop",
        "annotations": {"example.com/port": "80"},
    },
    spec={
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        },
    },
)
"""
# What a page takes for granted: names of packages, and objects of the program around a snippet.
GIVEN = {
    "caches": """
from kubeapi.core.v1 import Pod
from kubeapi.core.v1.resources import SECRETS
from clientgen.runtime import Resource

pod = Pod(metadata={"name": "db-0"}, spec={"containers": [{"name": "db", "image": "postgres:17"}]})
""",
    "controllers": WEB
    + """
import asyncio
from collections.abc import Callable
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Service, ServicePort, ServiceSpec
from kubeapi.meta.v1 import ObjectMeta
from clientgen.runtime.controllers import owned_by
from clientgen.testing import FakeCluster
""",
    "fleet": "",
    "leader-election": """
import asyncio
from kubeapi.core.v1 import Service
from kubeapi.core.v1 import Service

async def reconcile(context) -> None:
    manager.stop()

class controller:
    async def run() -> None:
        asyncio.get_running_loop().call_soon(elector.stop)

    def stop() -> None: ...

async def reconcile(context: object) -> None:
    manager.stop()

service = Service(metadata={"name": "web"}, spec={"ports": [{"port": 80}]})
await k.core_v1.services("shop").create(service)
pod = await k.core_v1.pods("shop").get("web-0")
async with k.informers() as started:
    pods = started.core_v1.pods()
    started.start()
    await started.wait_for_sync(timeout=60)
queue = set()
""",
    "scale": """
from kubeapi.core.v1 import Pod, PodSpec
from kubeapi.core.v1.resources import SECRETS
from clientgen.runtime.views import PartOf, View

class PlaceSpec(PartOf[PodSpec]):
    node_name: str | None

class PodPlace(View[Pod]):
    spec: PlaceSpec
""",
    "test-server": WEB
    + """
from kubeapi import Clientset
from clientgen.runtime.conditions import rolled_out
from clientgen.testing import FakeClock, FakeCluster

cluster = FakeCluster()
cluster.add(Namespace(metadata={"name": "shop"}))
k = cluster.clientset(Clientset)
""",
    "testing": """
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Node, Pod

pod = Pod(
    metadata={"name": "db-0", "namespace": "shop"},
    spec={"containers": [{"name": "db", "image": "postgres:17"}]},
)
for folder in ("deploy/crds", "tests/shop"):
    Path(folder).mkdir(parents=True)
Path("tests/shop/colours.yaml").write_text(
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: colours}, data: {sky: blue}}"
)
Path("deploy/crds/crontabs.yaml").write_text(DEFINITION)

def my_controller(k):
    [web] = k.core_v1.pods().list()
    k.core_v1.pods("shop").delete(web.metadata.name)
""",
    "testing-timers": "",
    "sources": """
from kubeapi.core.v1 import ConfigMap

await k.core_v1.config_maps("shop").create(
    ConfigMap(metadata={"name": "colours"}, data={"sky": "blue"})
)
""",
    "views": "",
    "queues": """
import logging
from prometheus_client import CollectorRegistry

registry = CollectorRegistry()
async with k.informers() as started:
    pods = started.core_v1.pods()
    started.start()

async def sync(namespace: str, name: str) -> None:
    assert (namespace, name) == ("shop", "web-0")
    queue.shut_down()

async def reconcile(request: object) -> None: ...
""",
}
# What a page only defines is called.
AFTER = {
    "caches": 'assert [node.metadata.name for node in nodes.indexer.list()] == ["node-1"]',
    "controllers": "await test_a_service_is_made_again()",
    "fleet": "await test_a_cluster_that_joins_later_gets_the_copies()",
    "leader-election": """
assert not elector.is_leader
names = [lease.metadata.name for lease in (await k.coordination_v1.leases("shop").list())]
assert "services" in names
""",
    "queues": "await work()",
    "scale": """
assert [each.spec.node_name for each in places.lister.list()] == ["node-1"]
""",
    "test-server": """
played = FakeCluster()
played.play()
function(played)
assert [each.metadata.name for each in k.core_v1.config_maps("default").list()]
""",
    "sources": """
import logging

calls = set()

class Recorded(logging.Handler):
    def emit(self, record):
        calls.add(record.getMessage().partition(": ")[2])
        if {"the sky is blue", "all objects of none", "costs 1"} <= calls:
            manager.stop()

logging.getLogger().addHandler(recorded := Recorded())
logging.getLogger("guide").setLevel("INFO")
await manager.run()
logging.getLogger().removeHandler(recorded)
""",
    "testing": """
test_the_pod_is_deleted()
test_in_process(FakeCluster())
await test_a_timer(FakeCluster(clock=FakeClock()))
""",
}


@pytest.mark.parametrize("page", sorted(GIVEN))
async def test_the_snippets_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "examples" / "crontab")
    cluster = FakeCluster()
    cluster.apply_manifests(OBJECTS)
    async with cluster.clientset(AsyncClientset) as k, AsyncExitStack() as stack:
        names: dict[str, Any] = {
            "__name__": "guide",
            "k": k,
            "_stack": stack,
            "DEFINITION": DEFINITION,
        }
        path = GUIDES / f"{page}.md"
        text = path.read_text("utf-8")
        await run(GIVEN[page], names, "given")
        for match in FENCE.finditer(text):
            await run("\n" * text.count("\n", 0, match.start(1)) + match[1], names, str(path))
        await run(AFTER.get(page, ""), names, "after")


async def run(source: str, names: dict[str, Any], where: str) -> None:
    tree = ast.parse(source)
    tree.body = [each for statement in tree.body for each in opened(statement)]
    code = compile(ast.fix_missing_locations(tree), where, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if (running := eval(code, names)) is not None:
        await asyncio.wait_for(running, 60)


def opened(statement: ast.stmt) -> list[ast.stmt]:
    """Return `name = await _stack.enter_async_context(...)` and the body of an `async with`."""
    if not isinstance(statement, ast.AsyncWith):
        return [statement]
    [item] = statement.items
    call = ast.parse("await _stack.enter_async_context(None)", mode="eval").body
    assert isinstance(call, ast.Await)
    assert isinstance(call.value, ast.Call)
    call.value.args = [item.context_expr]
    entered: ast.stmt = ast.Expr(call)
    if item.optional_vars is not None:
        entered = ast.Assign([item.optional_vars], call)
    return [ast.copy_location(entered, statement), *statement.body]
