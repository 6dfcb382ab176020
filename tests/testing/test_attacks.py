"""Requests that are small and cost much: refused, or done, with little memory and few steps."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from support.bounds import bounded_memory, bounded_steps

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._apiserver.storage.store import MAX_OBJECT_BYTES
from clientgen.testing._fake.actions import action_of
from clientgen.testing._fake.fake_clock import FakeClock

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
YAML = "application/yaml"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CUPS = "/apis/shop.example/v1/namespaces/default/cups"
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
MANY_DIGITS = "9" * 5000


def definition(schema: dict[str, Any], plural: str = "cups") -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.title()},
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


def cup(spec: Any, **metadata: Any) -> bytes:
    head = {"apiVersion": "shop.example/v1", "kind": "Cups"}
    return json.dumps({**head, "metadata": {"name": "new", **metadata}, "spec": spec}).encode()


def config(name: str = "new", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **more}}


def pod(containers: list[Any], **more: Any) -> dict[str, Any]:
    metadata = {"name": "new"}
    spec = {"containers": containers, **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def nested(levels: int, inside: str = "1", key: str = "a") -> bytes:
    return (f'{{"{key}":' * levels + inside + "}" * levels).encode()


def within(text: bytes, inside: bytes) -> bytes:
    return text.replace(b'"@"', inside)


def containers(many: int) -> list[dict[str, str]]:
    return [{"name": f"c{n}", "image": "x"} for n in range(many)]


def asked(method: str, target: str, body: Any = None, kind: str = "") -> HttpRequest:
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return HttpRequest(method, target, (("content-type", kind or "application/json"),), body)


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What the handler did not expect is answered with 500, and logged."""
    yield
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.fixture(scope="module")
def spare() -> ApiServer:
    """Loads what is loaded once, which is not to be counted."""
    return served()


@pytest.fixture
def server(spare: ApiServer) -> ApiServer:
    return served()


def served() -> ApiServer:
    made = ApiServer(clock=FakeClock(), seed=1)
    made.put(definition({"type": "object", "properties": {"spec": ANYTHING}}))
    made.run_due()
    made.put(json.loads(cup({"a": 1}, name="old", namespace="default")))
    made.put(config("old", namespace="default") | {"data": {"a": "x" * 100}})
    made.put(pod(containers(1)) | {"metadata": {"name": "old", "namespace": "default"}})
    return made


def answer(
    server: ApiServer, request: HttpRequest, *, megabytes: int = 256, steps: int = 3_000_000
) -> Response:
    with bounded_memory(megabytes), bounded_steps(steps):
        action_of(request)
        response = server.handle(request)
    assert isinstance(response, Response)
    assert_alive(server)
    return response


def assert_alive(server: ApiServer) -> None:
    """Whatever came, everybody else is served."""
    table = (("accept", "application/json;as=Table;v=v1;g=meta.k8s.io"),)
    for target in (CUPS, MAPS, DEFINITIONS):
        for headers in ((), table, (("accept", "application/yaml"),)):
            response = server.handle(HttpRequest("GET", target, headers))
            assert isinstance(response, Response)
            assert response.status == 200


# ---- JSON patches -----------------------------------------------------------------------------

