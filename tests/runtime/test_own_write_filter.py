"""Own writes that do not wake their controller, against a model: no change of others is lost.

The server is simulated, so that every event can be held back, and several be merged into one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime._controllers.own_write_filter import MAX_OBJECTS, OwnWriteFilter
from clientgen.runtime._controllers.predicates import Event
from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime._http.json_codec import JSON
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime._models.decoder import from_dict
from clientgen.runtime._models.encoder import encode

REQUEST = Request("shop", "a")
PATH = "/api/v1/namespaces/shop/configmaps"
VALUES = ("1", "2", "")
WALKS = int(os.environ.get("CLIENTGEN_OWN_WRITES_WALKS", "3000"))


@dataclass(frozen=True)
class State:
    """A state of the object: the controller writes `mine`, others write both values."""

    uid: str
    version: int
    mine: str
    theirs: str

    def body(self) -> dict[str, Any]:
        return {
            "metadata": {
                "name": "a",
                "namespace": "shop",
                "uid": self.uid,
                "resourceVersion": str(self.version),
            },
            "data": {name: value for name in ("mine", "theirs") if (value := getattr(self, name))},
        }

    def cached(self) -> ConfigMap:
        return from_dict(ConfigMap, self.body())


@dataclass
class Server:
    version: int = 1
    state: State | None = None
    log: list[State | None] = field(default_factory=list)

    def store(self, **changes: str) -> State:
        """Change the object, or create it. A change without an effect is no event."""
        old = self.state
        if old is None:
            new = State(f"uid-{self.version}", 0, "", "")
        elif replace(old, **changes) == old:
            return old
        else:
            new = old
        self.version += 1
        self.state = replace(new, version=self.version, **changes)
        self.log.append(self.state)
        return self.state

    def delete(self) -> None:
        self.version += 1
        self.state = None
        self.log.append(None)


class Model:
    """An object, its watch and its controller. `step` does something by chance."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.filter = OwnWriteFilter(lambda group, plural: plural == "configmaps")
        self.server = Server()
        self.cached: State | None = self.server.store(mine="1", theirs="1")
        self.told = 1  # how many entries of the log the handler has got
        self.is_queued = True
        self.is_running = False
        self.begin()

    def step(self) -> str:
        """Do something. Returns what it was."""
        kinds: list[Callable[[], object]] = [
            self.others_write,
            self.others_write,
            self.others_delete,
        ]
        if self.told < len(self.server.log):
            kinds += [self.event_comes, self.event_comes, self.list_skips_events]
        if self.is_running:
            kinds += [self.write, self.write, self.end]
        elif self.is_queued:
            kinds += [self.begin, self.begin]
        chosen = self.random.choice(kinds)
        return f"{chosen.__name__}: {chosen() or ''}"

    # ---- others, and the watch ----------------------------------------------------------------

    def others_write(self) -> dict[str, str]:
        names = self.random.choice([["theirs"], ["mine"], ["mine", "theirs"]])
        changes = {name: self.random.choice(VALUES) for name in names}
        self.server.store(**changes)
        return changes

    def others_delete(self) -> None:
        if self.server.state and self.random.random() < 0.3:
            self.server.delete()

    def event_comes(self) -> None:
        self.tell(self.told)

    def list_skips_events(self) -> None:
        self.tell(len(self.server.log) - 1)

    def tell(self, place: int) -> None:
        old, new = self.cached, self.server.log[place]
        self.cached, self.told = new, place + 1
        if old == new:
            return
        before, after = old and old.cached(), new and new.cached()
        kind: Any = "add" if old is None else "delete" if new is None else "update"
        if self.filter.passes(REQUEST, Event(kind, before, after), 0):
            self.is_queued = True

    # ---- the controller -----------------------------------------------------------------------

    def begin(self) -> None:
        self.filter.begin(REQUEST)
        self.is_queued, self.is_running = False, True
        self.seen = self.cached
        self.sent: list[str] = []

    def end(self) -> None:
        self.is_running = False
        if self.filter.end(REQUEST) is not None:
            self.is_queued = True

    def write(self) -> str:
        value = self.random.choice(VALUES)
        way = self.random.choice(["apply", "edit", "put"])
        read = self.random.choice([self.seen, self.server.state])  # from the cache, or with a get
        body: dict[str, Any] = {"data": {"mine": value or None}}
        if way == "edit" and read:
            body["metadata"] = {"resourceVersion": str(read.version)}
        elif way == "put" and read:
            body = replace(read, mine=value).body()
        is_there = self.server.state is not None
        if way != "apply" and (not is_there or read != self.server.state):
            return f"{way} conflicts"
        stored = self.server.store(mine=value)
        self.sent.append(value)
        sent = HttpRequest("PUT" if way == "put" else "PATCH", f"{PATH}/a", (), encode(body))
        response = HttpResponse(200 if is_there else 201, {}, encode(stored.body()))
        self.filter.note(REQUEST, sent, response, JSON)
        return f"{way} {value}"

    def check(self) -> None:
        """Once all events have come, the controller knows everything that is not its own."""
        if self.is_queued or self.is_running or self.told < len(self.server.log):
            return  # it will see the latest state
        state, seen = self.server.state, self.seen
        if state is None or seen is None:
            assert state is seen or (state and self.sent)
        else:
            assert state.uid == seen.uid or self.sent
        if state:
            assert state.theirs == (seen.theirs if seen else "")
            assert state.mine in {seen.mine if seen else None, *self.sent[-1:]}


