"""Which requests a rule means, and what becomes of answers and streams that are interfered with."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import Action, FakeClock
from clientgen.testing._apiserver.responses.answers import Deferred, Response
from clientgen.testing._fake.actions import action_of
from clientgen.testing._fake.network_faults import (
    ConnectionCut,
    CutResponse,
    OpenStream,
    afterwards,
    cut,
    delayed,
)
from clientgen.testing._fake.reactors import Pattern

PODS = Action("get", resource="pods", namespace="default", name="web-0")
STATUS = Action("update", resource="pods", subresource="status", namespace="default", name="web-0")
SCALE = Action("get", "apps", resource="deployments", subresource="scale", name="web")


@pytest.mark.parametrize(
    ("pattern", "action", "fits"),
    [
        (Pattern(), PODS, True),
        (Pattern(), STATUS, True),
        (Pattern("get"), PODS, True),
        (Pattern("list"), PODS, False),
        (Pattern("*", "pods"), PODS, True),
        (Pattern("*", "pods"), STATUS, False),
        (Pattern("*", "pods/status"), STATUS, True),
        (Pattern("*", "pods/status"), PODS, False),
        (Pattern("*", "pods/*"), STATUS, True),
        (Pattern("*", "*/scale"), SCALE, True),
        (Pattern("*", "*/scale"), STATUS, False),
        (Pattern("*", "deployments/scale"), SCALE, True),
        (Pattern("*", "deployments.apps/scale"), SCALE, True),
        (Pattern("*", "deployments.extensions/scale"), SCALE, False),
        (Pattern(namespace="default"), PODS, True),
        (Pattern(namespace="default"), SCALE, False),
        (Pattern(name="web-0"), PODS, True),
        (Pattern(name="web-1"), PODS, False),
    ],
)
def test_patterns_are_as_in_rbac(pattern: Pattern, action: Action, fits: bool):
    assert pattern.matches(action) is fits


@pytest.mark.parametrize(
    ("method", "target", "action"),
    [
        ("GET", "/api/v1/pods", "list pods"),
        ("GET", "/api/v1/pods?watch=1", "watch pods"),
        ("GET", "/api/v1/pods?watch=false", "list pods"),
        ("GET", "/api/v1/namespaces/a/pods/x", "get pods a/x"),
        ("GET", "/api/v1/namespaces/a/pods/x/log?follow=true", "get pods/log a/x"),
        ("GET", "/api/v1/namespaces/a", "get namespaces a"),
        ("PUT", "/api/v1/namespaces/a/status", "update namespaces/status a"),
        ("PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize a"),
        ("GET", "/api/v1/namespaces/a/services", "list services a"),
        ("POST", "/api/v1/namespaces/a/pods", "create pods a"),
        ("POST", "/api/v1/namespaces/a/pods/x/eviction", "create pods/eviction a/x"),
        ("DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection deployments.apps a"),
        ("DELETE", "/apis/apps/v1/namespaces/a/deployments/x", "delete deployments.apps a/x"),
        ("GET", "/api/v1/nodes/a%2Fb", "get nodes a/b"),
    ],
)
def test_requests_are_said_in_the_words_of_the_api(method: str, target: str, action: str):
    assert str(action_of(HttpRequest(method, target))) == action


@pytest.mark.parametrize(
    "target", ["/", "/api", "/api/v1", "/apis/apps/v1", "/healthz", "/version"]
)
def test_requests_outside_of_resources_are_no_actions(target: str):
    assert action_of(HttpRequest("GET", target)) is None


def test_bodies_are_read_whatever_they_are_written_in():
    path = "/api/v1/namespaces/a/pods"
    yaml = HttpRequest(
        "POST", path, (("Content-Type", "application/yaml"),), b"metadata: {name: x}"
    )
    assert str(action_of(yaml)) == "create pods a/x"
    broken = HttpRequest("POST", path, (("Content-Type", "application/json"),), b"{")
    action = action_of(broken)
    assert action is not None
    assert action.object is None


def test_a_body_is_not_in_the_repr():
    path = "/api/v1/namespaces/a/secrets"
    action = action_of(HttpRequest("POST", path, (), b'{"data": {"password": "czNjcmV0"}}'))
    assert "czNjcmV0" not in repr(action)


# ---- answers ----------------------------------------------------------------------------------


def test_half_of_an_answer_is_half_of_its_body():
    answer = cut(Response(200, b"0123456789"), None)
    assert isinstance(answer, CutResponse)
    assert (answer.sent, answer.body) == (5, b"0123456789")


def test_a_random_part_is_the_same_for_the_same_seed():
    parts = [cut(Response(200, b"x" * 1000), Random(3)) for _ in range(2)]
    assert parts[0] == parts[1]


def test_a_delay_is_over_when_the_clock_says_so():
    clock = FakeClock()
    answer = delayed(clock, 5, lambda: Response(200))
    assert isinstance(answer.resume(), Deferred)
    clock.step(5)
    assert answer.resume() == Response(200)


def test_an_answer_is_changed_once_it_is_there():
    clock = FakeClock()
    later = afterwards(delayed(clock, 5, lambda: Response(200, b"ab")), lambda each: cut(each, 1))
    assert isinstance(later, Deferred)
    clock.step(5)
    response = later.resume()
    assert isinstance(response, CutResponse)
    assert response.sent == 1


# ---- streams ----------------------------------------------------------------------------------


class Lines:
    """A stream that says what it is told."""

    status = 200
    deadline: float | None = None

    def __init__(self, *ready: bytes) -> None:
        self.headers: list[tuple[str, str]] = []
        self.ready = list(ready)
        self.closed = False

    def take(self) -> bytes | None:
        if self.ready:
            return self.ready.pop(0)
        return None if self.closed else b""

    def on_ready(self, wake: Callable[[], None]) -> None:
        wake()

    def close(self) -> None:
        self.closed = True


def opened(*ready: bytes) -> tuple[OpenStream, Lines, list[OpenStream]]:
    lines, forgotten = Lines(*ready), list[OpenStream]()
    return OpenStream(lines, PODS, lambda _, data: data, forgotten.append), lines, forgotten


def test_a_stream_passes_on_what_comes_and_is_forgotten_at_its_end():
    stream, lines, forgotten = opened(b"a", b"b")
    assert [stream.take(), stream.take(), stream.take()] == [b"a", b"b", b""]
    lines.close()
    assert stream.take() is None
    assert forgotten == [stream]


def test_a_stream_is_cut_within_what_comes():
    stream, lines, _ = opened(b"abc", b"def")
    stream.cut_after = 4
    assert [stream.take(), stream.take()] == [b"abc", b"d"]
    with pytest.raises(ConnectionCut):
        stream.take()
    assert lines.closed


def test_a_dropped_stream_loses_what_was_not_taken():
    stream, _, _ = opened(b"abc")
    stream.drop()
    with pytest.raises(ConnectionCut):
        stream.take()


def test_a_stream_that_is_ended_says_its_last_words():
    stream, lines, forgotten = opened(b"abc")
    stream.end(b"bye")
    assert [stream.take(), stream.take()] == [b"abcbye", None]
    assert lines.closed
    assert forgotten == [stream]