GROWING = [{"op": "add", "path": "/spec/a", "value": "x" * 1000}]
BOMBS = {
    "members": GROWING
    + [{"op": "copy", "from": "/spec", "path": f"/spec/b{n}"} for n in range(40)],
    "items": [{"op": "add", "path": "/spec/a", "value": ["x" * 1000]}]
    + [{"op": "copy", "from": "/spec/a", "path": "/spec/a/-"} for _ in range(40)],
    "large": [{"op": "add", "path": "/spec/a", "value": list(range(30_000))}]
    + [{"op": "copy", "from": "/spec/a", "path": "/spec/b"}] * 9_999,
    "shifted": [{"op": "add", "path": "/spec/a", "value": [0] * 200_000}]
    + [{"op": "add", "path": "/spec/a/0", "value": 0}] * 9_999,
    "moved": [{"op": "add", "path": "/spec/a", "value": [0] * 200_000}]
    + [{"op": "move", "from": "/spec/a/0", "path": "/spec/a/-"}] * 9_999,
    "nested": [{"op": "add", "path": "/spec" + "/a" * n, "value": {}} for n in range(1, 600)],
    "within itself": [{"op": "copy", "from": "/spec", "path": "/spec" + "/a" * n} for n in range(9)]
    * 1_000,
    "index": [{"op": "add", "path": f"/metadata/finalizers/{MANY_DIGITS}", "value": {}}],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_json_patch_that_makes_much_of_little_does_not_apply(
    server: ApiServer, name: str
) -> None:
    for target in (f"{CUPS}/old", f"{MAPS}/old"):
        response = answer(server, asked("PATCH", target, BOMBS[name], JSON_PATCH))
        assert (response.status, json.loads(response.body)["reason"]) == (422, "Invalid")


def test_copies_of_three_megabytes_are_made(server: ApiServer) -> None:
    """The bound is the server's: what it takes is taken."""
    tenth = [{"op": "add", "path": "/spec/a", "value": "x" * 300_000}]
    copies = [{"op": "copy", "from": "/spec/a", "path": "/spec/b"} for _ in range(10)]
    assert answer(server, asked("PATCH", f"{CUPS}/old", tenth + copies, JSON_PATCH)).status == 200
    more = [*tenth, *copies, copies[0]]
    assert answer(server, asked("PATCH", f"{CUPS}/old", more, JSON_PATCH)).status == 422


# ---- nesting ----------------------------------------------------------------------------------

MANAGED = config(managedFields=[{"manager": "m", "operation": "Update", "apiVersion": "v1",
    "fieldsType": "FieldsV1", "fieldsV1": "@"}])  # fmt: skip
SCHEMA = {"type": "object", "properties": {"spec": {**ANYTHING, "default": "@"}}}
REVISION = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "r"},
    "revision": 1, "data": "@"}  # fmt: skip
REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"


