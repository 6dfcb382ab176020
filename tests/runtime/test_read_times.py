"""Times are written as they were read, if they were not changed."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.apiextensions.v1 import CustomResourceDefinition

from clientgen.runtime._http.resource import Resource
from clientgen.runtime._models.model_codec import decode_event, decode_events, decode_list
from clientgen.runtime._sync.object_client import ObjectClient
from clientgen.runtime.models import (
    Condition,
    CustomResource,
    Literal,
    MicroTime,
    Model,
    ModelList,
    Time,
    auto,
    constant,
    decode,
    deep_copy,
    encode,
    field,
    from_dict,
    to_dict,
)
from clientgen.testing import LocalServer

TEXTS = [
    "2024-12-31T23:59:59.999999999Z",
    "2024-01-01T00:00:00Z",
    "2024-01-01T00:00:00.1Z",
    "2024-01-01T00:00:00.000Z",
    "2024-01-01T00:00:00.000000Z",
    "2024-01-01T00:00:00.123456Z",
    "2024-01-01T00:00:00.123456789+02:00",
    "2024-01-01T00:00:00+00:00",
    "2024-01-01T00:00:00.123456+00:00",
    "2024-01-01T00:00:00-05:00",
    "2024-12-31T23:59:59.999999999-05:00",
    "2024-01-01T00:00:00.5-03:17",
    "2024-01-01T00:00:00-00:00",
    "2024-01-01t00:00:00Z",
    "2024-01-01T00:00:00.1z",
]


class AlarmSpec(Model):
    at: Time
    times: list[Time] = field(default_factory=list)
    by_name: dict[str, Time] = field(default_factory=dict)


class AlarmStatus(Model):
    conditions: list[Condition] = field(default_factory=list)


class Alarm(CustomResource, group="example.com", version="v1"):
    spec: AlarmSpec
    status: AlarmStatus = auto(AlarmStatus)


class AlarmList(ModelList[Alarm]):
    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["AlarmList"] = constant("AlarmList")


class Beat(CustomResource, group="example.com", version="v1"):
    renewed: MicroTime
    at: Time | None = None


def alarm(text: str) -> dict[str, Any]:
    condition = {
        "type": "Rang",
        "status": "True",
        "lastTransitionTime": text,
        "reason": "It",
        "message": "",
    }
    return {
        "apiVersion": "example.com/v1",
        "kind": "Alarm",
        "metadata": {"name": "a", "creationTimestamp": text},
        "spec": {"at": text, "times": [text, TEXTS[1]], "byName": {"a": text}},
        "status": {"conditions": [condition]},
    }


@pytest.mark.parametrize("text", TEXTS)
def test_what_was_read_is_written_as_it_was(text: str) -> None:
    sent = alarm(text)
    obj = decode(json.dumps(sent).encode(), Alarm)
    for same in (
        obj,
        deep_copy(obj),
        copy.copy(obj),
        copy.deepcopy(obj),
        pickle.loads(pickle.dumps(obj)),
        from_dict(Alarm, to_dict(obj)),
    ):
        assert to_dict(same) == sent
        assert same == obj
        assert json.loads(encode({"inside": [same.spec.at]})) == {"inside": [text]}


@pytest.mark.parametrize("text", TEXTS)
def test_lists_and_watches_keep_it(text: str) -> None:
    sent = alarm(text)
    page: dict[str, Any] = {
        "apiVersion": "example.com/v1",
        "kind": "AlarmList",
        "metadata": {},
        "items": [sent],
    }
    assert to_dict(decode_list(json.dumps(page).encode(), AlarmList).items[0]) == sent
    line = json.dumps({"type": "ADDED", "object": sent}).encode()
    assert to_dict(decode_event(line, Alarm).object) == sent
    for event in decode_events(line + b"\n" + line, Alarm):
        assert to_dict(event.object) == sent


def test_it_is_kept_beside_fields_that_are_read_leniently() -> None:
    sent = alarm(TEXTS[0])
    sent["spec"]["newer"] = {"a": 1}
    sent["status"]["conditions"][0]["observedGeneration"] = "three"
    assert to_dict(decode(json.dumps(sent).encode(), Alarm)) == sent


@pytest.mark.parametrize("text", TEXTS)
def test_microseconds_are_written_as_they_were(text: str) -> None:
    sent = {"apiVersion": "example.com/v1", "kind": "Beat", "renewed": text}
    beat = decode(json.dumps(sent).encode(), Beat)
    assert to_dict(beat)["renewed"] == text


def test_a_time_of_another_field_is_written_with_six_digits_as_servers_require() -> None:
    obj = decode(json.dumps(alarm(TEXTS[0])).encode(), Alarm)
    beat = Beat(renewed=obj.spec.at, at=obj.spec.at)
    assert to_dict(beat)["renewed"] == "2024-12-31T23:59:59.999999Z"
    assert to_dict(beat)["at"] == TEXTS[0]


def test_it_is_a_datetime_and_what_is_computed_is_a_plain_one() -> None:
    time = decode(json.dumps(alarm(TEXTS[0])).encode(), Alarm).spec.at
    same = datetime(2024, 12, 31, 23, 59, 59, 999999, UTC)
    assert isinstance(time, datetime)
    assert (time, hash(time), repr(time)) == (same, hash(same), repr(same))
    assert time.date().year == 2024  # not rounded into the next year
    others = [
        time + timedelta(0),
        timedelta(0) + time,
        time - timedelta(0),
        time.replace(second=59),
        time.astimezone(UTC),
    ]
    assert [(type(each), each) for each in others] == [(datetime, same)] * 5
    assert time - same == timedelta(0)
    assert time.replace(microsecond=0).isoformat() == "2024-12-31T23:59:59+00:00"


def definition() -> dict[str, Any]:
    text = {"type": "string", "format": "date-time"}
    properties = {
        "at": text,
        "times": {"type": "array", "items": text},
        "byName": {"type": "object", "additionalProperties": text},
    }
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": properties},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "alarms.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "alarms", "kind": "Alarm"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def test_an_update_of_what_was_read_changes_nothing() -> None:
    alarms = Resource("example.com", "v1", "alarms", "Alarm", namespaced=True)
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as k:
        k.create(from_dict(CustomResourceDefinition, definition()))
        client = ObjectClient(k.rest, alarms, "default", Alarm, AlarmList)
        for number, text in enumerate(TEXTS):
            sent = alarm(text)
            sent["metadata"] = {"name": f"a-{number}"}
            k.dynamic.resource("alarms").create(sent, namespace="default")
            obj = client.get(f"a-{number}")
            updated = client.update(obj)
            assert updated.metadata.generation == 1, text
            assert updated.metadata.resource_version == obj.metadata.resource_version
            assert to_dict(updated)["spec"] == sent["spec"]
        edited = client.edit("a-0", lambda obj: obj.metadata.labels.update(a="b"))
        assert (edited.metadata.generation, to_dict(edited)["spec"]["at"]) == (1, TEXTS[0])
