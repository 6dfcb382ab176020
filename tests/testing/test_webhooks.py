"""The server in memory calls webhooks, and answers as a real server does."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from support.webhook_backend import TestBackend, allowed, denied, labelled
from support.webhook_cases import (
    CASES,
    CREATE_MAPS,
    Case,
    Prepared,
    asking,
    namespaces_of,
    outcome,
    recorded,
)

from clientgen.runtime import MergePatch, errors
from clientgen.testing import FakeClock, FakeCluster, LocalServer


@pytest.fixture(scope="module")
def prepared() -> Iterator[Prepared]:
    cluster = FakeCluster()
    with TestBackend() as backend:
        ask = asking(cluster.clientset(Clientset))
        yield Prepared(ask, backend, namespaces_of(ask, "clientgen-test-hooks-1"))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_answers_are_those_of_a_real_server(prepared: Prepared, case: Case) -> None:
    found = outcome(case, prepared.namespaces[case.name], prepared.ask, prepared.backend)
    assert found == recorded()[case.name]


# ---- in the process ---------------------------------------------------------------------------


def webhook(path: str, **more: Any) -> dict[str, Any]:
    service = {"namespace": "default", "name": "hook", "path": path}
    return {
        "name": "hook.example.com",
        "clientConfig": {"service": service},
        "rules": [CREATE_MAPS],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **more,
    }


def configuration(kind: str, *hooks: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": "hooks"},
        "webhooks": list(hooks),
    }


def labels_of(path: str, body: bytes) -> tuple[int, bytes]:
    review = json.loads(body)
    return 200, json.dumps(labelled(review, path=path.strip("/"))).encode()


class Waiting:
    """A backend that waits, until the test lets it go on."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()
        self.calls = 0
        self.was_cancelled = False

    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        self.calls += 1
        self.asked.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return labels_of(path, body)


class Direct:
    def __init__(self, reply: Callable[[str, bytes], Any] = labels_of) -> None:
        self.answer = reply


class Awaited:
    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        await asyncio.sleep(0)
        return labels_of(path, body)


def new_map(name: str = "m") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"))


@pytest.mark.parametrize("backend", [Direct(), Awaited()], ids=["function", "coroutine"])
def test_threads_ask_a_backend_of_the_process(backend: Any) -> None:
    cluster = FakeCluster(configuration("Mutating", webhook("/a")))
    cluster.service("default/hook", backend)
    k = cluster.clientset(Clientset)
    assert k.core_v1.config_maps("default").create(new_map()).metadata.labels == {"path": "a"}


@pytest.mark.parametrize("backend", [Direct(), Awaited()], ids=["function", "coroutine"])
async def test_tasks_ask_a_backend_of_the_process(backend: Any) -> None:
    cluster = FakeCluster(configuration("Mutating", webhook("/a")))
    cluster.service("default/hook", backend)
    k = cluster.clientset(AsyncClientset)
    made = await k.core_v1.config_maps("default").create(new_map())
    assert made.metadata.labels == {"path": "a"}
    # A thread asks the loop on which the backend lives.
    other = cluster.clientset(Clientset)
    made = await asyncio.to_thread(other.core_v1.config_maps("default").create, new_map("n"))
    assert made.metadata.labels == {"path": "a"}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def waiting_cluster(clock: FakeClock, kind: str = "Mutating", **more: Any) -> tuple[Any, Waiting]:
    rules = [{**CREATE_MAPS, "operations": ["*"]}]
    cluster = FakeCluster(configuration(kind, webhook("/a", rules=rules, **more)), clock=clock)
    backend = Waiting()
    cluster.service("default/hook", backend)
    return cluster, backend


async def test_a_patch_meets_what_has_changed_while_a_webhook_was_asked(clock: FakeClock) -> None:
    cluster, backend = waiting_cluster(clock)
    cluster.add(new_map())
    maps = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    patching = asyncio.create_task(maps.patch("m", MergePatch({"data": {"a": "1"}})))
    await backend.asked.wait()
    cluster.add(ConfigMap(metadata=ObjectMeta(name="m", namespace="default"), data={"b": "2"}))
    backend.go_on.set()
    patched = await patching
    assert patched.data == {"a": "1", "b": "2"}
    assert patched.metadata.labels == {"path": "a"}
    assert backend.calls == 2


