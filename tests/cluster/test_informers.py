"""Informers: caches that follow a real server, and handlers that are told of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack
from urllib.parse import parse_qs, urlsplit

import pytest
from clusterkit.objects import config_map, deployment, pod
from clusterkit.scratch import Scratch
from clusterkit.together import async_until
from clusterkit.widgets import WIDGETS, Widget, WidgetList, widget
from kubeapi import AsyncClientset, AsyncInformerFactory
from kubeapi.core.v1.models import ConfigMap, Namespace
from kubeapi.rbac.v1.models import PolicyRule, Role, RoleBinding, RoleRef, Subject

from clientgen._gvk import GroupVersionResource
from clientgen.runtime import (
    DeletedFinalStateUnknown,
    MergePatch,
    Patch,
    PatchOptions,
    Resource,
    WriteOptions,
    drop_managed_fields,
    split_key,
)
from clientgen.runtime._cache import reflector_state
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.aio import AsyncResourceClient, AsyncSharedInformer
from clientgen.runtime.errors import ApiError, Forbidden, NotFound, SyncTimeout
from clientgen.runtime.models import ObjectMeta, deep_copy

pytestmark = pytest.mark.cluster

# Waiting for a cache takes no longer, unless something is broken.
LONG = 30.0
USER = "clientgen-test-informer"


class Told:
    """What handlers were told, in order."""

    def __init__(self) -> None:
        self.all: list[tuple[str, ...]] = []

    def on_add(self, obj: Any, is_initial: bool) -> None:
        self.all.append(("initial" if is_initial else "added", obj.metadata.name))

    def on_update(self, old: Any, new: Any) -> None:
        assert old.metadata.uid == new.metadata.uid
        self.all.append(("updated", new.metadata.name))

    def on_delete(self, obj: Any) -> None:
        self.all.append(("deleted", obj.metadata.name))

    def listen(self, informer: AsyncSharedInformer[Any]) -> None:
        informer.add_handler(self.on_add, self.on_update, self.on_delete)

    async def are(self, *expected: tuple[str, ...]) -> None:
        """Wait until they were told so often, and compare."""

        async def enough() -> bool:
            return len(self.all) >= len(expected)

        await async_until(enough)
        assert self.all == [*expected]


async def synced(factory: AsyncInformerFactory) -> None:
    factory.start()
    synced_kinds = await factory.wait_for_sync(LONG)
    assert synced_kinds
    assert all(synced_kinds.values())


async def holds(condition: Callable[[], object]) -> None:
    async def condition_holds() -> bool:
        return bool(condition())

    await async_until(condition_holds)


def names(objects: list[Any]) -> list[str]:
    return sorted(obj.metadata.name for obj in objects)


def label(**labels: str | None) -> MergePatch:
    return MergePatch({"metadata": {"labels": labels}})


def data(**values: str) -> MergePatch:
    return MergePatch({"data": values})


def log_requests(kube: AsyncClientset, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The queries of all lists and streams from now on."""
    asked: list[dict[str, str]] = []
    stream, send = kube.rest.stream, kube.rest.send

    def note(request: HttpRequest) -> None:
        if request.method == "GET":
            query = parse_qs(urlsplit(request.target).query)
            asked.append({name: values[0] for name, values in query.items()})

    async def note_and_stream(request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        note(request)
        return await stream(request, *arguments, **options)

    async def note_and_send(request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        note(request)
        return await send(request, *arguments, **options)

    monkeypatch.setattr(kube.rest, "stream", note_and_stream)
    monkeypatch.setattr(kube.rest, "send", note_and_send)
    return asked


# ---- what is told -----------------------------------------------------------------------------


async def test_a_cache_is_filled_by_a_stream(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for number in range(20):
        await maps.create(config_map(f"map-{number:02}", {"number": str(number)}, {"test": "yes"}))
    asked = log_requests(kube, monkeypatch)
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        told = Told()
        told.listen(informer)
        await synced(factory)
        await holds(lambda: len(told.all) == 20)

        assert {what for what, _ in told.all} == {"initial"}
        assert names(informer.lister.list()) == [f"map-{number:02}" for number in range(20)]
        assert len(asked) == 1
        assert asked[0]["sendInitialEvents"] == "true"
        assert int(informer.resource_version) >= max(
            int(each.metadata.resource_version) for each in informer.lister.list()
        )
        assert informer.watch_errors == informer.handler_errors == 0


async def test_handlers_are_told_in_order(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("old", {"number": "0"}, {"test": "yes"}))
    values: list[tuple[str, str]] = []
    versions: list[str] = []
    told = Told()
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        told.listen(informer)
        informer.add_handler(
            on_update=lambda old, new: values.append((old.data["number"], new.data["number"])),
            on_delete=lambda obj: versions.append(obj.metadata.resource_version),
        )
        await synced(factory)
        await maps.create(config_map("new", labels={"test": "yes"}))
        for number in ("1", "2", "3"):
            await maps.patch("old", data(number=number))
        await maps.delete("old")
        updates = [("updated", "old")] * 3
        await told.are(("initial", "old"), ("added", "new"), *updates, ("deleted", "old"))
        await holds(lambda: versions)

    assert values == [("0", "1"), ("1", "2"), ("2", "3")]
    # The last state has the version of the deletion.
    assert versions == [informer.resource_version]


async def test_an_object_that_comes_again_is_another(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    told = Told()
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        told.listen(factory.core_v1.config_maps())
        await synced(factory)
        for _ in range(2):
            await maps.create(config_map("one", labels={"test": "yes"}))
            await maps.delete("one")
        await told.are(*[("added", "one"), ("deleted", "one")] * 2)


async def test_labels_decide_what_is_there(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"tier": "a"}))
    await maps.create(config_map("other", labels={"tier": "z"}))
    told = Told()
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.core_v1.config_maps(label_selector="tier in (a, b)")
        told.listen(informer)
        await synced(factory)
        await told.are(("initial", "one"))
        await maps.patch("other", label(tier="b"))
        await maps.patch("one", label(tier=None))
        await maps.patch("one", data(ignored="yes"))
        await maps.patch("other", data(key="value"))
        await told.are(
            ("initial", "one"), ("added", "other"), ("deleted", "one"), ("updated", "other")
        )
        assert names(informer.lister.list()) == ["other"]


async def test_fields_decide_what_is_there(kube: AsyncClientset, namespace: str) -> None:
    maps, pods = kube.core_v1.config_maps(namespace), kube.core_v1.pods(namespace)
    await maps.create(config_map("this"))
    await maps.create(config_map("that"))
    await pods.create(pod("waits"))
    async with kube.informers(namespace=namespace) as factory:
        this = factory.core_v1.config_maps(field_selector="metadata.name=this")
        pending = factory.core_v1.pods(field_selector="status.phase=Pending")
        failed = factory.core_v1.pods(field_selector="status.phase=Failed")
        await synced(factory)

        assert names(this.lister.list()) == ["this"]
        assert (names(pending.lister.list()), failed.lister.list()) == (["waits"], [])
        await pods.status("waits").patch(MergePatch({"status": {"phase": "Failed"}}))
        await holds(lambda: failed.lister.list() and not pending.lister.list())


async def test_several_namespaces_are_one_cache(
    kube: AsyncClientset, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, other = (scratch.make() for _ in range(3))
    for each in (one, two, other):
        await kube.core_v1.config_maps(each).create(config_map(f"in-{each}", labels={"t": "y"}))
    asked = log_requests(kube, monkeypatch)
    told = Told()
    async with kube.informers(namespace=[one, two], label_selector="t") as factory:
        informer = factory.core_v1.config_maps()
        everywhere = factory.core_v1.config_maps(namespace=None)
        told.listen(informer)
        await synced(factory)
        await holds(lambda: len(told.all) == 2)

        assert len(asked) == 3  # a watch for each namespace, and one for all
        assert names(informer.lister.list()) == sorted([f"in-{one}", f"in-{two}"])
        assert names(informer.lister.in_namespace(two).list()) == [f"in-{two}"]
        assert {f"in-{one}", f"in-{two}", f"in-{other}"} <= {*names(everywhere.lister.list())}
        await kube.core_v1.config_maps(other).delete(f"in-{other}")
        await kube.core_v1.config_maps(two).delete(f"in-{two}")
        await kube.core_v1.config_maps(one).create(config_map("more", labels={"t": "y"}))
        await holds(lambda: len(told.all) == 4)
        # Namespaces are in no order among each other.
        assert sorted(told.all[2:]) == [("added", "more"), ("deleted", f"in-{two}")]
    for each in (one, two, other):
        scratch.drop(each)


async def test_objects_of_the_whole_cluster_are_found_by_name(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    async with kube.informers(namespace="of-no-importance") as factory:
        informer = factory.core_v1.namespaces(field_selector=f"metadata.name={namespace}")
        await synced(factory)
        cached: Namespace = informer.lister.get(namespace)
        assert cached.metadata.labels.items() >= scratch.labels.items()
        with pytest.raises(ValueError, match="are cluster-scoped"):
            informer.lister.in_namespace("default")


# ---- what is read -----------------------------------------------------------------------------


async def test_listers_give_what_the_server_gives(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    for name, app in (("a", "web"), ("b", "web"), ("c", "db")):
        await pods.create(pod(name, labels={"app": app}))
    async with kube.informers(namespace=namespace) as factory:
        lister = factory.core_v1.pods().lister
        await synced(factory)
        for selector in ("", "app=web", "app!=web", "app in (web, db)", "!app", "app=none"):
            listed = (await pods.list(label_selector=selector)).items
            assert sorted(lister.list(selector), key=lambda each: each.metadata.name) == listed
        assert lister.get(namespace, "c") == await pods.get("c")
        assert lister.in_namespace(namespace).get("c") is lister.get(namespace, "c")
        with pytest.raises(NotFound) as local:
            lister.get(namespace, "missing")
        with pytest.raises(NotFound) as remote:
            await pods.get("missing")
        assert local.value.message == remote.value.message


async def test_a_cached_object_is_copied_and_written(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    async with kube.informers(namespace=namespace) as factory:
        lister = factory.apps_v1.deployments().lister
        await synced(factory)
        cached = lister.get(namespace, "web")
        changed = deep_copy(cached)
        changed.spec.replicas = 3
        changed.metadata.resource_version = ""  # a controller manager may write the status
        await deployments.update(changed)
        await holds(lambda: lister.get(namespace, "web").spec.replicas == 3)
        assert cached.spec.replicas == 0


async def test_an_index_follows(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("a", {"colour": "red"}))
    await maps.create(config_map("b", {"colour": "red"}))
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.core_v1.config_maps()
        informer.add_index("colour", lambda obj: [*filter(None, [obj.data.get("colour")])])
        await synced(factory)

        def coloured(colour: str) -> list[str]:
            return names(informer.indexer.by_index("colour", colour))

        assert coloured("red") == ["a", "b"]
        await maps.patch("a", data(colour="blue"))
        await holds(lambda: coloured("blue") == ["a"])
        assert coloured("red") == ["b"]
        await maps.delete("b")
        await holds(lambda: not coloured("red"))
        assert informer.indexer.index_values("colour") == ["blue"]


async def test_a_transform_makes_objects_smaller(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"key": "before"}))
    assert made.metadata.managed_fields
    async with kube.informers(namespace=namespace, transform=drop_managed_fields) as factory:
        lister = factory.core_v1.config_maps().lister
        await synced(factory)
        assert lister.get(namespace, "one").metadata.managed_fields == []
        await maps.patch("one", data(key="after"))
        await holds(lambda: lister.get(namespace, "one").data == {"key": "after"})
        assert lister.get(namespace, "one").metadata.managed_fields == []


async def test_a_late_handler_receives_existing_objects(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        await synced(factory)
        late, choosy = Told(), Told()
        registration = informer.add_handler(late.on_add, late.on_update, late.on_delete)
        informer.add_handler(choosy.on_add, filter=lambda obj: obj.metadata.name == "two")
        assert await registration.wait_for_sync(LONG)
        assert late.all == [("initial", "one")]
        registration.remove()
        await maps.create(config_map("two", labels={"test": "yes"}))
        await choosy.are(("added", "two"))
        assert late.all == [("initial", "one")]


async def test_a_resync_tells_of_everything_again(kube: AsyncClientset, namespace: str) -> None:
    await kube.core_v1.config_maps(namespace).create(config_map("one"))
    same: list[bool] = []
    async with kube.informers(namespace=namespace, resync_period=1) as factory:
        informer = factory.core_v1.config_maps(field_selector="metadata.name=one")
        informer.add_handler(on_update=lambda old, new: same.append(old is new))
        await synced(factory)
        await holds(lambda: len(same) >= 2)
    assert all(same)


# ---- what goes wrong --------------------------------------------------------------------------


async def test_a_cache_outlives_its_watches(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends every watch after a second; not a change is lost or comes twice."""
    monkeypatch.setattr(reflector_state, "MIN_STREAM_SECONDS", 1)
    asked = log_requests(kube, monkeypatch)
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"number": "0"}, {"test": "yes"}))
    values: list[int] = []
    told = Told()
    written = 0
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        informer.add_handler(on_update=lambda _, new: values.append(int(new.data["number"])))
        told.listen(informer)
        await synced(factory)

        async def write_until_reopened() -> bool:
            nonlocal written
            written += 1
            await maps.patch("one", data(number=str(written)))
            return len(asked) >= 4

        await async_until(write_until_reopened)
        await maps.delete("one")
        await holds(lambda: told.all[-1] == ("deleted", "one"))

    assert values == list(range(1, written + 1))
    assert ["sendInitialEvents" in each for each in asked[:3]] == [True, False, False]
    assert informer.watch_errors == 0


async def test_a_version_that_the_server_forgot_is_caught_up_with(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deletion is missed: the watch resumes from a version that is compacted."""
    monkeypatch.setattr(reflector_state, "MIN_STREAM_SECONDS", 1)
    maps = kube.core_v1.config_maps(namespace)
    for name in ("gone", "kept", "changed"):
        await maps.create(config_map(name, labels={"test": "yes"}))
    missed: list[DeletedFinalStateUnknown[ConfigMap]] = []
    told = Told()
    stream = kube.rest.stream

    async def change_and_stream(request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        if "sendInitialEvents" not in request.target and not changed:
            changed.append(request.target)
            await maps.delete("gone")
            await maps.patch("changed", data(key="value"))
            version = parse_qs(urlsplit(request.target).query)["resourceVersion"][0]
            old = request.target.replace(f"resourceVersion={version}", "resourceVersion=1")
            assert old != request.target
            request = HttpRequest(request.method, old, request.headers, request.body)
        return await stream(request, *arguments, **options)

    changed: list[str] = []
    monkeypatch.setattr(kube.rest, "stream", change_and_stream)
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        informer.add_handler(told.on_add, told.on_update, told.on_delete, missed.append)
        await synced(factory)
        await holds(lambda: missed)
        await holds(lambda: ("updated", "changed") in told.all)

        assert [tombstone.key for tombstone in missed] == [f"{namespace}/gone"]
        assert missed[0].object is not None
        assert missed[0].object.metadata.name == "gone"
        assert [what for what, _ in told.all].count("initial") == 3
        assert names(informer.lister.list()) == ["changed", "kept"]


@pytest.mark.parametrize("page_size", [3, 500])
async def test_a_server_without_initial_events_is_listed(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch, page_size: int
) -> None:
    monkeypatch.setattr(reflector_state, "PAGE_SIZE", page_size)
    maps = kube.core_v1.config_maps(namespace)
    for number in range(7):
        await maps.create(config_map(f"map-{number}", labels={"test": "yes"}))
    stream = kube.rest.stream

    async def refuse_initial_events(request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        # What the server says to options that do not go together.
        target = request.target.replace("resourceVersionMatch=NotOlderThan", "limit=1")
        request = HttpRequest(request.method, target, request.headers, request.body)
        return await stream(request, *arguments, **options)

    monkeypatch.setattr(kube.rest, "stream", refuse_initial_events)
    asked = log_requests(kube, monkeypatch)
    told = Told()
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        told.listen(informer)
        await synced(factory)
        assert names(informer.lister.list()) == [f"map-{number}" for number in range(7)]
        await maps.delete("map-3")
        await holds(lambda: told.all[-1] == ("deleted", "map-3"))

    lists = [each for each in asked if "watch" not in each]
    assert lists[0]["limit"] == str(page_size)
    assert {what for what, _ in told.all[:7]} == {"initial"}


async def test_a_forbidden_watch_is_reported_and_resumes_once_allowed(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    await kube.core_v1.config_maps(namespace).create(config_map("one"))
    errors: list[Exception] = []
    async with (
        AsyncClientset.from_config(kubeconfig, impersonate_user=USER) as other,
        other.informers(namespace=namespace) as factory,
    ):
        informer = factory.core_v1.config_maps(field_selector="metadata.name=one")
        informer.on_watch_error(errors.append)
        factory.start()
        await holds(lambda: errors)
        assert isinstance(errors[0], Forbidden)
        with pytest.raises(SyncTimeout, match=r"403 Forbidden.*needs the rule.*configmaps"):
            await factory.wait_for_sync(0)
        assert informer.watch_errors >= 1
        await allow(kube, namespace, "list", "watch")
        await synced(factory)
        assert names(informer.lister.list()) == ["one"]


async def allow(kube: AsyncClientset, namespace: str, *verbs: str) -> None:
    """Let USER do something with config maps of the namespace."""
    rule = PolicyRule(api_groups=[""], resources=["configmaps"], verbs=[*verbs])
    metadata = ObjectMeta(name="informer")
    await kube.rbac_v1.roles(namespace).create(Role(metadata=metadata, rules=[rule]))
    group = "rbac.authorization.k8s.io"
    binding = RoleBinding(
        metadata=metadata,
        role_ref=RoleRef(api_group=group, kind="Role", name="informer"),
        subjects=[Subject(api_group=group, kind="User", name=USER)],
    )
    await kube.rbac_v1.role_bindings(namespace).create(binding)


async def test_an_unserved_resource_fails_every_pass(kube: AsyncClientset) -> None:
    errors: list[Exception] = []
    nothing = Resource("nothing.clientgen.example", "v1", "widgets", "Widget", namespaced=True)
    async with kube.informers() as factory:
        informer = factory.informer(nothing, Widget, WidgetList)
        informer.on_watch_error(errors.append)
        factory.start()
        await holds(lambda: len(errors) >= 2)  # it does not give up
        assert all(isinstance(each, ApiError) and each.code == 404 for each in errors)
        assert not informer.has_synced()


async def test_an_informer_that_stops_is_silent(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    told = Told()
    async with kube.informers(namespace=namespace, label_selector="test") as factory:
        informer = factory.core_v1.config_maps()
        told.listen(informer)
        await synced(factory)
        await told.are(("initial", "one"))
    await maps.create(config_map("two", labels={"test": "yes"}))
    assert told.all == [("initial", "one")]
    assert informer.is_stopped
    assert names(informer.lister.list()) == ["one"]
    with pytest.raises(RuntimeError, match="shut down"):
        factory.start()


# ---- kinds ------------------------------------------------------------------------------------


class AsyncWidgetClient(AsyncResourceClient):
    """As the generator would write it."""

    resource = WIDGETS

    async def create(self, body: Widget, **options: Unpack[WriteOptions]) -> Widget:
        return await self._create(Widget, body, options)

    async def patch(self, name: str, patch: Patch, **options: Unpack[PatchOptions]) -> Widget:
        return await self._patch(Widget, name, patch, options)


@pytest.mark.usefixtures("widgets")
async def test_custom_resources_are_followed(kube: AsyncClientset, namespace: str) -> None:
    told, blue = Told(), Told()
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.informer(WIDGETS, Widget, WidgetList)
        selected = factory.informer(WIDGETS, Widget, WidgetList, field_selector="spec.color=blue")
        told.listen(informer)
        blue.listen(selected)
        await synced(factory)
        client = AsyncWidgetClient(kube.rest, namespace)
        await client.create(widget("one", color="red", replicas=1))
        await client.create(widget("two", color="blue"))
        await client.patch("one", MergePatch({"spec": {"color": "blue"}}))
        await told.are(("added", "one"), ("added", "two"), ("updated", "one"))
        await blue.are(("added", "two"), ("added", "one"))
        cached: Widget = informer.lister.get(namespace, "one")
        assert (cached.spec.color, cached.spec.replicas) == ("blue", 1)


@pytest.mark.usefixtures("widgets")
async def test_factories_share_informers(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kube.apps_v1.deployments(namespace).create(deployment("web"))
    asked = log_requests(kube, monkeypatch)
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.apps_v1.deployments()
        by_name = factory.for_resource("apps/v1/deployments")
        by_gvr = factory.for_resource(GroupVersionResource("apps", "v1", "deployments"))
        assert informer is by_name is by_gvr is factory.apps_v1.deployments()
        assert informer is not factory.apps_v1.deployments(label_selector="app=web")
        await synced(factory)
        assert len(asked) == 2
        assert split_key(*informer.indexer.keys()) == (namespace, "web")
        # One that is asked for later is started by the next start.
        widgets = factory.informer(WIDGETS, Widget, WidgetList)
        assert not widgets.is_started
        await synced(factory)
        assert (widgets.has_synced(), len(asked)) == (True, 3)
