"""Dependents, with tasks here and with threads in test_dependents_threads.py, which is derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    Namespace,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    Secret,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta
from kubeapi.rbac.v1 import ClusterRole
from support.shops import DEFINITION, Shop, conditions, shop

from clientgen._rbac.callers import Account
from clientgen.runtime._async._primitives import Task, sleep, spawn
from clientgen.runtime._async.managed_controller import AsyncManagedController
from clientgen.runtime.aio import AsyncContext, AsyncExternal, AsyncManager
from clientgen.runtime.controllers import Result, set_owner
from clientgen.runtime.views import View
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake.service_accounts import Run, begin_run, end_run


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 20
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


class AsyncProgram:
    """A manager that runs beside the test."""

    def __init__(self, *objects: Any, account: str | None = None, **options: Any) -> None:
        space = Namespace(metadata=ObjectMeta(name="shop"))
        self.cluster = FakeCluster(space, *objects, crds=[DEFINITION])
        self.user = self.cluster.clientset(Clientset)
        self.user.scheme.register(Shop, plural="shops")
        self.k = self.cluster.clientset(AsyncClientset, service_account=account)
        self.k.scheme.register(Shop, plural="shops")
        self.manager = AsyncManager(self.k, **options)
        self.runs: list[str] = []
        self.error: BaseException | None = None
        self.task: Task

    def controller(self, reconcile: Any = None) -> AsyncManagedController[Shop]:
        """The controller of shops, which counts its runs."""

        async def counted(context: AsyncContext[Shop]) -> Result | None:
            result = await reconcile(context) if reconcile else None
            self.runs.append(str(context.request))
            return result

        return self.manager.controller("shops", counted).for_(Shop)

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
        assert self.error is None

    def get(self, model: Any, name: str, namespace: str | None = "shop") -> Any:
        """The object as a user sees it, or None."""
        return self.user.get(model, name, namespace=namespace, default=None)

    def shop(self, name: str = "a") -> dict[str, str]:
        """The conditions of a shop."""
        found = self.get(Shop, name)
        return {} if found is None else conditions(found)

    async def settled(self) -> None:
        """Wait until the program has had time to react, and reacts no more."""
        before = -1
        while before != len(self.runs):
            before = len(self.runs)
            await sleep(0.05)


def uid_of(obj: Any) -> str:
    """The uid of an object; empty for None."""
    return "" if obj is None else str(obj.metadata.uid)


def meta(name: str, **labels: str) -> ObjectMeta:
    return ObjectMeta(name=name, labels=labels)


def deployment_of(context: AsyncContext[Shop]) -> Deployment:
    """A Deployment with defaults, quantities and lists."""
    name, spec = context.name, context.primary.spec
    labels = {"app": name}
    requests = ResourceRequirements(requests={"cpu": "1000m"})
    container = Container(name="web", image=spec.image, resources=requests)
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels=labels), spec=PodSpec(containers=[container])
    )
    selector = LabelSelector(match_labels=labels)
    wanted = DeploymentSpec(replicas=spec.replicas, selector=selector, template=template)
    return Deployment(metadata=meta(name), spec=wanted)


def service_of(context: AsyncContext[Shop]) -> dict[str, Any]:
    """The manifest of a Service."""
    spec = {"selector": {"app": context.name}, "ports": [{"port": 80}]}
    return {"metadata": {"name": context.name}, "spec": spec}


# ---- what is applied --------------------------------------------------------------------------


async def test_dependents_are_applied_once_and_again_when_they_differ() -> None:
    program = AsyncProgram()
    shops = program.controller()
    deployment = shops.dependent(Deployment, deployment_of)
    seen: list[Any] = []

    @shops.dependent(Service)
    def service(context: AsyncContext[Shop]) -> dict[str, Any]:
        seen.append(context.secondary(deployment))
        return service_of(context)

    program.user.create(shop())
    async with program:
        await until(lambda: program.get(Service, "a"))
        await program.settled()
        made = program.get(Deployment, "a")
        assert [each.name for each in made.metadata.owner_references] == ["a"]
        assert made.metadata.annotations["clientgen.dev/dependent"] == "shops/deployment_of"
        assert seen[-1].metadata.name == "a"

        program.cluster.clear_actions()
        for touch in ("shop", "deployment"):
            before = len(program.runs)
            patch = {"metadata": {"labels": {"touched": touch}}}
            touched = shop() if touch == "shop" else program.get(Deployment, "a")
            program.user.patch(touched, patch)
            await until(lambda: len(program.runs) > before)  # noqa: B023 - it is called at once
        await program.settled()
        assert [str(each) for each in program.cluster.writes] == [
            "patch shops.shops.example.com shop/a",
            "patch deployments.apps shop/a",
        ], "an apply that changes nothing was sent"

        program.user.patch(Deployment, "a", {"spec": {"replicas": 5}}, namespace="shop")
        await until(lambda: program.get(Deployment, "a").spec.replicas == 1)
        program.user.patch(shop(), {"spec": {"replicas": 3}})
        await until(lambda: program.get(Deployment, "a").spec.replicas == 3)
        uid = program.get(Service, "a").metadata.uid
        program.user.delete(Service, "a", namespace="shop")
        await until(lambda: uid_of(program.get(Service, "a")) not in {"", uid})


async def test_what_is_no_longer_wanted_is_deleted() -> None:
    program = AsyncProgram()
    shops = program.controller()
    shops.dependent(Service, service_of, when=lambda each: each.spec.public, name="service")

    @shops.dependent(Secret)
    async def key(context: AsyncContext[Shop]) -> Secret | None:
        name = context.primary.spec.extra.get("key")
        return Secret(metadata=meta(name), string_data={"k": "v"}) if name else None

    @shops.dependent(ConfigMap, many=True)
    def pages(context: AsyncContext[Shop]) -> Iterator[ConfigMap]:
        for page in context.primary.spec.pages:
            yield ConfigMap(metadata=meta(f"page-{page}"), data={"title": page})

    @shops.dependent(ConfigMap, many=True)
    def notes(context: AsyncContext[Shop]) -> list[ConfigMap]:
        return [ConfigMap(metadata=meta(f"note-{each}")) for each in context.primary.spec.extra]

    def names(model: Any) -> set[str]:
        return {each.metadata.name for each in program.user.list(model, namespace="shop")}

    program.user.create(ConfigMap(metadata=meta("page-of-a-user")), namespace="shop")
    program.user.create(shop(pages=["1", "2"], extra={"key": "first"}))
    async with program:
        all_maps = {"page-of-a-user", "page-1", "page-2", "note-key"}
        await until(lambda: names(ConfigMap) == all_maps and names(Secret) == {"first"})
        await until(lambda: names(Service) == {"a"})
        await program.settled()
        program.cluster.clear_actions()
        spec = {"pages": ["2", "3"], "extra": {"key": "second"}, "public": False}
        program.user.patch(shop(), {"spec": spec})
        await until(lambda: names(Secret) == {"second"} and not names(Service))
        await until(lambda: names(ConfigMap) == {"page-of-a-user", "page-2", "page-3", "note-key"})
        await program.settled()
        deletes = [each for each in program.cluster.writes if each.verb == "delete"]
        assert sorted(str(each) for each in deletes) == [
            "delete configmaps shop/page-1",
            "delete secrets shop/first",
            "delete services shop/a",
        ]
        program.user.patch(shop(), {"spec": {"pages": [], "extra": {"key": None}, "public": True}})
        await until(lambda: names(ConfigMap) == {"page-of-a-user"} and not names(Secret))
        program.user.delete(Shop, "a", namespace="shop")
        await until(lambda: not names(Service))


async def test_an_object_may_move_from_one_dependent_to_another() -> None:
    program = AsyncProgram()
    shops = program.controller()

    def first(context: AsyncContext[Shop]) -> ConfigMap | None:
        return ConfigMap(metadata=meta("moved")) if context.primary.spec.public else None

    def second(context: AsyncContext[Shop]) -> ConfigMap | None:
        return None if context.primary.spec.public else ConfigMap(metadata=meta("moved"))

    one, other = shops.dependent(ConfigMap, first), shops.dependent(ConfigMap, second)
    found: list[tuple[bool, bool]] = []

    @shops.dependent(Secret)
    def watcher(context: AsyncContext[Shop]) -> None:
        found.append((context.secondary(one) is not None, context.secondary(other) is not None))

    program.user.create(shop())
    async with program:
        await until(lambda: program.get(ConfigMap, "moved"))
        uid = program.get(ConfigMap, "moved").metadata.uid
        program.user.patch(shop(), {"spec": {"public": False}})
        await until(lambda: found[-1] == (False, True))
        await program.settled()
        assert program.get(ConfigMap, "moved").metadata.uid == uid


async def test_objects_of_others_are_refused_or_adopted() -> None:
    program = AsyncProgram()
    shops = program.controller().workflow(status=True)
    shops.dependent(Service, service_of, name="service")

    @shops.dependent(ConfigMap, adopt=True)
    def page(context: AsyncContext[Shop]) -> ConfigMap:
        return ConfigMap(metadata=meta(context.name), data={"ours": "yes"})

    theirs = ConfigMap(metadata=meta("a"), data={"theirs": "yes", "ours": "no"})
    program.user.create(theirs, namespace="shop")
    spec = ServiceSpec(ports=[ServicePort(port=8080)])
    program.user.create(Service(metadata=meta("a"), spec=spec), namespace="shop")
    program.user.create(shop("b"))
    of_b = ConfigMap(metadata=ObjectMeta(name="c", namespace="shop"))
    set_owner(of_b, program.user.get(Shop, "b", namespace="shop"))
    program.user.create(of_b)
    program.user.create(shop())
    program.user.create(shop("c"))
    async with program:
        await until(lambda: program.shop().get("Ready") == "False DependentRefused")
        await until(lambda: program.shop("c").get("PageReady") == "False Refused")
        assert program.shop("c")["ServiceReady"] == "True Ready"
        assert program.shop()["Progressing"] == "False DependentRefused"
        assert program.get(Service, "a").spec.ports[0].port == 8080
        assert program.get(ConfigMap, "a").data == {"theirs": "yes", "ours": "yes"}
        [ready] = [
            each for each in program.get(Shop, "a").status.conditions if each.type == "ServiceReady"
        ]
        assert ready.message == (
            "Service shop/a: it exists already, and belongs to nobody; adopt=True takes it over"
        )
        await program.settled()
        runs = len(program.runs)
        await sleep(0.1)
        assert len(program.runs) == runs, "a refusal is tried again without a reason"
        program.user.delete(Service, "a", namespace="shop")
        await until(lambda: program.shop().get("Ready") == "True DependentsReady")
        assert program.get(Shop, "a").status.observed_generation == 1


async def test_an_object_that_a_cache_does_not_show_yet_is_not_overwritten() -> None:
    """Somebody is faster: before the creation, and between a read of the cache and an apply."""
    program = AsyncProgram()
    shops = program.controller().workflow(status=True)

    @shops.dependent(ConfigMap)
    def page(context: AsyncContext[Shop]) -> ConfigMap:
        return ConfigMap(metadata=meta(context.name), data={"image": context.primary.spec.image})

    def replace(action: Any) -> None:
        helper = program.cluster.clientset(Clientset)
        helper.delete(ConfigMap, action.name, namespace="shop", missing_ok=True)
        helper.create(ConfigMap(metadata=meta(action.name), data={"image": "x"}), namespace="shop")

    program.cluster.react("patch", "configmaps", replace, name="a", times=1)
    program.user.create(shop())
    program.user.create(shop("b"))
    async with program:
        await until(lambda: program.shop().get("PageReady") == "False Refused")
        await until(lambda: program.shop("b").get("PageReady") == "True Ready")
        program.cluster.react("patch", "configmaps", replace, name="b", times=1)
        program.user.patch(shop("b"), {"spec": {"image": "shop:2"}})
        await until(lambda: program.shop("b").get("PageReady") == "False Refused")
        for name in ("a", "b"):
            found = program.get(ConfigMap, name)
            assert (found.data, found.metadata.owner_references) == ({"image": "x"}, [])


async def test_a_small_cache_knows_neither_all_objects_nor_managed_fields() -> None:
    program = AsyncProgram(informers={"strip_managed_fields": True})
    shops = program.controller().workflow(status=True)
    shops.dependent(ConfigMap, lambda _: {"metadata": {"name": "a"}}, labels={"of": "shops"})
    shops.dependent(Service, service_of, name="service", labels={"of": "shops"})
    program.user.create(ConfigMap(metadata=meta("a")), namespace="shop")
    program.user.create(shop())
    async with program:
        await until(lambda: program.shop().get("ConfigMapReady") == "False Refused")
        await until(lambda: program.shop().get("ServiceReady") == "True Ready")
        assert program.get(Service, "a").metadata.labels == {"of": "shops"}
        assert program.get(ConfigMap, "a").metadata.owner_references == []
        await program.settled()
        program.cluster.clear_actions()
        before = len(program.runs)
        program.user.patch(shop(), {"metadata": {"labels": {"touched": "yes"}}})
        await until(lambda: len(program.runs) > before)
        await program.settled()
        assert len(program.cluster.writes) == 1, "an apply that changes nothing was sent"
        program.user.patch(Service, "a", {"spec": {"selector": {"app": "x"}}}, namespace="shop")
        await until(lambda: program.get(Service, "a").spec.selector == {"app": "a"})


async def test_a_controller_with_dependents_may_come_and_go() -> None:
    program = AsyncProgram()
    program.user.create(shop())
    async with program:
        await until(lambda: program.manager.is_leader)
        late = program.controller()
        late.dependent(ConfigMap, lambda _: {"metadata": {"name": "page"}}, name="page", after="x")
        with pytest.raises(ValueError, match="after 'x', which is none"):
            late.start()
        await program.manager.remove(late)
        late = program.controller()
        late.dependent(ConfigMap, lambda _: {"metadata": {"name": "page"}})
        late.start()
        await until(lambda: program.get(ConfigMap, "page"))
        await program.manager.remove(late)
        program.user.delete(ConfigMap, "page", namespace="shop")
        await program.settled()
        assert program.get(ConfigMap, "page") is None


# ---- workflows --------------------------------------------------------------------------------


@pytest.mark.parametrize("own_writes_wake", [True, False])
async def test_dependents_wait_for_those_before_them_and_go_backwards(
    own_writes_wake: bool,
) -> None:
    program = AsyncProgram(controllers={"own_writes_wake": own_writes_wake})
    shops = program.controller().workflow(status=True)
    shops.dependent(Service, service_of, name="service", after="deployment")
    deployment = shops.dependent(
        Deployment,
        deployment_of,
        name="deployment",
        delete_when=lambda each: "keep" not in each.metadata.labels,
    )

    @shops.dependent(ConfigMap, after=[deployment, "service"])
    def page(context: AsyncContext[Shop]) -> ConfigMap:
        return ConfigMap(metadata=meta("page"))

    program.user.create(shop())
    async with program:
        await until(lambda: program.shop().get("DeploymentReady") == "False NotReady")
        await program.settled()
        assert program.shop()["ServiceReady"] == program.shop()["PageReady"] == "False Waiting"
        assert program.shop()["Progressing"] == "True DependentNotReady"
        assert program.get(Service, "a") is None
        assert program.get(Shop, "a").metadata.finalizers == ["shops.example.com/shops"]
        program.cluster.play()
        await until(lambda: program.shop().get("Ready") == "True DependentsReady")

        program.user.patch(
            Deployment, "a", {"metadata": {"labels": {"keep": ""}}}, namespace="shop"
        )
        program.user.patch(
            Service, "a", {"metadata": {"finalizers": ["e.com/x"]}}, namespace="shop"
        )
        program.user.delete(Shop, "a", namespace="shop")
        await until(lambda: program.shop().get("DeploymentReady") == "False Deleting")
        await program.settled()
        assert program.get(ConfigMap, "page") is None
        assert program.get(Deployment, "a").metadata.deletion_timestamp is None
        program.user.patch(Service, "a", {"metadata": {"finalizers": None}}, namespace="shop")
        await until(lambda: program.get(Service, "a") is None)
        await program.settled()
        assert program.get(Deployment, "a") is not None
        program.user.patch(
            Deployment, "a", {"metadata": {"labels": {"keep": None}}}, namespace="shop"
        )
        await until(lambda: program.get(Shop, "a") is None and program.get(Deployment, "a") is None)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ({"a": "b", "b": "c", "c": "a"}, "in a circle: .* after .* after .* after"),
        ({"a": "a"}, "in a circle: a after a"),
        ({"a": "x"}, "'a' is after 'x', which is none: a"),
    ],
)
async def test_circles_are_found_when_the_manager_starts(
    after: dict[str, str], message: str
) -> None:
    program = AsyncProgram()
    shops = program.controller()
    for name, before in after.items():
        shops.dependent(ConfigMap, service_of, name=name, after=before)
    with pytest.raises(ValueError, match=message):
        await program.manager.run()
    await program.k.aclose()


async def test_an_error_is_told_and_stops_only_those_after_it() -> None:
    program = AsyncProgram()
    shops = program.controller().workflow(status=True)
    tries: list[str] = []

    @shops.dependent(ConfigMap)
    def page(context: AsyncContext[Shop]) -> ConfigMap:
        tries.append(context.name)
        if context.primary.spec.public:
            raise RuntimeError(f"the {len(tries)}th failure")
        return ConfigMap(metadata=meta("page"))

    shops.dependent(Secret, lambda _: {"metadata": {"name": "key"}}, after=page, name="key")
    shops.dependent(Service, service_of, name="service")
    program.user.create(shop())
    async with program:
        await until(lambda: program.shop().get("PageReady") == "False Failed")
        await until(lambda: len(tries) > 5)
        assert program.shop()["ServiceReady"] == "True Ready"
        assert program.shop()["KeyReady"] == "False Waiting"
        assert program.shop()["Ready"] == "False DependentFailed"
        wrote = [str(each) for each in program.cluster.writes if "status" in str(each)]
        assert len(wrote) <= 2, "each failure writes a status"
        assert not program.runs  # `reconcile` could write that all is well
        program.user.patch(shop(), {"spec": {"public": False}})
        await until(lambda: program.shop().get("Ready") == "True DependentsReady")


# ---- what the garbage collector does not delete -------------------------------------------------


async def test_objects_elsewhere_are_deleted_by_a_finalizer() -> None:
    program = AsyncProgram(Namespace(metadata=meta("other")))
    keys: list[Any] = []

    async def reconcile(context: AsyncContext[Shop]) -> None:
        keys.append((context.secondary(copy), context.secondary(role)))

    shops = program.controller(reconcile)

    @shops.dependent(ConfigMap)
    def copy(context: AsyncContext[Shop]) -> ConfigMap:
        return ConfigMap(metadata=ObjectMeta(name="copy", namespace="other"))

    @shops.dependent(ClusterRole, after=copy)
    def role(context: AsyncContext[Shop]) -> dict[str, Any]:
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
        return {"metadata": {"name": f"shop-{context.name}"}, "rules": rules}

    program.user.create(shop())
    async with program:
        await until(lambda: program.get(ConfigMap, "copy", "other"))
        await until(lambda: keys and all(keys[-1]))
        program.user.delete(ConfigMap, "copy", namespace="other")
        await until(lambda: program.get(ConfigMap, "copy", "other"))
        program.user.delete(Shop, "a", namespace="shop")
        await until(lambda: program.get(Shop, "a") is None)
        assert program.get(ConfigMap, "copy", "other") is None
        assert program.get(ClusterRole, "shop-a", None) is None


# ---- things outside of the cluster --------------------------------------------------------------


class Cloud:
    """An API beside the cluster: it makes one machine for each key."""

    def __init__(self) -> None:
        self.machines: dict[str, str] = {}
        self.calls: list[str] = []
        self.crashes: list[str] = []
        self._keys: dict[str, str] = {}

    def call(self, what: str) -> None:
        self.calls.append(what)
        if what in self.crashes:
            self.crashes.remove(what)
            raise RuntimeError(f"crashed after {what}")

    def create(self, key: str, image: str) -> str:
        made = self._keys.setdefault(key, f"m-{len(self._keys)}")
        self.machines.setdefault(made, image)
        self.call("create")
        return made


class AsyncMachine(AsyncExternal[Shop, str]):
    """The machine of a shop; its content is the image."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def create(self, primary: Shop, key: str) -> str:
        return self.cloud.create(key, primary.spec.image)

    async def read(self, primary: Shop, external_id: str) -> str | None:
        self.cloud.call("read")
        return self.cloud.machines.get(external_id)

    async def delete(self, primary: Shop, external_id: str) -> None:
        self.cloud.machines.pop(external_id, None)
        self.cloud.call("delete")

    def matches(self, primary: Shop, found: str) -> bool:
        return found == primary.spec.image

    async def update(self, primary: Shop, external_id: str, found: str) -> None:
        self.cloud.machines[external_id] = primary.spec.image
        self.cloud.call("update")


