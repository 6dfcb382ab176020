"""What claims, slices and requests of resource.k8s.io may say, and how versions differ."""

from __future__ import annotations

from typing import Any

import pytest
from support.builtin_kinds import attempted, changed, created, told
from support.trials import ask

from clientgen.testing._apiserver.server import ApiServer

API = "/apis/resource.k8s.io"
CLAIMS = "resource.k8s.io/v1 resourceclaims"
SLICES = "resource.k8s.io/v1 resourceslices"
EXACTLY = {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 2}
POOL = {"driver": "d.e", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}
DEVICE = {"driver": "d.e", "pool": "p", "device": "v"}
RESULT = {**DEVICE, "request": "r"}
CLAIM = {"spec": {"devices": {"requests": [{"name": "r", "exactly": EXACTLY}]}}}
READY = {
    "type": "Ready",
    "status": "True",
    "reason": "A",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


def status(*, config: Any = (), **device: Any) -> dict[str, Any]:
    devices = {"results": [RESULT], "config": list(config)}
    return {"allocation": {"devices": devices}, "devices": [{**DEVICE, **device}]}


@pytest.mark.parametrize(
    ("said", "causes"),
    [
        (status(), []),
        (status(device="w"), ["Invalid status.devices[0]"]),
        (status(conditions=[READY]), []),
        (status(conditions=[READY, READY]), ["Duplicate status.devices[0].conditions[1].type"]),
        (status(data=[1]), ["Invalid status.devices[0].data"]),
        (status(networkData={"ips": ["10.0.0.1/24", "2001:db8::1/64"]}), []),
        (
            status(networkData={"ips": ["10.0.0.1", "2001:DB8::1/64", "x/y"]}),
            [f"Invalid status.devices[0].networkData.ips[{n}]" for n in range(3)],
        ),
        (
            status(config=[{}]),
            [
                "Required status.allocation.devices.config[0].opaque",
                "Required status.allocation.devices.config[0].source",
            ],
        ),
        (
            status(config=[{"source": "X", "opaque": {"driver": "d.e", "parameters": {}}}]),
            ["NotSupported status.allocation.devices.config[0].source"],
        ),
    ],
)
def test_the_devices_of_a_claim(said: dict[str, Any], causes: list[str]) -> None:
    old = created(CLAIMS, CLAIM)
    assert told(changed(CLAIMS, old, {"status": said}, "status")[1]) == causes


def capacity(value: str, policy: dict[str, Any], **members: Any) -> dict[str, Any]:
    described = {"m": {"value": value, "requestPolicy": policy}}
    device = {"name": "v", "allowMultipleAllocations": True, "capacity": described, **members}
    return {"spec": {**POOL, "allNodes": True, "devices": [device]}}


POLICY = "spec.devices[0].capacity[m].requestPolicy"


@pytest.mark.parametrize(
    ("body", "causes"),
    [
        (capacity("4Gi", {"default": "1Gi", "validValues": ["1Gi", "2Gi"]}), []),
        (capacity("4Gi", {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}), []),
        (
            capacity(
                "4Gi", {"default": "1Gi", "validValues": ["1Gi"]}, allowMultipleAllocations=None
            ),
            [f"Forbidden {POLICY}"],
        ),
        (capacity("4", {"validValues": ["1"]}), [f"Required {POLICY}.default"]),
        (capacity("4", {"validRange": {}}), [f"Required {POLICY}.default"]),
        (
            capacity("4", {"default": "3", "validValues": ["2", "1", "5"]}),
            [f"Invalid {POLICY}.validValues{at}" for at in ("", "[1]", "[2]")],
        ),
        (
            capacity("4", {"default": "1", "validRange": {"min": "2", "max": "5"}}),
            [f"Invalid {POLICY}.validRange.max", f"Invalid {POLICY}.validRange.min"],
        ),
        (
            capacity("4", {"default": "2", "validRange": {"min": "1", "max": "4", "step": "2"}}),
            [f"Invalid {POLICY}.validRange.step"] * 2,
        ),
    ],
)
def test_what_requests_may_take_of_a_capacity(body: dict[str, Any], causes: list[str]) -> None:
    assert told(attempted(SLICES, body)[1]) == causes


def test_counters_are_shared_by_name() -> None:
    counters = {"c": {"value": "1"}}
    twice = [{"name": "s", "counters": counters}] * 2
    spec = {**POOL, "allNodes": True, "sharedCounters": twice}
    assert told(attempted(SLICES, {"spec": spec})[1]) == ["Duplicate spec.sharedCounters[1]"]
    device = {"name": "v", "consumesCounters": [{"counters": {"Not a name": {"value": "1"}}}]}
    spec = {**POOL, "allNodes": True, "devices": [device]}
    assert told(attempted(SLICES, {"spec": spec})[1]) == [
        "Invalid spec.devices[0].consumesCounters[0].counters",
        "Required spec.devices[0].consumesCounters[0].counterSet",
    ]


def test_a_question_about_pools_stays() -> None:
    where = "resource.k8s.io/v1alpha3 resourcepoolstatusrequests"
    assert told(attempted(where, {"spec": {"limit": 1001}})[1]) == [
        "Invalid spec.limit",
        "Required spec.driver",
    ]
    old = created(where, {"spec": {"driver": "d.e", "limit": 1}})
    assert told(changed(where, old, {"spec": {"limit": 2}})[1]) == ["Invalid spec"]


def test_a_claim_of_v1beta1_has_its_request_one_level_higher() -> None:
    server = ApiServer()
    old = {"name": "r", **EXACTLY}
    body = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [old]}}}
    path = "namespaces/default/resourceclaims"
    assert ask(server, "POST", f"{API}/v1beta1/{path}", body).taken
    new = ask(server, "GET", f"{API}/v1/{path}/c").body
    assert new["spec"]["devices"]["requests"] == [{"name": "r", "exactly": EXACTLY}]
    assert ask(server, "GET", f"{API}/v1beta2/{path}/c").body["spec"] == new["spec"]
    again = ask(server, "GET", f"{API}/v1beta1/{path}/c").body
    assert again["spec"]["devices"]["requests"] == [old]
    new["metadata"]["labels"] = {"a": "b"}
    assert ask(server, "PUT", f"{API}/v1/{path}/c", new).taken
    (listed,) = ask(server, "GET", f"{API}/v1beta1/{path}").body["items"]
    assert listed["spec"]["devices"]["requests"] == [old]


