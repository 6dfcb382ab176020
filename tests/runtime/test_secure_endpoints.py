"""Metrics over TLS with authorization, over sockets; and in threads, derived."""

from __future__ import annotations

import ssl
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from prometheus_client import CollectorRegistry
from support.http_calls import Answer, call
from support.reviews import PATH, Thing, review, thing
from support.tls_files import MountedSecret

from clientgen.runtime._async._primitives import run_blocking, sleep, spawn
from clientgen.runtime.aio import AsyncManager, AsyncWebhooks
from clientgen.runtime.controllers import EndpointAnswer, EndpointRequest, SecureEndpoint
from clientgen.runtime.errors import ConfigError
from clientgen.testing import FakeClock, FakeCluster

ANYWHERE = "127.0.0.1:0"
ROLES = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: scraper}
rules: [{nonResourceURLs: [/metrics, "/debug/*"], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: scraper}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: scraper}
subjects: [{kind: ServiceAccount, name: scraper, namespace: default}]
"""


class AsyncServer:
    """A manager with protected metrics."""

    def __init__(self, cluster: FakeCluster, endpoint: SecureEndpoint) -> None:
        self.k = cluster.clientset(AsyncClientset)
        registry = CollectorRegistry()
        self.manager = AsyncManager(self.k, metrics=endpoint, registry=registry)
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    async def __aenter__(self) -> Any:
        self.task = spawn(self.manager.run, "manager")
        deadline = monotonic() + 30
        while not self.manager._synced:
            assert monotonic() < deadline
            assert not self.task.done
            await sleep(0.001)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        assert await self.task.join(60)
        await self.k.aclose()

    async def get(self, path: str, token: str = "", method: str = "GET") -> Answer:
        address = str(self.manager.metrics_url).removeprefix("https://").partition("/")[0]
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = partial(call, address, method, path, headers=headers, tls=self.tls)
        return await run_blocking(request)


def token_of(k: Clientset, name: str) -> str:
    accounts = k.core_v1.service_accounts("default")
    accounts.create({"metadata": {"name": name}})
    answer = accounts.create_token(name, {"spec": {"audiences": []}})
    return answer.status.token


async def test_clients_need_a_token_and_the_permission() -> None:
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)
    cluster.apply_manifests(ROLES)
    user = cluster.clientset(Clientset)
    scraper, stranger = token_of(user, "scraper"), token_of(user, "stranger")
    server = AsyncServer(cluster, SecureEndpoint(ANYWHERE))

    def state(request: EndpointRequest) -> str:
        return f"state of {request.path}"

    server.manager.add_handler("/debug/state", state)
    server.manager.add_handler("/debug/gone", lambda _: EndpointAnswer(410))
    wrong: Any = lambda _: 7  # noqa: E731
    server.manager.add_handler("/debug/wrong", wrong)

    def asked(kind: str) -> int:
        return sum(each.resource == kind for each in cluster.actions)

    async with server:
        assert (await server.get("/metrics")).status == 401
        refused = await server.get("/metrics", "nonsense")
        assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
        denied = await server.get("/metrics", stranger)
        user_name = "system:serviceaccount:default:stranger"
        assert denied[:2] == (403, f"Authorization denied for user {user_name}\n")
        assert (await server.get("/metrics", scraper, "HEAD")).status == 403
        for _ in range(3):
            answer = await server.get("/metrics", scraper)
            assert answer.status == 200
        assert 'clientgen_endpoint_requests_total{code="403"} 2.0' in answer.text
        assert 'reviews_total{kind="TokenReview"} 3.0' in answer.text
        assert asked("subjectaccessreviews") == 3
        assert (await server.get("/debug/state", scraper)).text == "state of /debug/state"
        assert (await server.get("/debug/gone", scraper)).status == 410
        assert (await server.get("/debug/wrong", scraper)).status == 500
        assert (await server.get("/debug/state", stranger)).status == 403

        # Caches are short: a permission that is given, or an API server that fails, is noticed.
        before = asked("tokenreviews")
        await clock.step(61)
        cluster.react("create", "subjectaccessreviews", lambda _: 500)
        assert (await server.get("/metrics", scraper)).status == 200
        assert asked("tokenreviews") == before + 1
        assert (await server.get("/metrics", stranger)).status == 500
        cluster.react("create", "tokenreviews", lambda _: 500)
        await clock.step(61)
        failed = await server.get("/metrics", scraper)
        assert failed[:2] == (500, "Authentication failed\n")


async def test_files_and_client_certificates(tmp_path: Path) -> None:
    secret = MountedSecret(tmp_path)
    authority = tmp_path / "client-ca.crt"
    authority.write_bytes(secret.authority.cert_pem.bytes())
    endpoint = SecureEndpoint(ANYWHERE, tmp_path, authority, authorize=False)
    async with AsyncServer(FakeCluster(), endpoint) as server:
        server.tls = secret.client_context
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await server.get("/metrics")
        secret.authority.issue_cert("scraper").configure_cert(server.tls)
        assert (await server.get("/metrics")).status == 200
        secret.write()
        assert (await server.get("/metrics")).status == 200
    authority.write_text("nothing")
    with pytest.raises(ConfigError, match=r"client-ca\.crt: no usable authority of clients"):
        AsyncServer(FakeCluster(), endpoint)


async def test_webhooks_may_ask_for_the_certificate_of_the_api_server(tmp_path: Path) -> None:
    secret = MountedSecret(tmp_path)
    authority = tmp_path / "client-ca.crt"
    authority.write_bytes(secret.authority.cert_pem.bytes())
    webhooks = AsyncWebhooks(ANYWHERE, certificates=tmp_path, client_ca=authority)
    webhooks.validate(Thing, lambda _: None)
    headers = {"Content-Type": "application/json"}
    async with webhooks:
        address = webhooks.url.removeprefix("https://")
        path, body = f"/validate-{PATH}", review(thing())
        tls = secret.client_context
        post = partial(call, address, "POST", path, body, headers, tls=tls)
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await run_blocking(post)
        secret.authority.issue_cert("kube-apiserver").configure_cert(tls)
        assert (await run_blocking(post)).status == 200
        # The authority is exchanged, without a restart.
        (tmp_path / "other").mkdir()
        other = MountedSecret(tmp_path / "other")
        authority.write_bytes(other.authority.cert_pem.bytes())
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await run_blocking(post)


def test_wrong_handlers_are_refused() -> None:
    k = FakeCluster().clientset(AsyncClientset)
    with pytest.raises(RuntimeError, match="serves no metrics"):
        AsyncManager(k).add_handler("/debug", str)
    manager = AsyncManager(k, metrics=ANYWHERE, registry=CollectorRegistry())
    for path in ("debug", "/", "/metrics", "/healthz/x"):
        with pytest.raises(ValueError, match="cannot have a handler"):
            manager.add_handler(path, str)
    manager.add_handler("/debug", str)
    with pytest.raises(ValueError, match="already has a handler"):
        manager.add_handler("/debug", str)
