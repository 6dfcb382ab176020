"""Managers of namespaces with certain labels; test_manager_namespaces_threads.py is derived."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Node, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import Task, sleep, spawn
from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import Forbidden, SyncTimeout
from clientgen.testing import FakeClock, FakeCluster

ROLES = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: namespaces}
rules:
- {apiGroups: [""], resources: [namespaces, nodes], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: namespaces}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: namespaces}
subjects: [{kind: ServiceAccount, name: op, namespace: ops}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: maps}
rules:
- {apiGroups: [""], resources: [configmaps, secrets], verbs: [list, watch, create]}
"""
BINDING = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: maps, namespace: {0}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: maps}}
subjects: [{{kind: ServiceAccount, name: op, namespace: ops}}]
"""


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


def namespace(name: str, team: str) -> Namespace:
    return Namespace(metadata=ObjectMeta(name=name, labels={"team": team}))


class AsyncProgram:
    """A manager of the namespaces of the team shop, that may act in red, blue and green."""

    def __init__(self, namespaces: Any = "team=shop", **options: Any) -> None:
        clock = options.get("clock")
        roles = ROLES + "".join(map(BINDING.format, ("red", "blue", "green")))
        self.cluster = FakeCluster(rbac=roles, **({"clock": clock} if clock else {}))
        self.user = self.cluster.clientset(Clientset)
        self.k = self.cluster.clientset(AsyncClientset, service_account="ops/op")
        self.seen: list[str] = []
        self.heard: list[str] = []
        self.error: BaseException | None = None
        self.cluster.add(namespace("red", "shop"), namespace("blue", "bank"))
        self.cluster.add(namespace("dark", "bank"))
        for each in ("red", "blue", "dark"):
            self.create(each, "a")
        self.manager = AsyncManager(self.k, namespaces=namespaces, **options)
        self.controller = self.manager.controller("maps", self.reconcile).for_(ConfigMap)
        self.maps = self.manager.informer(ConfigMap)
        self.maps.add_index("all", lambda each: ["all"])
        self.maps.add_handler(
            on_add=lambda obj, first: self.hear("first" if first else "add", obj),
            on_update=lambda _, obj: self.hear("update", obj),
            on_delete=lambda obj: self.hear("delete", obj),
        )
        self.task: Task

    def hear(self, what: str, obj: ConfigMap) -> None:
        self.heard.append(f"{what} {obj.metadata.namespace}/{obj.metadata.name}")

    def create(self, where: str, name: str) -> None:
        self.user.core_v1.config_maps(where).create(ConfigMap(metadata=ObjectMeta(name=name)))

    def label(self, name: str, team: str) -> None:
        self.user.core_v1.namespaces().patch(name, {"metadata": {"labels": {"team": team}}})

    def cached(self) -> list[str]:
        listed, indexed = [("not", "read")], list[tuple[str, str]]()
        for _ in range(1000):  # another thread may change it between two reads
            if listed == indexed:
                break
            listed = sorted(map(_where, self.maps.lister.list()))
            indexed = sorted(map(_where, self.maps.indexer.by_index("all", "all")))
        assert listed == indexed
        return [str(Request(*each)) for each in listed]

    async def reconcile(self, context: AsyncContext[ConfigMap]) -> None:
        self.seen.append(f"{context.request}{'' if context.object else ' is gone'}")

    async def run(self) -> None:
        try:
            await self.manager.run()
        except BaseException as error:
            self.error = error

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        assert await self.task.join(60), "it does not stop"
        await self.k.aclose()


def _where(obj: ConfigMap) -> tuple[str, str]:
    return obj.metadata.namespace, obj.metadata.name


@pytest.mark.parametrize("selector", ["team=shop", "team in (shop)", {"team": "shop"}])
async def test_namespaces_are_selected_deselected_and_selected_again(selector: Any) -> None:
    program = AsyncProgram(selector)
    async with program:
        await until(lambda: program.seen == ["red/a"])
        await until(lambda: program.heard == ["first red/a"])
        program.label("blue", "shop")
        await until(lambda: program.seen == ["red/a", "blue/a"])
        await until(lambda: program.heard == ["first red/a", "first blue/a"])
        assert program.cached() == ["blue/a", "red/a"]
        assert program.maps.namespaces == ("blue", "red")

        program.label("red", "bank")
        await until(lambda: program.cached() == ["blue/a"])
        assert program.maps.namespaces == ("blue",)
        program.user.core_v1.config_maps("red").delete("a")
        program.create("red", "b")
        program.controller.queue.add(Request("red", "a"))
        program.controller.queue.add(Request("red", "b"))
        program.create("blue", "b")
        await until(lambda: program.seen[2:] == ["blue/b"])
        await until(lambda: not len(program.controller.queue))

        program.label("red", "shop")
        await until(lambda: program.seen[3:] == ["red/b"])
        assert program.cached() == ["blue/a", "blue/b", "red/b"]
        await until(lambda: program.heard[2:] == ["add blue/b", "first red/b"])
    assert program.error is None


async def test_none_may_be_selected_at_first() -> None:
    program = AsyncProgram("team=none")
    async with program:
        await until(lambda: program.manager._synced)
        assert program.maps.sync_status == "synced"
        assert program.cached() == []
        program.label("blue", "none")
        await until(lambda: (program.seen, program.heard) == (["blue/a"], ["first blue/a"]))
        program.label("blue", "bank")
        await until(lambda: program.cached() == [])
        assert program.maps.has_synced()
    assert (program.heard, program.error) == (["first blue/a"], None)


async def test_a_deleted_namespace_is_forgotten_with_its_objects() -> None:
    program = AsyncProgram()
    async with program:
        await until(lambda: (program.seen, program.heard) == (["red/a"], ["first red/a"]))
        program.user.core_v1.config_maps("red").delete("a")  # as the namespace controller does
        await until(lambda: program.seen[1:] == ["red/a is gone"])
        program.create("red", "b")
        await until(lambda: program.seen[2:] == ["red/b"])
        await until(lambda: program.heard[1:] == ["delete red/a", "add red/b"])
        program.user.core_v1.namespaces().delete("red")
        await until(lambda: program.maps.namespaces == ())
        assert program.cached() == []
        program.user.core_v1.namespaces().create(namespace("red", "bank"))
        program.cluster.apply_manifests(BINDING.format("red"))  # it went with the namespace
        program.create("red", "c")
        program.label("red", "shop")
        await until(lambda: "red/c" in program.seen)
    assert program.heard[:3] == ["first red/a", "delete red/a", "add red/b"]
    assert program.error is None


async def test_controllers_wait_until_all_caches_have_a_new_namespace() -> None:
    program = AsyncProgram(clock=FakeClock())
    program.manager.informer(Secret)
    async with program:
        await until(lambda: program.seen == ["red/a"])
        program.cluster.fail("*", "secrets", 500, times=None)
        program.label("blue", "shop")
        await until(lambda: program.cached() == ["blue/a", "red/a"])
        await until(lambda: program.heard == ["first red/a", "first blue/a"])
        program.create("red", "b")
        await until(lambda: "red/b" in program.seen)
        assert "blue/a" not in program.seen
        assert not program.manager.informer(Secret).has_synced()
        program.cluster.clear_reactions()
        await until(lambda: _step(program) and "blue/a" in program.seen)
        assert program.manager.informer(Secret).has_synced()
    assert "is gone" not in str(program.seen)


def _step(program: AsyncProgram) -> bool:
    clock: Any = program.cluster.clock
    clock.step(1.0)
    return True


async def test_own_writes_of_a_removed_namespace_are_forgotten() -> None:
    program = AsyncProgram()
    async with program:
        await until(lambda: program.seen == ["red/a"])
        made = ConfigMap(metadata=ObjectMeta(name="own"))
        await program.k.core_v1.config_maps("red").create(made)
        assert program.cached() == ["red/a", "red/own"]
        program.label("red", "bank")
        await until(lambda: program.cached() == [])
        await program.k.core_v1.config_maps("red").create(ConfigMap(metadata=ObjectMeta(name="z")))
        assert program.cached() == []
        program.user.core_v1.config_maps("red").delete("own")
        program.label("red", "shop")
        await until(lambda: program.cached() == ["red/a", "red/z"])
    assert len(program.maps._store) == 0


async def test_kinds_of_the_cluster_are_not_affected() -> None:
    program = AsyncProgram("team=none")
    nodes: list[str] = []

    async def of_node(context: AsyncContext[Node]) -> None:
        nodes.append(f"{context.name}{'' if context.object else ' is gone'}")

    program.manager.controller("nodes", of_node).for_(Node)
    program.cluster.add(Node(metadata=ObjectMeta(name="n1")))
    async with program:
        await until(lambda: nodes == ["n1"])


async def test_a_namespace_without_rights_does_not_stop_the_others() -> None:
    program = AsyncProgram(clock=FakeClock())
    async with program:
        await until(lambda: program.seen == ["red/a"])
        program.label("dark", "shop")
        await until(lambda: "in dark: 403" in program.maps.sync_status)
        assert program.cached() == ["red/a"]
        program.label("blue", "shop")
        await until(lambda: "blue/a" in program.seen)
        program.label("dark", "bank")
        await until(program.maps.has_synced)
    assert program.seen == ["red/a", "blue/a"]
    assert program.error is None


async def test_a_program_that_may_not_list_namespaces_is_told() -> None:
    clock = FakeClock()
    program = AsyncProgram(clock=clock, sync_timeout=60.0)
    program.cluster.fail("*", "namespaces", 403, times=None)
    async with program:
        await until(lambda: "403" in program.manager._caches()[0].sync_status)
        clock.step(61.0)
        await until(lambda: program.error)
    assert isinstance(program.error, SyncTimeout)
    assert "namespaces with team=shop (403 Forbidden" in str(program.error)
    assert "configmaps in namespaces with team=shop (the namespaces are not known yet)" in str(
        program.error
    )


async def test_wrong_selectors_are_refused() -> None:
    k = FakeCluster().clientset(AsyncClientset)
    for selector in ("team in (", {}):
        with pytest.raises(ValueError, match="label selector"):
            AsyncManager(k, namespaces=selector)
    await k.aclose()


async def test_the_account_may_act_nowhere_else() -> None:
    program = AsyncProgram()
    with pytest.raises(Forbidden):
        await program.k.core_v1.config_maps().list()
    await program.k.aclose()


async def test_nothing_looks_deleted_while_namespaces_come_and_go() -> None:
    program = AsyncProgram()
    program.manager.informer(Secret)
    order = Random(1)
    async with program:
        for n in range(150):
            where = order.choice(["red", "blue"])
            program.create(where, f"x{n}")
            program.label(where, order.choice(["shop", "bank"]))
            await sleep(0)
        program.label("red", "shop")
        program.label("blue", "bank")
        listed = program.user.core_v1.config_maps("red").list().items
        wanted = sorted(f"red/{each.metadata.name}" for each in listed)
        await until(lambda: program.cached() == wanted)
        await until(lambda: set(wanted) <= set(program.seen))
    assert "is gone" not in str(program.seen)
    assert "delete" not in str(program.heard)
    assert program.error is None


@pytest.mark.parametrize("names", ["red", ["red"]])
async def test_a_program_names_its_namespaces_and_changes_them(names: Any) -> None:
    program = AsyncProgram(names)
    assert program.maps.title == "configmaps in red"
    async with program:
        await until(lambda: program.seen == ["red/a"])
        program.manager.add_namespace("blue")
        program.manager.add_namespace("red")
        await until(lambda: program.seen == ["red/a", "blue/a"])
        assert program.maps.title == "configmaps in blue, red"

        program.manager.remove_namespace("red")
        program.manager.remove_namespace("green")
        assert program.cached() == ["blue/a"]
        program.user.core_v1.config_maps("red").delete("a")
        program.create("red", "b")
        program.controller.queue.add(Request("red", "a"))
        program.create("blue", "b")
        await until(lambda: program.seen[2:] == ["blue/b"])
        await until(lambda: program.heard[2:] == ["add blue/b"])
        await until(lambda: not len(program.controller.queue))

        program.manager.remove_namespace("blue")
        assert program.maps.title == "configmaps in no namespace"
        assert (program.cached(), program.maps.has_synced()) == ([], True)
        program.manager.add_namespace("red")
        await until(lambda: program.seen[3:] == ["red/b"])
        await until(lambda: program.heard[-1] == "first red/b")
    assert program.heard == ["first red/a", "first blue/a", "add blue/b", "first red/b"]
    assert program.error is None


async def test_a_right_that_is_missing_in_a_named_namespace_is_told() -> None:
    clock = FakeClock()
    program = AsyncProgram("dark", clock=clock, sync_timeout=60.0)
    async with program:
        await until(lambda: "403" in program.maps.sync_status)
        clock.step(61.0)
        await until(lambda: program.error)
    assert "configmaps in dark (403 Forbidden" in str(program.error)
    assert 'needs the rule: apiGroups [""], resources ["configmaps"]' in str(program.error)


async def test_namespaces_that_the_program_does_not_name_stay() -> None:
    k = FakeCluster().clientset(AsyncClientset)
    everywhere = AsyncManager(k)
    with pytest.raises(RuntimeError, match="watches all namespaces: pass namespaces="):
        everywhere.add_namespace("red")
    selecting = AsyncManager(k, namespaces="team=shop")
    with pytest.raises(RuntimeError, match="namespaces with team=shop: change the labels"):
        selecting.remove_namespace("red")
    naming = AsyncManager(k, namespaces=["red"])
    for wrong in ("", "a/b", None):
        with pytest.raises(ValueError, match="namespace"):
            naming.add_namespace(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="list of namespaces is empty"):
        AsyncManager(k, namespaces=[])
    await k.aclose()