async def test_a_replace_is_refused_if_the_object_has_changed_meanwhile(clock: FakeClock) -> None:
    cluster, backend = waiting_cluster(clock)
    cluster.add(new_map())
    maps = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    stored = await maps.get("m")
    stored.data = {"a": "1"}
    replacing = asyncio.create_task(maps.update(stored))
    await backend.asked.wait()
    cluster.add(ConfigMap(metadata=ObjectMeta(name="m", namespace="default"), data={"b": "2"}))
    backend.go_on.set()
    with pytest.raises(errors.Conflict):
        await replacing


async def test_who_hangs_is_given_up_by_the_clock_of_the_cluster(clock: FakeClock) -> None:
    cluster, backend = waiting_cluster(clock, timeoutSeconds=3)
    maps = cluster.clientset(AsyncClientset, timeout=None).core_v1.config_maps("default")
    creating = asyncio.create_task(maps.create(new_map()))
    await backend.asked.wait()
    clock.step(2.9)
    await asyncio.sleep(0)
    assert not creating.done()
    clock.step(0.1)
    with pytest.raises(errors.InternalError) as caught:
        await creating
    assert caught.value.message == (
        'Internal error occurred: failed calling webhook "hook.example.com": failed to call '
        'webhook: Post "https://hook.default.svc:443/a?timeout=3s": context deadline exceeded'
    )
    assert backend.was_cancelled


def test_a_function_that_hangs_is_given_up_by_the_clock_of_the_cluster(clock: FakeClock) -> None:
    cluster = FakeCluster(configuration("Mutating", webhook("/a", timeoutSeconds=3)), clock=clock)
    asked, go_on = threading.Event(), threading.Event()

    def reply(path: str, body: bytes) -> tuple[int, bytes]:
        asked.set()
        assert go_on.wait(60)
        return labels_of(path, body)

    cluster.service("default/hook", Direct(reply))
    maps = cluster.clientset(Clientset, timeout=None, max_retries=0).core_v1.config_maps("default")
    with ThreadPoolExecutor() as pool:
        creating = pool.submit(maps.create, new_map())
        assert asked.wait(60)
        clock.step(3)
        try:
            with pytest.raises(errors.InternalError, match="context deadline exceeded"):
                creating.result(60)
        finally:
            go_on.set()


@pytest.mark.parametrize("waits", [True, False])
def test_an_answer_after_the_timeout_is_none(clock: FakeClock, waits: bool) -> None:
    """However soon it comes: here, the function itself steps the clock past the timeout."""

    def late(path: str, body: bytes) -> tuple[int, bytes]:
        clock.step(10)
        return labels_of(path, body)

    async def waiting(path: str, body: bytes) -> tuple[int, bytes]:
        return late(path, body)

    cluster = FakeCluster(configuration("Mutating", webhook("/a", timeoutSeconds=3)), clock=clock)
    cluster.service("default/hook", Direct(waiting if waits else late))
    maps = cluster.clientset(Clientset, timeout=None, max_retries=0).core_v1.config_maps("default")
    with pytest.raises(errors.InternalError, match="context deadline exceeded"):
        maps.create(new_map())


async def test_who_hangs_is_passed_over_if_failures_are_ignored(clock: FakeClock) -> None:
    cluster, backend = waiting_cluster(clock, timeoutSeconds=3, failurePolicy="Ignore")
    maps = cluster.clientset(AsyncClientset, timeout=None).core_v1.config_maps("default")
    creating = asyncio.create_task(maps.create(new_map()))
    await backend.asked.wait()
    clock.step(3)
    assert (await creating).metadata.labels == {}


async def test_a_client_that_gives_up_takes_its_call_with_it(clock: FakeClock) -> None:
    cluster, backend = waiting_cluster(clock)
    maps = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    creating = asyncio.create_task(maps.create(new_map()))
    await backend.asked.wait()
    creating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await creating
    await asyncio.sleep(0)
    assert backend.was_cancelled
    assert (await maps.list()).items == []


