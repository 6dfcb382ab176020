"""JSONPath, columns, order and ages, without a server. `test_kubectl_printing` compares kubectl."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given, strategies
from kubeapi.core.v1 import Container, Pod, PodList, PodSpec, Secret
from support.examples import try_examples

from clientgen._jsonpath import steps
from clientgen.runtime._printing.descriptions import describe_object
from clientgen.runtime._printing.kind_details import DETAILS
from clientgen.runtime.models import ObjectMeta
from clientgen.runtime.printers import (
    age,
    json_path,
    json_path_values,
    print_table,
    sort_by,
    table,
)
from clientgen.runtime.views import PartOf, View, ViewMeta

FIELDS = """
active addresses allocatable annotations apiVersion architecture available availableReplicas
backoffLimit binaryData capacity claimName clusterIP clusterIPs command completionTime
completions component concurrencyPolicy conditions configMapKeyRef configMapRef
containerRuntimeVersion containerStatuses containers controller count creationTimestamp current
currentNumberScheduled data deletionTimestamp deprecatedCount deprecatedFirstTimestamp
deprecatedLastTimestamp driver effect emptyDir env envFrom ephemeralContainerStatuses
ephemeralContainers eventTime every exec externalIPs externalName externalTrafficPolicy failed
failureThreshold failures fieldPath fieldRef finalizers firstTimestamp generation grpc hostPort
hostname http httpGet image immutable ingress initContainerStatuses initContainers
involvedObject jobTemplate kernelVersion key kind kubeletVersion labels lastObservedTime
lastScheduleTime lastState lastTimestamp lastTransitionTime livenessProbe loadBalancer
matchExpressions matchLabels message metadata name namespace nodeInfo nodeName nodePort
nodeSelector normal note numberAvailable numberReady numberUnavailable observedGeneration
osImage ownerReferences parallelism path paused periodSeconds phase podIPs port ports
priorityClassName qosClass readOnly readinessProbe ready readyReplicas reason regarding replicas
reportingComponent resource resourceFieldRef resources restartCount running scheme secretKeyRef
secretName secretRef selector series server serviceAccountName serviceName sessionAffinity
source spec startTime startupProbe state status strategy stringData subPath succeeded suspend
taints targetPort tcpSocket template terminated timeout timeoutSeconds tolerationSeconds
tolerations true type uid unavailable unavailableReplicas unknown unschedulable updateStrategy
updated updatedNumberScheduled updatedReplicas value valueFrom values volumeMounts volumes
warning
"""
"""Names of fields that descriptions read."""
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def pod(name: str, namespace: str = "shop", image: str = "nginx:1") -> Pod:
    created = NOW - timedelta(minutes=len(name))
    return Pod(
        metadata=ObjectMeta(name=name, namespace=namespace, creation_timestamp=created),
        spec=PodSpec(containers=[Container(name="main", image=image)]),
    )


def thing(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "t"}, **fields}


def test_models_lists_and_dicts_are_printed_alike() -> None:
    pods = [pod("a"), pod("b")]
    for objects in (pods, tuple(pods), iter(pods), PodList(items=pods)):
        assert json_path(objects, "{.items[*].metadata.name} {.kind}") == "a b List"
    assert json_path(pods[0], ".spec.containers[0].image") == "nginx:1"
    assert json_path_values(pods, "items[*].spec.containers[*].name") == ["main", "main"]
    assert json_path(thing(data={"a": None}), "{.data.a}|{.data}") == 'null|{"a":null}'


def test_numbers_are_those_of_go() -> None:
    numbers = thing(n=[1, 1.0, 0.00001, 1e21, -2.5e-7, 0.0, 123456.5])
    assert json_path(numbers, "{.n[*]}") == "1 1 1e-05 1e+21 -2.5e-07 0 123456.5"
    assert json_path(numbers, "{.n}") == "[1,1,0.00001,1e+21,-2.5e-7,0,123456.5]"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{.a", "character 1: unclosed action"),
        ("{.a[0}", "character 5: invalid array index"),
        ("{.a[", "character 4: unterminated array"),
        ("{.a[]}", r"character 5: invalid array index: '\]}'; \[\*\] selects all items"),
        ('{.a["b"]}', "character 5: invalid array index"),
        ("{.a['b]}", "character 5: unterminated quoted name"),
        ("{.a['']}", "character 5: .*empty"),
        ("{.a[99999999999999999999]}", "character 5: .*not a number"),
        ("{.a[?(@.b==)]}", "character 5: a side of the filter is empty"),
        ("{.a[?(@.b=1)]}", "character 10: unrecognized filter operator ="),
        ("{.a[?(@.b==1]}", r"character 13: unexpected '\]}'"),
        ("{.a[?(@.b==c)]}", "character 12: unexpected 'c"),
        ("{....a}", "character 4: invalid multiple recursive descent"),
        ("{.a b}", "character 5: unexpected 'b}'"),
        ("{range .a[*]}{.b}", "character 1: {range} without {end}"),
        ("{.a}{end}", "character 5: {end} without {range}"),
        ('{"a}', "character 2: unterminated quoted string"),
        (r'{"\q"}', r"character 3: unknown escape \\q"),
        (r'{"\ud800"}', r"character 3: unknown escape \\u"),
        ("{1.2.3}", "character 2: cannot parse number"),
        ("{.l[7]}", "character 5: array index out of bounds: index 7, length 2"),
        ("{.l[1:0]}", "character 5: starting index 1 is greater than ending index 0"),
        ("{.l[::-1]}", "character 5: the step of a slice must be greater than 0"),
        ("{.l[?(@.x<true)]}", "character 5: incompatible types for comparison: a number < a bool"),
        ("{.l[?(@..x==1)]}", "character 5: can only compare one element"),
        ("{.kind[0]}", "character 8: a string is not an array"),
        ("{" + ".a[?(@" * 30, "nested more than 20 levels"),
        ("{range .l[*]}" * 30, "nested more than 20 levels"),
    ],
)
def test_a_template_that_is_wrong_is_one_error_with_its_position(template: str, why: str) -> None:
    obj = thing(l=[{"x": 1, "y": {"x": 1}}, {"x": 2}])
    with pytest.raises(ValueError, match=why) as caught:
        json_path(obj, template)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_VALUES", 10_000)
    chain: Any = {}
    tower: Any = []
    for _ in range(200):
        chain, tower = {"d": chain}, [tower]
    obj = thing(chain=chain, tower=tower, many=[1] * 2000)
    many = "{range .many[*]}{range $}" + "x" * 100_000 + "{end}{end}"
    for path in ("{..d..d..d..d}", "{.tower" + "[0,0]" * 40 + "}", many):
        with pytest.raises(ValueError, match="visits more than 10,000 values"):
            json_path(obj, path)
    assert json_path(thing(), "." + "a" * 100_000) == ""
    assert json_path(thing(), ".a" * 100_000) == ""


def test_views_tell_what_they_lack() -> None:
    class Images(View[Pod]):
        class Spec(PartOf[PodSpec]):
            containers: list[Container]

        spec: Spec

    view = Images(
        metadata=ViewMeta(name="a"), spec=Images.Spec(containers=[Container(name="main")])
    )
    assert json_path(view, "{.kind}/{.metadata.name} {.spec.containers[0].name}") == "Pod/a main"
    with pytest.raises(TypeError, match="Images does not have the field status"):
        table([view], "PHASE:.status.phase")


def test_columns_are_text_or_a_mapping() -> None:
    pods = [pod("web-0"), pod("b", image="img\n\x1b[31m")]
    columns: dict[str, Any] = {
        "NAME": ".metadata.name",
        "IMAGE": "spec.containers[*].image",
        "AGE": partial(age, now=NOW),
    }
    assert table(pods, columns, sort_by="metadata.name") == (
        "NAME    IMAGE     AGE\nb       img...    60s\nweb-0   nginx:1   5m\n"
    )
    assert table(pods[0], "N:.metadata['name','namespace'],G:.x,H:.spec.x[0,1]") == (
        "N            G        H\nweb-0,shop   <none>   <none>\n"
    )


def test_objects_without_columns_have_a_name_and_an_age() -> None:
    out = io.StringIO()
    print_table([pod("a"), pod("bbb", "bank")], now=NOW, file=out)
    assert (
        out.getvalue() == "NAMESPACE   NAME   AGE\nshop        a      60s\nbank        bbb    3m\n"
    )
    assert table(
        [pod("a"), Secret(metadata=ObjectMeta(name="s"))], headers=False, namespaces=False, now=NOW
    ) == ("pod/a      60s\nsecret/s   <unknown>\n")
    assert table([]) == ""


def test_events_have_the_columns_of_kubectl_events() -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "type": "Warning",
        "reason": "BackOff",
        "message": "Back-off restarting\n",
        "count": 3,
        "firstTimestamp": "2026-11-25T11:50:00Z",
        "lastTimestamp": "2026-11-25T11:59:00Z",
        "involvedObject": {"kind": "Pod", "name": "web-0"},
    }
    assert table([event], now=NOW) == (
        "LAST SEEN           TYPE      REASON    OBJECT      MESSAGE\n"
        "60s (x3 over 10m)   Warning   BackOff   Pod/web-0   Back-off restarting\n"
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10, 9, 2.5], [2.5, 9, 10]),
        (["10", "9", "900m"], ["900m", "9", "10"]),
        (["1Gi", "1G", "x"], ["1G", "1Gi", "x"]),
        (["b", None, "a"], [None, "a", "b"]),
        ([3, None, 1], [None, 1, 3]),
    ],
)
def test_the_order_is_that_of_the_values(values: list[Any], expected: list[Any]) -> None:
    ordered = sort_by([thing(v=value) for value in values], "v")
    assert [each["v"] for each in ordered] == expected


def test_a_time_that_is_none_is_an_invalid_age() -> None:
    for created in ("soon", "2026-11-25", "0001-01-01T00:00:00+14:00", "2027-01-01T00:00:00Z"):
        obj = {"kind": "Event", "apiVersion": "v1", "metadata": {"creationTimestamp": created}}
        assert age(obj, now=NOW) == "<invalid>"
        assert (
            table([{**obj, "firstTimestamp": created}], now=NOW, headers=False).split()[0]
            == "<invalid>"
        )


def test_objects_without_the_field_come_first_and_keep_their_order() -> None:
    things = [thing(v=1, n=1), thing(n=2), thing(n=3), thing(v=0, n=4)]
    assert [each["n"] for each in sort_by(things, ".v")] == [2, 3, 4, 1]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: sort_by([thing()], ".v"), "couldn't find any field with path '.v'"),
        (lambda: sort_by([thing(v=True)], ".v"), "cannot sort by '.v': a value is a bool"),
        (lambda: sort_by([thing(v={})], ".v"), "a value is a dict"),
        (lambda: sort_by([thing(v=1), thing(v="a")], ".v"), "some values are text"),
        (lambda: table([thing()], "NAME"), "unexpected custom-columns spec: 'NAME'"),
        (lambda: table([thing()], "A:.b,"), "unexpected custom-columns spec: ''"),
        (lambda: table([thing()], "A:.b}{.c"), "column A: JSONPath .*, character 3: unexpected"),
        (lambda: table([thing(l=[])], "A:.l[0]"), "Thing t, column A: .*out of bounds"),
        (lambda: table([thing()], {}), "at least one column"),
        (lambda: age(datetime(2026, 1, 1)), "needs a time zone"),
    ],
)
def test_what_cannot_be_printed_is_a_value_error(call: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()


def test_what_is_no_object_is_a_type_error() -> None:
    wrong: list[tuple[Any, ...]] = [
        (json_path, "pods", ".x"),
        (json_path, [1], ".x"),
        (table, 5),
        (table, [], 5),
        (table, [], {"A": 5}),
        (sort_by, ["a"], ".x"),
        (age, "yesterday"),
    ]
    for function, *arguments in wrong:
        with pytest.raises(TypeError, match="not a"):
            function(*arguments)


def test_deep_objects_are_one_error() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    for printed in (lambda: json_path(thing(v=deep), ".v"), lambda: table(thing(v=deep), "V:.v")):
        with pytest.raises(ValueError, match="nested too deeply"):
            printed()


NAMES = strategies.sampled_from(FIELDS.split()) | strategies.text(max_size=3)
KINDS = sorted({**DETAILS, "Secret": None, "Ingress.networking.k8s.io": None})
JSON = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text(),
    lambda inner: strategies.lists(inner, max_size=2) | strategies.dictionaries(NAMES, inner),
    max_leaves=20,
)

OBJECTS = strategies.dictionaries(NAMES, JSON)


@pytest.mark.slow
@try_examples(60)
@given(
    kind=strategies.sampled_from(KINDS),
    fields=OBJECTS,
    events=strategies.lists(OBJECTS, max_size=2),
)
def test_no_object_breaks_a_description(
    kind: str, fields: dict[str, Any], events: list[dict[str, Any]]
) -> None:
    """Servers may send anything. A description has printable lines only."""
    name, _, group = kind.partition(".")
    obj = {**fields, "apiVersion": f"{group}/v1" if group else "v1", "kind": name}
    described = describe_object(obj, events, NOW)
    assert described.endswith("\n")
    assert all(line.isprintable() for line in described.split("\n"))
