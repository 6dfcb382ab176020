"""Whatever is asked of the server in whatever order, some things always hold.

No watch misses or repeats an event, versions only grow, a list and what was watched since come to
what is there now, and of two writers of one version at most one wins.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from support.examples import try_examples

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.server import ApiServer

NAMES = st.sampled_from(["a", "b", "c"])
NAMESPACES = st.sampled_from(["default", "kube-system"])
LABELS = st.sampled_from(["x", "y"])
SELECTORS = st.sampled_from(["", "app=x", "app!=x", "app"])
MERGE = "application/merge-patch+json"


class Client:
    """Speaks to the handler; answers are decoded."""

    def __init__(self) -> None:
        self.server = ApiServer(load(), seed=1)

    def send(
        self, method: str, target: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = (("Content-Type", content_type),)
        answer = self.server.handle(HttpRequest(method, target, headers, data))
        assert isinstance(answer, Response)
        return answer.status, json.loads(answer.body)

    def watch(self, target: str) -> Any:
        return self.server.handle(HttpRequest("GET", target))


def path(namespace: str, name: str = "") -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps{'/' + name if name else ''}"


def key(value: dict[str, Any]) -> tuple[str, str]:
    return value["metadata"]["namespace"], value["metadata"]["name"]


def version(value: dict[str, Any]) -> int:
    return int(value["metadata"]["resourceVersion"])


class Watcher:
    """A list and what has been watched since: a cache, as an informer keeps it."""

    def __init__(self, client: Client, namespace: str, selector: str) -> None:
        self.client = client
        base = path(namespace) if namespace else "/api/v1/configmaps"
        self.query = f"{base}?labelSelector={selector.replace('=', '%3D')}"
        self.relist()

    def relist(self) -> None:
        status, listed = self.client.send("GET", self.query)
        assert status == 200
        self.cache = {key(item): item for item in listed["items"]}
        self.at = version(listed)
        self.open()

    def open(self) -> None:
        self.stream: Any = self.client.watch(f"{self.query}&watch=1&resourceVersion={self.at}")

    def read(self) -> None:
        for line in (self.stream.take() or b"").splitlines():
            event = json.loads(line)
            if event["type"] == "ERROR":  # what has been since is forgotten
                assert event["object"]["reason"] == "Expired"
                self.relist()
            else:
                self.follow(event["type"], event["object"])

    def follow(self, kind: str, value: dict[str, Any]) -> None:
        assert version(value) > self.at, "events come in the order of their versions, and once"
        self.at = version(value)
        known = self.cache.get(key(value))
        if kind == "ADDED":
            assert known is None
            self.cache[key(value)] = value
        elif kind == "MODIFIED":
            assert known is not None
            assert known["metadata"]["uid"] == value["metadata"]["uid"]
            self.cache[key(value)] = value
        else:
            assert kind == "DELETED"
            assert known is not None
            del self.cache[key(value)]

    def check(self) -> None:
        self.read()
        status, listed = self.client.send("GET", self.query)
        assert status == 200
        now = {key(item): item for item in listed["items"]}
        for value in self.cache.values():  # lists leave these out
            value.pop("kind", None)
            value.pop("apiVersion", None)
        assert self.cache == now


class ServerMachine(RuleBasedStateMachine):
    """Writers, watchers and the forgetting of history, in any order."""

    seen = Bundle("seen")

    def __init__(self) -> None:
        super().__init__()
        self.client = Client()
        self.watchers: list[Watcher] = []
        self.newest = 0

    def note(self, status: int, value: dict[str, Any]) -> bool:
        """Versions only grow."""
        if status not in (200, 201) or value.get("kind") != "ConfigMap":
            return False
        assert version(value) <= self.client.server.cluster.store.version
        self.newest = max(self.newest, version(value))
        return True

    @rule(target=seen, namespace=NAMESPACES, name=NAMES, label=LABELS)
    def create(self, namespace: str, name: str, label: str) -> Any:
        was = self.client.server.cluster.store.version
        body = {"metadata": {"name": name, "labels": {"app": label}}, "data": {"n": "0"}}
        status, value = self.client.send("POST", path(namespace), body)
        assert status in (201, 409)
        if self.note(status, value):
            assert version(value) > was
        return value if status == 201 else None

    @rule(target=seen, namespace=NAMESPACES, name=NAMES)
    def get(self, namespace: str, name: str) -> Any:
        status, value = self.client.send("GET", path(namespace, name))
        return value if status == 200 else None

    @rule(value=seen, first=LABELS, second=LABELS)
    def two_writers_of_one_version(self, value: Any, first: str, second: str) -> None:
        if value is None:
            return
        outcomes: list[int] = []
        for number, label in enumerate((first, second)):
            body = json.loads(json.dumps(value))
            body["metadata"]["labels"] = {"app": label}
            body["data"] = {"n": f"{version(value)}-{number}"}
            status, _ = self.client.send("PUT", path(*key(value)), body)
            assert status in (200, 404, 409)
            outcomes.append(status)
        assert outcomes.count(200) <= 1

    @rule(namespace=NAMESPACES, name=NAMES, label=LABELS)
    def relabel(self, namespace: str, name: str, label: str) -> None:
        body = {"metadata": {"labels": {"app": label}}}
        was = self.client.server.cluster.store.version
        status, value = self.client.send("PATCH", path(namespace, name), body, MERGE)
        assert status in (200, 404)
        self.note(status, value)
        # Either it changed and there is a version more, or neither.
        assert self.client.server.cluster.store.version - was in (0, 1)

    @rule(namespace=NAMESPACES, name=NAMES)
    def delete(self, namespace: str, name: str) -> None:
        status, _ = self.client.send("DELETE", path(namespace, name))
        assert status in (200, 404)

    @rule(value=consumes(seen))
    def delete_that_version(self, value: Any) -> None:
        if value is None:
            return
        wanted = {"uid": value["metadata"]["uid"], "resourceVersion": str(version(value))}
        stored = self.client.send("GET", path(*key(value)))[1]
        status, _ = self.client.send("DELETE", path(*key(value)), {"preconditions": wanted})
        same = stored.get("metadata", {}).get("resourceVersion") == wanted["resourceVersion"]
        assert (status == 200) == same

    @rule(namespace=NAMESPACES, selector=SELECTORS)
    def delete_many(self, namespace: str, selector: str) -> None:
        query = f"?labelSelector={selector.replace('=', '%3D')}"
        status, listed = self.client.send("DELETE", path(namespace) + query)
        assert status == 200
        assert self.client.send("GET", path(namespace) + query)[1]["items"] == []
        assert listed["kind"] == "ConfigMapList"

    @rule(namespace=st.one_of(st.just(""), NAMESPACES), selector=SELECTORS)
    def begin_to_watch(self, namespace: str, selector: str) -> None:
        if len(self.watchers) < 4:
            self.watchers.append(Watcher(self.client, namespace, selector))

    @rule(data=st.data())
    def break_and_resume(self, data: st.DataObject) -> None:
        if self.watchers:
            watcher = data.draw(st.sampled_from(self.watchers))
            watcher.read()
            watcher.stream.close()
            watcher.open()

    @rule()
    def forget_history(self) -> None:
        for watcher in self.watchers:
            watcher.read()
        self.client.server.compact()

    @rule(limit=st.integers(1, 3))
    def list_by_pages(self, limit: int) -> None:
        whole = self.client.send("GET", "/api/v1/configmaps")[1]["items"]
        target, items = f"/api/v1/configmaps?limit={limit}", []
        while True:
            status, page = self.client.send("GET", target)
            assert status == 200
            items += page["items"]
            token = page["metadata"].get("continue")
            if not token:
                break
            target = f"/api/v1/configmaps?limit={limit}&continue={token}"
        assert items == whole

    @invariant()
    def caches_equal_lists(self) -> None:
        for watcher in self.watchers:
            watcher.check()


TestServer = ServerMachine.TestCase
TestServer.settings = try_examples(40, stateful_step_count=30)


def test_a_watch_from_forgotten_history_says_so() -> None:
    client = Client()
    client.send("POST", path("default"), {"metadata": {"name": "a"}})
    client.server.compact()
    client.send("POST", path("default"), {"metadata": {"name": "b"}})
    stream = client.watch(path("default") + "?watch=1&resourceVersion=2")
    event = json.loads(stream.take())
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
    assert stream.take() is None


def test_a_snapshot_is_listed_while_everything_changes() -> None:
    client = Client()
    for name in "abcdef":
        client.send("POST", path("default"), {"metadata": {"name": name}})
    _, first = client.send("GET", path("default") + "?limit=2")
    client.send("DELETE", path("default", "c"))
    client.send("POST", path("default"), {"metadata": {"name": "cc"}})
    token = first["metadata"]["continue"]
    _, rest = client.send("GET", path("default") + f"?limit=9&continue={token}")
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c", "d", "e", "f"]
    assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    client.server.compact()
    status, gone = client.send("GET", path("default") + f"?limit=9&continue={token}")
    assert (status, gone["reason"]) == (410, "Expired")
    fresh = gone["metadata"]["continue"]
    _, now = client.send("GET", path("default") + f"?limit=9&continue={fresh}")
    assert [item["metadata"]["name"] for item in now["items"]] == ["cc", "d", "e", "f"]
