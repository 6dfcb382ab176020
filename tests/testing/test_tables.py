"""Tables: what each kind shows, how ages are told, and what rows carry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from clientgen import _jsonpath
from clientgen._apimachinery.failures import Failure
from clientgen._openapi.resolved import Schemas
from clientgen.runtime._printing.human_durations import human_duration
from clientgen.testing._apiserver.kinds.catalog import strategy_of
from clientgen.testing._apiserver.kinds.custom_strategy import CustomStrategy
from clientgen.testing._apiserver.kinds.strategy import Strategy
from clientgen.testing._apiserver.served_resources import Resource
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.tables.table import table as table_of

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
KINDS = sorted({("autoscaling", "Scale"), *((each.group, each.kind) for each in load().resources)})
MINUTE, HOUR, DAY = 60, 3600, 86400


def ago(seconds: float) -> str:
    return (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def table(
    about: Resource | Strategy, objects: list[dict[str, Any]], now: datetime, **more: Any
) -> Any:
    """The Table of objects of a kind."""
    strategy = about if isinstance(about, Strategy) else strategy_of(about)
    return table_of(strategy.printer, strategy.resource.schema, objects, now, **more)


def resource(kind: str, group: str = "", **more: Any) -> Resource:
    return Resource(group, "v1", f"{kind.lower()}s", kind, True, frozenset(), **more)


def thing(name: str = "it", **parts: Any) -> dict[str, Any]:
    metadata = {"name": name, "creationTimestamp": ago(HOUR * 3), **parts.pop("metadata", {})}
    return {"apiVersion": "v1", "metadata": metadata, **parts}


def shown(kind: str, obj: dict[str, Any], group: str = "", **more: Any) -> dict[str, Any]:
    """The cells of one object, by column."""
    answer = table(resource(kind, group, **more), [obj], NOW, list_metadata={})
    names = [column["name"] for column in answer["columnDefinitions"]]
    return dict(zip(names, answer["rows"][0]["cells"], strict=False))


# ------------------------------------------------------------------ ages


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (-1.9, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (10 * MINUTE + 59, "10m"),
        (179 * MINUTE, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 20 * MINUTE, "3h20m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 5 * HOUR, "2d5h"),
        (8 * DAY + 5 * HOUR, "8d"),
        (729 * DAY, "729d"),
        (730 * DAY, "2y"),
        (740 * DAY, "2y10d"),
        (8 * 365 * DAY, "8y"),
        (9 * 365 * DAY + 20 * DAY, "9y"),
    ],
)
def test_a_duration_is_coarser_the_longer_it_is(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text


# ------------------------------------------------------------------ the table around the rows


def test_rows_carry_what_the_request_includes() -> None:
    obj = thing(kind="ConfigMap", data={"a": "1", "b": "2"})

    def row(include: str) -> Any:
        answer = table(resource("ConfigMap"), [obj], NOW, list_metadata={}, include=include)
        return answer["rows"][0]["object"]

    assert row("None") is None
    assert row("Object") == obj
    assert row("") == row("Metadata")
    assert row("Metadata") == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": obj["metadata"],
    }
    with pytest.raises(Failure, match="must be 'Metadata', 'Object', 'None', or empty") as caught:
        row("metadata")
    assert caught.value.code == 400


def test_the_older_version_is_served_too() -> None:
    answer = table(resource("Pod"), [thing()], NOW, list_metadata={}, version="v1beta1")
    assert answer["apiVersion"] == "meta.k8s.io/v1beta1"
    assert answer["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"


def test_an_empty_table_has_columns_and_the_metadata_of_the_list() -> None:
    metadata = {"resourceVersion": "7", "continue": "x", "remainingItemCount": 2}
    answer = table(resource("Secret"), [], NOW, list_metadata=metadata)
    assert answer["metadata"] == metadata
    assert answer["rows"] == []
    assert [column["name"] for column in answer["columnDefinitions"]] == [
        "Name",
        "Type",
        "Data",
        "Age",
    ]


def test_later_events_of_a_watch_have_no_columns() -> None:
    answer = table(resource("Pod"), [thing()], NOW, list_metadata={}, with_columns=False)
    assert answer["columnDefinitions"] is None


def test_descriptions_are_those_of_the_spec_where_it_has_any() -> None:
    metadata = {"properties": {"name": {"description": "What it is called."}}}
    data = {"description": "What it holds.\n\nPossible enum values:\n - `a`"}
    schemas = Schemas({"Meta": metadata})
    schema = schemas.of({"properties": {"metadata": {"$ref": "#/definitions/Meta"}, "data": data}})

    def described(**more: Any) -> list[str]:
        answer = table(resource("ConfigMap", **more), [], NOW, list_metadata={})
        return [column["description"] for column in answer["columnDefinitions"]]

    assert described(schema=schema)[:2] == ["What it is called.", "What it holds."]
    assert all(described())


@pytest.mark.parametrize(("group", "kind"), KINDS)
def test_every_kind_can_show_an_object_that_has_nothing(group: str, kind: str) -> None:
    # The closing bookmark of a watch is such an object, and is shown as a row.
    bookmark: dict[str, Any] = {"kind": kind, "metadata": {"resourceVersion": "3"}}
    answer = table(resource(kind, group), [bookmark], NOW, list_metadata={})
    names = [column["name"] for column in answer["columnDefinitions"]]
    cells = answer["rows"][0]["cells"]
    assert len(names) == len(set(names))
    assert len(cells) == len(names) + (kind == "IPAddress")
    assert cells[names.index("Name")] == ""


def test_kinds_without_a_table_show_when_they_were_created() -> None:
    assert shown("LimitRange", thing()) == {"Name": "it", "Created At": ago(HOUR * 3)}


def test_a_scale_is_shown_as_such() -> None:
    scale = thing(kind="Scale", spec={"replicas": 3}, status={"replicas": 2})
    scale["apiVersion"] = "autoscaling/v1"
    assert shown("Scale", scale, "autoscaling") == {
        "Name": "it",
        "Desired": 3,
        "Available": 2,
        "Age": "3h",
    }


def test_flow_schemas_come_in_the_order_they_are_tried() -> None:
    schemas = [thing(name, spec={"matchingPrecedence": at}) for name, at in [("a", 9), ("b", 1)]]
    flow = resource("FlowSchema", "flowcontrol.apiserver.k8s.io")
    rows = table(flow, schemas, NOW, list_metadata={})["rows"]
    assert [row["cells"][0] for row in rows] == ["b", "a"]
    assert rows[0]["object"]["metadata"]["name"] == "b"


# ------------------------------------------------------------------ pods

RUNNING = {"running": {"startedAt": ago(50)}}


def container(name: str, state: Any = None, *, ready: bool = False, **more: Any) -> dict[str, Any]:
    return {"name": name, "ready": ready, "restartCount": 0, "state": state or {}, **more}


def ended(code: int, reason: str = "", **more: Any) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, **({"reason": reason} if reason else {}), **more}}


def waiting(reason: str) -> dict[str, Any]:
    return {"waiting": {"reason": reason}}


def pod(*statuses: dict[str, Any], init: Any = (), **status: Any) -> dict[str, Any]:
    spec = {
        "containers": [{"name": "a"}, {"name": "b"}],
        "initContainers": [
            {"name": "first"},
            {"name": "beside", "restartPolicy": "Always"},
            {"name": "last"},
        ],
    }
    parts = {"containerStatuses": list(statuses), "initContainerStatuses": list(init)}
    return thing(spec=spec, status={"phase": "Running", **parts, **status})


UP = container("a", RUNNING, ready=True)
DONE = container("a", ended(0, "Completed"))
FIRST_DONE = container("first", ended(0, "Completed"))
BESIDE = container("beside", RUNNING, ready=True, started=True)
READY = [{"type": "Ready", "status": "True"}]
INITIALIZED = [{"type": "Initialized", "status": "True"}]


@pytest.mark.parametrize(
    ("obj", "ready", "status"),
    [
        (pod(UP, container("b", RUNNING, ready=True)), "2/3", "Running"),
        (pod(UP, container("b", waiting("CrashLoopBackOff"))), "1/3", "CrashLoopBackOff"),
        (pod(container("a", ended(137, signal=9)), container("b", ended(3))), "0/3", "Signal:9"),
        (pod(container("a", ended(2)), UP), "1/3", "ExitCode:2"),
        (pod(DONE, DONE, phase="Succeeded"), "0/3", "Completed"),
        (pod(DONE, UP, conditions=READY), "1/3", "Running"),
        (pod(DONE, UP), "1/3", "NotReady"),
        (pod(DONE, container("b", ended(1, "OOMKilled"))), "0/3", "OOMKilled"),
        (pod(phase="Failed", reason="Evicted"), "0/3", "Evicted"),
        (
            pod(
                phase="Pending",
                conditions=[{"type": "PodScheduled", "reason": "SchedulingGated"}],
            ),
            "0/3",
            "SchedulingGated",
        ),
        (pod(UP, init=[container("first", RUNNING)]), "0/3", "Init:0/3"),
        (pod(UP, init=[FIRST_DONE, BESIDE, container("last")]), "1/3", "Init:2/3"),
        (pod(init=[container("first", ended(2))]), "0/3", "Init:ExitCode:2"),
        (pod(init=[container("first", ended(2, signal=15))]), "0/3", "Init:Signal:15"),
        (pod(init=[container("first", ended(2, "Error"))]), "0/3", "Init:Error"),
        (pod(init=[container("first", waiting("PodInitializing"))]), "0/3", "Init:0/3"),
        (pod(init=[container("first", waiting("ErrImagePull"))]), "0/3", "Init:ErrImagePull"),
        (pod(UP, init=[FIRST_DONE, BESIDE]), "2/3", "Running"),
        # Initialized once, and an init container is restarted later.
        (pod(UP, init=[container("first", RUNNING)], conditions=INITIALIZED), "1/3", "Init:0/3"),
    ],
)
def test_the_state_of_a_pod_is_told_in_a_word(obj: Any, ready: str, status: str) -> None:
    cells = shown("Pod", obj)
    assert (cells["Ready"], cells["Status"]) == (ready, status)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ({"phase": "Running"}, "Terminating"),
        ({"phase": "Running", "reason": "NodeLost"}, "Unknown"),
        ({"phase": "Succeeded"}, "Succeeded"),
    ],
)
def test_a_pod_that_is_being_deleted(status: Any, word: str) -> None:
    obj = thing(metadata={"deletionTimestamp": ago(1)}, status=status)
    assert shown("Pod", obj)["Status"] == word


def test_restarts_tell_when_the_last_one_was() -> None:
    restarted = container(
        "a",
        RUNNING,
        restartCount=3,
        lastState={"terminated": {"exitCode": 1, "finishedAt": ago(300)}},
    )
    before = container(
        "b",
        RUNNING,
        restartCount=2,
        lastState={"terminated": {"exitCode": 1, "finishedAt": ago(4000)}},
    )
    assert shown("Pod", pod(restarted, before))["Restarts"] == "5 (5m ago)"
    assert shown("Pod", pod(container("a", RUNNING, restartCount=1)))["Restarts"] == "1"
    first = {**FIRST_DONE, "restartCount": 4}
    assert shown("Pod", pod(init=[first, container("last")]))["Restarts"] == "4"
    # What init containers did no longer counts once they are done.
    assert shown("Pod", pod(UP, init=[first]))["Restarts"] == "0"


def test_the_wide_columns_of_a_pod() -> None:
    conditions = [{"type": "x", "status": "True"}, {"type": "y", "status": "False"}]
    obj = thing(
        spec={
            "nodeName": "n1",
            "readinessGates": [{"conditionType": each} for each in "xyz"],
        },
        status={
            "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
            "nominatedNodeName": "n2",
            "conditions": conditions,
        },
    )
    cells = shown("Pod", obj)
    wide = ("IP", "Node", "Nominated Node", "Readiness Gates")
    assert [cells[name] for name in wide] == ["10.0.0.1", "n1", "n2", "1/3"]
    assert {shown("Pod", thing())[name] for name in wide} == {"<none>"}


def test_a_finished_pod_has_a_condition_on_its_row() -> None:
    row = table(resource("Pod"), [pod(phase="Failed")], NOW, list_metadata={})["rows"][0]
    assert row["conditions"] == [
        {"type": "Completed", "status": "True", "reason": "Failed", "message": "The pod failed."}
    ]


# ------------------------------------------------------------------ other kinds

SELECTOR = {
    "matchLabels": {"b": "1"},
    "matchExpressions": [
        {"key": "a", "operator": "In", "values": ["y", "x"]},
        {"key": "c", "operator": "DoesNotExist"},
        {"key": "d", "operator": "NotIn", "values": ["z"]},
        {"key": "e", "operator": "Exists"},
    ],
}
SELECTED = "a in (x,y),b=1,!c,d notin (z),e"
TEMPLATE = {"spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b", "image": "j"}]}}
SAME_JOB = {"template": TEMPLATE, "completions": 2}
RULES = [{"host": "a"}, {"host": "b"}, {"host": "c"}, {}]
METRIC = {
    "type": "Pods",
    "pods": {"metric": {"name": "m"}, "target": {"averageValue": "1"}},
}


@pytest.mark.parametrize(
    ("kind", "obj", "expected"),
    [
        (
            "apps/Deployment",
            thing(
                spec={"replicas": 3, "selector": SELECTOR, "template": TEMPLATE},
                status={"readyReplicas": 2, "updatedReplicas": 3},
            ),
            {
                "Ready": "2/3",
                "Up-to-date": 3,
                "Available": 0,
                "Containers": "a,b",
                "Images": "i:1,j",
                "Selector": SELECTED,
            },
        ),
        ("apps/ReplicaSet", thing(), {"Desired": 0, "Selector": "<none>"}),
        (
            "apps/ControllerRevision",
            thing(
                revision=4,
                metadata={
                    "ownerReferences": [
                        {"apiVersion": "v1", "kind": "Pod", "name": "p"},
                        {
                            "apiVersion": "apps/v1",
                            "kind": "StatefulSet",
                            "name": "s",
                            "controller": True,
                        },
                    ]
                },
            ),
            {"Controller": "statefulset.apps/s", "Revision": 4},
        ),
        (
            "batch/Job",
            thing(spec=SAME_JOB, status={"succeeded": 1, "startTime": ago(500)}),
            {"Status": "Running", "Completions": "1/2", "Duration": "8m20s"},
        ),
        (
            "batch/Job",
            thing(
                spec={"parallelism": 3},
                status={
                    "startTime": ago(500),
                    "completionTime": ago(100),
                    "conditions": [{"type": "Complete", "status": "True"}],
                },
            ),
            {"Status": "Complete", "Completions": "0/1 of 3", "Duration": "6m40s"},
        ),
        (
            "batch/CronJob",
            thing(
                spec={"schedule": "@daily", "suspend": False},
                status={"active": [{}, {}], "lastScheduleTime": ago(DAY * 9)},
            ),
            {"Timezone": "<none>", "Suspend": "False", "Active": 2, "Last Schedule": "9d"},
        ),
        (
            "/ResourceQuota",
            thing(
                status={
                    "hard": {"pods": "5", "limits.cpu": "2", "cpu": "1"},
                    "used": {"pods": "3"},
                }
            ),
            {"Request": "cpu: 0/1, pods: 3/5", "Limit": "limits.cpu: 0/2"},
        ),
        (
            "/Node",
            thing(
                metadata={
                    "labels": {
                        "node-role.kubernetes.io/worker": "",
                        "kubernetes.io/role": "edge",
                    }
                },
                spec={"unschedulable": True},
                status={"conditions": [{"type": "Ready", "status": "Unknown"}]},
            ),
            {
                "Status": "NotReady,SchedulingDisabled",
                "Roles": "edge,worker",
                "Version": "",
                "OS-Image": "<unknown>",
            },
        ),
        (
            "/Service",
            thing(
                spec={
                    "type": "NodePort",
                    "clusterIPs": ["10.0.0.1"],
                    "ports": [
                        {"port": 80, "nodePort": 30080, "protocol": "TCP"},
                        {"port": 53, "protocol": "UDP"},
                    ],
                    "selector": {"b": "2", "a": "1"},
                }
            ),
            {
                "Cluster-IP": "10.0.0.1",
                "External-IP": "<none>",
                "Port(s)": "80:30080/TCP,53/UDP",
                "Selector": "a=1,b=2",
            },
        ),
        ("/Service", thing(spec={"type": "LoadBalancer"}), {"External-IP": "<pending>"}),
        (
            "/Endpoints",
            thing(
                subsets=[
                    {
                        "addresses": [{"ip": "1.1.1.1"}, {"ip": "fd00::1"}],
                        "ports": [{"port": 80}, {"port": 81}],
                    }
                ]
            ),
            {"Endpoints": "1.1.1.1:80,[fd00::1]:80,1.1.1.1:81 + 1 more..."},
        ),
        (
            "discovery.k8s.io/EndpointSlice",
            thing(ports=[{"name": "x"}, {"port": 9}, {}], endpoints=[]),
            {"Ports": "x,9,*", "Endpoints": "<unset>"},
        ),
        (
            "networking.k8s.io/Ingress",
            thing(spec={"rules": RULES, "tls": [{}]}),
            {"Class": "<none>", "Hosts": "a,b,c + 1 more...", "Ports": "80, 443"},
        ),
        ("networking.k8s.io/Ingress", thing(spec={"rules": RULES[:3]}), {"Hosts": "a,b,c"}),
        (
            "/PersistentVolumeClaim",
            thing(
                spec={"volumeName": "v", "storageClassName": "fast"},
                status={
                    "phase": "Bound",
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                },
            ),
            {"Capacity": "1Gi", "Access Modes": "RWO,RWX", "VolumeMode": "<unset>"},
        ),
        (
            "storage.k8s.io/StorageClass",
            thing(
                metadata={"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
            ),
            {"Name": "it (default)", "ReclaimPolicy": "Delete", "AllowVolumeExpansion": False},
        ),
        (
            "autoscaling/HorizontalPodAutoscaler",
            thing(spec={"maxReplicas": 3, "metrics": [METRIC] * 3, "minReplicas": 1}),
            {"Targets": "<unknown>/1, <unknown>/1 + 1 more...", "MinPods": "1", "MaxPods": 3},
        ),
        (
            "autoscaling/HorizontalPodAutoscaler",
            thing(
                spec={"targetCPUUtilizationPercentage": 50},
                status={"currentCPUUtilizationPercentage": 33},
            ),
            {"Targets": "cpu: 33%/50%", "MinPods": "<unset>"},
        ),
        (
            "/Event",
            thing(
                involvedObject={"kind": "Pod", "name": "p"},
                message=" hi\n",
                source={"component": "c", "host": "h"},
                firstTimestamp=ago(500),
                lastTimestamp=ago(60),
                count=4,
            ),
            {
                "Last Seen": "60s",
                "Object": "pod/p",
                "Source": "c, h",
                "Message": "hi",
                "First Seen": "8m20s",
                "Count": 4,
            },
        ),
        (
            "events.k8s.io/Event",
            thing(
                regarding={"kind": "Pod"},
                note="n",
                eventTime="2026-11-21T11:00:00.000000Z",
                reportingController="c",
                series={"count": 3, "lastObservedTime": "2026-11-21T11:59:00.000000Z"},
            ),
            {"Last Seen": "60s", "First Seen": "60m", "Object": "pod", "Source": "c", "Count": 3},
        ),
        (
            "rbac.authorization.k8s.io/RoleBinding",
            thing(
                roleRef={"kind": "Role", "name": "r"},
                subjects=[
                    {"kind": "User", "name": "u"},
                    {"kind": "ServiceAccount", "namespace": "n", "name": "s"},
                ],
            ),
            {"Role": "Role/r", "Users": "u", "Groups": "", "ServiceAccounts": "n/s"},
        ),
        (
            "certificates.k8s.io/CertificateSigningRequest",
            thing(
                spec={"expirationSeconds": DAY},
                status={
                    "conditions": [{"type": "Approved"}, {"type": "Failed"}],
                    "certificate": "eA==",
                },
            ),
            {"RequestedDuration": "24h", "Condition": "Approved,Failed,Issued"},
        ),
        (
            "apiregistration.k8s.io/APIService",
            thing(
                spec={"service": {"namespace": "n", "name": "s"}},
                status={"conditions": [{"type": "Available", "status": "False", "reason": "Gone"}]},
            ),
            {"Service": "n/s", "Available": "False (Gone)"},
        ),
    ],
)
def test_printer_columns_of_kinds(kind: str, obj: Any, expected: dict[str, object]) -> None:
    group, _, name = kind.rpartition("/")
    cells = shown(name, obj, group)
    assert {column: cells[column] for column in expected} == expected


# ------------------------------------------------------------------ custom resources


def custom(*columns: dict[str, Any]) -> CustomStrategy:
    version: Any = SimpleNamespace(name="v1", columns=columns)
    definition: Any = SimpleNamespace(conversion="None")
    converter: Any = SimpleNamespace()
    return CustomStrategy(resource("Widget", "example.com"), version, definition, "1", converter)


def cell(path: str, kind: str, obj: dict[str, Any]) -> object:
    declared = {"name": "C", "type": kind, "jsonPath": path}
    return table(custom(declared), [obj], NOW, list_metadata={})["rows"][0]["cells"][1]


def test_a_custom_resource_without_columns_shows_its_age() -> None:
    answer = table(custom(), [thing()], NOW, list_metadata={})
    columns = [(column["name"], column["type"]) for column in answer["columnDefinitions"]]
    assert columns == [("Name", "string"), ("Age", "date")]
    assert answer["rows"][0]["cells"] == ["it", "3h"]


def test_declared_columns_are_told_as_declared() -> None:
    answer = table(
        custom(
            {"name": "A", "type": "string", "jsonPath": ".a", "description": "its a"},
            {"name": "B", "type": "integer", "jsonPath": ".b", "priority": 1, "format": "int64"},
        ),
        [],
        NOW,
        list_metadata={},
    )
    assert answer["columnDefinitions"][1:] == [
        {"name": "A", "type": "string", "format": "", "description": "its a", "priority": 0},
        {
            "name": "B",
            "type": "integer",
            "format": "int64",
            "description": "Custom resource definition column (in JSONPath format): .b",
            "priority": 1,
        },
    ]


def test_columns_end_at_a_path_that_cannot_be_read() -> None:
    paths = [".a", ".b[x]", ".c"]
    declared = [{"name": path, "type": "string", "jsonPath": path} for path in paths]
    answer = table(custom(*declared), [], NOW, list_metadata={})
    assert [column["name"] for column in answer["columnDefinitions"]] == ["Name", ".a"]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", 5, "5"),
        ("string", 2.0, "2"),
        ("string", 1e21, "1e+21"),
        ("string", True, "true"),
        ("string", None, "<no value>"),
        ("string", "", ""),
        ("string", {"b": [1, None], "a": "<ü>"}, '{"a":"\\u003cü\\u003e","b":[1,null]}'),
        ("integer", 5, 5),
        ("integer", 1.5, 1),
        ("integer", "5", None),
        ("integer", True, None),
        ("number", 1.5, 1.5),
        ("number", False, None),
        ("boolean", True, True),
        ("boolean", "true", None),
        ("date", ago(90), "90s"),
        ("date", "2026-11-21T12:58:00.5+01:00", "119s"),
        ("date", "soon", "<invalid>"),
        ("date", "", "<unknown>"),
        ("date", 5, None),
        ("other", 5, None),
    ],
)
def test_a_value_becomes_what_its_column_is(kind: str, value: Any, expected: object) -> None:
    shown = cell(".v", kind, thing(v=value))
    assert shown == expected
    assert type(shown) is type(expected)


DOCUMENT = {
    "l": [3, 1, 2],
    "m": {"x": 1, "k.d": "dotted", "k": {"d": "nested"}},
    "o": [{"n": "a", "v": 1}, {"n": "b", "v": 2, "w": 0}, {"n": "c]", "v": 1}],
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".", [DOCUMENT]),
        (".l[0]", [3]),
        (".l[-1]", [2]),
        (".l[3]", []),
        (".l[-4]", []),
        (".l[1:]", [1, 2]),
        (".l[::2]", [3, 2]),
        (".l[-2:]", [1, 2]),
        (".l[0,2]", [3, 2]),
        (".l[*]", [3, 1, 2]),
        (".l.x", []),
        (".m.x.y", []),
        (".m['x']", [1]),
        (".m['x','k.d']", [1, "nested"]),
        (r".m.k\.d", ["dotted"]),
        (r".m['k\.d']", ["dotted"]),
        (".o[*].v", [1, 2, 1]),
        (".o.*.n", ["a", "b", "c]"]),
        ("..v", [1, 2, 1]),
        ('.o[?(@.n=="b")].v', [2]),
        ('.o[?(@.n=="c]")].v', [1]),
        (".o[?(@.n != 'b')].v", [1, 1]),
        (".o[?(@.v>=2)].n", ["b"]),
        (".o[?(@.v<'x')].n", []),
        (".o[?(@.w)].n", ["b"]),
        (".o[?(@.v==@.v)].v", [1, 2, 1]),
        (".o[?(@.w==0.0)].n", ["b"]),
        (".o[?(@.w==true)].n", []),
        ("$.m.x", [1]),
    ],
)
def test_paths_find_values(path: str, expected: list[object]) -> None:
    assert _jsonpath.evaluate(path, DOCUMENT) == expected


@pytest.mark.parametrize("path", ["a", ".a[", ".a[x]", '.a["x"]', ".a{b}", ".a[?(@.x==y)]"])
def test_paths_that_cannot_be_read_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        _jsonpath.parse(path)
