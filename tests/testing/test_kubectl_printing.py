"""What `kubectl get` and `clientgen.runtime.printers` print of the same objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi.clientset import Clientset
from support.kubectl import KUBECTL, Kubectl

from clientgen.runtime.models import ModelList
from clientgen.runtime.printers import json_path, print_table, sort_by, table
from clientgen.runtime.sync import events
from clientgen.testing._fake.local_server import LocalServer

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")

_TIMES = {"lastProbeTime": "2026-11-25T12:00:00Z", "lastTransitionTime": "2026-11-25T12:00:00Z"}
_SEPARATOR = "\n=-=-=\n"


def pod(name: str, *images: str, **spec: Any) -> dict[str, Any]:
    containers = [
        {
            "name": f"c{at}",
            "image": image,
            "env": [{"name": "A", "value": "<&>'\"\\"}],
            "ports": [{"containerPort": 8080 + at, "name": f"p{at}"}],
            "resources": {"requests": {"cpu": spec.pop("cpu", "100m"), "memory": "1Gi"}},
        }
        for at, image in enumerate(images)
    ]
    labels = {"app": name, "a.b/c": "dotted"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": containers, **spec},
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.1",
            "conditions": [
                {"type": "Initialized", "status": "True", **_TIMES},
                {"type": "Ready", "status": "True" if name == "web" else "False", **_TIMES},
            ],
        },
    }


PODS: list[Any] = [
    pod("web", "nginx:1", "envoy:2", activeDeadlineSeconds=10, cpu="900m", nodeName="n1"),
    pod("db", "postgres:17", cpu="2", nodeName="n2", terminationGracePeriodSeconds=5),
    pod("cache", "valkey:8", cpu="1", activeDeadlineSeconds=9),
]


class Shop:
    """Pods on a server, and both programs that read them."""

    def __init__(self, k: Clientset, kubectl: Kubectl) -> None:
        self.k = k
        self.kubectl = kubectl

    @property
    def pods(self) -> ModelList[Any]:
        return self.k.core_v1.pods(self.kubectl.namespace).list()

    def get(self, *arguments: str, exits: int = 0) -> str:
        return self.kubectl("get", "pods", *arguments, exits=exits)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as k:
        kubectl = Kubectl(server.kubeconfig, tmp_path_factory.mktemp("kubectl"), "shop")
        k.core_v1.namespaces().create({"metadata": {"name": kubectl.namespace}})
        pods = k.core_v1.pods(kubectl.namespace)
        for each in PODS:
            pods.create(each)
            pods.status(each["metadata"]["name"]).patch({"status": each["status"]})
        yield Shop(k, kubectl)


# ------------------------------------------------------------------ JSONPath

TEMPLATES = [
    "{@}",
    "{$.kind}",
    "{.items[*].metadata.name}",
    "{.items[*]['metadata.name', 'status.phase']}",
    "{.items[*].metadata.labels}",
    r"{.items[*].metadata.labels.a\.b/c}",
    r"{.items[*].metadata.labels['a\.b/c']}",
    "{.items[0].spec.containers[*].image}",
    "{.items[-1].metadata.name}",
    "{.items[-1:].metadata.name}",
    "{.items[0:2].metadata.name}",
    "{.items[:2].metadata.name}",
    "{.items[::2].metadata.name}",
    "{.items[0:3:2].metadata.name}",
    "{.items[1:1].metadata.name}",
    "{.items[3:].metadata.name}",
    "{.items[0,2].metadata.name}",
    "{.items[0,1:3].metadata.name}",
    "{.items[2]['metadata']['name']}",
    "{.items.*.metadata.name}",
    "{..containerPort}",
    "{..metadata.name}",
    "{.items[0]..image}",
    "{.items[0].spec.containers[0].env}",
    "{.items[0].spec.containers[0].env[0].value}",
    "{.items[*].spec.containers[0].ports[0].containerPort}",
    "{.items[*].spec.activeDeadlineSeconds}",
    "{.items[*].spec.hostNetwork}",
    "{.items[*].spec.nothing}",
    "{.items[*].metadata.name.nothing}",
    '{.items[?(@.metadata.name=="db")].status.phase}',
    "{.items[?(@.metadata.name == 'db')].status.phase}",
    '{.items[?(@.metadata.name!="db")].metadata.name}',
    '{.items[?(@.metadata.name>"d")].metadata.name}',
    "{.items[?(@.spec.activeDeadlineSeconds)].metadata.name}",
    "{.items[?(@.spec.activeDeadlineSeconds==10)].metadata.name}",
    "{.items[?(@.spec.terminationGracePeriodSeconds<=5)].metadata.name}",
    "{.items[?(@.spec.terminationGracePeriodSeconds>5)].metadata.name}",
    "{.items[?(@.spec.nodeName>=.spec.nodeName)].metadata.name}",
    r'{.items[?(@.metadata.labels.a\.b/c=="dotted")].metadata.name}',
    '{.items[*].status.conditions[?(@.type=="Ready")].status}',
    '{range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}',
    "{range .items[*]}{.metadata.name}:{range .spec.containers[*]} {.name}={.image}{end};{end}",
    "{range .items[*]}[{.metadata.name}, {.status.podIP}] {end}",
    "{range .nothing[*]}{.metadata.name}{end}done",
    "{range .items[*].spec.containers[0]}{.image} {end}",
    "{ .items[0].metadata.name }",
    "text } outside {'and \\'inside\\' '}{\"\\x41\\u00e9\\101\"}",
    '{"only text"}{.items[0].nothing}{"!"}',
    '{.nothing "replaced"}',
    "{1}{2.50}{true}{-3}",
    "{.items[0].metadata.name .items}",
    "é {.items[0].kind}",
]


def test_json_path_prints_what_kubectl_prints(shop: Shop) -> None:
    template = f"{{{_SEPARATOR!r}}}".join(TEMPLATES)
    expected = shop.get("-o", f"jsonpath={template}").split(_SEPARATOR)
    pods = shop.pods
    printed = {each: json_path(pods, each) for each in TEMPLATES}
    assert printed == dict(zip(TEMPLATES, expected, strict=True))


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{.items[5].metadata.name}", "array index out of bounds: index 5, length 3"),
        ("{.items[0].metadata.labels[0]}", "is not array or slice"),
        (
            '{.items[?(@.spec.activeDeadlineSeconds>"a")].metadata.name}',
            "incompatible types for comparison",
        ),
        ("{.items[*.metadata.name}", "unterminated array"),
    ],
)
def test_json_path_refuses_what_kubectl_refuses(shop: Shop, template: str, why: str) -> None:
    assert why in shop.get("-o", f"jsonpath={template}", exits=1)
    with pytest.raises(ValueError, match="character"):
        json_path(shop.pods, template)


# ------------------------------------------------------------------ columns and order

PATHS = [
    ".metadata.name",
    "metadata.name",
    "{.metadata.name}",
    "{metadata.name}",
    ".spec.containers[*].image",
    ".spec.containers[*].ports",
    ".metadata.labels",
    ".spec.activeDeadlineSeconds",
    ".spec.nothing",
    ".spec.hostNetwork",
    "..containerPort",
    ".status.conditions[?(@.type=='Ready')].status",
    ".spec.containers[0].resources",
    ".spec.containers[-1:].name",
    ".spec.containers[0].env[0].value",
]


def test_custom_columns_are_those_of_kubectl(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ",".join(f"Column_{at}:{path}" for at, path in enumerate(PATHS))
    expected = shop.get("-o", f"custom-columns={columns}")
    print_table(shop.pods, columns)
    assert capsys.readouterr().out == expected
    assert table(shop.pods, columns, headers=False) == shop.get(
        "--no-headers", "-o", f"custom-columns={columns}"
    )
    assert table([], "NAME:.metadata.name") == "NAME\n"


@pytest.mark.parametrize(
    "path",
    [
        ".metadata.name",
        ".spec.activeDeadlineSeconds",
        "{.spec.nodeName}",
        "spec.containers[0].resources.requests.cpu",
        ".spec.terminationGracePeriodSeconds",
        ".spec.nothing",
        ".metadata.labels",
    ],
)
def test_sorted_as_kubectl_sorts(shop: Shop, path: str) -> None:
    done = shop.kubectl.run("get", "pods", "-o", "name", "--sort-by", path)
    if done.returncode:
        with pytest.raises(ValueError, match=path):
            sort_by(shop.pods, path)
    else:
        names = [f"pod/{each.metadata.name}" for each in sort_by(shop.pods, path)]
        assert names == done.stdout.split()


@pytest.mark.parametrize("path", [".metadata.name", "spec.nodeName"])
def test_tables_of_the_server_are_those_of_kubectl(shop: Shop, path: str) -> None:
    ours = shop.k.table("pods", namespace=shop.kubectl.namespace, sort_by=path)
    expected = _without_ages(shop.get("-o", "wide", "--sort-by", path))
    assert _without_ages(table(ours, wide=True)) == expected
    assert _without_ages(table(ours, wide=True, sort_by=path)) == expected


# ------------------------------------------------------------------ events

# So long ago that their ages change once a day.
EVENTS: list[dict[str, Any]] = [
    {
        "reason": "Pulled",
        "firstTimestamp": "2020-01-01T00:00:00Z",
        "lastTimestamp": "2020-01-01T00:00:00Z",
    },
    {
        "reason": "BackOff",
        "type": "Warning",
        "message": "Back-off\n",
        "count": 4,
        "firstTimestamp": "2019-06-01T00:00:00Z",
        "lastTimestamp": "2021-01-01T00:00:00Z",
    },
    {
        "reason": "Scheduled",
        "eventTime": "2019-01-01T00:00:00.000000Z",
        "series": {"count": 3, "lastObservedTime": "2019-03-01T00:00:00.000000Z"},
        "reportingComponent": "scheduler",
        "reportingInstance": "s-0",
        "action": "Binding",
    },
    {"reason": "Untimed"},
]


def test_events_are_those_of_kubectl(shop: Shop) -> None:
    pod = shop.k.core_v1.pods(shop.kubectl.namespace).get("db")
    about = {"apiVersion": "v1", "kind": "Pod", "name": "db", "namespace": shop.kubectl.namespace}
    for at, fields in enumerate(EVENTS):
        metadata = {"name": f"e{at}", "namespace": shop.kubectl.namespace}
        event = {"type": "Normal", "message": "text", **fields, "involvedObject": about}
        shop.k.create({"apiVersion": "v1", "kind": "Event", "metadata": metadata, **event})
    expected = shop.kubectl("events", "--for", "pod/db")
    assert table(events(shop.k, pod)) == expected
    warnings = events(shop.k, pod, types=["Warning"])
    assert table(warnings) == shop.kubectl("events", "--for", "pod/db", "--types=Warning")


def _without_ages(text: str) -> list[list[str]]:
    """Return the cells of a table of pods; their ages are at the same place."""
    lines = [re.split(r" {2,}", line) for line in text.splitlines()]
    assert lines[0][4] == "AGE"
    return [[*line[:4], *line[5:]] for line in lines]
