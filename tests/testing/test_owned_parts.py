"""Who owns parts that the server keeps as pointers, or fills in itself: as a real one says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.fake_clock import FakeClock

SETS = "/apis/apps/v1/namespaces/default/daemonsets"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses"
GENERATION = "deprecated.daemonset.template.generation"


@pytest.fixture
def server() -> ApiServer:
    return ApiServer(clock=FakeClock())


def ask(server: ApiServer, method: str, target: str, body: Any) -> tuple[int, Any]:
    data = json.dumps(body).encode()
    answer = server.handle(HttpRequest(method, target, (), data))
    assert isinstance(answer, Response)
    return answer.status, json.loads(answer.body)


def owned(server: ApiServer, target: str, body: Any) -> Any:
    status, made = ask(server, "POST", target, body)
    assert status == 201, made
    [entry] = made["metadata"]["managedFields"]
    return entry["fieldsV1"]


def daemon_set(**annotations: str) -> dict[str, Any]:
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", **({"annotations": annotations} if annotations else {})},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def test_the_annotation_of_daemon_sets_is_their_writers(server: ApiServer) -> None:
    fields = owned(server, SETS, daemon_set())["f:metadata"]["f:annotations"]
    assert fields == {".": {}, f"f:{GENERATION}": {}}


def test_others_beside_it(server: ApiServer) -> None:
    fields = owned(server, SETS, daemon_set(x="y"))["f:metadata"]["f:annotations"]
    assert fields == {".": {}, f"f:{GENERATION}": {}, "f:x": {}}


@pytest.mark.parametrize("text", ["x", "", "-1", "9" * 5_000, "\u0663"])
def test_an_annotation_that_is_no_number_breaks_nothing(server: ApiServer, text: str) -> None:
    assert ask(server, "POST", SETS, daemon_set())[0] == 201
    body = daemon_set(**{GENERATION: text})
    assert ask(server, "PUT", f"{SETS}/d", body)[0] == 200
    body["spec"]["template"]["spec"]["containers"][0]["image"] = "j"
    status, changed = ask(server, "PUT", f"{SETS}/d", body)
    assert (status, changed["metadata"]["annotations"][GENERATION].isdecimal()) == (200, True)


def test_a_set_and_a_pointer_are_owned_themselves(server: ApiServer) -> None:
    head = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": "b"}}
    spec: dict[str, Any] = {"policyName": "x", "validationActions": ["Deny", "Audit"]}
    binding = {**head, "kind": "ValidatingAdmissionPolicyBinding", "spec": spec}
    actions = owned(server, BINDINGS, binding)["f:spec"]["f:validationActions"]
    assert actions == {".": {}, 'v:"Audit"': {}, 'v:"Deny"': {}}
    spec = {"parentRef": {"resource": "services", "name": "s", "namespace": "default"}}
    head = {"apiVersion": "networking.k8s.io/v1", "metadata": {"name": "10.0.0.77"}}
    parent = owned(server, ADDRESSES, {**head, "kind": "IPAddress", "spec": spec})["f:spec"]
    assert parent["f:parentRef"] == {".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {}}