def nesting(levels: int) -> list[HttpRequest]:
    inside, lists = nested(levels), b'{"a":' + b"[" * levels + b"]" * levels + b"}"
    fields = nested(levels, "{}", "f:a")
    schema = b'{"type":"object","properties":{"a":' * levels + b'{"type":"string"}' + b"}}" * levels
    return [
        asked("POST", CUPS, within(cup("@"), inside)),
        asked("POST", CUPS, within(cup("@"), lists)),
        asked("POST", CUPS, within(cup("@"), inside), YAML),
        asked("PATCH", f"{CUPS}/old", b'{"spec":' + inside + b"}", MERGE),
        asked("PATCH", f"{CUPS}/old?fieldManager=m", within(cup("@", name="old"), inside), APPLY),
        asked("PATCH", f"{CUPS}/old", b'[{"op":"add","path":"/spec/a","value":' + inside + b"}]",
            JSON_PATCH),
        asked("PATCH", f"{MAPS}/old", b'{"data":' + inside + b"}", STRATEGIC),
        asked("PATCH", f"{MAPS}/old", within(json.dumps(MANAGED).encode(), fields), MERGE),
        asked("POST", MAPS, within(json.dumps(MANAGED).encode(), fields)),
        asked("POST", PODS, within(json.dumps(pod([])).encode().replace(b"[]", b'"@"'), lists)),
        asked("POST", REVISIONS, within(json.dumps(REVISION).encode(), inside)),
        asked("POST", DEFINITIONS,
            within(json.dumps(definition(SCHEMA, "jugs")).encode(), inside)),
        asked("POST", DEFINITIONS, within(json.dumps(definition("@", "jugs")).encode(), schema)),  # type: ignore[arg-type]
        asked("DELETE", f"{MAPS}/old", within(b'{"kind":"DeleteOptions","x":"@"}', inside)),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("levels", [300, 900, 20_000])
def test_deeply_nested_bodies_are_refused(server: ApiServer, levels: int) -> None:
    for request in nesting(levels):
        response = answer(server, request)
        assert response.status == 400, (request.method, request.target, response.body[:300])
        assert b"max depth" in response.body


@pytest.mark.parametrize("levels", [60, 200, 240])
def test_moderately_nested_bodies_are_answered(server: ApiServer, levels: int) -> None:
    for request in nesting(levels):
        assert answer(server, request).status < 500


@pytest.mark.parametrize("element", ["k:", "v:"])
@pytest.mark.parametrize("levels", [300, 900, 20_000])
def test_elements_of_managed_fields_are_not_nested(
    server: ApiServer, element: str, levels: int
) -> None:
    key = json.dumps(element + nested(levels).decode()).encode()
    body = within(json.dumps(MANAGED).encode(), b'{"f:data":{' + key + b":{}}}")
    assert answer(server, asked("POST", MAPS, body)).status < 500
    assert answer(server, asked("PATCH", f"{MAPS}/old?fieldManager=x", body, MERGE)).status < 500


# ---- numbers and aliases ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["application/json", YAML])
@pytest.mark.parametrize(
    "number", [MANY_DIGITS, f"-{MANY_DIGITS}", f"{MANY_DIGITS}.5", f"0.{MANY_DIGITS}"]
)
def test_numbers_of_many_digits(server: ApiServer, number: str, kind: str) -> None:
    inside = b'{"a":' + number.encode() + b"}"
    assert answer(server, asked("POST", CUPS, within(cup("@"), inside), kind)).status < 500
    for patch in (MERGE, APPLY):
        body = within(cup("@", name="old"), inside)
        target = f"{CUPS}/old{'?fieldManager=m' if patch == APPLY else ''}"
        assert answer(server, asked("PATCH", target, body, patch)).status < 500
    body = within(json.dumps(pod(containers(1), priority="@")).encode(), number.encode())
    assert answer(server, asked("POST", PODS, body, kind)).status < 500


@pytest.mark.parametrize(
    "number", ["0x" + "f" * 5000, "0b" + "1" * 50_000, "0o" + "7" * 5000, "1" + "_0" * 5000,
        "0" + "7" * 5000, "1e" + MANY_DIGITS, "1:" + "59:" * 5000 + "59"]
)  # fmt: skip
def test_numbers_as_only_yaml_writes_them(server: ApiServer, number: str) -> None:
    inside = f"{{{number}: {number}}}".encode()
    assert answer(server, asked("POST", CUPS, within(cup("@"), inside), YAML)).status < 500
    yaml = HttpRequest("GET", CUPS, (("accept", "application/yaml"),))
    assert answer(server, yaml).status == 200


def aliases() -> dict[str, bytes]:
    tenfold = b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 10)) for n in range(9)
    )
    long = b"a: &a " + b"x" * 1_000_000 + b"\nb: [" + b",".join([b"*a"] * 5_000) + b"]\n"
    key = b"a: &a {" + b"x" * 1_000 + b": 1}\nb: [" + b",".join([b"*a"] * 15_000) + b"]\n"
    merged = b"k0: &k0 {x: 1}\n" + b"".join(
        b"k%d: &k%d {<<: [%s]}\n" % (n, n, b",".join([b"*k%d" % (n - 1)] * 10)) for n in range(1, 9)
    )
    padded = b"p: [" + b"1," * 9_000 + b"1]\n"
    return {"tenfold": tenfold, "long": padded + long, "key": padded + key, "merged": merged}


@pytest.mark.slow
@pytest.mark.parametrize("name", aliases())
def test_aliases_that_make_much_of_little_are_refused(server: ApiServer, name: str) -> None:
    body = aliases()[name]
    for request in (
        asked("POST", CUPS, body, YAML),
        asked("PATCH", f"{CUPS}/old?fieldManager=m", body, APPLY),
    ):
        response = answer(server, request)
        assert (response.status, b"excessive aliasing" in response.body) == (400, True)


# ---- much of everything -----------------------------------------------------------------------

