"""What a real API server refuses and warns of, this one does, too: a case for each member."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMapKeySelector, Container, EnvVar, EnvVarSource, Pod, PodSpec
from kubeapi.meta.v1 import ObjectMeta
from kubeapi.storage.v1 import CSIDriver, CSIDriverSpec
from support import writes

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import Invalid
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver import served_spec
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer

JSON = (("Content-Type", "application/json"), ("Accept", "application/json"))
HIDDEN = (
    'spec.containers[0].env[1]: hides previous definition of "A", '
    "which may be dropped when using apply"
)
RESOURCES = {f"{each.api_version} {each.plural}": each for each in served_spec.load().resources}


def asking(server: ApiServer) -> writes.Ask:
    def ask(method: str, path: str, body: Any) -> writes.Answer:
        content = None if body is None else json.dumps(body).encode()
        answer = server.handle(HttpRequest(method, path, JSON, content))
        assert isinstance(answer, Response)
        texts = [value for name, value in answer.headers if name == "warning"]
        warnings = [json.loads(text.removeprefix("299 - ")) for text in texts]
        return answer.status, warnings, json.loads(answer.body)

    return ask


@pytest.mark.parametrize("name", writes.names())
def test_writes_are_answered_as_recorded(name: str) -> None:
    resource = RESOURCES[writes.read(name)["resource"]]
    group = f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"
    within = "namespaces/default/" if resource.namespaced else ""
    collection = f"/{group}/{within}{resource.plural}"
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    differences = list(writes.differences(name, collection, kind, asking(ApiServer())))
    assert not differences, "\n".join(differences)


def driver(*, attached: bool) -> CSIDriver:
    spec_ = CSIDriverSpec(attach_required=attached)
    return CSIDriver(metadata=ObjectMeta(name="d.example.com"), spec=spec_)


def test_a_client_is_told_what_must_stay() -> None:
    with LocalServer(FakeCluster()) as server, Clientset.from_config(server.kubeconfig) as k:
        stored = k.storage_v1.csi_drivers().create(driver(attached=True))
        stored.spec.attach_required = False
        with pytest.raises(Invalid) as refused:
            k.storage_v1.csi_drivers().update(stored)
    assert "spec.attachedRequired: Invalid value: false: field is immutable" in str(refused.value)


def test_an_asynchronous_client_is_told_what_must_stay() -> None:
    async def refused(server: LocalServer) -> str:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            stored = await k.storage_v1.csi_drivers().create(driver(attached=True))
            stored.spec.attach_required = False
            with pytest.raises(Invalid) as problem:
                await k.storage_v1.csi_drivers().update(stored)
            return str(problem.value)

    with LocalServer(FakeCluster()) as server:
        assert "spec.attachedRequired: Invalid value: false" in asyncio.run(refused(server))


def twice() -> Pod:
    source = EnvVarSource(config_map_key_ref=ConfigMapKeySelector(name="m", key="k"))
    env = [EnvVar(name="A", value="1"), EnvVar(name="A", value_from=source)]
    container = Container(name="c", image="i", env=env)
    return Pod(metadata=ObjectMeta(name="p"), spec=PodSpec(containers=[container]))


def test_a_client_is_warned(caplog: pytest.LogCaptureFixture) -> None:
    with LocalServer(FakeCluster()) as server, Clientset.from_config(server.kubeconfig) as k:
        k.core_v1.pods("default").create(twice())
    assert f"POST /api/v1/namespaces/default/pods (Pod p): {HIDDEN}" in caplog.messages


def test_an_asynchronous_client_is_warned(caplog: pytest.LogCaptureFixture) -> None:
    async def create(server: LocalServer) -> None:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            await k.core_v1.pods("default").create(twice())

    with LocalServer(FakeCluster()) as server:
        asyncio.run(create(server))
    assert f"POST /api/v1/namespaces/default/pods (Pod p): {HIDDEN}" in caplog.messages


def test_warnings_are_limited_by_the_header_size() -> None:
    server = asking(ApiServer())
    env = [{"name": "A", "value": str(number)} for number in range(1000)]
    spec_ = {"containers": [{"name": "c", "image": "i", "env": env}]}
    body = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": spec_}
    status, warnings, _ = server("POST", "/api/v1/namespaces/default/pods", body)
    assert status == 201
    assert 10 < len(warnings) < 100
    assert sum(map(len, warnings)) <= 4096
