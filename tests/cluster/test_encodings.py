"""What values look like on the wire: times, quantities, bytes, and kinds of an odd shape."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from clusterkit.objects import config_map, pod
from kubeapi import AsyncClientset
from kubeapi.coordination.v1.models import Lease, LeaseSpec
from kubeapi.core.v1 import models as core
from kubeapi.core.v1.models import (
    ConfigMap,
    ObjectReference,
    ResourceQuota,
    ResourceQuotaSpec,
    ResourceRequirements,
    Secret,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubeapi.events.v1 import models as events
from kubeapi.networking.v1.models import (
    NetworkPolicy,
    NetworkPolicyIngressRule,
    NetworkPolicyPeer,
    NetworkPolicyPort,
    NetworkPolicySpec,
)

from clientgen.runtime import MergePatch
from clientgen.runtime.errors import BadRequest, Invalid
from clientgen.runtime.models import (
    LabelSelector,
    ObjectMeta,
    Quantity,
    encode,
    from_dict,
    raw_value,
    to_dict,
)

pytestmark = pytest.mark.cluster

FULL_SECOND = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


# ---- times ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    [
        FULL_SECOND,
        FULL_SECOND + timedelta(microseconds=1),
        FULL_SECOND.astimezone(timezone(timedelta(hours=-3, minutes=-30))),
    ],
)
async def test_leases_take_any_moment(
    kube: AsyncClientset, namespace: str, moment: datetime
) -> None:
    """Servers want exactly six digits after the second: none at a full second is an error."""
    leases = kube.coordination_v1.leases(namespace)
    spec = LeaseSpec(acquire_time=moment, renew_time=moment, lease_duration_seconds=15)
    made = await leases.create(Lease(metadata=ObjectMeta(name="one"), spec=spec))
    assert (made.spec.acquire_time, made.spec.renew_time) == (moment, moment)
    made.spec.renew_time = moment + timedelta(seconds=10)
    assert (await leases.update(made)).spec.renew_time == moment + timedelta(seconds=10)

    def renew(it: Lease) -> None:
        it.spec.renew_time = moment + timedelta(seconds=20)

    assert (await leases.edit("one", renew)).spec.renew_time == moment + timedelta(seconds=20)
    body = Lease(spec=LeaseSpec(renew_time=moment))
    patched = await leases.patch("one", MergePatch(body))
    assert (patched.spec.renew_time, patched.spec.lease_duration_seconds) == (moment, 15)


async def test_times_are_whole_seconds(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    body = pod("one")
    body.status.start_time = FULL_SECOND + timedelta(microseconds=999_999)
    patch = MergePatch({"status": {"startTime": to_dict(body)["status"]["startTime"]}})
    patched = await pods.status("one").patch(patch)
    assert patched.status.start_time == FULL_SECOND


async def test_a_time_without_a_zone_never_leaves(kube: AsyncClientset, namespace: str) -> None:
    spec = LeaseSpec(renew_time=datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="zone"):
        await kube.coordination_v1.leases(namespace).create(
            Lease(metadata=ObjectMeta(name="one"), spec=spec)
        )


# ---- quantities -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("0.5", "500m"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("1e3", "1e3"),
        ("100m", "100m"),
        ("2", "2"),
        ("1500M", "1500M"),
        ("12E", "12E"),
    ],
)
async def test_quantities_are_stored_in_their_canonical_form(
    kube: AsyncClientset, namespace: str, given: str, stored: str
) -> None:
    quotas = kube.core_v1.resource_quotas(namespace)
    spec = ResourceQuotaSpec(hard={"requests.memory": Quantity(given)})
    made = await quotas.create(ResourceQuota(metadata=ObjectMeta(name="one"), spec=spec))
    quantity = made.spec.hard["requests.memory"]
    assert quantity == Quantity(given)
    assert (str(quantity), Quantity(given).canonical()) == (stored, stored)


async def test_quantities_may_be_numbers(kube: AsyncClientset, namespace: str) -> None:
    body = pod("one")
    requests = {"cpu": Quantity(1), "memory": Quantity("128Mi")}
    body.spec.containers[0].resources = ResourceRequirements(requests=requests)
    made = await kube.core_v1.pods(namespace).create(body)
    resources = made.spec.containers[0].resources
    assert resources is not None
    assert resources.requests == requests
    patch = {"spec": {"hard": {"cpu": 0.5}}}
    quotas = kube.core_v1.resource_quotas(namespace)
    await quotas.create(ResourceQuota(metadata=ObjectMeta(name="one")))
    patched = await quotas.patch("one", MergePatch(patch))
    assert patched.spec.hard == {"cpu": Quantity("500m")}


# ---- bytes and texts --------------------------------------------------------------------------


async def test_secrets_hold_any_bytes(kube: AsyncClientset, namespace: str) -> None:
    secrets = kube.core_v1.secrets(namespace)
    data = {"all": bytes(range(256)), "none": b"", "text": "sécret".encode(), "nul": b"\0"}
    made = await secrets.create(Secret(metadata=ObjectMeta(name="one"), data=data))
    assert made.data == data
    assert (await secrets.get("one")).data == data
    assert (await secrets.list(field_selector="metadata.name=one")).items[0].data == data
    assert made.type == "Opaque"
    shown = f"{made!r} {made.data and made}"
    assert "sécret" not in shown
    assert "c8OpY3JldA" not in shown

    def change(it: Secret) -> None:
        it.data["none"] = b"\xff\xfe"
        it.string_data["plain"] = "word"

    edited = await secrets.edit("one", change)
    assert edited.data == {**data, "none": b"\xff\xfe", "plain": b"word"}


async def test_config_maps_hold_binary_data_too(kube: AsyncClientset, namespace: str) -> None:
    body = ConfigMap(metadata=ObjectMeta(name="one"), binary_data={"b": b"\xff\x00"})
    made = await kube.core_v1.config_maps(namespace).create(body)
    assert made.binary_data == {"b": b"\xff\x00"}
    clash = ConfigMap(metadata=ObjectMeta(name="two"), data={"b": ""}, binary_data={"b": b""})
    with pytest.raises(Invalid):
        await kube.core_v1.config_maps(namespace).create(clash)


async def test_texts_survive_as_they_are(kube: AsyncClientset, namespace: str) -> None:
    data = {
        "quotes": '"\\/\b\f\n\r\t',
        "wide": "日本語 😀 \u2028 \x7f",
        "html": "<a&b>",
        "empty": "",
    }
    maps = kube.core_v1.config_maps(namespace)
    assert (await maps.create(config_map("one", data))).data == data
    edited = await maps.edit("one", lambda it: it.data.update(more="x"))
    assert edited.data == {**data, "more": "x"}


async def test_ports_are_numbers_or_names(kube: AsyncClientset, namespace: str) -> None:
    ports = [
        ServicePort(name="a", port=80, target_port=8080),
        ServicePort(name="b", port=81, target_port="http"),
    ]
    body = Service(metadata=ObjectMeta(name="one"), spec=ServiceSpec(ports=ports))
    made = await kube.core_v1.services(namespace).create(body)
    assert [each.target_port for each in made.spec.ports] == [8080, "http"]
    assert [each.protocol for each in made.spec.ports] == ["TCP", "TCP"]


async def test_empty_structs_are_said_where_they_are_set(
    kube: AsyncClientset, namespace: str
) -> None:
    """`podSelector: {}` is everybody, and `from: [{podSelector: {}}]` everybody of here."""
    peer = NetworkPolicyPeer(pod_selector=LabelSelector())
    rule = NetworkPolicyIngressRule(from_=[peer], ports=[NetworkPolicyPort(port=80)])
    spec = NetworkPolicySpec(pod_selector=LabelSelector(), ingress=[rule])
    policies = kube.networking_v1.network_policies(namespace)
    made = await policies.create(NetworkPolicy(metadata=ObjectMeta(name="one"), spec=spec))
    assert made.spec.ingress == [
        NetworkPolicyIngressRule(from_=[peer], ports=[NetworkPolicyPort(port=80, protocol="TCP")])
    ]
    assert made.spec.policy_types == ["Ingress"]


# ---- kinds with a shape of their own ----------------------------------------------------------


async def test_core_events_are_written_and_selected(kube: AsyncClientset, namespace: str) -> None:
    made = await kube.core_v1.events(namespace).create(
        core.Event(
            metadata=ObjectMeta(generate_name="event-"),
            involved_object=ObjectReference(kind="Pod", name="one", namespace=namespace),
            reason="Tested",
            message="it was",
            type="Normal",
            count=2,
            first_timestamp=FULL_SECOND,
            last_timestamp=FULL_SECOND,
            source=core.EventSource(component="clientgen-test"),
        )
    )
    assert (made.count, made.first_timestamp, made.event_time) == (2, FULL_SECOND, None)
    matching = await kube.core_v1.events(namespace).list(
        field_selector="involvedObject.name=one,reason=Tested"
    )
    assert [each.metadata.name for each in matching] == [made.metadata.name]
    newer = await kube.events_v1.events(namespace).get(made.metadata.name)
    assert (newer.note, newer.deprecated_count) == ("it was", 2)
    assert newer.regarding is not None
    assert newer.regarding.name == "one"


async def test_new_events_are_written_and_selected(kube: AsyncClientset, namespace: str) -> None:
    made = await kube.events_v1.events(namespace).create(
        events.Event(
            metadata=ObjectMeta(generate_name="event-"),
            event_time=FULL_SECOND,
            regarding=ObjectReference(kind="Pod", name="one", namespace=namespace),
            reporting_controller="clientgen.example/test",
            reporting_instance="test-1",
            action="Testing",
            reason="Tested",
            note="it was",
            type="Warning",
        )
    )
    assert made.event_time == FULL_SECOND
    matching = await kube.events_v1.events(namespace).list(field_selector="regarding.name=one")
    assert [each.metadata.name for each in matching] == [made.metadata.name]
    series = events.EventSeries(count=2, last_observed_time=FULL_SECOND + timedelta(seconds=1))

    def repeat(it: events.Event) -> None:
        it.series = series

    repeated = await kube.events_v1.events(namespace).edit(made.metadata.name, repeat)
    assert repeated.series == series
    older = await kube.core_v1.events(namespace).get(made.metadata.name)
    assert (older.event_time, older.message) == (FULL_SECOND, "it was")


async def test_components_can_be_read_only(kube: AsyncClientset) -> None:
    statuses = await kube.core_v1.component_statuses().list()
    assert statuses.kind == "ComponentStatusList"
    for component in statuses:
        assert (component.kind, component.metadata.namespace) == ("ComponentStatus", "")
        assert {condition.type for condition in component.conditions} == {"Healthy"}
        again = await kube.core_v1.component_statuses().get(component.metadata.name)
        assert again.metadata.name == component.metadata.name


async def test_unknown_fields_are_left_to_the_server(kube: AsyncClientset, namespace: str) -> None:
    body = from_dict(ConfigMap, {"metadata": {"name": "one"}, "data": {"n": 5}})
    assert b'"n":5' in encode(body)
    with pytest.raises(BadRequest, match="cannot unmarshal number"):
        await kube.core_v1.config_maps(namespace).create(body)


async def test_managed_fields_are_kept_to_the_byte(kube: AsyncClientset, namespace: str) -> None:
    made = await kube.core_v1.config_maps(namespace).create(config_map("one", {"a": "1"}))
    (entry,) = made.metadata.managed_fields
    assert raw_value(entry.fields_v1) == {"f:data": {".": {}, "f:a": {}}}
    assert (entry.operation, entry.api_version, entry.fields_type) == ("Update", "v1", "FieldsV1")
    assert entry.time is not None
