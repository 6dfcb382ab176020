"""Conditions: what is true of an object, and why not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Pod, Secret
from kubeapi.meta.v1 import ObjectMeta, PartialObjectMetadata

from clientgen.runtime._conditions.checks import AllOf, AnyOf
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime.conditions import (
    Check,
    Verdict,
    condition,
    deleted,
    exists,
    jsonpath,
    phase,
    ready,
    rolled_out,
)


def thing(**parts: Any) -> Unstructured:
    """A custom object of generation 2."""
    base = {"apiVersion": "shop.example/v1", "kind": "Order", "metadata": {"name": "o"}}
    base["metadata"]["generation"] = 2
    return Unstructured({**base, **parts})


def with_conditions(*conditions: dict[str, Any], **status: Any) -> Unstructured:
    return thing(status={"conditions": list(conditions), **status})


def is_(type_: str, status: str, reason: str = "", **more: Any) -> dict[str, Any]:
    return {"type": type_, "status": status, **({"reason": reason} if reason else {}), **more}


def pod(status: dict[str, Any] | None = None, **metadata: Any) -> Unstructured:
    return Unstructured(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p", "namespace": "shop", **metadata},
            "spec": {"containers": [{"name": "main"}]},
            "status": status or {},
        }
    )


def waiting(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"name": "main", "state": state, "restartCount": 0, **more}


# ---- condition() --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (thing(), "it has no condition Ready"),
        (with_conditions(is_("Other", "True")), "it has no condition Ready"),
        (with_conditions(is_("Ready", "True")), True),
        (with_conditions(is_("ready", "true")), True),
        (
            with_conditions(is_("Ready", "False", "Busy", message="one\nmoment")),
            "its condition Ready is False (Busy: one moment)",
        ),
        (with_conditions(is_("Ready", "")), "its condition Ready is empty"),
        (with_conditions(is_("Ready", "True"), observedGeneration=2), True),
        (
            with_conditions(is_("Ready", "True"), observedGeneration=1),
            "its condition Ready is of generation 1, not yet of 2",
        ),
        (
            with_conditions(is_("Ready", "True", observedGeneration=1), observedGeneration=2),
            "its condition Ready is of generation 1, not yet of 2",
        ),
        # The condition's own generation counts, as for kubectl.
        (with_conditions(is_("Ready", "True", observedGeneration=2), observedGeneration=1), True),
        (thing(status={"conditions": "nonsense"}), "it has no condition Ready"),
        (thing(status={"conditions": [1, None, {"type": 3}]}), "it has no condition Ready"),
        (thing(status="nonsense"), "it has no condition Ready"),
    ],
)
def test_a_condition_of_the_present_generation(obj: Unstructured, expected: str | bool):
    verdict = condition("Ready").check(obj)
    assert (verdict.met or verdict.why) == expected
    assert condition("Ready")(obj) is verdict.met
    assert not verdict.failed


def test_a_condition_may_be_waited_for_to_be_false():
    obj = with_conditions(is_("Ready", "False"))
    assert condition("Ready", "False")(obj)
    assert condition("Ready", status="false")(obj)
    assert not condition("Ready", "Unknown")(obj)


@pytest.mark.parametrize(
    ("wanted", "obj", "why"),
    [
        ("Ready", pod({"phase": "Succeeded"}), "the Pod has Succeeded"),
        (
            "ready",
            pod({"phase": "Failed", "reason": "Evicted", "message": "no memory"}),
            "the Pod has Failed (Evicted: no memory)",
        ),
        (
            "Complete",
            with_conditions(is_("Failed", "True", "BackoffLimitExceeded"))
            | {"apiVersion": "batch/v1", "kind": "Job"},
            "the Job is Failed (BackoffLimitExceeded)",
        ),
        (
            "Failed",
            with_conditions(is_("Complete", "True")) | {"apiVersion": "batch/v1", "kind": "Job"},
            "the Job is Complete",
        ),
    ],
)
def test_conditions_that_cannot_become_true(wanted: str, obj: Any, why: str):
    assert condition(wanted).check(obj) == Verdict(met=False, why=why, failed=True)
    assert not condition(wanted, "False").check(obj).failed


# ---- phase() and jsonpath() ---------------------------------------------------------------------


def test_a_phase_is_one_of_several():
    assert phase("Running")(pod({"phase": "Running"}))
    assert phase("Succeeded", "Failed")(pod({"phase": "Failed"}))
    assert not phase("Running")(pod())


def test_a_pod_never_leaves_its_last_phase():
    verdict = phase("Running").check(pod({"phase": "Failed"}))
    assert verdict == Verdict(met=False, why="the Pod has Failed", failed=True)
    assert not phase("Running").check(pod({"phase": "Pending"})).failed
    claim = thing(kind="PersistentVolumeClaim", apiVersion="v1", status={"phase": "Failed"})
    assert not phase("Bound").check(claim).failed


STATUS = {"n": 3, "ok": True, "word": "x", "text": "3", "nodes": [{"a": 1}, {"a": 1}, {"a": 2}]}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("{.status.n}", 3, True),
        (".status.n", "3", True),
        ("status.n", 3.0, True),
        ("{ .status.n }", 4, ".status.n is 3"),
        ("{.status.n}", True, ".status.n is 3"),
        ("{.status.ok}", True, True),
        ("{.status.ok}", "true", True),
        ("{.status.ok}", 1, ".status.ok is true"),
        ("{.status.text}", 3, True),
        ("{.status.word}", "y", '.status.word is "x"'),
        ("{.status.nodes[0].a}", 1, True),
        ("{.status.nodes[:2].a}", 1, True),
        ("{.status.nodes[*].a}", 1, ".status.nodes[*].a is 2"),
        ("{.status.nodes}", "x", ".status.nodes is a list"),
        ("{.status.missing}", "x", "it has no .status.missing"),
        ("{.metadata.name}", "other", ".metadata.name is another value"),
        ("{.status.nodes[?(@.a==2)].a}", 2, True),
    ],
)
def test_a_field_has_a_value(path: str, value: Any, expected: str | bool):
    verdict = jsonpath(path, value).check(thing(status=STATUS))
    assert (verdict.met or verdict.why) == expected


def test_a_field_exists():
    assert jsonpath("{.status.n}")(thing(status=STATUS))
    assert not jsonpath("{.status.m}")(thing(status=STATUS))


@pytest.mark.parametrize("path", ["{.status[}", "{.a b}", "[?(]"])
def test_a_path_that_cannot_be_read(path: str):
    with pytest.raises(ValueError, match=r"JSONPath|array"):
        jsonpath(path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".a" + "[?(@.a" * 200 + ")]" * 200, "nested more than 20 levels"),
        (".a[::0]", "the step of a slice must be greater than 0"),
        (".a[" + "9" * 5000 + "]", "array index 9999.* is not a number"),
        (".a[1:-]", "array index - is not a number"),
        (".a[?(@.b==1x)]", "unexpected 'x.*: a filter compares paths, quoted text, numbers"),
        (".a[?(@.b==)]", "a side of the filter is empty"),
        ("{.a", "its braces do not match"),
        (".a}", "its braces do not match"),
    ],
)
def test_a_hostile_path_is_told(path: str, why: str):
    with pytest.raises(ValueError, match=why) as raised:
        jsonpath(path)
    assert ".a" in str(raised.value)


def test_commas_and_comparisons_may_be_quoted():
    status = {"a,b": 1, "c": 2, "list": [{"n": "x<y", "v": 1}]}
    for path in ("{.status['a,b']}", "{.status['c','a,b']}", "{.status.list[?('x<y'==@.n)].v}"):
        assert jsonpath(path)(thing(status=status)), path


def test_long_filters_are_read_in_linear_time():
    with pytest.raises(ValueError, match="a filter compares"):
        jsonpath("{.a[?(x" + " " * 200_000 + "x)]}")


def test_values_of_secrets_are_not_told():
    secret = Secret(metadata=ObjectMeta(name="s"), data={"password": b"hunter2"})
    verdict = jsonpath("{.data.password}", "x").check(secret)
    assert verdict.why == ".data.password is another value"


@pytest.mark.parametrize(
    "make",
    [
        lambda: condition(""),
        lambda: condition(None),
        lambda: condition("Ready", True),
        phase,
        lambda: phase(""),
        lambda: jsonpath(""),
        lambda: jsonpath("{.a}", ["x"]),
        lambda: "Ready" | ready,
        lambda: ready & "Ready",
    ],
)
def test_wrong_arguments_are_told_at_once(make: Any):
    with pytest.raises(TypeError):
        make()


def test_the_name_of_a_condition_alone_is_told_how_to_write_it():
    with pytest.raises(TypeError, match=r"write condition\('Ready'\)"):
        ready & "Ready"  # type: ignore[operator]


# ---- existence and combinations -----------------------------------------------------------------


def test_existence():
    assert exists.check(pod()).met
    assert exists.check(None) == Verdict(met=False, why="it does not exist")
    assert deleted.check(None).met
    assert (~exists).check(None).met
    assert not (~deleted).check(None).met
    assert deleted.check(pod()).why == "it exists, and its deletion was not requested"
    dying = pod(deletionTimestamp="2026-01-01T00:00:00Z")
    assert deleted.check(dying).why == "it is being deleted"
    dying["metadata"]["finalizers"] = ["a.example/x", "b.example/y"]
    assert "have to be removed: a.example/x, b.example/y" in deleted.check(dying).why
    dying["metadata"]["finalizers"] = ["a\x1b[2J\n" + 9999 * "x"]
    why = deleted.check(dying).why
    assert why.isprintable()
    assert len(why) < 300


def test_a_namespace_says_what_keeps_it_from_being_deleted():
    """As a 1.36 server with an aggregated API that is down, and a finalizer in the namespace."""
    down = (
        "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of"
        " server APIs: down.example.com/v1: stale GroupVersion discovery: down.example.com/v1"
    )
    left = "Some content in the namespace has finalizers remaining: example.com/f in 1 resource"
    namespace = Unstructured(
        apiVersion="v1",
        kind="Namespace",
        metadata={"name": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z"},
        spec={"finalizers": ["kubernetes"]},
        status={
            "phase": "Terminating",
            "conditions": [
                said("NamespaceDeletionDiscoveryFailure", "True", "DiscoveryFailed", down),
                said("NamespaceDeletionContentFailure", "False", "ContentDeleted", "All deleted"),
                said("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", left),
                said("Ready", "True", "Fine", "All is well"),
            ],
        },
    )
    assert deleted.check(namespace).why == (
        f"it is being deleted; DiscoveryFailed: {down}; SomeFinalizersRemain: {left}"
    )


def said(type_: str, status: str, reason: str, message: str) -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def test_what_is_not_there_has_no_condition_and_no_lack_of_it():
    for check in (~condition("Ready"), condition("Ready", "False"), ~phase("Running"), ~ready):
        assert check.check(None) == Verdict(met=False, why="it does not exist")
    assert (deleted | phase("Succeeded")).check(None).met
    assert not (exists & phase("Succeeded")).check(None).met
    assert not (deleted & ready).check(None).met
    assert (deleted & ~exists).check(None).met
    assert not (exists | ~deleted).check(None).met


def test_combinations_say_what_is_missing():
    obj = with_conditions(is_("A", "True"), is_("B", "False"))
    both = condition("A") & condition("B")
    assert both.check(obj).why == "its condition B is False"
    assert both.check(with_conditions()).why == "it has no condition A and it has no condition B"
    assert (condition("A") | condition("B")).check(obj).why == "its condition A is True"
    assert (~condition("A")).check(obj) == Verdict(met=False, why="its condition A is True")
    assert repr(both | ~ready) == "((condition('A') & condition('B')) | ~ready)"
    assert repr(condition("A", "False")) == "condition('A', status='False')"
    assert repr(jsonpath("{.a}", 1)) == "jsonpath('{.a}', 1)"


def test_functions_are_conditions_too():
    def is_named(obj: Pod) -> bool:
        return obj.metadata.name == "p"

    typed = from_dict(Pod, pod({"phase": "Running"}))
    assert (phase("Running") & is_named)(typed)
    assert (is_named & phase("Running"))(typed)
    assert not (is_named & phase("Failed"))(typed)
    assert (is_named | phase("Failed"))(typed)
    assert repr(is_named | phase("Failed")) == "(is_named | phase('Failed'))"
    typed.metadata.name = "q"
    assert (phase("Running") & is_named).check(typed).why == "is_named is false"


def test_coroutine_functions_are_refused():
    async def check(_: Pod) -> bool:
        return True

    with pytest.raises(TypeError, match="plain function"):
        (ready & check).check(pod())


@given(some.lists(some.sampled_from([(True, False), (False, False), (False, True)]), min_size=1))
def test_combinations_follow_logic(states: list[tuple[bool, bool]]):
    checks = [Fixed(Verdict(met, "why", failed)) for met, failed in states]
    every, one = AllOf(checks).check(pod()), AnyOf(checks).check(pod())
    assert every.met is all(met for met, _ in states)
    assert one.met is any(met for met, _ in states)
    assert every.failed is any(failed for _, failed in states)
    assert one.failed is all(failed for _, failed in states)
    assert (~AllOf(checks)).check(pod()).met is not every.met
    assert not (every.met and every.failed)
    assert not (one.met and one.failed)


class Fixed(Check[Any]):
    """A check with one answer."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("fixed")
        self._verdict = verdict

    def judge(self, seen: object) -> Verdict:
        return self._verdict