def test_no_interleaving_loses_a_change_of_others() -> None:
    for seed in range(WALKS):
        model, steps = Model(Random(seed)), []
        for _ in range(10):
            steps.append(model.step())
            try:
                model.check()
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {steps}") from error


# ---- what is dropped, and what is not ---------------------------------------------------------


def judged(
    old: Any,
    new: Any,
    sent: Any,
    *,
    method: str = "PATCH",
    answer: Any = None,
    status: int = 200,
    headers: Any = (),
) -> bool:
    """Write `sent` in a reconciliation. Returns whether the event from `old` to `new` wakes it."""
    guard = OwnWriteFilter(lambda group, plural: True)
    guard.begin(REQUEST)
    path = f"/apis/apps/v1/namespaces/shop/deployments/{new['metadata']['name']}"
    response = HttpResponse(status, {}, encode(answer or new))
    guard.note(REQUEST, HttpRequest(method, path, headers, encode(sent)), response, JSON)
    event: Event[Any] = Event(
        "add" if old is None else "update",
        None if old is None else from_dict(Deployment, old),
        from_dict(Deployment, new),
    )
    assert not guard.passes(REQUEST, event, 0)  # it is held
    return guard.end(REQUEST) is not None


def deployment(version: int, *, generation: int = 1, conditions: Any = (), **spec: Any) -> Any:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "a",
            "namespace": "shop",
            "uid": "u",
            "resourceVersion": str(version),
            "generation": generation,
            "managedFields": [{"manager": f"m{version}"}],
        },
        "spec": {"selector": {}, "template": {"spec": {"containers": []}}, **spec},
        "status": {"conditions": [*conditions]},
    }


def condition(kind: str, status: str = "True", **members: str) -> Any:
    return {"type": kind, "status": status, **members}


READY, STALE = condition("Ready"), condition("Ready", "False")
OTHER = condition("Available", reason="Theirs")