def test_a_thread_that_waits_follows_the_clock(clock: FakeClock) -> None:
    cluster = FakeCluster(
        configuration("Mutating", webhook("/hang", timeoutSeconds=1)), clock=clock
    )
    with TestBackend() as backend:
        cluster.service("default/hook", f"127.0.0.1:{backend.port}")
        client = {**webhook("/hang")["clientConfig"], "caBundle": backend.authority}
        hook = webhook("/hang", clientConfig=client, timeoutSeconds=20)
        cluster.add(configuration("Mutating", hook))
        maps = cluster.clientset(Clientset, timeout=None).core_v1.config_maps("default")
        with ThreadPoolExecutor() as pool:
            creating = pool.submit(maps.create, new_map())
            backend.asked.wait()
            clock.step(20)
            with pytest.raises(errors.InternalError, match="context deadline exceeded"):
                creating.result()
            backend.hang.set()


def test_a_service_may_lead_to_an_address() -> None:
    cluster = FakeCluster()
    with TestBackend() as backend:
        cluster.service("default/hook", f"127.0.0.1:{backend.port}")
        client = {**webhook("/label-a")["clientConfig"], "caBundle": backend.authority}
        cluster.add(configuration("Mutating", webhook("/label-a", clientConfig=client)))
        maps = cluster.clientset(Clientset).core_v1.config_maps("default")
        assert maps.create(new_map()).metadata.labels == {"a": "1"}
        other = {**client, "service": {**client["service"], "name": "other"}}
        cluster.service("default/other", f"127.0.0.1:{backend.port}")
        cluster.add(configuration("Mutating", webhook("/label-a", clientConfig=other)))
        with pytest.raises(errors.InternalError, match=r"not valid for other\.default\.svc"):
            maps.create(new_map("n"))


def test_a_collection_is_deleted_object_by_object() -> None:
    seen: list[str] = []

    def reply(path: str, body: bytes) -> tuple[int, bytes]:
        review = json.loads(body)
        seen.append(review["request"]["oldObject"]["metadata"]["name"])
        refused = seen[-1] == "c"
        return 200, json.dumps(denied(review) if refused else allowed(review)).encode()

    rules = [{**CREATE_MAPS, "operations": ["DELETE"]}]
    cluster = FakeCluster(configuration("Validating", webhook("/a", rules=rules)))
    cluster.service("default/hook", Direct(reply))
    cluster.add(*map(new_map, "abcd"))
    maps = cluster.clientset(Clientset).core_v1.config_maps("default")
    with pytest.raises(errors.BadRequest, match="without explanation"):
        maps.delete_collection()
    assert seen == ["a", "b", "c"]
    assert [each.metadata.name for each in maps.list().items] == ["c", "d"]
    cluster.clear_actions()
    maps.delete_collection(field_selector="metadata.name!=c")
    assert [each.metadata.name for each in maps.list().items] == ["c"]


def test_names_and_uids_are_the_same_in_all_attempts() -> None:
    seen: list[tuple[str, str]] = []

    def reply(path: str, body: bytes) -> tuple[int, bytes]:
        review = json.loads(body)
        metadata = review["request"]["object"]["metadata"]
        seen.append((metadata["name"], metadata["uid"]))
        return 200, json.dumps(allowed(review)).encode()

    cluster = FakeCluster(
        configuration("Validating", webhook("/a")), configuration("Mutating", webhook("/b"))
    )
    cluster.service(
        "default/hook",
        Direct(lambda path, body: (reply if path == "/a" else labels_of)(path, body)),
    )
    maps = cluster.clientset(Clientset).core_v1.config_maps("default")
    for _ in range(2):
        made = maps.create(ConfigMap(metadata=ObjectMeta(generate_name="x-")))
        assert seen.pop() == (made.metadata.name, made.metadata.uid)
        assert not seen


def test_a_webhook_that_changes_what_it_is_asked_about_comes_to_an_end() -> None:
    cluster = FakeCluster()
    rules = [{**CREATE_MAPS, "operations": ["UPDATE"]}]
    cluster.add(configuration("Validating", webhook("/a", rules=rules)), new_map())
    number = iter(range(1000))

    def reply(path: str, body: bytes) -> tuple[int, bytes]:
        data = {"a": str(next(number))}
        cluster.add(ConfigMap(metadata=ObjectMeta(name="m", namespace="default"), data=data))
        return 200, json.dumps(allowed(json.loads(body))).encode()

    cluster.service("default/hook", Direct(reply))
    maps = cluster.clientset(Clientset, max_retries=0).core_v1.config_maps("default")
    with pytest.raises(errors.ApiError, match="did not complete within requested timeout"):
        maps.patch("m", MergePatch({"data": {"b": "c"}}))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (lambda path, body: 1 / 0, "ZeroDivisionError"),
        (lambda path, body: "ok", "answer() must return a status code and bytes, not 'ok'"),
        (lambda path, body: (200, b"x" * (11 << 20)), "larger than 10485760 bytes"),
        (lambda path, body: (500, b"it broke"), 'an error on the server ("it broke")'),
        (lambda path, body: (200, b"[" * 100_000), "json parse error"),
    ],
)
def test_whatever_a_webhook_does_is_told(reply: Any, message: str) -> None:
    cluster = FakeCluster(configuration("Mutating", webhook("/a")))
    cluster.service("default/hook", Direct(reply))
    maps = cluster.clientset(Clientset, max_retries=0).core_v1.config_maps("default")
    with pytest.raises(errors.InternalError) as caught:
        maps.create(new_map())
    assert message in caught.value.message


