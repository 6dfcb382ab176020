"""The generated clients against what a real API server answered and what its spec says.

`exchanges/recorded.json` holds objects and failures recorded from a Kubernetes 1.36 API server.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from support.kubernetes import actions

from clientgen._openapi.operation import Operation
from clientgen.generator import python_names
from clientgen.generator.resolve import resolve
from clientgen.generator.sources import openapi
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime._models.model_codec import decode, encode
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.config import ClusterConfig
from clientgen.runtime.errors import ApiError
from clientgen.runtime.sync import Rest

ROOT = Path(__file__).parents[1]
RECORDED = json.loads((Path(__file__).parent / "exchanges/recorded.json").read_text())
VERBS = {
    "get": ("get", "GET"),
    "list": ("list", "GET"),
    "post": ("create", "POST"),
    "put": ("update", "PUT"),
    "patch": ("patch", "PATCH"),
    "delete": ("delete", "DELETE"),
    "deletecollection": ("delete_collection", "DELETE"),
}


def model_of(api_version: str, kind: str) -> Any:
    group, _, version = api_version.rpartition("/")
    package = python_names.group_packages([group])[group]
    shared = importlib.import_module("kubeapi.meta.v1")
    module = importlib.import_module(f"kubeapi.{package}.{version}")
    return getattr(module, kind, None) or getattr(shared, kind)


@pytest.mark.parametrize(
    "recorded", RECORDED["objects"], ids=[entry["from"] for entry in RECORDED["objects"]]
)
def test_recorded_objects_round_trip(recorded: dict[str, Any]) -> None:
    sent = recorded["object"]

    model = model_of(sent["apiVersion"], sent["kind"])

    back = json.loads(encode(decode(json.dumps(sent).encode(), model)))

    assert normal(back) == normal(sent)


def normal(value: Any) -> Any:
    """Built-in lists leave kinds out of their items; a client that reads them fills them in."""
    value = without_nulls(value)
    for item in value.get("items", ()):
        item.pop("kind", None)
        item.pop("apiVersion", None)
    return value


def without_nulls(value: Any) -> Any:
    """Null means absent to the API server."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(v) for v in value]
    return value


class Canned:
    """A transport that answers everything alike and remembers what was asked."""

    def __init__(self, answer: object, status: int = 200) -> None:
        self.body = json.dumps(answer).encode()
        self.status = status
        self.requests: list[HttpRequest] = []

    def _answer(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return HttpResponse(self.status, {"content-type": "application/json"}, self.body)


class SyncCanned(Canned):
    def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        return self._answer(request)

    def close(self) -> None:
        pass


class AsyncCanned(Canned):
    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        return self._answer(request)

    async def aclose(self) -> None:
        pass


CONFIG = ClusterConfig("https://cluster.example.com")


@pytest.mark.parametrize(
    "recorded", RECORDED["failures"], ids=[entry["from"] for entry in RECORDED["failures"]]
)
def test_every_failure_is_raised_as_its_reason(recorded: dict[str, Any]) -> None:
    status = recorded["status"]
    transport = SyncCanned(status, status["code"])
    k = Clientset(Rest(CONFIG, transport=transport, max_retries=0))
    with k, pytest.raises(ApiError) as caught:
        k.core_v1.pods("default").get("web")

    assert (caught.value.code, caught.value.reason) == (status["code"], status.get("reason", ""))
    assert json.loads(encode(caught.value.status)) == status
    names = {cls.__name__ for cls in type(caught.value).__mro__}
    assert not status.get("reason") or status["reason"] in names


@pytest.fixture(scope="module")
def operations() -> list[Operation]:
    spec = openapi.parse(openapi.gather(ROOT / "specs/kubernetes/swagger.json", "spec"))
    left_out = {skipped.what for skipped in resolve([spec], {}).skipped}
    # A connection is no exchange: tests/runtime/test_exec.py makes them.
    made = [op for op in spec.operations if op.action != "connect"]
    return [op for op in made if op.operation_id not in left_out]


def call(clients: Any, operation: Operation) -> Any:
    """Make the call of an operation with the generated method for it."""
    gv = operation.group_version
    package = python_names.group_packages([gv.group])[gv.group]
    group = getattr(clients, python_names.group_version_accessor(package, gv))
    client = resource_client(group, operation)
    verb, _ = VERBS[operation.action]
    if operation.subresource:
        return call_subresource(client, verb, operation.subresource)
    return getattr(client, verb)(*arguments(client, verb))


def resource_client(group: Any, operation: Operation) -> Any:
    """The client whose resource has the plural; of one namespace where the path has one."""
    for name in dir(type(group)):
        if name.startswith("_") or name.replace("_", "") != operation.plural:
            continue
        accessor = getattr(group, name)
        return accessor("ns") if operation.namespaced else accessor()
    raise AssertionError(operation)


def call_subresource(client: Any, verb: str, subresource: str) -> Any:
    if subresource == "log":
        return client.logs("x")
    accessor = python_names.subresource_accessor(subresource)
    if hasattr(client, accessor) and accessor not in {"finalize"}:
        part = getattr(client, accessor)("x")
        return getattr(part, verb)(*arguments(part, verb)[-1:] if verb != "get" else ())
    method = getattr(client, python_names.method_name(verb, subresource))
    return method(BODY) if accessor == "finalize" else method("x", BODY)


BODY = {"metadata": {"name": "x"}}


def arguments(client: Any, verb: str) -> tuple[object, ...]:
    from clientgen.runtime import MergePatch

    return {
        "get": ("x",),
        "list": (),
        "create": (BODY,),
        "update": (BODY,),
        "patch": ("x", MergePatch({})),
        "delete": ("x",),
        "delete_collection": (),
    }[verb]


def asked(transport: Canned) -> tuple[str, str]:
    request = transport.requests[-1]
    return request.method, request.target.partition("?")[0]


def expected(operation: Operation) -> tuple[str, str]:
    path = operation.where.partition("#/paths/")[2].rpartition("/")[0].replace("~1", "/")
    return VERBS[operation.action][1], path.replace("{namespace}", "ns").replace("{name}", "x")


def answers() -> Iterator[dict[str, Any]]:
    """Something every verb can read: an empty list is also an object without content."""
    yield {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": []}


def test_every_synchronous_call_asks_for_the_path_of_its_operation(
    operations: list[Operation],
) -> None:
    transport = SyncCanned(next(answers()))
    with Clientset(Rest(CONFIG, transport=transport)) as k:
        for operation in operations:
            call(k, operation)
            assert asked(transport) == expected(operation), operation.operation_id

    uncalled = sum(actions()[name] for name in ("", "connect", "watch", "watchlist"))
    assert len(operations) == actions().total() - uncalled > 700


def test_every_asyncio_call_asks_for_the_path_of_its_operation(
    operations: list[Operation],
) -> None:
    async def main() -> None:
        transport = AsyncCanned(next(answers()))
        async with AsyncClientset(AsyncRest(CONFIG, transport=transport)) as k:
            for operation in operations:
                await call(k, operation)
                assert asked(transport) == expected(operation), operation.operation_id

    asyncio.run(main())


def test_an_option_that_does_not_exist_is_told() -> None:
    with pytest.raises(
        TypeError, match="no such client option: pool_siz; the options are user_agent"
    ):
        Rest(CONFIG, pool_siz=3)  # type: ignore[call-arg]
