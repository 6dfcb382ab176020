"""Conditions are set by the rules of meta/v1, whatever their class."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kubeapi.apps.v1 import Deployment, DeploymentCondition
from kubeapi.core.v1 import ConfigMap, Pod, Service
from kubeapi.meta.v1 import Condition, ObjectMeta

from clientgen.runtime.controllers import set_condition
from clientgen.runtime.models import CustomResource, Model, Unstructured, auto, decode, encode
from clientgen.runtime.models import field as model_field
from clientgen.testing import FakeClock

START = datetime(2026, 1, 1, tzinfo=UTC)


class TabStatus(Model):
    """The status of a Tab."""

    conditions: list[Condition] = model_field(default_factory=list)


class Tab(CustomResource, group="example.com", version="v1"):
    """A kind of a user."""

    status: TabStatus = auto(TabStatus)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START)


def tab(generation: int = 3) -> Tab:
    return Tab(metadata=ObjectMeta(name="a", generation=generation))


def test_a_new_condition(clock: FakeClock) -> None:
    obj = tab()

    assert set_condition(obj, "Ready", False, reason="Starting", message="wait", clock=clock)

    assert obj.status.conditions == [
        Condition(
            type="Ready",
            status="False",
            reason="Starting",
            message="wait",
            observed_generation=3,
            last_transition_time=START,
        )
    ]
    assert decode(encode(obj), Tab) == obj


def test_the_time_changes_with_the_status_only(clock: FakeClock) -> None:
    obj = tab()
    set_condition(obj, "Other", "Unknown", reason="Starting", clock=clock)
    set_condition(obj, "Ready", False, reason="Starting", clock=clock)
    clock.step(60.7)

    assert set_condition(obj, "Ready", False, reason="Slow", message="still", clock=clock)
    ready = obj.status.conditions[1]
    assert (ready.reason, ready.message, ready.last_transition_time) == ("Slow", "still", START)

    assert set_condition(obj, "Ready", True, reason="Done", clock=clock)
    later = START + timedelta(seconds=60)  # metav1.Time has seconds
    assert (ready.status, ready.message, ready.last_transition_time) == ("True", "", later)
    assert obj.status.conditions[0].last_transition_time == START


def test_the_same_again_is_no_change(clock: FakeClock) -> None:
    obj = tab()
    set_condition(obj, "Ready", "True", reason="Done", clock=clock)
    before = encode(obj)
    clock.step(60)

    assert not set_condition(obj, "Ready", True, reason="Done", clock=clock)
    assert encode(obj) == before

    obj.metadata.generation = 4
    assert set_condition(obj, "Ready", True, reason="Done", clock=clock)
    [ready] = obj.status.conditions
    assert (ready.observed_generation, ready.last_transition_time) == (4, START)
    assert set_condition(obj, "Ready", True, reason="Done", observed_generation=2, clock=clock)
    assert ready.observed_generation == 2


def test_conditions_of_other_classes(clock: FakeClock) -> None:
    web = Deployment(metadata=ObjectMeta(name="web", generation=1))
    set_condition(web, "Available", True, reason="Enough", clock=clock)
    clock.step(60)
    set_condition(web, "Available", True, reason="Plenty", clock=clock)
    later = START + timedelta(seconds=60)
    assert web.status.conditions == [
        DeploymentCondition(
            type="Available",
            status="True",
            reason="Plenty",
            message="",
            last_transition_time=START,
            last_update_time=later,
        )
    ]
    pod, service = Pod(metadata=ObjectMeta(generation=1)), Service()
    set_condition(pod, "example.com/Checked", True, reason="Checked", clock=clock)
    set_condition(service, "Ready", True, reason="Ready", clock=clock)
    assert pod.status.conditions[0].last_transition_time == later
    assert service.status.conditions[0].observed_generation is None


def test_objects_without_a_class(clock: FakeClock) -> None:
    obj = Unstructured({"kind": "Tab", "metadata": {"name": "a", "generation": 3}})
    assert set_condition(obj, "Ready", False, reason="Starting", clock=clock)
    clock.step(60)
    assert not set_condition(obj, "Ready", False, reason="Starting", clock=clock)
    assert set_condition(obj, "Ready", False, reason="Slow", clock=clock)
    condition = {
        "type": "Ready",
        "status": "False",
        "reason": "Slow",
        "message": "",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    assert obj["status"] == {"conditions": [condition]}
    assert set_condition(obj, "Ready", True, reason="Done", clock=clock)
    assert obj["status"]["conditions"][0]["lastTransitionTime"] == "2026-01-01T00:01:00Z"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"type": ""}, "is not a condition type"),
        ({"type": "is ready"}, "is not a condition type"),
        ({"type": "A" * 317}, "is not a condition type"),
        ({"status": "true"}, "must be True, False or 'Unknown', not 'true'"),
        ({"status": None}, "must be True, False or 'Unknown', not None"),
        ({"reason": ""}, "is not a condition reason"),
        ({"reason": "it fails"}, "is not a condition reason"),
        ({"reason": None}, "is not a condition reason"),
    ],
)
def test_what_a_server_refuses_is_refused(wrong: dict[str, Any], words: str) -> None:
    values: dict[str, Any] = {"type": "Ready", "status": True, "reason": "Done", **wrong}
    obj = tab()
    with pytest.raises(ValueError, match=words):
        set_condition(obj, **values)
    assert obj == tab()


def test_a_long_message_is_cut() -> None:
    obj = tab()
    set_condition(obj, "Ready", False, reason="Failed", message="x" * 40_000)
    assert len(obj.status.conditions[0].message) == 32768


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (ConfigMap(), "ConfigMap has no status: add conditions"),
        (Unstructured({"status": []}), "has no list of conditions"),
        (Unstructured({"status": {"conditions": "none"}}), "has no list of conditions"),
    ],
)
def test_objects_without_conditions(obj: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        set_condition(obj, "Ready", True, reason="Done")