def test_over_the_network_answers_are_bounded_too() -> None:
    cluster = FakeCluster()
    with TestBackend() as backend:
        client = {"url": f"{backend.url}/huge", "caBundle": backend.authority}
        cluster.add(configuration("Validating", webhook("", clientConfig=client)))
        maps = cluster.clientset(Clientset, max_retries=0).core_v1.config_maps("default")
        with pytest.raises(errors.InternalError, match="larger than 10485760 bytes"):
            maps.create(new_map())


@pytest.mark.parametrize(
    ("service", "backend", "error"),
    [
        ("hook", "127.0.0.1:1", ValueError),
        ("/hook", "127.0.0.1:1", ValueError),
        ("a/b/c", "127.0.0.1:1", ValueError),
        ("default/hook", "localhost", ValueError),
        ("default/hook", "localhost:0", ValueError),
        ("default/hook", "localhost:x", ValueError),
        ("default/hook", object(), TypeError),
    ],
)
def test_wrong_backends_are_refused(service: str, backend: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        FakeCluster().service(service, backend)


async def test_side_effects_keep_dry_runs_out() -> None:
    cluster = FakeCluster()
    hook = webhook("/a", sideEffects="Some")
    cluster.add(configuration("Validating", hook))
    maps = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    with pytest.raises(errors.BadRequest, match="does not support dry run"):
        await maps.create(new_map(), dry_run=True)


def test_a_server_for_all_clients_calls_webhooks_that_call_it() -> None:
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")

        def reply(path: str, body: bytes) -> tuple[int, bytes]:
            maps.list()  # of the server that waits for this answer
            return labels_of(path, body)

        server.cluster.service("default/hook", Direct(reply))
        server.cluster.add(configuration("Mutating", webhook("/a")))
        assert maps.create(new_map()).metadata.labels == {"path": "a"}
        server.cluster.service("default/hook", Awaited())
        assert maps.create(new_map("n")).metadata.labels == {"path": "a"}


def test_a_configuration_that_is_gone_is_not_asked() -> None:
    cluster = FakeCluster(configuration("Validating", webhook("/a")))
    k = cluster.clientset(Clientset, max_retries=0)
    maps = k.core_v1.config_maps("default")
    with pytest.raises(errors.InternalError, match='service "hook" not found'):
        maps.create(new_map())
    k.admissionregistration_v1.validating_webhook_configurations().delete("hooks")
    maps.create(new_map())


def test_the_page_is_true() -> None:
    text = (Path(__file__).parents[2] / "docs" / "guides" / "test-server.md").read_text("utf-8")
    section = text.partition("\n## Webhooks\n")[2]
    snippet = re.search(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert snippet
    exec(compile(snippet[1], "docs/guides/test-server.md", "exec"), {})


async def test_servers_for_all_clients_call_webhooks_by_url() -> None:
    with TestBackend() as backend, LocalServer(tls=True) as server:
        hooks = [
            webhook("", name=f"{path}.example.com", clientConfig=client)
            for path in ("label-a", "warn")
            for client in [{"url": f"{backend.url}/{path}", "caBundle": backend.authority}]
        ]
        server.cluster.add(configuration("Mutating", *hooks))
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            maps = k.core_v1.config_maps("default")
            made = await asyncio.gather(*(maps.create(new_map(f"m{i}")) for i in range(5)))
    assert [each.metadata.labels for each in made] == 5 * [{"a": "1"}]
    assert [path for path, _ in backend.calls].count("/warn") == 5
