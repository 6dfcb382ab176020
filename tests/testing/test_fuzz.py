"""Whatever is sent, in whatever order: an answer, never a defect, in bounded steps and memory."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from support.bounds import bounded_memory, bounded_steps
from support.random_requests import PLACES, Fuzzer, definition

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Deferred, Response
from clientgen.testing._apiserver.server import ApiServer
from clientgen.testing._fake.actions import action_of
from clientgen.testing._fake.fake_clock import FakeClock

REQUESTS = 500
STEPS = 2_000_000
MEGABYTES = 512


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What the handler did not expect is answered with 500, and logged."""
    yield
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


def served(clock: FakeClock) -> ApiServer:
    made = ApiServer(clock=clock, seed=1)
    made.put(definition())
    made.run_due()
    for path, value in PLACES[:-1]:
        made.handle(HttpRequest("POST", path, (), json.dumps(value).encode()))
    return made


def answer(server: ApiServer, request: HttpRequest, clock: FakeClock) -> Response | None:
    """The whole answer; None for one that comes in pieces, all of which were taken."""
    action_of(request)
    response = server.handle(request)
    while isinstance(response, Deferred):
        clock.step(2)
        response = response.resume()
    if isinstance(response, Response):
        return response
    clock.step(2)
    response.take()
    response.close()
    return None


def is_sound(response: Response) -> bool:
    """Whether an answer is none of a defect; some errors of real servers have no reason."""
    if response.status != 500:
        return 200 <= response.status < 600
    return b"InternalError" not in response.body


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_request_is_answered(seed: int) -> None:
    clock = FakeClock()
    server = served(clock)
    fuzzer = Fuzzer(seed)
    codes: set[int] = set()
    with bounded_memory(MEGABYTES):
        for _ in range(REQUESTS):
            request = fuzzer.request()
            with bounded_steps(STEPS):
                reply = answer(server, request, clock)
            if reply is not None:
                assert is_sound(reply), (
                    request.method,
                    request.target,
                    request.body,
                    reply.body,
                )
                codes.add(reply.status)
    assert {200, 201, 400, 404, 405, 409, 415, 422} <= codes  # they were nearly right
    alive = server.handle(HttpRequest("GET", "/api/v1/namespaces"))
    assert isinstance(alive, Response)
    assert alive.status == 200
