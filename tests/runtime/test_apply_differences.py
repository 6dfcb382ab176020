"""What a forced apply would change, with the server in memory as the judge."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap
from support.examples import try_examples

from clientgen.runtime._controllers.apply_differences import apply_differences, fingerprint
from clientgen.runtime.errors import Invalid
from clientgen.runtime.models import Unstructured, to_dict
from clientgen.testing import FakeCluster

OURS = "shops"
META = {"name": "web", "namespace": "default"}


def deployment() -> dict[str, Any]:
    """A Deployment with lists of every type, quantities, and much that has defaults."""
    container: dict[str, Any] = {
        "name": "web",
        "image": "web:1",
        "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
        "env": [
            {"name": "A", "value": "1"},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        ],
        "resources": {"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": 2}},
        "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
        "args": ["-v"],
    }
    template: dict[str, Any] = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "containers": [container],
            "volumes": [{"name": "v", "emptyDir": {}}, {"name": "c", "configMap": {"name": "c"}}],
            "securityContext": {},
        },
    }
    selector = {"matchLabels": {"app": "web"}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**META, "labels": {"app": "web"}, "finalizers": ["example.com/a"]},
        "spec": {"replicas": 2, "selector": selector, "template": template},
    }


OTHERS: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": META,
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]},
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": META, "data": {"a": "1000m", "b": ""}},
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": META,
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
    },
    {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {**META, "annotations": {}},
        "spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}},
    },
]


class World:
    """A cluster, and the manager whose applies are compared."""

    def __init__(self) -> None:
        self.k = FakeCluster().clientset(Clientset)

    def apply(self, desired: dict[str, Any], manager: str = OURS) -> Unstructured:
        return self.k.apply(Unstructured(deepcopy(desired)), field_manager=manager, force=True)

    def differences(self, desired: dict[str, Any], live: Any) -> list[str]:
        model = {"Deployment": Deployment, "ConfigMap": ConfigMap}.get(desired["kind"])
        return [str(each) for each in apply_differences(desired, to_dict(live), OURS, model)]


@pytest.mark.parametrize("desired", [deployment(), *OTHERS], ids=lambda each: each["kind"])
def test_what_was_applied_needs_no_other_apply(desired: dict[str, Any]) -> None:
    world = World()
    live = world.apply(desired)
    assert world.differences(desired, live) == []
    touched = world.k.patch(live, {"metadata": {"labels": {"by": "somebody"}}})
    assert world.differences(desired, touched) == []


def at(obj: Any, path: str) -> tuple[Any, Any]:
    """The container of a path such as `spec.containers.0.image`, and the last step."""
    *steps, last = [int(each) if each.isdigit() else each for each in path.split(".")]
    for each in steps:
        obj = obj[each]
    return obj, last


CONTAINER = "spec.template.spec.containers.0"
CHANGES: list[tuple[str, Any]] = [
    ("spec.replicas", 3),
    ("spec.replicas", None),
    ("metadata.labels.app", None),
    ("metadata.labels.more", "1"),
    ("metadata.annotations", {"a": "1000m"}),
    ("metadata.finalizers", ["example.com/a", "example.com/b"]),
    ("metadata.finalizers", []),
    ("spec.strategy", {"type": "Recreate"}),
    ("spec.template.spec.nodeSelector", {"a": "b"}),
    ("spec.template.spec.volumes.0", None),
    ("spec.template.spec.volumes.0.emptyDir", {"medium": "Memory"}),
    (f"{CONTAINER}.image", "web:2"),
    (f"{CONTAINER}.args", ["-v", "-v"]),
    (f"{CONTAINER}.args", None),
    (f"{CONTAINER}.ports.0.containerPort", 81),
    (f"{CONTAINER}.ports.1.protocol", None),
    (f"{CONTAINER}.ports.0.name", "http"),
    (f"{CONTAINER}.env.0.value", "1000m"),
    (f"{CONTAINER}.env", [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]),
    (f"{CONTAINER}.env.1.valueFrom", {"fieldRef": {"fieldPath": "metadata.name"}}),
    (f"{CONTAINER}.resources.requests.cpu", "1"),
    (f"{CONTAINER}.resources.requests.cpu", "1001m"),
    (f"{CONTAINER}.resources.requests.memory", None),
    (f"{CONTAINER}.resources", None),
]


def changed(obj: dict[str, Any], changes: list[tuple[str, Any]]) -> dict[str, Any]:
    """A copy with changes, as far as their places exist."""
    made = deepcopy(obj)
    for path, value in changes:
        try:
            container, last = at(made, path)
            if value is not None:
                container[last] = deepcopy(value)
            elif isinstance(container, list) or last in container:
                del container[last]
        except (IndexError, KeyError):
            continue
    return made


SHARED = World()
SOME = st.lists(st.sampled_from(CHANGES), max_size=2)


@try_examples(80)
@given(before=SOME, foreign=SOME, by=st.sampled_from(["", "apply", "update"]), wanted=SOME)
def test_no_difference_means_that_an_apply_changes_nothing(
    before: list[tuple[str, Any]],
    foreign: list[tuple[str, Any]],
    by: str,
    wanted: list[tuple[str, Any]],
) -> None:
    world = SHARED
    remains = world.k.delete(Deployment, "web", missing_ok=True)
    if isinstance(remains, Deployment):
        world.k.patch(remains, {"metadata": {"finalizers": None}})
    desired = changed(deployment(), wanted)
    try:
        live = world.apply(changed(deployment(), before))
        if by == "apply":
            live = world.apply(changed(deployment(), foreign), "other")
        elif by == "update":
            live = world.k.update(Unstructured(changed(live, foreign)), field_manager="other")
        found = world.differences(desired, live)
        after = world.apply(desired)
    except Invalid:
        reject()
    is_changed = after.metadata.resource_version != live.metadata.resource_version
    assert found or not is_changed, "an apply changes what shows no difference"
    if not by and before == wanted:
        assert not is_changed
    again = apply_differences(desired, to_dict(after), OURS, Deployment)
    third = apply_differences(desired, to_dict(world.apply(desired)), OURS, Deployment)
    assert fingerprint(desired, again) == fingerprint(desired, third)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("spec.replicas", 3), ["spec.replicas: it has another value"]),
        (("spec.replicas", None), ["spec.replicas: it is no longer wanted"]),
        ((f"{CONTAINER}.resources.requests.cpu", "1"), []),
        (("spec.minReadySeconds", 1), ["spec.minReadySeconds: another field manager owns it, or"]),
        (
            (f"{CONTAINER}.env", [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]),
            ["value: another field manager", "valueFrom: it is no longer", "env: the order"],
        ),
    ],
)
def test_differences_say_where_and_why(change: tuple[str, Any], why: list[str]) -> None:
    world = World()
    live = world.apply(deployment())
    found = world.differences(changed(deployment(), [change]), live)
    assert len(found) == len(why), found
    assert all(part in text for part, text in zip(why, found, strict=True)), found


def test_a_field_that_somebody_else_has_taken_over_is_a_difference() -> None:
    world = World()
    world.apply(deployment())
    live = world.k.patch(Deployment, "web", {"spec": {"replicas": 7}})
    assert world.differences(deployment(), live) == [
        "spec.replicas: another field manager owns it, or nobody"
    ]


@pytest.mark.parametrize(
    "fields", [{"f:data": []}, "x", {"f:data": {"k:{": {}}}, {"f:a": {"f:b": 1}}]
)
def test_managed_fields_that_are_missing_or_broken_are_a_difference(fields: Any) -> None:
    desired = OTHERS[1]
    for entries in ([], None, [{"manager": OURS, "operation": "Apply", "fieldsV1": fields}], [1]):
        live = {**desired, "metadata": {**META, "managedFields": entries}}
        [difference] = apply_differences(desired, live, OURS)[:1]
        assert difference
