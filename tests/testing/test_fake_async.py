"""Fake clientsets as tests of controllers use them; `test_fake_sync` runs the same on threads."""

# ruff: noqa: PT012

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apiextensions.v1 import CustomResourceDefinition
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import ConfigMap, Container, Node, Pod, PodSpec, PodStatus, PodTemplateSpec
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime import MergePatch, errors
from clientgen.testing import Action, FakeClock, FakeCluster, cluster_of, fake_clientset


@pytest.fixture(autouse=True)
def no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resume watches at once."""
    monkeypatch.setattr("clientgen.runtime._http.retry.Backoff.delay", lambda self: 0.0)


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


def pod(name: str = "web-0", namespace: str = "default", **labels: str) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace=namespace, labels=labels),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )


def config(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def said(cluster: FakeCluster) -> list[str]:
    return [str(action) for action in cluster.actions]


# ---- clientsets -------------------------------------------------------------------------------


async def test_a_fake_clientset_holds_what_it_is_given():
    k = fake_clientset(AsyncClientset, pod("web-0"), pod("web-1", "shop"))
    pods = await k.core_v1.pods().list()
    names = [(each.metadata.namespace, each.metadata.name) for each in pods.items]
    assert names == [("default", "web-0"), ("shop", "web-1")]
    assert (await k.core_v1.namespaces().get("shop")).status.phase == "Active"


async def test_its_cluster_is_one_call_away():
    k = fake_clientset(AsyncClientset, pod())
    await k.core_v1.pods("default").delete("web-0")
    assert said(cluster_of(k)) == ["delete pods default/web-0"]
    assert cluster_of(k.rest) is cluster_of(k)


def test_other_objects_lead_to_no_cluster():
    with pytest.raises(ValueError, match="is not connected to a FakeCluster"):
        cluster_of(object())


async def test_clusters_know_nothing_of_each_other():
    one, other = fake_clientset(AsyncClientset, pod()), fake_clientset(AsyncClientset)
    await one.core_v1.pods("default").get("web-0")
    with pytest.raises(errors.NotFound):
        await other.core_v1.pods("default").get("web-0")


async def test_a_clientset_can_be_closed_and_the_cluster_stays(cluster: FakeCluster):
    async with cluster.clientset(AsyncClientset) as k:
        await k.core_v1.config_maps("default").create(config("colours", sky="blue"))
    k = cluster.clientset(AsyncClientset)
    assert (await k.core_v1.config_maps("default").get("colours")).data == {"sky": "blue"}


async def test_client_options_are_heeded(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset, user_agent="robot/1", warning_handler=None)
    made = await k.core_v1.config_maps("default").create(config("colours", sky="blue"))
    assert [each.manager for each in made.metadata.managed_fields] == ["robot"]


async def test_server_refusals_are_raised(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    await k.core_v1.config_maps("default").create(config("colours"))
    with pytest.raises(errors.AlreadyExists):
        await k.core_v1.config_maps("default").create(config("colours"))
    with pytest.raises(errors.Invalid):
        await k.core_v1.config_maps("default").create(config("No Such Name"))


# ---- seeding ----------------------------------------------------------------------------------


async def test_objects_may_bring_status_and_uid(cluster: FakeCluster):
    seed = pod()
    seed.metadata.uid = "11111111-2222-3333-4444-555555555555"
    seed.status = PodStatus(phase="Running", pod_ip="10.0.0.7")
    cluster.add(seed)
    created = await cluster.clientset(AsyncClientset).core_v1.pods("default").get("web-0")
    assert created.metadata.uid == "11111111-2222-3333-4444-555555555555"
    assert (created.status.phase, created.status.pod_ip) == ("Running", "10.0.0.7")
    assert created.metadata.creation_timestamp is not None


async def test_objects_may_be_dicts_and_come_later(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    assert [each.metadata.name for each in (await k.core_v1.nodes().list()).items] == ["n1"]


async def test_watches_see_what_is_added(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    listed = await k.core_v1.pods().list()
    cluster.add(pod())
    async with k.core_v1.pods().watch(resource_version=listed.metadata.resource_version) as watch:
        async for event in watch:
            assert (event.type, event.object.metadata.name) == ("ADDED", "web-0")
            break


async def test_seeding_is_no_action(cluster: FakeCluster):
    cluster.add(pod())
    assert cluster.actions == []


@pytest.mark.parametrize(
    ("seed", "why"),
    [
        ({"apiVersion": "shop/v1", "kind": "Order", "metadata": {"name": "x"}}, "not served"),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {}}, "metadata.name"),
    ],
)
def test_objects_that_cannot_be_stored_are_reported(cluster: FakeCluster, seed: Any, why: str):
    with pytest.raises(ValueError, match=why):
        cluster.add(seed)


def cups() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"size": {"type": "integer", "default": 3}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cups.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": {"plural": "cups", "kind": "Cup"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}
                    },
                }
            ],
        },
    }


async def test_custom_resources_are_served_once_their_definition_is_given():
    text = "\napiVersion: shop.example/v1\nkind: Cup\nmetadata: {name: blue}\nspec: {}\n"
    cluster = FakeCluster(crds=[cups()])
    cluster.apply_manifests(text)
    k = cluster.clientset(AsyncClientset)
    crd = await k.apiextensions_v1.custom_resource_definitions().get("cups.shop.example")
    assert crd.spec.names.kind == "Cup"
    stored = cluster.server.cluster.list("shop.example", "cups")
    assert [each["spec"] for each in stored] == [{"size": 3}]


@pytest.mark.parametrize("status", [None, {"storedVersions": None}, {"storedVersions": []}])
async def test_a_definition_that_was_given_can_be_changed(status: Any):
    """Generators of definitions leave an empty status in them."""
    given = cups() if status is None else {**cups(), "status": status}
    k = FakeCluster(crds=[given]).clientset(AsyncClientset)
    definitions = k.apiextensions_v1.custom_resource_definitions()
    changed = await definitions.get("cups.shop.example")
    assert changed.status.stored_versions == ["v1"]

    def shorten(crd: CustomResourceDefinition) -> None:
        crd.spec.names.short_names = ["cp"]

    edited = await definitions.edit("cups.shop.example", shorten)
    assert edited.spec.names.short_names == ["cp"]
    applied = await definitions.apply(
        {**cups(), "metadata": {"name": "cups.shop.example", "labels": {"a": "b"}}},
        field_manager="tests",
        force=True,
    )
    assert (applied.metadata.labels, applied.status.stored_versions) == ({"a": "b"}, ["v1"])


async def test_uids_can_be_the_same_in_every_run():
    uids: set[str] = set()
    for _ in range(2):
        k = FakeCluster(pod(), seed=7).clientset(AsyncClientset)
        uids.add((await k.core_v1.pods("default").get("web-0")).metadata.uid or "")
    assert len(uids) == 1


# ---- actions ----------------------------------------------------------------------------------


async def test_actions_are_noted_in_order(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    maps = k.core_v1.config_maps("default")
    await maps.list(label_selector="app=web")
    await maps.create(config("colours"))
    await maps.patch("colours", MergePatch({"data": {"sky": "blue"}}))
    await maps.edit("colours", lambda each: each.data.update(sky="grey"))
    await k.core_v1.nodes().list()
    await k.core_v1.pods().list()
    await maps.delete("colours")
    assert said(cluster) == [
        "list configmaps default",
        "create configmaps default/colours",
        "patch configmaps default/colours",
        "get configmaps default/colours",
        "patch configmaps default/colours",
        "list nodes",
        "list pods",
        "delete configmaps default/colours",
    ]
    assert [str(each) for each in cluster.writes] == [
        "create configmaps default/colours",
        "patch configmaps default/colours",
        "patch configmaps default/colours",
        "delete configmaps default/colours",
    ]


async def test_an_action_says_all_about_a_request(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    body = config("colours", sky="blue")
    await k.core_v1.config_maps("default").apply(body, field_manager="me", force=True)
    assert cluster.actions == [
        Action(
            "patch",
            group="",
            version="v1",
            resource="configmaps",
            namespace="default",
            name="colours",
            object={
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "colours"},
                "data": {"sky": "blue"},
            },
            options={"fieldManager": "me", "force": "true"},
            patch_type="apply",
        )
    ]
    assert cluster.actions[0].decode(ConfigMap).data == {"sky": "blue"}


async def test_old_actions_keep_their_bodies(cluster: FakeCluster):
    configs = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    for number in range(260):  # more than are kept uncompressed
        await configs.create(config(f"config-{number}", text="ü" * 1000, number=str(number)))
    first, last = cluster.actions[0], cluster.actions[-1]
    assert (first.name, last.name) == ("config-0", "config-259")
    assert first.object["data"] == {"text": "ü" * 1000, "number": "0"}
    assert first.object is first.object
    assert last.decode(ConfigMap).data["number"] == "259"


async def test_subresources_are_told_from_their_objects(cluster: FakeCluster):
    cluster.add(web_deployment())
    k = cluster.clientset(AsyncClientset)
    scale = await k.apps_v1.deployments("default").scale("web").get()
    scale.spec.replicas = 3
    await k.apps_v1.deployments("default").scale("web").update(scale)
    assert said(cluster) == [
        "get deployments.apps/scale default/web",
        "update deployments.apps/scale default/web",
    ]


def web_deployment() -> Deployment:
    labels = {"app": "web"}
    return Deployment(
        metadata=ObjectMeta(name="web", namespace="default"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels=labels),
            template=PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=pod().spec),
        ),
    )


async def test_actions_can_be_forgotten(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    await k.core_v1.pods().list()
    cluster.clear_actions()
    await k.core_v1.nodes().list()
    assert said(cluster) == ["list nodes"]


async def test_the_namespace_itself_is_no_content_of_it(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    await k.core_v1.namespaces().get("default")
    assert said(cluster) == ["get namespaces default"]


# ---- reactions --------------------------------------------------------------------------------


async def test_an_error_class_is_raised(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.react("create", "configmaps", errors.Conflict, times=1)
    with pytest.raises(errors.Conflict, match='"colours"') as caught:
        await k.core_v1.config_maps("default").create(config("colours"))
    assert caught.value.code == 409
    assert (await k.core_v1.config_maps("default").create(config("colours"))).metadata.uid


ERRORS = [
    getattr(errors, name)
    for name in errors.__all__
    if isinstance(getattr(errors, name), type)
    and issubclass(getattr(errors, name), errors.ApiError)
    and name != "ApiError"
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
async def test_every_error_of_the_api_arrives_as_what_it_is(error: type[errors.ApiError]):
    cluster = FakeCluster()
    cluster.react("get", "nodes", error)
    with pytest.raises(error) as caught:
        await cluster.clientset(AsyncClientset).core_v1.nodes().get("n1")
    assert type(caught.value) is error


async def test_an_error_that_was_met_elsewhere_is_raised_again(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    with pytest.raises(errors.Invalid) as caught:
        await k.core_v1.config_maps("default").create(config("No Such Name"))
    cluster.react("update", "*", caught.value)
    with pytest.raises(errors.Invalid) as again:
        await k.core_v1.config_maps("default").update(config("colours"))
    assert [each.field for each in again.value.causes] == ["metadata.name"]


async def test_an_object_is_answered(cluster: FakeCluster):
    cluster.react("get", "nodes", Node(metadata=ObjectMeta(name="made-up")))
    k = cluster.clientset(AsyncClientset)
    assert (await k.core_v1.nodes().get("n1")).metadata.name == "made-up"


async def test_a_function_decides(cluster: FakeCluster):
    def refuse_more_than_three(action: Action) -> object:
        return errors.Forbidden if action.object["spec"]["replicas"] > 3 else None

    cluster.add(web_deployment())
    cluster.react("update", "deployments/scale", refuse_more_than_three)
    client = cluster.clientset(AsyncClientset).apps_v1.deployments("default").scale("web")
    scale = await client.get()
    scale.spec.replicas = 3
    scale = await client.update(scale)
    scale.spec.replicas = 4
    with pytest.raises(errors.Forbidden):
        await client.update(scale)


async def test_exceptions_of_a_reactor_are_raised(cluster: FakeCluster):
    def broken(action: Action) -> object:
        raise AssertionError(f"nobody should {action}")

    cluster.react("delete", "*", broken)
    with pytest.raises(AssertionError, match="nobody should delete nodes n1"):
        await cluster.clientset(AsyncClientset).core_v1.nodes().delete("n1")


async def test_a_function_that_answers_nonsense_is_named(cluster: FakeCluster):
    cluster.react("get", "nodes", lambda _: "nonsense")
    with pytest.raises(
        TypeError,
        match="get nodes n1 must return an object, an error or None, not 'nonsense'",
    ):
        await cluster.clientset(AsyncClientset).core_v1.nodes().get("n1")


async def test_the_latest_reaction_comes_first_and_may_pass_on(cluster: FakeCluster):
    order: list[str] = []
    cluster.react("get", "nodes", lambda _: order.append("first") or errors.Forbidden)
    cluster.react("get", "nodes", lambda _: order.append("second"))
    with pytest.raises(errors.Forbidden):
        await cluster.clientset(AsyncClientset).core_v1.nodes().get("n1")
    assert order == ["second", "first"]


async def test_a_reaction_may_use_the_cluster(cluster: FakeCluster):
    def bind(action: Action) -> None:
        cluster.add(pod("helper"))

    cluster.react("create", "pods", bind, times=1)
    k = cluster.clientset(AsyncClientset)
    await k.core_v1.pods("default").create(pod())
    names = [each.metadata.name for each in (await k.core_v1.pods().list()).items]
    assert names == ["helper", "web-0"]


async def test_a_reaction_can_be_taken_back(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    rule = cluster.react("list", "nodes", errors.Forbidden)
    with pytest.raises(errors.Forbidden):
        await k.core_v1.nodes().list()
    rule.remove()
    await k.core_v1.nodes().list()
    assert rule.hits == 1
    cluster.react("*", "*", errors.Forbidden)
    cluster.clear_reactions()
    await k.core_v1.nodes().list()


@pytest.mark.parametrize("reaction", ["nonsense", None, ValueError, errors.ClientError])
def test_invalid_reactions_are_refused(cluster: FakeCluster, reaction: Any):
    with pytest.raises(TypeError, match="a reaction must be"):
        cluster.react("get", "pods", reaction)


def test_zero_times_is_refused(cluster: FakeCluster):
    with pytest.raises(ValueError, match="times=0"):
        cluster.fail("get", "pods", 500, times=0)


# ---- faults -----------------------------------------------------------------------------------


async def test_requests_fail_as_often_as_they_should(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.fail("list", "pods", 500, times=2, message="the disk is full")
    for _ in range(2):
        with pytest.raises(errors.InternalError, match="the disk is full"):
            await k.core_v1.pods().list()
    await k.core_v1.pods().list()


async def test_clients_try_again_when_they_are_asked_to(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.fail("*", "*", 429, times=3, retry_after=0)
    await k.core_v1.pods().list()
    assert said(cluster) == ["list pods"] * 4


def test_a_code_that_is_no_error_is_refused(cluster: FakeCluster):
    with pytest.raises(ValueError, match="200 is not an HTTP error code"):
        cluster.fail("get", "pods", 200)


async def test_a_connection_that_breaks_before_is_as_if_nothing_was_asked(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.fail("create", "*", errors.ConnectionLost)
    maps = k.core_v1.config_maps("default")
    with pytest.raises(errors.ConnectionLost):
        await maps.create(config("colours"))
    with pytest.raises(errors.NotFound):
        await maps.get("colours")


async def test_a_write_whose_answer_is_cut_in_half_was_done(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.cut("create", "configmaps")
    maps = k.core_v1.config_maps("default")
    with pytest.raises(errors.ConnectionLost):
        await maps.create(config("colours"))
    assert (await maps.get("colours")).metadata.name == "colours"


async def test_a_watch_goes_on_after_its_connection_broke(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.add(pod("a"))
    seen: list[str] = []
    async with k.core_v1.pods().watch(resource_version="1") as watch:
        cluster.compact()
        with pytest.raises(errors.Expired):
            async for _ in watch:
                pass
    version = (await k.core_v1.pods().list()).metadata.resource_version
    async with k.core_v1.pods().watch(resource_version=version) as watch:
        cluster.add(pod("b"))
        async for event in watch:
            seen.append(event.object.metadata.name or "")
            if event.object.metadata.name == "d":
                break
            assert cluster.drop_watches("pods") == 1
            cluster.add(pod("c") if len(seen) == 1 else pod("d"))
    assert seen == ["b", "c", "d"]
    assert said(cluster).count("watch pods") == 4


async def test_watches_cut_at_random_bytes_lose_and_repeat_nothing(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    version = (await k.core_v1.config_maps().list()).metadata.resource_version
    rule = cluster.cut("watch", "configmaps", after=Random(4), times=20)
    maps = k.core_v1.config_maps("default")
    for number in range(40):
        await maps.create(config(f"map-{number}"))
    seen: list[str] = []
    async with k.core_v1.config_maps().watch(resource_version=version) as watch:
        async for event in watch:
            seen.append(event.object.metadata.name or "")
            if len(seen) == 40:
                break
    assert seen == [f"map-{number}" for number in range(40)]
    assert rule.hits > 3


async def test_events_can_come_twice(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    version = (await k.core_v1.pods().list()).metadata.resource_version
    cluster.duplicate_events("pods", times=1)
    cluster.add(pod("a"), pod("b"))
    seen: list[str] = []
    async with k.core_v1.pods().watch(resource_version=version) as watch:
        async for event in watch:
            seen.append(event.object.metadata.name or "")
            if len(seen) == 3:
                break
    assert seen == ["a", "a", "b"]


async def test_an_open_watch_can_be_told_that_it_is_too_late(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    version = (await k.core_v1.pods().list()).metadata.resource_version
    async with k.core_v1.pods().watch(resource_version=version) as watch:
        cluster.add(pod("a"))
        with pytest.raises(errors.Expired):
            async for event in watch:
                assert event.object.metadata.name == "a"
                assert cluster.end_watches("pods", expired=True) == 1


async def test_after_a_restart_nothing_of_before_is_known(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.add(pod("a"))
    version = (await k.core_v1.pods().list()).metadata.resource_version
    cluster.add(pod("b"))
    async with k.core_v1.pods().watch(resource_version=version) as watch:
        with pytest.raises(errors.Expired):
            async for _ in watch:
                cluster.add(pod("c"))
                cluster.restart()
    assert len((await k.core_v1.pods().list()).items) == 3


async def test_a_stopped_watch_leaves_nothing_behind(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.add(pod())
    async with k.core_v1.pods().watch() as watch:
        async for _ in watch:
            break
        assert cluster.drop_watches() == 1
    assert cluster.drop_watches() == 0


async def test_closing_a_clientset_ends_its_watches(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    cluster.add(pod())
    watch = k.core_v1.pods().watch()
    async with k:
        async for _ in watch:
            break
    assert cluster.drop_watches() == 0
    await watch.aclose()


async def test_an_answer_that_takes_too_long_is_given_up(cluster: FakeCluster):
    cluster.delay(30, "get", "nodes")
    with pytest.raises(errors.RequestTimeout):
        await cluster.clientset(AsyncClientset).core_v1.nodes().get("n1", timeout=0.01)


async def test_a_delayed_answer_comes(cluster: FakeCluster):
    cluster.delay(0.01, "list", "nodes")
    assert (await cluster.clientset(AsyncClientset).core_v1.nodes().list()).items == []


# ---- time -------------------------------------------------------------------------------------


async def test_objects_are_made_at_the_time_of_the_clock():
    clock = FakeClock()
    clock.step(60)
    k = fake_clientset(AsyncClientset, clock=clock)
    made = await k.core_v1.config_maps("default").create(config("colours"))
    assert made.metadata.creation_timestamp == clock.now()