WORDS = ["conditions", "phase", "type", "status", "reason", "state", "waiting", "name"]
WORDS += ["containerStatuses", "replicas", "observedGeneration", "lastState", "terminated"]
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(
            some.sampled_from(WORDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)
KINDS = [
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "ReplicationController"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("batch/v1", "Job"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("a.example/v1", "Thing"),
]


@given(some.sampled_from(KINDS), JSON, JSON, JSON)
def test_no_object_breaks_a_check(kind: tuple[str, str], metadata: Any, spec: Any, status: Any):
    obj = Unstructured(apiVersion=kind[0], kind=kind[1], metadata=metadata, spec=spec)
    obj["status"] = status
    checks = [ready, condition("Ready"), phase("Running"), jsonpath("{.status.phase}", "x")]
    if kind[1] in {"Deployment", "StatefulSet", "DaemonSet"}:
        checks.append(rolled_out)
    for check in checks:
        verdict = check.check(obj)
        assert verdict.why
        assert "\n" not in verdict.why
        assert not (verdict.met and verdict.failed)


# ---- metadata -----------------------------------------------------------------------------------


def test_metadata_is_enough_for_what_is_about_metadata():
    meta = PartialObjectMetadata(metadata=ObjectMeta(name="p", labels={"app": "web"}))
    assert jsonpath("{.metadata.labels.app}", "web")(meta)
    assert not deleted(meta)
    for check in (ready, condition("Ready"), phase("Running")):
        with pytest.raises(TypeError, match="needs the whole object"):
            check.check(meta)
    with pytest.raises(TypeError, match="rolled_out is for"):
        rolled_out.check(meta)


def test_models_and_unstructured_objects_are_judged_alike():
    value = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "generation": 2},
        "spec": {"replicas": 3, "selector": {}, "template": {}},
        "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3}
        | {"readyReplicas": 2, "availableReplicas": 2},
    }
    expected = Verdict(met=False, why="2 of 3 updated replicas are available")
    assert ready.check(Unstructured(value)) == expected
    assert ready.check(from_dict(Deployment, value)) == expected
    assert rolled_out.check(from_dict(Deployment, value)) == expected
