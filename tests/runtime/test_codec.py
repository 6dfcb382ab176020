"""Reading never refuses what a server sends; writing says what was set."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import gc
import json
import pickle
from copy import copy
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from clientgen.runtime._models import model_codec
from clientgen.runtime._models.meta_v1 import LabelSelector, ObjectMeta, Status
from clientgen.runtime._models.model import Model, Raw, field
from clientgen.runtime._models.model_codec import DecodeError
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime.errors import ClientError
from tests.runtime.sample_models import (
    Container,
    ControllerRevision,
    CustomResourceDefinition,
    Deployment,
    DeploymentSpec,
    EmptyDirVolumeSource,
    EphemeralVolumeSource,
    Event,
    Lease,
    LeaseSpec,
    NetworkPolicy,
    NetworkPolicySpec,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimTemplate,
    Pod,
    PodCondition,
    PodList,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    ResourceRequirements,
    Secret,
    SecretList,
    StatefulSet,
    StatefulSetSpec,
    Volume,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def wire(obj: object) -> Any:
    return json.loads(model_codec.encode(obj))


def read(model: type[Any], sent: object) -> Any:
    return model_codec.decode(json.dumps(sent).encode(), model)


# --- reading what is not as the model says ---


@pytest.mark.parametrize(
    ("spec", "attribute", "value"),
    [
        ({"nodeName": 5}, "node_name", 5),
        ({"nodeName": True}, "node_name", True),
        ({"priority": "high"}, "priority", "high"),
        ({"priority": 80.5}, "priority", 80.5),
        ({"priority": 2**70}, "priority", 2**70),
        ({"hostNetwork": "yes"}, "host_network", "yes"),
        ({"tolerations": "none"}, "tolerations", "none"),
        ({"nodeSelector": {"zone": 1}}, "node_selector", {"zone": 1}),
        ({"securityContext": "strict"}, "security_context", "strict"),
        ({"overhead": {"cpu": True}}, "overhead", {"cpu": True}),
    ],
)
def test_a_value_of_another_type_is_kept_as_sent(
    spec: dict[str, Any], attribute: str, value: object
) -> None:
    sent = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [], **spec}}
    pod = read(Pod, sent)
    assert getattr(pod.spec, attribute) == value
    assert wire(pod) == sent
    assert wire(model_codec.deep_copy(pod)) == sent


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeName": {"a": [1]}},
        {"nodeName": [1]},
        {"containers": {"name": "app"}},
        {"priority": {}},
        {"tolerations": [1, "a", {"key": 5}, [2]]},
        {"overhead": {"cpu": {"value": 1}}},
    ],
)
def test_an_object_or_list_in_place_of_something_else_goes_back_as_sent(
    spec: dict[str, Any],
) -> None:
    sent = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [], **spec}}
    assert wire(read(Pod, sent)) == sent


@pytest.mark.parametrize(
    "part", ['{"metadata": null}', '{"spec": null}', '{"status": null}', '{"kind": null}', "{}"]
)
def test_null_in_place_of_an_object_is_absent(part: str) -> None:
    pod = model_codec.decode(part.encode(), Pod)
    assert wire(pod) == {"apiVersion": "v1", "kind": "Pod"}
    assert pod.metadata.labels == {}


def test_null_inside_lists_and_maps_is_zero_as_in_go() -> None:
    sent = {
        "metadata": {"labels": {"a": None, "b": "c"}, "finalizers": [None]},
        "spec": {"containers": [None]},
    }
    pod = read(Pod, sent)
    assert pod.metadata.labels == {"a": "", "b": "c"}
    assert pod.metadata.finalizers == [""]
    assert pod.spec.containers == [Container(name="")]


def test_missing_and_null_required_fields_are_zero() -> None:
    decoded = read(Deployment, {"spec": {"template": None}})
    assert decoded.spec.selector.match_labels == {}
    assert decoded.spec.template.spec.containers == []
    status = read(Pod, {"status": {"containerStatuses": [{"ready": None}]}}).status
    assert (status.container_statuses[0].ready, status.container_statuses[0].name) == (False, "")


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (Pod, {"spec": {"nodeName": "a"}}),
        (Pod, {"spec": {"containers": [{"image": "b"}], "x-unknown": {"a": None}}}),
        (Pod, {"status": {"containerStatuses": [{"ready": True, "name": ""}]}}),
        (Event, {"series": {"count": 1}, "metadata": {"name": "a"}}),
    ],
)
def test_missing_required_fields_are_not_sent_back(kind: type[Model], sent: dict[str, Any]) -> None:
    decoded = read(kind, sent)
    types = {"apiVersion": wire(decoded)["apiVersion"], "kind": kind.__name__}

    assert wire(decoded) == {**types, **sent}
    assert wire(model_codec.deep_copy(decoded)) == wire(decoded)
    assert wire(pickle.loads(pickle.dumps(decoded))) == wire(decoded)
    assert wire(copy(decoded)) == wire(decoded)


class Weighted(Model):
    weight: int
    selector: LabelSelector
    template: PodTemplateSpec


class Placed(Model, partial=("term", "terms")):
    """A copy of a weighted term by a writer who never says what is required."""

    term: Weighted | None = None
    terms: list[Weighted] = field(default_factory=list)
    whole: Weighted | None = None


@pytest.mark.parametrize(
    "sent",
    [
        {"term": {"weight": 3}},
        {"terms": [{}, {"weight": 0, "selector": {}}, {"template": {"spec": {"nodeName": "a"}}}]},
        {"term": {"selector": {"matchLabels": {"a": "b"}}, "x-unknown": 1}},
    ],
)
def test_objects_that_are_required_and_were_not_sent_are_not_sent_back_if_partial(
    sent: dict[str, Any],
) -> None:
    decoded = read(Placed, sent)

    assert wire(decoded) == sent
    assert wire(model_codec.deep_copy(decoded)) == sent
    if decoded.term:
        decoded.term.template.spec.node_name = "b"
        assert wire(decoded)["term"]["template"]["spec"] == {"nodeName": "b", "containers": []}


def test_missing_fields_read_as_zero_until_set() -> None:
    pod = read(Pod, {"spec": {"nodeName": "a"}})
    assert pod.spec.containers == []
    assert pod.spec == PodSpec(node_name="a", containers=[])
    assert PodSpec(node_name="a", containers=[]) == pod.spec

    pod.spec.containers.append(Container(name="a"))
    assert wire(pod)["spec"] == {"nodeName": "a", "containers": [{"name": "a"}]}


def test_a_required_time_that_is_null_goes_back_as_null() -> None:
    event = read(Event, {"eventTime": None, "series": {"count": 1}})
    assert event.event_time == datetime(1, 1, 1, tzinfo=UTC)
    assert event.event_time < NOON
    assert wire(event)["eventTime"] is None
    assert wire(model_codec.deep_copy(event)) == wire(event)
    event.event_time = event.event_time.replace(year=2026)
    assert wire(event)["eventTime"] == "2026-01-01T00:00:00.000000Z"


@pytest.mark.parametrize("text", ["yesterday", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", ""])
def test_a_time_that_is_none_is_kept_as_text(text: str) -> None:
    sent = {"apiVersion": "v1", "kind": "Pod", "metadata": {"creationTimestamp": text}}
    assert wire(read(Pod, sent)) == sent
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {"renewTime": text}}
    assert wire(read(Lease, lease)) == lease


def test_bytes_that_are_no_base64_are_kept_as_text() -> None:
    secret = read(Secret, {"data": {"a": "YQ", "b": "Yg=="}})
    assert secret.data == {"a": "YQ", "b": b"b"}
    assert wire(secret)["data"] == {"a": "YQ", "b": "Yg=="}


def test_a_malformed_quantity_is_kept() -> None:
    sent = {"containers": [{"name": "a", "resources": {"limits": {"cpu": "1Zi", "memory": "1Gi"}}}]}
    pod = read(Pod, {"spec": sent})
    limits = pod.spec.containers[0].resources.limits
    assert limits["memory"] == Quantity("1Gi")
    assert str(limits["cpu"]) == "1Zi"
    assert wire(pod)["spec"] == sent


def test_a_number_no_python_number_can_hold_goes_back_as_sent() -> None:
    pod = model_codec.decode(b'{"spec":{"containers":[],"nodeName":1e999}}', Pod)
    assert b'"nodeName":1e999' in model_codec.encode(pod)


def test_unknown_fields_are_kept_at_every_level() -> None:
    sent = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "new": 1},
        "spec": {
            "containers": [{"name": "app", "new": {"a": [None]}}, {"name": "other"}],
            "volumes": [{"name": "v", "emptyDir": {"x-y": [], "$z": "", "class": 1}}],
            "node_name": "collides with the attribute",
            "unknown_0": "collides with the spare name",
        },
        "new": "top",
    }
    pod = read(Pod, sent)
    assert wire(pod) == sent
    assert wire(model_codec.deep_copy(pod)) == sent
    assert set(model_codec.unknown_fields(pod.spec)) == {"node_name", "unknown_0"}
    assert model_codec.unknown_fields(pod.spec.containers[1]) == {}
    assert bytes(pod.metadata.new) == b"1"


def test_objects_with_other_unknown_fields_each_keep_their_own() -> None:
    pods = [read(Pod, {f"new{number}": number}) for number in range(1100)]
    assert all(wire(pod)[f"new{number}"] == number for number, pod in enumerate(pods))


def test_only_the_odd_item_of_a_page_is_read_leniently() -> None:
    items = [
        {"metadata": {"name": "a"}},
        {"metadata": {"name": "b"}, "new": 1},
        {"spec": {"containers": None}},
        None,
        5,
    ]
    page = model_codec.decode_list(json.dumps({"items": items, "newer": True}).encode(), PodList)
    *pods, odd = cast("list[Any]", page.items)
    assert [type(pod) is Pod for pod in pods] == [True, False, True, True]
    assert odd == 5
    assert bytes(model_codec.unknown_fields(page)["newer"]) == b"true"


def test_schemas_nest() -> None:
    schema: dict[str, Any] = {"type": "string", "newer": 1}
    for _ in range(40):
        schema = {"properties": {"a": schema}, "not": {"default": None}}
    spec = {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}
    decoded = read(CustomResourceDefinition, {"spec": spec})
    assert wire(decoded)["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == schema
    assert model_codec.encode(model_codec.deep_copy(decoded)) == model_codec.encode(decoded)


# --- what is an error ---

NOT_OBJECTS = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"5",
    b"<html>",
    b'{"metadata":',
    b'{"kind":"Pod"} trailing',
    b'{"kind": "\xff"}',
    b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000,
    b"[" * 50_000,
]


@pytest.mark.parametrize("body", NOT_OBJECTS)
def test_anything_but_a_json_object_is_a_decode_error(body: bytes) -> None:
    for decode in (
        lambda: model_codec.decode(body, Pod),
        lambda: model_codec.decode_list(body, PodList),
        lambda: model_codec.decode_event(body, Pod),
    ):
        with pytest.raises(DecodeError) as caught:
            decode()
        assert isinstance(caught.value, ClientError)
        assert len(str(caught.value)) < 400


def test_the_message_shows_the_beginning_of_the_body() -> None:
    with pytest.raises(DecodeError, match=r"not a JSON Pod: .*<html>gateway"):
        model_codec.decode(b"<html>gateway", Pod)


def test_the_message_shows_nothing_of_a_secret() -> None:
    body = b'{"data": {"key": "cHJpdmF0ZQ=="}, "private"'
    for decode in (
        lambda: model_codec.decode(body, Secret),
        lambda: model_codec.decode_list(b'{"items": [' + body, SecretList),
        lambda: model_codec.decode_event(b'{"type": "ADDED", "object": ' + body, Secret),
    ):
        with pytest.raises(DecodeError) as caught:
            decode()
        assert "private" not in str(caught.value)
        assert "cHJpdmF0ZQ" not in str(caught.value)
        assert caught.value.__cause__ is None


# --- watching ---


@pytest.mark.parametrize("kind", ["ADDED", "MODIFIED", "DELETED"])
def test_an_event_holds_its_object(kind: str) -> None:
    line = json.dumps({"type": kind, "object": {"metadata": {"name": "a"}}}).encode()
    event = model_codec.decode_event(line, Pod)
    assert event.type == kind
    assert type(event.object) is Pod
    assert event.object.metadata.name == "a"


def test_an_event_with_an_odd_object_is_read_leniently() -> None:
    line = b'{"type":"ADDED","object":{"kind":"Pod","newer":1,"spec":{"containers":null}}}'
    event = model_codec.decode_event(line, Pod)
    assert isinstance(event.object, Pod)
    assert wire(event.object)["newer"] == 1


@pytest.mark.parametrize("model", [Pod, Secret])
def test_a_bookmark_is_metadata_only(model: type[Model]) -> None:
    meta = b'"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}'
    noise = b'"spec":{"containers":null},"status":{}'
    line = b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",' + meta + b"," + noise
    event = model_codec.decode_event(line + b"}}", model)
    assert isinstance(event.object, model)
    assert event.object.metadata.resource_version == "9"
    assert event.object.kind == "Pod"
    assert "spec" not in wire(event.object)


def test_an_error_event_holds_a_status() -> None:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired"}
    line = json.dumps({"type": "ERROR", "object": {**status, "metadata": {}, "code": 410}}).encode()
    event = model_codec.decode_event(line, Pod)
    assert isinstance(event.object, Status)
    assert (event.object.reason, event.object.code) == ("Expired", 410)


def test_an_event_without_an_object_is_a_decode_error() -> None:
    with pytest.raises(DecodeError):
        model_codec.decode_event(b'{"type": "ADDED"}', Pod)


# --- what is kept in memory ---


def _with_managed_fields(name: str, fields: str) -> dict[str, Any]:
    entry = {"manager": "kubelet", "fieldsV1": {fields: {}}}
    return {"metadata": {"name": name, "managedFields": [entry]}}


def test_equal_managed_fields_of_a_page_are_kept_once() -> None:
    items = [_with_managed_fields("a", "f:x"), _with_managed_fields("b", "f:x")]
    page = model_codec.decode_list(json.dumps({"items": items}).encode(), PodList)
    one, other = (pod.metadata.managed_fields[0].fields_v1 for pod in page)
    assert one is other


@pytest.mark.parametrize("newer", [{}, {"newer": {"a": 1}}])
def test_decoded_objects_do_not_keep_the_body_alive(newer: dict[str, Any]) -> None:
    schema = {"default": {"a": 1}, "enum": [1], "properties": {"p": {"items": {"type": "x"}}}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}, **newer}
    for model, sent in (
        (Pod, {**_with_managed_fields("a", "f:x"), **newer}),
        (ControllerRevision, {"revision": 1, "data": {"a": 1}, **newer}),
        (CustomResourceDefinition, {"spec": {"group": "g", "versions": [version]}}),
    ):
        body = bytearray(json.dumps(sent).encode())
        decoded = model_codec.decode(body, model)  # type: ignore[arg-type]
        expected = model_codec.encode(decoded)
        # A view of a bytearray would forbid this, or show it.
        body[:] = b" " * len(body)
        body.clear()
        assert model_codec.encode(decoded) == expected


@pytest.mark.parametrize("body", [b'{"items": []}', b'{"items": 5}', b"broken"])
def test_the_collector_is_as_it_was_after_reading_a_list(body: bytes) -> None:
    for switch in (gc.disable, gc.enable):
        switch()
        before = gc.isenabled()
        try:
            model_codec.decode_list(body, PodList)
        except DecodeError:
            assert body == b"broken"
        assert gc.isenabled() is before


# --- writing ---


def test_unset_fields_are_not_sent_at_any_depth() -> None:
    claim = PersistentVolumeClaim(spec=PersistentVolumeClaimSpec(storage_class_name=""))
    template = PersistentVolumeClaimTemplate(spec=PersistentVolumeClaimSpec())
    volume = Volume(name="v", ephemeral=EphemeralVolumeSource(volume_claim_template=template))
    stateful_set = StatefulSet(
        spec=StatefulSetSpec(
            selector=LabelSelector(),
            template=PodTemplateSpec(spec=PodSpec(containers=[], volumes=[volume])),
            volume_claim_templates=[claim, PersistentVolumeClaim()],
        )
    )
    assert wire(stateful_set)["spec"] == {
        "selector": {},
        "template": {
            "spec": {
                "containers": [],
                "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}],
            }
        },
        "volumeClaimTemplates": [{"spec": {"storageClassName": ""}}, {}],
    }


def test_emptiness_that_was_set_is_sent() -> None:
    volume = Volume(name="cache", empty_dir=EmptyDirVolumeSource())
    assert wire(volume) == {"name": "cache", "emptyDir": {}}
    policy = NetworkPolicy(spec=NetworkPolicySpec(pod_selector=LabelSelector()))
    assert wire(policy)["spec"] == {"podSelector": {}}
    deployment = Deployment(
        spec=DeploymentSpec(selector=LabelSelector(), template=PodTemplateSpec())
    )
    assert wire(deployment)["spec"] == {"selector": {}, "template": {}}


def test_reading_an_attribute_does_not_set_it() -> None:
    pod = Pod(metadata=ObjectMeta(name="a"))
    assert pod.status.conditions == []
    assert not pod.spec.node_selector.get("zone")
    assert wire(pod) == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def test_filling_an_object_nobody_set_sends_it() -> None:
    pod = Pod()
    pod.status.phase = "Running"
    assert wire(pod) == {"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Running"}}


def test_encoding_does_not_change_the_object() -> None:
    lease = Lease(spec=LeaseSpec(renew_time=NOON))
    before = model_codec.deep_copy(lease)
    assert model_codec.encode(lease) == model_codec.encode(lease)
    assert lease == before
    assert lease.spec.renew_time is NOON
    pod = Pod()
    model_codec.encode(pod)
    assert pod.status == PodStatus()


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (NOON, "2026-01-01T12:00:00.000000Z"),
        (NOON.replace(microsecond=120), "2026-01-01T12:00:00.000120Z"),
        (NOON.astimezone(timezone(timedelta(hours=2))), "2026-01-01T12:00:00.000000Z"),
        (NOON.astimezone(ZoneInfo("Europe/Berlin")), "2026-01-01T12:00:00.000000Z"),
        (
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            "0001-01-01T00:00:00.000000+02:00",
        ),
    ],
)
def test_a_micro_time_has_six_digits_and_a_zone(moment: datetime, text: str) -> None:
    assert wire(Lease(spec=LeaseSpec(renew_time=moment)))["spec"] == {"renewTime": text}


def test_other_times_are_rfc_3339() -> None:
    class Moment(datetime):
        """As the subclasses of time libraries."""

    moments = [NOON, Moment(2026, 1, 1, 12, tzinfo=UTC)]
    sent = [wire(ObjectMeta(deletion_timestamp=each)) for each in moments]
    assert sent == [{"deletionTimestamp": "2026-01-01T12:00:00Z"}] * 2


@pytest.mark.parametrize("microsecond", [0, 5])
def test_a_datetime_without_a_zone_is_refused_by_name(microsecond: int) -> None:
    naive = datetime(2026, 1, 1, microsecond=microsecond)
    with pytest.raises(ValueError, match="renew_time is a datetime without a time zone"):
        model_codec.encode(Lease(spec=LeaseSpec(renew_time=naive)))
    condition = PodCondition(type="Ready", status="True", last_transition_time=naive)
    with pytest.raises(ValueError, match=r"^status\.conditions\[0\]\.last_transition_time is"):
        model_codec.encode(Pod(status=PodStatus(conditions=[condition])))
    with pytest.raises(ValueError, match=r"^\['a'\]\[0\] is a datetime"):
        model_codec.encode({"a": [naive]})


def test_text_that_looks_like_a_time_without_a_zone_is_text() -> None:
    meta = ObjectMeta(annotations={"at": "2026-01-01T00:00:00"})
    assert wire(meta) == {"annotations": {"at": "2026-01-01T00:00:00"}}


class Ratio(Model):
    number: float | None = None


class Ratios(Model):
    number: float = 0.0
    numbers: list[float] = field(default_factory=list)
    named: dict[str, list[float]] = field(default_factory=dict)
    inner: Ratio = field(default_factory=Ratio)
    items: list[Ratio] = field(default_factory=list)


def test_integral_floats_are_written_without_a_fraction_as_in_go() -> None:
    """The server takes 60.0 in place of 60 for a change, and counts a generation."""
    sent = (
        b'{"number":60,"numbers":[1,2.5,-3],"named":{"a":[4]},'
        b'"inner":{"number":5},"items":[{"number":6},{"number":0.5}],"unknown":7.0}'
    )
    decoded = model_codec.decode(sent, Ratios)
    assert isinstance(decoded.number, float)
    assert model_codec.encode(decoded) == sent
    assert model_codec.encode({"patch": [1.0, {"a": decoded.number}]}) == b'{"patch":[1,{"a":60}]}'


def test_numbers_beyond_whole_ones_are_sent_as_they_are() -> None:
    numbers = [-(2.0**63), 2.0**63, 1e20, 0.1]
    text = model_codec.encode({"numbers": numbers})
    assert text == b'{"numbers":[-9223372036854775808,9.223372036854776e18,1e20,0.1]}'
    assert model_codec.decode(text, Ratios).numbers == numbers


def test_plain_text_in_place_of_a_quantity_is_sent() -> None:
    limits: Any = {"cpu": "500m", "memory": Quantity("1.5Gi"), "pods": 3}
    sent = {"limits": {"cpu": "500m", "memory": "1.5Gi", "pods": 3}}
    assert wire(ResourceRequirements(limits=limits)) == sent


def test_mappings_are_sent_as_they_are_and_models_in_them_are_tidied() -> None:
    body = MappingProxyType({"kind": "List", "items": [Pod()], "of": {"one": Lease()}})
    assert wire({**body}) == {
        "kind": "List",
        "items": [{"apiVersion": "v1", "kind": "Pod"}],
        "of": {"one": {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}},
    }
    assert wire(MappingProxyType({"a": {"b": []}})) == {"a": {"b": []}}


def test_values_without_a_json_form_are_type_errors() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        model_codec.encode({"a": object()})


def test_removing_an_unknown_field_takes_it_off_the_wire() -> None:
    import msgspec

    pod = read(Pod, {"newer": 1})
    pod.newer = msgspec.UNSET
    assert "newer" not in wire(pod)
    assert model_codec.unknown_fields(pod) == {}


# --- copying ---


def test_a_copy_is_independent_of_the_original() -> None:
    pod = Pod(
        metadata=ObjectMeta(labels={"a": "b"}, finalizers=["f"]),
        spec=PodSpec(containers=[Container(name="app", args=["-v"])]),
    )
    before = model_codec.encode(pod)
    copied = model_codec.deep_copy(pod)
    assert copied == pod
    copied.metadata.labels["a"] = "changed"
    copied.metadata.finalizers.clear()
    copied.metadata.annotations["new"] = ""
    copied.spec.containers[0].args.append("-w")
    copied.spec.containers[0].name = "other"
    copied.spec.containers.append(Container(name="more"))
    copied.spec.tolerations.append(None)  # type: ignore[arg-type]
    copied.status.phase = "Running"
    assert model_codec.encode(pod) == before


def test_a_copy_of_an_object_nobody_set_is_as_unset() -> None:
    assert wire(model_codec.deep_copy(Pod())) == {"apiVersion": "v1", "kind": "Pod"}


def test_a_copy_shares_what_cannot_change() -> None:
    revision = ControllerRevision(revision=1, data=Raw(b"{}"))
    assert model_codec.deep_copy(revision).data is revision.data
    assert model_codec.deep_copy([{"a": NOON}]) == [{"a": NOON}]