async def test_an_external_thing_is_created_once_polled_and_deleted() -> None:
    clock = FakeClock()
    program = AsyncProgram(clock=clock)
    cloud = Cloud()
    cloud.crashes = ["create", "read", "delete"]
    shops = program.controller().workflow(status=True)
    machine = shops.external(
        "machine", AsyncMachine(cloud), every=60, when=lambda each: each.spec.public
    )
    seen: list[str | None] = []

    @shops.dependent(ConfigMap, after=machine)
    def page(context: AsyncContext[Shop]) -> ConfigMap:
        seen.append(context.secondary(machine))
        return ConfigMap(metadata=meta("page"))

    async def until_stepping(holds: Callable[[], object], seconds: float = 1.0) -> None:
        deadline = monotonic() + 20
        while not holds():
            assert monotonic() < deadline, "timed out"
            clock.step(seconds)
            await sleep(0.005)

    program.user.create(shop())
    async with program:
        await until_stepping(lambda: program.shop().get("Ready") == "True DependentsReady")
        assert cloud.machines == {"m-0": "shop:1"}, "a crash after create() made another one"
        assert cloud.calls.count("create") == 2
        assert seen[-1] == "shop:1"
        await program.settled()
        cloud.calls.clear()
        program.user.patch(shop(), {"metadata": {"labels": {"touched": "yes"}}})
        await program.settled()
        assert cloud.calls == [], "it is read more often than every 60 s"

        program.user.patch(shop(), {"spec": {"image": "shop:2"}})
        await until_stepping(lambda: cloud.machines == {"m-0": "shop:2"})
        cloud.machines.clear()
        await until_stepping(lambda: cloud.machines == {"m-1": "shop:2"}, 30.0)
        program.user.patch(shop(), {"spec": {"public": False}})
        await until_stepping(lambda: not cloud.machines)
        program.user.patch(shop(), {"spec": {"public": True}})
        await until_stepping(lambda: cloud.machines == {"m-2": "shop:2"})
        program.user.delete(Shop, "a", namespace="shop")
        await until_stepping(lambda: program.get(Shop, "a") is None)
        assert cloud.machines == {}


