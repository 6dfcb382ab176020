"""A watch whose client does not read is ended, and loses nothing by it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Deferred, Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._apiserver.verbs import watch as watching

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MAX_WAITING_BYTES", 10_000)


def add(server: ApiServer, *numbers: int) -> None:
    for number in numbers:
        server.put(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": f"m{number:02}"},
                "data": {"text": "x" * 1000},
            }
        )


def watch(server: ApiServer, version: str = "") -> Any:
    query = f"?watch=1&resourceVersion={version}"
    answer = server.handle(HttpRequest("GET", MAPS + query, (), None))
    assert not isinstance(answer, (Response, Deferred))
    return answer


def objects(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line)["object"] for line in data.splitlines()]


def names(data: bytes) -> list[str]:
    return [each["metadata"]["name"] for each in objects(data)]


def test_a_watch_that_is_not_read_ends_and_keeps_nothing() -> None:
    server = ApiServer()
    stream = watch(server)
    add(server, 0)
    woken: list[bool] = []
    stream.on_ready(lambda: woken.append(True))
    seen = objects(stream.take())[-1]
    add(server, *range(1, 30))
    assert woken
    assert stream.take() is None
    rest = watch(server, seen["metadata"]["resourceVersion"])
    assert names(rest.take()) == [f"m{number:02}" for number in range(1, 30)]


def test_a_watch_that_is_read_goes_on() -> None:
    server = ApiServer()
    stream = watch(server)
    stream.take()
    for number in range(30):
        add(server, number)
        assert names(stream.take()) == [f"m{number:02}"]


def test_any_number_of_initial_events_is_sent() -> None:
    server = ApiServer()
    add(server, 0)
    first = objects(watch(server).take())[-1]
    add(server, *range(1, 30))
    everything, since = watch(server), watch(server, first["metadata"]["resourceVersion"])
    add(server, 30)
    assert names(everything.take())[-1] == "m30"
    assert len(names(since.take())) == 30