MANY = 4_000
REFERENCE = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
TAINT = {"effect": "NoSchedule"}
ORDER = "$setElementOrder/containers"
LONG = [
    asked("PATCH", f"{PODS}/old", {"spec": {"containers": containers(MANY)}}, STRATEGIC),
    asked(
        "PATCH",
        f"{PODS}/old",
        {"spec": {"containers": containers(MANY), ORDER: containers(MANY)}},
        STRATEGIC,
    ),
    asked(
        "PATCH",
        f"{PODS}/old",
        {"spec": {"containers": containers(MANY), ORDER: containers(MANY)[::-1]}},
        STRATEGIC,
    ),
    asked(
        "PATCH",
        f"{PODS}/old",
        {"spec": {"containers": [{"$patch": "delete", **each} for each in containers(MANY)]}},
        STRATEGIC,
    ),
    asked(
        "PATCH",
        f"{PODS}/old",
        {"metadata": {"finalizers": [f"a.b/{n}" for n in range(MANY)]}},
        STRATEGIC,
    ),
    asked(
        "PATCH",
        f"{PODS}/old",
        {"metadata": {"$deleteFromPrimitiveList/finalizers": [str(n) for n in range(MANY)]}},
        STRATEGIC,
    ),
    asked(
        "PATCH",
        f"{MAPS}/old",
        {"$retainKeys": [f"a{n}" for n in range(MANY)], **{f"a{n}": 1 for n in range(MANY)}},
        STRATEGIC,
    ),
    asked(
        "POST",
        MAPS,
        config(ownerReferences=[{**REFERENCE, "uid": str(n)} for n in range(MANY)]),
    ),
    asked(
        "POST",
        "/api/v1/namespaces/default/services",
        {**SERVICE, "spec": {"ports": [{"name": f"p{n}", "port": n + 1} for n in range(MANY)]}},
    ),
    asked(
        "POST",
        "/api/v1/nodes",
        {**NODE, "spec": {"taints": [{**TAINT, "key": f"a{n}"} for n in range(MANY)]}},
    ),
    asked("POST", PODS, pod(containers(1), volumes=[{"name": f"v{n}"} for n in range(MANY)])),
    asked("POST", CUPS, b"{" + b",".join(b'"a%d":1,"a%d":2' % (n, n) for n in range(MANY)) + b"}"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("request_", LONG, ids=lambda each: f"{each.method} {each.target}")
def test_long_lists_take_steps_in_proportion(server: ApiServer, request_: HttpRequest) -> None:
    assert b"InternalError" not in answer(server, request_, steps=400 * MANY).body


@pytest.mark.parametrize("name", ["labelSelector", "fieldSelector"])
def test_a_selector_has_so_many_requirements(server: ApiServer, name: str) -> None:
    one = "a!={}" if name == "labelSelector" else "metadata.name!={}"
    for many, status in ((1_000, 200), (1_001, 400), (100_000, 400)):
        text = ",".join(one.format(n) for n in range(many)).replace("=", "%3D")
        assert answer(server, asked("GET", f"{PODS}?{name}={text}")).status == status


@pytest.mark.parametrize("number", [MANY_DIGITS, "1_000", "9223372036854775808", "\u0663"])
def test_labels_are_compared_with_numbers_of_64_bits(server: ApiServer, number: str) -> None:
    assert answer(server, asked("GET", f"{PODS}?labelSelector=a%3E{number}")).status == 400


def test_a_continue_token_is_not_nested(server: ApiServer) -> None:
    token = base64.urlsafe_b64encode(nested(5_000)).decode()
    assert answer(server, asked("GET", f"{PODS}?limit=1&continue={token}")).status == 400


def test_a_bearer_token_is_not_nested(server: ApiServer) -> None:
    payload = base64.urlsafe_b64encode(nested(50_000)).decode().rstrip("=")
    headers = (("authorization", f"Bearer e30.{payload}.e30"),)
    assert answer(server, HttpRequest("GET", PODS, headers)).status == 200


def test_a_watch_may_last_for_ever(server: ApiServer) -> None:
    target = f"{PODS}?watch=1&allowWatchBookmarks=1&timeoutSeconds={2**63 - 1}"
    with bounded_memory(256), bounded_steps(100_000):
        stream = server.handle(asked("GET", target))
        assert not isinstance(stream, Response)


# ---- sizes ------------------------------------------------------------------------------------

TOO_LARGE = "etcdserver: request is too large"


def test_an_object_has_the_size_that_etcd_takes(server: ApiServer) -> None:
    """The real server answers what etcd says with a 500 that has no reason."""
    fits, large = "x" * (MAX_OBJECT_BYTES - 2_000), "x" * MAX_OBJECT_BYTES
    version = server.cluster.store.version
    for request in (
        asked("POST", CUPS, cup({"a": large})),
        asked("PATCH", f"{CUPS}/old", {"spec": {"a": large}}, MERGE),
        asked("PATCH", f"{CUPS}/new?fieldManager=m", cup({"a": large}), APPLY),
        asked("POST", CUPS, cup({"a": "x" * 2_500_000})),
    ):
        response = answer(server, request)
        status = json.loads(response.body)
        assert (response.status, status.get("reason")) == (500, None)
        assert status["message"] == TOO_LARGE or "larger than max (25" in status["message"]
    assert server.cluster.store.version == version
    assert answer(server, asked("POST", CUPS, cup({"a": fits}))).status == 201
    assert (
        answer(server, asked("POST", f"{CUPS}?dryRun=All", cup({"a": "y"}, name="z"))).status == 201
    )


@pytest.mark.slow
def test_history_is_bounded_in_bytes(server: ApiServer) -> None:
    store = server.cluster.store
    first = store.version
    body = {"spec": {"a": "x" * 1_000_000}}
    store.history_bytes = 10_000_000
    with bounded_memory(64):
        for n in range(100):
            body["spec"]["n"] = n  # type: ignore[assignment]
            assert server.handle(asked("PATCH", f"{CUPS}/old", body, MERGE)).status == 200  # type: ignore[union-attr]
    stream: Any = server.handle(asked("GET", f"{CUPS}?watch=1&resourceVersion={first}"))
    assert json.loads(stream.take())["object"]["reason"] == "Expired"
    late: Any = server.handle(asked("GET", f"{CUPS}?watch=1&resourceVersion={store.version - 5}"))
    assert len(late.take().splitlines()) == 5


def test_the_total_size_of_the_store_is_bounded(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "clientgen.testing._apiserver.storage.store.MAX_STORED_BYTES",
        server.cluster.store.stored + 2_000,
    )
    assert answer(server, asked("POST", CUPS, cup({"a": "x" * 1_000}, name="one"))).status == 201
    response = answer(server, asked("POST", CUPS, cup({"a": "x" * 1_000}, name="two")))
    assert (response.status, b"database space exceeded" in response.body) == (500, True)
    assert answer(server, asked("DELETE", f"{CUPS}/one")).status == 200
    assert answer(server, asked("POST", CUPS, cup({"a": "x" * 1_000}, name="two"))).status == 201


def test_long_texts_are_not_remembered(server: ApiServer) -> None:
    """Caches of what was made of texts keep the short ones."""
    with bounded_memory(48):
        for n in range(60):
            key = json.dumps(f"f:{n}" + "x" * 1_000_000)
            body = within(json.dumps(MANAGED).encode(), b"{" + key.encode() + b":{}}")
            assert server.handle(asked("POST", f"{MAPS}?dryRun=All", body)).status == 201  # type: ignore[union-attr]


# ---- rules of definitions ---------------------------------------------------------------------

ITEMS = {"type": "array", "items": {"type": "string"}}
CALL_LIMIT = b"call cost exceeds limit for rule"
BUDGET = b"running out of cost budget"


def ruled(schema: dict[str, Any], *rules: str) -> dict[str, Any]:
    """A schema whose `spec` keeps rules."""
    listed = [{"rule": each} for each in rules]
    return {
        "type": "object",
        "properties": {"spec": {**schema, "x-kubernetes-validations": listed}},
    }


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("self.map(x, self.map(y, x + y)).size() > 0", ["x" * 50_000] * 60),
        ("self.map(x, x + self[0] + self[0]).map(x, x + x + x).size() > 0", ["x" * 90_000] * 33),
        ("self.map(x, x).map(x, x).size() > 0", ["x"] * 9_000),
        ("self.all(x, self.all(y, x.contains(y + 'b')))", ["a" * 9_000] * 90),
        ("self[0].replace('', self[0]).size() > 0", ["x" * 40_000]),
        ("'%s%s'.format([self, self.map(x, self)]).size() > 0", ["x" * 9_000] * 90),
        ("self.all(x, self.indexOf(x) >= 0)", [f"{n}" for n in range(9_000)]),
        ("self[0].findAll('.').size() > 0", ["x" * 900_000]),
        ("lists.range(100000000).size() > 0", ["x"]),
        ("lists.range(self.size() * 100000000).size() > 0", ["x"]),
    ],
)
def test_a_rule_that_costs_too_much_is_not_run(server: ApiServer, rule: str, value: Any) -> None:
    server.put(definition(ruled(ITEMS, rule, "true"), "jugs"))
    server.run_due()
    body = cup(value).replace(b"Cups", b"Jugs")
    response = answer(server, asked("POST", CUPS.replace("cups", "jugs"), body))
    assert (response.status, CALL_LIMIT in response.body) == (422, True)


