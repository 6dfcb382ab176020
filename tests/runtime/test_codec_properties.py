"""Whatever is done to an object on its way, reading it does not fail and loses nothing."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields
from support.examples import try_examples

from clientgen.runtime._models import model_codec
from clientgen.runtime._models.meta_v1 import ManagedFieldsEntry, ObjectMeta, OwnerReference
from clientgen.runtime._models.model import Model
from tests.runtime.sample_models import (
    ControllerRevision,
    CustomResourceDefinition,
    Deployment,
    Lease,
    NetworkPolicy,
    Pod,
    PodList,
    Secret,
    StatefulSet,
)

# Texts of meta/v1 types, of which Kubernetes does not write empty ones either.
META_TEXTS = {
    each.encode_name
    for model in (ManagedFieldsEntry, ObjectMeta, OwnerReference)
    for each in fields(model)
    if each.default == ""
}
META = {
    "name": "web-0",
    "labels": {"app": "web"},
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "managedFields": [{"manager": "kubectl", "time": None, "fieldsV1": {"f:a": {".": {}}}}],
}
POD_SPEC = {
    "containers": [
        {
            "name": "app",
            "ports": [{"containerPort": 80, "protocol": "TCP"}],
            "resources": {"limits": {"cpu": "500m", "memory": 1}},
            "livenessProbe": {"httpGet": {"port": "http"}},
        }
    ],
    "nodeSelector": {"zone": "a"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "volumes": [{"name": "v", "emptyDir": {}}],
}
TEMPLATE = {"metadata": META, "spec": POD_SPEC}
VALID: list[tuple[type[Model], dict[str, Any]]] = [
    (
        Pod,
        {
            **TEMPLATE,
            "status": {
                "phase": "Running",
                "conditions": [
                    {"type": "Ready", "status": "True", "lastProbeTime": None},
                ],
                "hostIPs": [{"ip": "10.0.0.1"}],
            },
        },
    ),
    (Deployment, {"metadata": META, "spec": {"selector": {}, "template": TEMPLATE}}),
    (
        StatefulSet,
        {
            "spec": {
                "selector": {"matchLabels": {"a": "b"}},
                "template": {},
                "volumeClaimTemplates": [{"spec": {"storageClassName": ""}}],
            }
        },
    ),
    (Secret, {"metadata": META, "data": {"a": "//79"}, "stringData": {"b": "c"}}),
    (Lease, {"spec": {"renewTime": "2026-01-01T00:00:00.000000Z", "leaseTransitions": 3}}),
    (
        NetworkPolicy,
        {"spec": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "::/0"}}]}]}},
    ),
    (
        CustomResourceDefinition,
        {
            "spec": {
                "group": "example.com",
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {
                            "openAPIV3Schema": {
                                "default": {"a": None},
                                "enum": [1, "a", None],
                                "properties": {"p": {"not": {"type": "string"}}},
                            }
                        },
                    }
                ],
            },
            "status": {"conditions": [{"type": "A", "status": "True"}]},
        },
    ),
    (ControllerRevision, {"revision": 1, "data": {"any": ["thing", 1.5]}}),
]

# No model has such fields; a name may collide with an attribute, a keyword or nothing at all.
NEW_NAMES = st.sampled_from(
    ["newField", "x-new", "node_name", "api_version", "class", "__class__", "unknown_0", "é", ""]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=12)
    | st.sampled_from(["1Gi", "2026-01-01T00:00:00Z", "YQ==", "TCP"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "spec", "a", "$ref", ""]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a JSON value as a container and the key in it."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs += [(value, key) for key in value]
        pairs += [place for inner in value.values() for place in places(inner)]
    elif isinstance(value, list):
        pairs += [(value, index) for index in range(len(value))]
        pairs += [place for inner in value for place in places(inner)]
    return pairs


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[type[Model], Any]:
    """Draw a model and an object of it in which some values are gone, null or something else."""
    model, valid = draw(st.sampled_from(VALID))
    sent = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 3))):
        if not (candidates := places(sent)):
            break
        container, key = draw(st.sampled_from(candidates))
        if draw(st.booleans()):
            container[key] = draw(JSON)
        else:
            del container[key]
    return model, sent


@try_examples(150)
@given(disturbed())
def test_any_server_json_is_decoded(case: tuple[type[Model], Any]) -> None:
    model, sent = case
    decoded = model_codec.decode(json.dumps(sent).encode(), model)
    assert isinstance(decoded, model)
    repr(decoded)
    once = model_codec.encode(decoded)
    again = model_codec.decode(once, model)
    assert model_codec.encode(again) == once
    assert json.loads(
        model_codec.encode(model_codec.from_dict(model, model_codec.to_dict(decoded)))
    ) == json.loads(once)


@try_examples(150)
@given(disturbed())
def test_a_value_that_is_not_null_is_not_lost(case: tuple[type[Model], Any]) -> None:
    model, sent = case
    back = json.loads(model_codec.encode(model_codec.decode(json.dumps(sent).encode(), model)))
    assert contains(back, sent)


def contains(back: Any, sent: Any) -> bool:
    """Whether `back` says what `sent` does; null, and what is empty, may be absent or zero."""
    if sent is None or (isinstance(sent, dict | list) and not sent):
        return True
    if isinstance(sent, dict):
        return isinstance(back, dict) and all(
            contains(back.get(key), value) or (key in META_TEXTS and value == "")
            for key, value in sent.items()
        )
    if isinstance(sent, list):
        return (
            isinstance(back, list)
            and len(back) == len(sent)
            and all(contains(one, other) for one, other in zip(back, sent, strict=True))
        )
    # A time may come back in another notation of the same moment, a whole number without its `.0`.
    return (type(back) is type(sent) and back == sent) or (
        _same_moment(back, sent) or _same_number(back, sent)
    )


def _same_number(back: Any, sent: Any) -> bool:
    return type(back) is int and type(sent) is float and back == sent


def _same_moment(back: Any, sent: Any) -> bool:
    return (
        isinstance(back, str) and isinstance(sent, str) and back[:19] == sent[:19] and ":" in back
    )


@try_examples(100)
@given(disturbed(), st.data())
def test_new_fields_survive_wherever_they_are(
    case: tuple[type[Model], Any], data: st.DataObject
) -> None:
    model, valid = data.draw(st.sampled_from(VALID))
    sent = copy.deepcopy(valid)
    objects = [sent, *(value for box, key in places(sent) if isinstance(value := box[key], dict))]
    target = data.draw(st.sampled_from(objects))
    name, value = data.draw(NEW_NAMES), data.draw(JSON.filter(lambda value: value is not None))
    target[name] = value
    decoded = model_codec.decode(json.dumps(sent).encode(), model)
    assert contains(json.loads(model_codec.encode(decoded)), sent)
    assert model_codec.encode(model_codec.deep_copy(decoded)) == model_codec.encode(decoded)


@try_examples(100)
@given(disturbed(), st.data())
def test_a_copy_is_equal_and_independent(
    case: tuple[type[Model], Any], data: st.DataObject
) -> None:
    model, sent = case
    decoded = model_codec.decode(json.dumps(sent).encode(), model)
    before = model_codec.encode(decoded)
    copied = model_codec.deep_copy(decoded)
    assert copied == decoded
    assert model_codec.encode(copied) == before
    spoil(copied)
    assert model_codec.encode(decoded) == before


def spoil(value: Any) -> None:
    """Change everything inside a value that can be changed."""
    if isinstance(value, Model):
        for name in value.__struct_fields__:
            spoil(getattr(value, name))
            setattr(value, name, "spoiled")
    elif isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value.clear()
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        value.clear()


@try_examples(100)
@given(st.lists(disturbed(), max_size=4))
def test_a_page_is_read_as_its_items_are(cases: list[tuple[type[Model], Any]]) -> None:
    items = [sent for _, sent in cases if isinstance(sent, dict)]
    page = model_codec.decode_list(json.dumps({"items": items}).encode(), PodList)
    alone = [model_codec.decode(json.dumps(item).encode(), Pod) for item in items]
    assert page.items == alone
    assert [model_codec.encode(item) for item in page] == [
        model_codec.encode(item) for item in alone
    ]