def test_a_template_of_v1beta1_has_its_request_one_level_higher() -> None:
    server = ApiServer()
    claim = {"devices": {"requests": [{"name": "r", "exactly": EXACTLY}]}}
    body = {"metadata": {"name": "t"}, "spec": {"spec": claim}}
    path = "namespaces/default/resourceclaimtemplates"
    assert ask(server, "POST", f"{API}/v1/{path}", body).taken
    old = ask(server, "GET", f"{API}/v1beta1/{path}/t").body
    assert old["spec"]["spec"]["devices"]["requests"] == [{"name": "r", **EXACTLY}]


def test_a_device_of_v1beta1_has_its_members_one_level_lower() -> None:
    server = ApiServer()
    own = {"attributes": {"a": {"int": 1}}, "capacity": {"m": {"value": "1"}}}
    devices = [{"name": "v", "basic": own}]
    body = {"metadata": {"name": "s"}, "spec": {**POOL, "nodeName": "n", "devices": devices}}
    assert ask(server, "POST", f"{API}/v1beta1/resourceslices", body).taken
    new = ask(server, "GET", f"{API}/v1/resourceslices/s").body
    assert new["spec"]["devices"] == [{"name": "v", **own}]
    old = ask(server, "GET", f"{API}/v1beta1/resourceslices/s").body
    assert old["spec"]["devices"] == devices


def test_a_slice_of_v1beta1_cannot_tell_empty_from_unset() -> None:
    unset = {"nodeName": "", "allNodes": True}
    assert (
        told(attempted("resource.k8s.io/v1beta1 resourceslices", {"spec": {**POOL, **unset}})[1])
        == []
    )
    found = told(attempted(SLICES, {"spec": {**POOL, **unset}})[1])
    assert found == ["Invalid spec.nodeName"]


def test_errors_name_the_members_of_later_versions() -> None:
    body = {"spec": {"devices": {"requests": [{"name": "r", "count": -1}]}}}
    assert told(attempted("resource.k8s.io/v1beta1 resourceclaims", body)[1]) == [
        "NotSupported spec.devices.requests[0].exactly.allocationMode",
        "Required spec.devices.requests[0].exactly.deviceClassName",
    ]