def test_the_rules_of_an_object_share_a_cost_budget(server: ApiServer) -> None:
    rule = "self.all(x, self.all(y, !x.contains(y + 'b')))"
    server.put(definition(ruled(ITEMS, *[rule] * 20), "jugs"))
    server.run_due()
    body = cup(["a" * 400] * 60).replace(b"Cups", b"Jugs")
    response = answer(server, asked("POST", CUPS.replace("cups", "jugs"), body))
    assert (response.status, BUDGET in response.body) == (422, True)
    assert response.body.count(BUDGET) == 2  # in the message and in its one cause


def test_the_defaults_of_a_definition_share_a_cost_budget(server: ApiServer) -> None:
    rule = {"rule": "self.all(x, self.all(y, !x.contains(y + 'b')))"}
    schema = {**ITEMS, "x-kubernetes-validations": [rule], "default": ["a" * 400] * 60}
    properties = {f"p{n}": schema for n in range(20)}
    made = definition(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}},
        "jugs",
    )
    response = answer(server, asked("POST", DEFINITIONS, made))
    assert (response.status, BUDGET in response.body) == (422, True)


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("self.all(x, self.exists_one(y, y == x))", [f"name-{n}" for n in range(90)]),
        ("self.all(x, x.matches('^[a-z]+$'))", ["abc"] * 5_000),
        ("self.map(x, x + 'y').size() == 2000", ["abc"] * 2_000),
        ("self.filter(x, x.startsWith('a')).size() == 2000", ["abc"] * 2_000),
        ("self.all(x, x in self)", [f"{n}" for n in range(2_000)]),
        ("self.join(',').split(',').size() == 9000", ["abc"] * 9_000),
        ("self[0].contains('b') || self[0].size() > 1", ["x" * 900_000]),
        ("self.isSorted() && self.max() == 'x'", ["x"] * 9_000),
        ("lists.range(900).all(x, x >= 0)", ["x"]),
        ("self.map(x, {'a': x}).all(x, x.a.size() == 3)", ["abc"] * 900),
    ],
)
def test_ordinary_rules_run_within_the_budget(server: ApiServer, rule: str, value: Any) -> None:
    server.put(definition(ruled(ITEMS, rule), "jugs"))
    server.run_due()
    body = cup(value).replace(b"Cups", b"Jugs")
    response = answer(server, asked("POST", CUPS.replace("cups", "jugs"), body))
    assert response.status == 201, response.body[:300]


def test_a_definition_has_so_many_rules(server: ApiServer) -> None:
    made = definition(ruled(ITEMS, *["true"] * 2_001), "jugs")
    assert answer(server, asked("POST", DEFINITIONS, made)).status == 422


def test_rules_for_more_members_than_a_message_can_have(server: ApiServer) -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(9_000)}}
    made = definition(ruled(schema, "self.p1 == ''"), "jugs")
    response = answer(server, asked("POST", DEFINITIONS, made), steps=10_000_000)
    assert (response.status, b"type information" in response.body) == (422, True)