async def test_an_interrupted_creation_is_cleaned_up() -> None:
    program = AsyncProgram()
    cloud = Cloud()
    cloud.crashes = ["create"] * 3
    shops = program.controller()
    shops.external("machine", AsyncMachine(cloud), every=60)
    program.user.create(shop())
    async with program:
        await until(lambda: cloud.calls)
        program.user.delete(Shop, "a", namespace="shop")
        await until(lambda: program.get(Shop, "a") is None)
        assert cloud.machines == {}


async def test_labels_in_another_namespace_show_nothing_to_the_program() -> None:
    """Whoever may write in one namespace does not decide what a dependent elsewhere looks like."""
    spaces = [Namespace(metadata=ObjectMeta(name=name)) for name in ("other", "evil")]
    program = AsyncProgram(*spaces)
    seen: list[Any] = []

    async def reconcile(context: AsyncContext[Shop]) -> Result | None:
        seen.append((context.secondary(near), context.secondary(far), context.secondaries(many)))
        return Result(requeue_after=0.05)

    shops = program.controller(reconcile)
    near = shops.dependent(ConfigMap, lambda _: {"metadata": {"name": "near"}}, name="near")
    away = {"metadata": {"name": "far", "namespace": "other"}}
    far = shops.dependent(ConfigMap, lambda _: away, name="far", delete_when=lambda _: False)
    many = shops.dependent(
        ConfigMap,
        lambda _: [{"metadata": {"name": "one"}}],
        many=True,
        name="many",
        delete_when=lambda _: False,
    )
    made = program.user.create(shop())
    async with program:
        await until(lambda: seen and None not in seen[-1])
        for name in ("near", "far", "many"):
            forged = meta("forged-" + name, **{"clientgen.dev/primary-uid": uid_of(made)})
            forged.annotations = {"clientgen.dev/dependent": f"shops/{name}"}
            program.user.create(ConfigMap(metadata=forged), namespace="evil")
        last = program.manager.informer(ConfigMap)
        await until(lambda: last.indexer.get("evil/forged-many"))
        count = len(seen)
        await until(lambda: len(seen) > count + 1)
        found = seen[-1]
        assert [each.metadata.name for each in found[:2]] == ["near", "far"]
        assert [*found[2]] == ["one"]