@pytest.mark.parametrize(
    ("old", "new", "sent", "wakes"),
    [
        # one field, as sent; with the bookkeeping of the server
        ({}, {"replicas": 2, "generation": 2}, {"spec": {"replicas": 2}}, False),
        # a field that was not sent has changed, too
        ({}, {"replicas": 2, "paused": True}, {"spec": {"replicas": 2}}, True),
        ({"paused": True}, {"replicas": 2}, {"spec": {"replicas": 2}}, True),
        ({"paused": True}, {"replicas": 2}, {"spec": {"replicas": 2, "paused": None}}, False),
        # the generation tells of something that this cache does not have
        ({}, {"generation": 2, "conditions": [READY]}, {"status": {"conditions": [READY]}}, True),
        # items of lists: added, changed, and removed by others at the same time
        ({}, {"conditions": [READY]}, {"status": {"conditions": [READY]}}, False),
        (
            {"conditions": [STALE, OTHER]},
            {"conditions": [READY, OTHER]},
            {"status": {"conditions": [READY]}},
            False,
        ),
        (
            {"conditions": [OTHER]},
            {"conditions": [READY]},
            {"status": {"conditions": [READY], "x": 1}},
            True,
        ),
        (
            {"conditions": [STALE]},
            {"conditions": [READY, OTHER]},
            {"status": {"conditions": [READY]}},
            True,
        ),
        (
            {"conditions": [STALE]},
            {"conditions": [condition("Ready", reason="Theirs")]},
            {"status": {"conditions": [READY]}},
            True,
        ),
        # the precondition was the version before, or another one
        ({}, {"paused": True}, {"metadata": {"resourceVersion": "1"}, "spec": {}}, False),
        (
            {},
            {"replicas": 2},
            {"metadata": {"resourceVersion": "0"}, "spec": {"replicas": 2}},
            True,
        ),
        # an operation has no values of an object
        ({}, {"replicas": 2}, [{"op": "add", "path": "/spec/replicas", "value": 2}], True),
        (
            {},
            {"replicas": 2},
            [{"op": "test", "path": "/metadata/resourceVersion", "value": "1"}],
            False,
        ),
    ],
)
def test_an_event_is_dropped_if_the_request_explains_it(
    old: Any, new: Any, sent: Any, wakes: bool
) -> None:
    assert judged(deployment(1, **old), deployment(2, **new), sent) is wakes


def test_a_merge_patch_replaces_lists_and_an_apply_merges_them() -> None:
    old, new = deployment(1, conditions=[OTHER]), deployment(2, conditions=[READY])
    sent = {"status": {"conditions": [READY]}}
    assert judged(old, new, sent) is True  # somebody else has removed the other item
    merge = [("Content-Type", "application/merge-patch+json")]
    assert judged(old, new, sent, headers=merge) is False
    assert judged(old, deployment(2, conditions=[STALE]), sent, headers=merge) is True


def test_a_put_needs_a_precondition() -> None:
    """Without one, it sends values that others may have written since."""
    old, new = deployment(1), deployment(2, replicas=2)
    assert judged(old, new, deployment(1, replicas=2), method="PUT") is False
    without = deployment(1, replicas=2)
    del without["metadata"]["resourceVersion"]
    assert judged(old, new, without, method="PUT") is True


def test_objects_are_compared_and_not_only_their_versions() -> None:
    new, sent = deployment(2, replicas=2), {"spec": {"replicas": 2}}
    assert judged(None, new, sent, status=201) is False
    assert judged(None, new, sent, status=200) is True  # it was there before, elsewhere
    restored = deployment(2, replicas=2, paused=True)  # a version that exists twice
    assert judged(deployment(1), new, sent, answer=restored) is True
    other = deployment(1)
    other["metadata"]["uid"] = "another"
    assert judged(other, new, sent) is True


def test_another_object_of_the_controller_is_told() -> None:
    guard = OwnWriteFilter(lambda group, plural: True)
    server = Server()
    old = server.store(theirs="1").cached()
    guard.begin(REQUEST)
    new = server.store(mine="1")
    sent = HttpRequest("PATCH", f"{PATH}/a", (), encode({"data": {"mine": "1"}}))
    guard.note(REQUEST, sent, HttpResponse(200, {}, encode(new.body())), JSON)
    event: Event[Any] = Event("update", old, new.cached())
    assert guard.passes(Request("shop", "b"), event, 0)
    assert guard.end(REQUEST) is None
    assert not guard.passes(REQUEST, event, 0)


def test_it_remembers_a_bounded_number_of_writes() -> None:
    guard = OwnWriteFilter(lambda group, plural: True)
    for number in range(MAX_OBJECTS + 5):
        request = Request("shop", str(number))
        state = State(f"u{number}", 5, "1", "")
        guard.begin(request)
        sent = HttpRequest("PATCH", f"{PATH}/{number}", (), encode({"data": {"mine": "1"}}))
        guard.note(request, sent, HttpResponse(200, {}, encode(state.body())), JSON)
        assert guard.end(request) is None
    assert len(guard._writes) == MAX_OBJECTS
    guard.begin(REQUEST)
    event: Event[Any] = Event("update", state.cached(), replace(state, version=6).cached())
    woken = [guard.passes(REQUEST, event, 0) for _ in range(200)]
    assert woken.index(True) == 100  # more are not kept: it is reconciled again in any case
    assert all(woken[100:])
