"""What a controller decides: owners, update_priority, when to look again."""

from __future__ import annotations

import pytest

from clientgen.runtime import Resource
from clientgen.runtime._controllers.queue_state import LOW_PRIORITY
from clientgen.runtime._controllers.reconcile_loop import (
    Request,
    Result,
    checked_result,
    owner_mapper,
    request_for,
    requests_of,
    requeue,
    update_priority,
)
from clientgen.runtime._models.meta_v1 import ObjectMeta, OwnerReference
from clientgen.runtime._models.model import Model
from clientgen.runtime.sync import PriorityQueue
from clientgen.testing import FakeClock


class Thing(Model):
    metadata: ObjectMeta


WEB = Request("default", "web")
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")


def owned_by(*owners: OwnerReference) -> Thing:
    return Thing(metadata=ObjectMeta(name="x", namespace="default", owner_references=[*owners]))


def owner(
    api_version: str = "apps/v1", kind: str = "Deployment", controller: bool | None = True
) -> OwnerReference:
    return OwnerReference(
        api_version=api_version, kind=kind, name="web", uid="u", controller=controller
    )


def test_a_request_is_shown_as_its_key() -> None:
    assert str(WEB) == "default/web"
    assert str(Request("", "node-1")) == "node-1"
    assert request_for(Thing(metadata=ObjectMeta(name="node-1"))) == [Request("", "node-1")]


@pytest.mark.parametrize(
    ("reference", "is_it"),
    [
        (owner(), True),
        (owner("apps/v1beta2"), True),
        (owner(controller=None), False),
        (owner(controller=False), False),
        (owner(kind="ReplicaSet"), False),
        (owner("v1"), False),
        (owner("example.com/v1"), False),
    ],
)
def test_the_owner_is_the_controller_of_the_kind(reference: OwnerReference, is_it: bool) -> None:
    expected = [WEB] if is_it else []
    assert list(owner_mapper(DEPLOYMENTS)(owned_by(reference))) == expected


def test_an_owner_is_found_among_several() -> None:
    mapped = owner_mapper(DEPLOYMENTS)(owned_by(owner("v1", "ConfigMap", None), owner()))
    assert list(mapped) == [WEB]


def test_owners_may_live_in_no_namespace() -> None:
    nodes = Resource("", "v1", "nodes", "Node", namespaced=False)
    assert list(owner_mapper(nodes)(owned_by(owner("v1", "Node")))) == [Request("", "web")]


def test_updates_that_change_nothing_can_wait() -> None:
    one = Thing(metadata=ObjectMeta(resource_version="1"))
    two = Thing(metadata=ObjectMeta(resource_version="2"))
    assert (update_priority(one, one), update_priority(one, two)) == (LOW_PRIORITY, 0)


class Queue:
    """A queue from which a request was taken after two failures."""

    def __init__(self, priority: int = 7) -> None:
        self.clock = FakeClock()
        self.queue: PriorityQueue[Request] = PriorityQueue(clock=self.clock)
        for _ in range(2):
            self.queue.add_rate_limited(WEB, priority=priority)
        self.clock.step(1.0)
        self.queue.get()

    def next(self, result: Result | None) -> tuple[float | None, int]:
        """In how many seconds the request comes again, and what is counted as failures."""
        requeue(self.queue, WEB, result)
        self.queue.done(WEB)
        at = self.queue._state.next_ready
        return at and pytest.approx(at - 1.0), self.queue.num_requeues(WEB)

    def priority(self) -> int:
        self.clock.step(100.0)
        return self.queue.priority(self.queue.get())


@pytest.mark.parametrize(
    ("result", "seconds", "failures"),
    [
        (None, None, 0),
        (Result(), None, 0),
        (Result(requeue=True), 0.02, 3),
        (Result(requeue_after=60.0), 60.0, 0),
        (Result(requeue=True, requeue_after=60.0), 60.0, 0),
    ],
)
def test_when_to_look_again(result: Result | None, seconds: float | None, failures: int) -> None:
    assert Queue().next(result) == (seconds, failures)


@pytest.mark.parametrize(
    ("result", "priority"),
    [
        (Result(requeue=True), 7),
        (Result(requeue_after=5.0), 7),
        (Result(requeue_after=5.0, priority=-1), -1),
        (Result(requeue=True, priority=9), 9),
    ],
)
def test_the_priority_of_a_request(result: Result, priority: int) -> None:
    queue = Queue()
    queue.next(result)
    assert queue.priority() == priority


async def _later(obj: object) -> list[Request]:
    return []


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda obj: Request("shop", "a"), "must return a list of Requests, not a Request"),
        (lambda obj: "ab", "must return a list of Requests, not a str"),
        (lambda obj: None, "must return a list of Requests, not None"),
        (lambda obj: ["ab"], "must return Requests only, not a str"),
        (lambda obj: [("shop", "a")], "must return Requests only, not a tuple"),
        (_later, "but it is an async function"),
    ],
)
def test_a_mapper_that_returns_something_else_is_named(returned, message):
    with pytest.raises(TypeError, match=rf"the mapper .* {message}|the mapper .*: {message}"):
        list(requests_of(returned, None))


@pytest.mark.parametrize("returned", [5, "soon", Request("shop", "a"), False])
def test_reconcile_returns_a_result_or_nothing(returned):
    with pytest.raises(TypeError, match="reconcile must return a Result or None, not a"):
        checked_result(returned)
    assert checked_result(None) is None