async def test_wrong_declarations_are_refused() -> None:
    program = AsyncProgram()
    with pytest.raises(RuntimeError, match="call for_"):
        program.manager.controller("early").dependent(ConfigMap, service_of)
    shops = program.controller()
    shops.dependent(ConfigMap, service_of, name="page")
    wrong: Any = shops
    for error, message, declare in [
        (ValueError, "called 'page' already", lambda: wrong.dependent(Secret, print, name="page")),
        (ValueError, "not a name", lambda: wrong.dependent(Secret, print, name="a b")),
        (TypeError, "must be a model class", lambda: wrong.dependent("Secret", print)),
        (TypeError, "must be a function", lambda: wrong.dependent(Secret, "f")),
        (TypeError, "after= takes", lambda: wrong.dependent(Secret, print, after=[3])),
        (TypeError, "whole objects.*pass ConfigMap", lambda: wrong.dependent(PageKey, print)),
        (ValueError, "every=0", lambda: wrong.external("x", AsyncMachine(Cloud()), every=0)),
        (TypeError, "takes an AsyncExternal", lambda: wrong.external("x", "y", every=1)),
        (ValueError, "not a finalizer", lambda: wrong.workflow(finalizer="x")),
    ]:
        with pytest.raises(error, match=message):
            declare()
    dry = AsyncManager(program.k.with_(dry_run=True))
    dry.controller("shops").for_(Shop).external("machine", AsyncMachine(Cloud()), every=1)
    with pytest.raises(ValueError, match="external dependents need a client that writes"):
        await dry.run()
    await program.k.aclose()


