"""Bodies in protobuf: what kubectl 1.32 sends, each form a field can have, and what is refused."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from functools import cache
from typing import Any

import pytest

from clientgen._apimachinery.decoding import in_json, normalise
from clientgen._apimachinery.decoding.messages import BadWire
from clientgen._apimachinery.decoding.wire import from_wire
from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
ACCEPT = f"{MEDIA_TYPE},application/json"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
RBAC = "rbac.authorization.k8s.io"


@cache
def server() -> ApiServer:
    return ApiServer(seed=1)


def schema_of(kind: GroupVersionKind) -> Any:
    return server().cluster.spec.schema(kind)


def number(value: int) -> bytes:
    value &= (1 << 64) - 1
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def field(tag: int, value: int | float | str | bytes) -> bytes:  # noqa: PYI041
    if isinstance(value, float):
        return number(tag << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    raw = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(raw)) + raw


def entry(key: str, value: str | bytes) -> bytes:
    return field(1, key) + field(2, value)


def named(name: str) -> bytes:
    """The metadata of an object."""
    return field(1, field(1, name))


def body(api_version: str, kind: str, *message: bytes) -> bytes:
    head = field(1, api_version) + field(2, kind)
    return b"k8s\x00" + field(1, head) + field(2, b"".join(message))


def read(api_version: str, kind: str, *message: bytes) -> dict[str, Any]:
    made = from_wire(body(api_version, kind, *message), schema_of)
    assert (made.pop("apiVersion"), made.pop("kind")) == (api_version, kind)
    return made


def in_form(value: dict[str, Any]) -> dict[str, Any]:
    """What the server makes of an object, whichever way it came."""
    version = GroupVersion.parse(value["apiVersion"])
    kind = GroupVersionKind(version.group, version.version, value["kind"])
    return normalise(value, schema_of(kind)).value


def send(
    method: str, path: str, content: bytes, media_type: str = MEDIA_TYPE, accept: str = ACCEPT
) -> tuple[int, dict[str, Any]]:
    headers = (("Content-Type", media_type), ("Accept", accept))
    answer = server().handle(HttpRequest(method, path, headers, content))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


# -------------------------------------------------------------------------------------- kubectl

WEB = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {
        "containers": [
            {"name": "nginx", "image": "nginx", "ports": [{"containerPort": 80}], "resources": {}}
        ]
    },
}
CAPTURED: dict[str, tuple[str, dict[str, Any]]] = {
    "create namespace n1": (
        (
            "6b3873000a0f0a02763112094e616d657370616365121a0a120a026e3112001a0022002a003200380042001a02"
            "0a001a002200"
        ),
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "n1"},
            "spec": {},
            "status": {},
        },
    ),
    "create secret generic s1 --from-literal=p=q": (
        (
            "6b3873000a0c0a0276311206536563726574121e0a120a02733112001a0022002a0032003800420012060a0170"
            "1201711a001a002200"
        ),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s1"}, "data": {"p": "cQ=="}},
    ),
    "create deployment web --image=nginx --replicas=2 --port=80": (
        (
            "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412b8010a1f0a0377656212001a0022002a00"
            "3200380042005a0a0a0361707012037765621286010802120c0a0a0a0361707012037765621a6c0a1c0a001200"
            "1a0022002a003200380042005a0a0a036170701203776562124c122e0a056e67696e7812056e67696e782a0032"
            "0a0a001000185022002a0042006a007200800100880100900100a201001a00320042004a005200580060006800"
            "8201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200"
        ),
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "labels": {"app": "web"}},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "web"}},
                "template": WEB,
                "strategy": {},
            },
            "status": {},
        },
    ),
    "create token sa --duration=1h": (
        (
            "6b3873000a280a1861757468656e7469636174696f6e2e6b38732e696f2f7631120c546f6b656e526571756573"
            "74121d0a100a0012001a0022002a00320038004200120320901c1a040a0012001a002200"
        ),
        {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "metadata": {},
            "spec": {"audiences": None, "expirationSeconds": 3600},
            "status": {"token": "", "expirationTimestamp": None},
        },
    ),
    "create rolebinding rb --role=r --serviceaccount=default:sa": (
        (
            "6b3873000a2b0a1c726261632e617574686f72697a6174696f6e2e6b38732e696f2f7631120b526f6c6542696e"
            "64696e67125b0a120a02726212001a0022002a00320038004200121f0a0e536572766963654163636f756e7412"
            "001a027361220764656661756c741a240a19726261632e617574686f72697a6174696f6e2e6b38732e696f1204"
            "526f6c651a01721a002200"
        ),
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "rb"},
            "subjects": [{"kind": "ServiceAccount", "name": "sa", "namespace": "default"}],
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "r"},
        },
    ),
    "create quota q --hard=cpu=1,pods=2": (
        (
            "6b3873000a130a027631120d5265736f7572636551756f746112300a110a017112001a0022002a003200380042"
            "0012190a0a0a0363707512030a01310a0b0a04706f647312030a01321a001a002200"
        ),
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q"},
            "spec": {"hard": {"cpu": "1", "pods": "2"}},
            "status": {},
        },
    ),
    "create pdb b --selector=app=web --min-available=50%": (
        (
            "6b3873000a200a09706f6c6963792f76311213506f6444697372757074696f6e427564676574123a0a110a0162"
            "12001a0022002a0032003800420012190a09080110001a03353025120c0a0a0a0361707012037765621a0a0800"
            "18002000280030001a002200"
        ),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "b"},
            "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}},
            "status": {},
        },
    ),
    "create ingress i --rule=foo.com/bar*=svc:8080": (
        (
            "6b3873000a1f0a146e6574776f726b696e672e6b38732e696f2f76311207496e677265737312480a110a016912"
            "001a0022002a00320038004200122f1a2d0a07666f6f2e636f6d12220a200a1e0a042f626172120e220c0a0373"
            "766312050a0010903f1a065072656669781a020a001a002200"
        ),
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": {"name": "i"},
            "spec": {
                "rules": [
                    {
                        "host": "foo.com",
                        "http": {
                            "paths": [
                                {
                                    "path": "/bar",
                                    "pathType": "Prefix",
                                    "backend": {
                                        "service": {"name": "svc", "port": {"number": 8080}}
                                    },
                                }
                            ]
                        },
                    }
                ]
            },
            "status": {"loadBalancer": {}},
        },
    ),
    "auth can-i get pods": (
        (
            "6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a65637441"
            "6363657373526576696577123c0a100a0012001a0022002a00320038004200121e0a1c0a0764656661756c7412"
            "036765741a0022002a04706f647332003a001a08080012001a0020001a002200"
        ),
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "metadata": {},
            "spec": {
                "resourceAttributes": {"namespace": "default", "verb": "get", "resource": "pods"}
            },
            "status": {"allowed": False},
        },
    ),
}


@pytest.mark.parametrize("command", CAPTURED)
def test_protobuf_bodies_of_kubectl_equal_their_json(command: str) -> None:
    sent, meant = CAPTURED[command]
    assert in_form(from_wire(bytes.fromhex(sent), schema_of)) == in_form(meant)


# ---------------------------------------------------------------------------------- kinds of fields


def test_bytes_and_texts_in_maps() -> None:
    text, raw = field(2, entry("a", "é")), field(3, entry("b", b"\xff\x00"))
    assert read("v1", "ConfigMap", text, raw) == {
        "data": {"a": "é"},
        "binaryData": {"b": b64encode(b"\xff\x00").decode()},
    }
    assert read("v1", "ConfigMap", field(2, field(1, "a"))) == {"data": {"a": ""}}


def test_invalid_utf_8_is_replaced_as_in_json() -> None:
    assert read("v1", "ConfigMap", field(2, entry("a", b"b\xff"))) == {"data": {"a": "b\ufffd"}}


def test_times() -> None:
    created, deleted = field(8, field(1, 1_700_000_000) + field(2, 5)), field(9, b"")
    assert read("v1", "Pod", field(1, created + deleted)) == {
        "metadata": {"creationTimestamp": "2023-11-14T22:13:20Z", "deletionTimestamp": None}
    }
    earliest = field(1, field(8, field(1, -62_135_596_800)))
    assert read("v1", "Pod", earliest)["metadata"]["creationTimestamp"] == "0001-01-01T00:00:00Z"


def test_times_with_microseconds() -> None:
    acquired = field(3, field(1, 1_700_000_000) + field(2, 123_456_789))
    lease = read("coordination.k8s.io/v1", "Lease", field(2, acquired))
    assert lease == {"spec": {"acquireTime": "2023-11-14T22:13:20.123456Z"}}


def test_integers_of_both_signs_and_truths() -> None:
    spec = field(25, -5) + field(4, 30) + field(11, 1) + field(12, 0)
    assert read("v1", "Pod", field(2, spec)) == {
        "spec": {
            "priority": -5,
            "terminationGracePeriodSeconds": 30,
            "hostNetwork": True,
            "hostPID": False,
        }
    }


def test_integers_or_texts() -> None:
    by_number = field(1, "a") + field(4, field(1, 0) + field(2, 8080))
    by_name = field(1, "b") + field(4, field(1, 1) + field(3, "http"))
    service = read("v1", "Service", field(2, field(1, by_number) + field(1, by_name)))
    assert [port["targetPort"] for port in service["spec"]["ports"]] == [8080, "http"]


def test_members_that_json_has_one_floor_higher() -> None:
    volume = field(1, "v") + field(2, field(19, field(1, field(1, "cm"))))
    probe = field(1, field(1, field(1, "true"))) + field(2, 3)
    container = field(1, "c") + field(10, probe)
    pod = read("v1", "Pod", field(2, field(1, volume) + field(2, container)))
    assert pod["spec"] == {
        "volumes": [{"name": "v", "configMap": {"name": "cm"}}],
        "containers": [
            {
                "name": "c",
                "livenessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 3},
            }
        ],
    }


def test_lists_in_maps() -> None:
    extra = field(5, entry("scopes", field(1, "a") + field(1, "b")))
    review = read("authorization.k8s.io/v1", "SubjectAccessReview", field(2, extra))
    assert review == {"spec": {"extra": {"scopes": ["a", "b"]}}}


def test_json_in_protobuf() -> None:
    data = field(2, field(1, b'{"a":[1]}'))
    assert read("apps/v1", "ControllerRevision", data) == {"data": {"a": [1]}}


def test_schemas_of_definitions() -> None:
    nested = field(2, field(5, "string"))
    properties = [
        field(29, entry("items", field(24, field(1, field(5, "integer"))))),
        field(29, entry("closed", field(30, field(1, 0)))),
        field(29, entry("open", field(30, field(1, 1) + nested))),
        field(29, entry("limits", field(9, 1.5) + field(8, field(1, b"2")))),
        field(38, 1),
    ]
    version = field(1, "v1") + field(4, field(1, b"".join(properties)))
    crd = read("apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, field(7, version)))
    assert crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {
        "properties": {
            "items": {"items": {"type": "integer"}},
            "closed": {"additionalProperties": False},
            "open": {"additionalProperties": {"type": "string"}},
            "limits": {"maximum": 1.5, "default": 2},
        },
        "x-kubernetes-preserve-unknown-fields": True,
    }


def test_repeated_messages_are_merged() -> None:
    pieces = field(1, field(1, "a")), field(1, field(2, "b") + field(1, "c"))
    assert read("v1", "ConfigMap", *pieces) == {"metadata": {"name": "c", "generateName": "b"}}


def test_unknown_fields_are_skipped() -> None:
    strange = (
        field(99, "text"),
        field(98, 7),
        field(97, 1.0),
        number(96 << 3 | 5) + b"four",
    )
    assert read("v1", "ConfigMap", *strange, named("a")) == {"metadata": {"name": "a"}}


# ------------------------------------------------------------------------------------- the server


@pytest.mark.parametrize("media_type", [MEDIA_TYPE, MEDIA_TYPE.title(), f"{MEDIA_TYPE}; x=1"])
def test_objects_are_created_and_answered_in_json(media_type: str) -> None:
    made = body("v1", "ConfigMap", named("made"), field(2, entry("k", "v")))
    status, created = send("POST", f"{CONFIG_MAPS}?dryRun=All", made, media_type)
    assert (status, created["data"]) == (201, {"k": "v"})


def test_objects_are_replaced_scaled_and_deleted() -> None:
    deployments = "/apis/apps/v1/namespaces/default/deployments"
    sent = CAPTURED["create deployment web --image=nginx --replicas=2 --port=80"][0]
    assert send("POST", deployments, bytes.fromhex(sent))[0] == 201
    web = f"{deployments}/web"
    scale = body("autoscaling/v1", "Scale", named("web"), field(2, field(1, 5)))
    status, scaled = send("PUT", f"{web}/scale", scale)
    assert (status, scaled["spec"]) == (200, {"replicas": 5})
    stale = body("v1", "DeleteOptions", field(2, field(1, "other")))
    assert send("DELETE", web, stale)[0] == 409
    assert send("DELETE", web, body("v1", "DeleteOptions", field(4, "Background")))[0] == 200


def test_pods_are_bound_and_evicted() -> None:
    container = field(2, field(1, "c") + field(2, "image"))
    pods = "/api/v1/namespaces/default/pods"
    assert send("POST", pods, body("v1", "Pod", named("p"), field(2, container)))[0] == 201
    target = field(2, field(1, "Node") + field(3, "n"))
    assert send("POST", f"{pods}/p/binding", body("v1", "Binding", named("p"), target))[0] == 201
    eviction = body("policy/v1", "Eviction", named("p"), field(2, field(1, 0)))
    assert send("POST", f"{pods}/p/eviction", eviction)[0] == 201
    assert send("GET", f"{pods}/p", b"")[0] == 404


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"k8s\x00",
        body("v1", "ConfigMap", named("a"))[:-1],
        body("v1", "ConfigMap", b"\xff\xff"),
        body("v1", "ConfigMap", b"\x20" + b"\xff" * 10 + b"\x01"),
        body("v1", "ConfigMap", field(1, 1)),
        body("v1", "ConfigMap", b"\x00\x00"),
        body("v1", "Secret", named("a")),
        body("v2", "ConfigMap", named("a")),
        body("v1", "Unheard", named("a")),
    ],
)
def test_other_messages_are_bad_requests(content: bytes) -> None:
    status, failure = send("POST", CONFIG_MAPS, content)
    assert (status, failure["reason"]) == (400, "BadRequest")


def test_broken_json_inside_is_told() -> None:
    with pytest.raises(BadWire):
        read("apps/v1", "ControllerRevision", field(2, field(1, b"{")))


def test_custom_resources_have_no_form_in_protobuf() -> None:
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert send("POST", path, json.dumps(definition).encode(), "application/json")[0] == 201
    widgets = "/apis/example.com/v1/namespaces/default/widgets"
    status, failure = send("POST", widgets, body("example.com/v1", "Widget", named("w")))
    assert (status, failure["reason"]) == (415, "UnsupportedMediaType")
    # But the options of a delete are the server's own.
    missing = send("DELETE", f"{widgets}/w", body("v1", "DeleteOptions"))
    assert missing[0] == 404


def test_requests_in_other_formats_are_left_alone() -> None:
    request = HttpRequest("POST", CONFIG_MAPS, (("Content-Type", "application/json"),), b"{}")
    assert in_json(request, schema_of) is request
