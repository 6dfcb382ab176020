"""What holds for workloads that are played, whatever clients and pods do."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples
from support.play import NAMESPACE, deployment, objects, playing, put, template

from clientgen.testing import FakeCluster

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("scale"), st.integers(0, 5)),
        st.tuples(st.just("image"), st.integers(1, 3)),
        st.tuples(st.just("delete a pod"), st.integers(0, 9)),
        st.tuples(st.just("evict"), st.integers(0, 9)),
        st.tuples(st.just("crash"), st.integers(1, 3)),
        st.tuples(st.just("recover"), st.just(0)),
        st.tuples(st.just("wait"), st.integers(1, 30)),
        st.tuples(st.just("pause"), st.booleans()),
        st.tuples(st.just("delete"), st.just(0)),
    ),
    max_size=12,
)
LIMITS = st.sampled_from([(1, 0), (0, 1), (2, 1), ("50%", "50%")])


class World:
    """A Deployment, a StatefulSet and a DaemonSet that things happen to."""

    def __init__(self, surge: int | str, unavailable: int | str) -> None:
        self.cluster, self.k, self.clock, self.play = playing(pod_start=5, pod_stop=2, nodes=2)
        self.replicas, self.image, self.paused = 3, 1, False
        self.strategy = {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
        }
        self.wrong: list[str] = []
        self.cluster.server.cluster.store.collection("pods").watch(self.look)
        self.write()

    def write(self) -> None:
        image = f"nginx:{self.image}"
        strategy = {"strategy": self.strategy, "paused": self.paused}
        put(self.cluster, deployment("web", self.replicas, image, **strategy))
        for kind, name, more in (
            ("StatefulSet", "db", {"replicas": self.replicas, "serviceName": "db"}),
            ("DaemonSet", "logs", {}),
        ):
            spec = {"selector": {"matchLabels": {"app": name}}, "template": template(name, image)}
            metadata = {"name": name, "namespace": NAMESPACE}
            value = {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata}
            put(self.cluster, {**value, "spec": {**spec, **more}})

    def pods(self, app: str = "web") -> list[dict[str, Any]]:
        return [
            each
            for each in objects(self.cluster, "pods")
            if each["metadata"]["labels"]["app"] == app and is_active(each)
        ]

    def look(self, *_: object) -> None:
        """Names of StatefulSets are there once, in order; daemons at most once on a node."""
        names = [each["metadata"]["name"] for each in self.pods("db")]
        nodes = [each["spec"].get("nodeName") for each in self.pods("logs")]
        for values in (names, [each for each in nodes if each]):
            if len(values) != len(set(values)):
                self.wrong.append(f"twice: {values}")

    def do(self, what: str, number: int) -> None:
        pods = objects(self.cluster, "pods")
        match what:
            case "scale":
                self.replicas = number
                self.write()
            case "image":
                self.image = number
                self.write()
            case "pause":
                self.paused = bool(number)
                self.write()
            case "delete a pod" if pods:
                name = pods[number % len(pods)]["metadata"]["name"]
                self.k.core_v1.pods(NAMESPACE).delete(name)
            case "evict" if pods:
                self.play.pods(NAMESPACE, pods[number % len(pods)]["metadata"]["name"]).evict()
            case "crash":
                self.play.pods(NAMESPACE, labels="app in (web,db,logs)").crash(times=number)
            case "recover":
                self.play.clear()
            case "wait":
                self.clock.step(number)
            case "delete":
                self.k.apps_v1.deployments(NAMESPACE).delete("web")
                self.write()
            case _:
                pass


def is_active(pod: dict[str, Any]) -> bool:
    ended = pod["status"].get("phase") in ("Succeeded", "Failed")
    return not ended and not pod["metadata"].get("deletionTimestamp")


def is_ready(pod: dict[str, Any]) -> bool:
    found = pod["status"].get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in found)


def check_owners(cluster: FakeCluster) -> None:
    """Every owner that is referred to is there, with that uid; one of them controls."""
    kinds = {
        "ReplicaSet": ("apps", "replicasets"),
        "Deployment": ("apps", "deployments"),
        "StatefulSet": ("apps", "statefulsets"),
        "DaemonSet": ("apps", "daemonsets"),
    }
    for group, plural in (
        ("", "pods"),
        ("apps", "replicasets"),
        ("apps", "controllerrevisions"),
    ):
        for value in objects(cluster, plural, group):
            references = value["metadata"]["ownerReferences"]
            assert sum(bool(each.get("controller")) for each in references) == 1
            for each in references:
                owner = cluster.server.cluster.get(*kinds[each["kind"]], NAMESPACE, each["name"])
                assert owner is not None
                assert owner["metadata"]["uid"] == each["uid"]


def check_counts(cluster: FakeCluster) -> None:
    """The numbers in statuses are those of the pods that are there."""
    pods = objects(cluster, "pods")
    for value in objects(cluster, "replicasets", "apps"):
        uid = value["metadata"]["uid"]
        owned = [
            each
            for each in pods
            if each["metadata"]["ownerReferences"][0]["uid"] == uid and is_active(each)
        ]
        status = value["status"]
        assert status["replicas"] == len(owned) == value["spec"]["replicas"]
        assert status.get("readyReplicas", 0) == sum(map(is_ready, owned))
        assert status["observedGeneration"] == value["metadata"]["generation"]
    [web] = objects(cluster, "deployments", "apps")
    of_web = [
        each for each in pods if each["metadata"]["labels"]["app"] == "web" and is_active(each)
    ]
    assert web["status"].get("replicas", 0) == len(of_web)
    assert web["status"].get("readyReplicas", 0) == sum(map(is_ready, of_web))
    assert web["status"]["observedGeneration"] == web["metadata"]["generation"]


@try_examples(12)
@given(STEPS, LIMITS)
def test_workloads_settle(
    steps: list[tuple[str, int]], limits: tuple[int | str, int | str]
) -> None:
    """After whatever happened, everything settles in the state that was asked for."""
    world = World(*limits)
    for what, number in steps:
        world.do(what, number)
    world.play.clear()
    world.paused = False
    world.write()
    world.clock.step(600)
    world.cluster.settle()

    assert world.wrong == []
    check_owners(world.cluster)
    check_counts(world.cluster)
    image = f"nginx:{world.image}"
    for app, number in (("web", world.replicas), ("db", world.replicas), ("logs", 2)):
        pods = world.pods(app)
        assert len(pods) == number, app
        assert all(map(is_ready, pods)), app
        assert {each["spec"]["containers"][0]["image"] for each in pods} <= {image}, app


@try_examples(12)
@given(
    st.integers(1, 8),
    LIMITS,
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.lists(st.integers(0, 12), max_size=6),
)
def test_rolling_updates_keep_to_their_limits(
    replicas: int, limits: tuple[int | str, int | str], images: list[int], waits: list[int]
) -> None:
    """Pods are at most replicas and surge; available ones at least replicas less unavailable."""
    cluster, _, clock, _ = playing(pod_start=5)
    surge, unavailable = limits
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    most = replicas + (surge if isinstance(surge, int) else -(-replicas // 2))
    missing = unavailable if isinstance(unavailable, int) else replicas // 2
    put(cluster, deployment("web", replicas, strategy=strategy))
    cluster.settle()

    seen: list[tuple[int, int]] = []

    def look(*_: object) -> None:
        pods = [each for each in objects(cluster, "pods") if is_active(each)]
        seen.append((len(pods), sum(map(is_ready, pods))))

    cluster.server.cluster.store.collection("pods").watch(look)
    for image in images:
        put(cluster, deployment("web", replicas, f"nginx:{image}", strategy=strategy))
        for seconds in waits:
            clock.step(seconds)
    cluster.settle()
    assert all(total <= most and ready >= replicas - missing for total, ready in seen), seen
    pods = objects(cluster, "pods")
    assert len(pods) == replicas
    assert {each["spec"]["containers"][0]["image"] for each in pods} == {f"nginx:{images[-1]}"}