class PageKey(View[ConfigMap]):
    """The metadata of a page."""


WRONG: list[tuple[Any, str]] = [
    (Service(metadata=meta("a")), "must return a v1 ConfigMap, not a v1 Service"),
    (ConfigMap(), "without metadata.name"),
    ({"metadata": {"name": "x", "uid": "1"}}, "metadata.uid, which only servers set"),
    ({"metadata": {"name": "x"}, "status": {}}, "with a status"),
    ({"metadata": {"name": "x", "namespace": "elsewhere"}}, "does not watch the namespace"),
    ({"metadata": {"name": "a/b"}}, "name"),
    ([ConfigMap(metadata=meta("a"))], "takes an object"),
    (3, "takes an object"),
]


async def test_wrong_objects_are_told_and_nothing_is_sent() -> None:
    program = AsyncProgram(namespaces="shop")
    shops = program.controller().workflow(status=True)
    wrong: Any = shops
    for number, (value, _) in enumerate(WRONG):
        wrong.dependent(ConfigMap, lambda _, value=value: value, name=f"d{number}")
    wrong.dependent(ConfigMap, lambda _: ConfigMap(metadata=meta("a")), many=True, name="one")
    program.user.create(shop())
    async with program:
        await until(program.shop)
        found = {each.type: each.message for each in program.get(Shop, "a").status.conditions}
        for number, (_, message) in enumerate(WRONG):
            assert message in found[f"D{number}Ready"]
        assert "must return a list" in found["OneReady"]
        assert program.user.list(ConfigMap, namespace="shop").items == []


# ---- roles ------------------------------------------------------------------------------------


async def test_rights_are_known_before_a_request_and_recorded_at_the_start() -> None:
    run = Run()
    begin_run(run)
    try:
        program = AsyncProgram(account="shop/operator", namespaces="shop")
        shops = program.controller().workflow(status=True)
        shops.dependent(Service, service_of, labels={"app": "shop"})
        shops.external("machine", AsyncMachine(Cloud()), every=60)
        rules = {each["resources"][0]: each["verbs"] for each in shops.rules()}
        assert rules == {
            "services": ["create", "delete", "get", "list", "patch", "watch"],
            "shops": ["get", "list", "patch", "watch"],
            "shops/status": ["patch"],
        }
        async with program:
            await program.settled()
    finally:
        end_run(run)
    recorded = {
        each.verb
        for each in run.recording.of(Account("shop", "operator"))
        if each.resource == "services"
    }
    assert recorded == set(rules["services"])
