"""What a user of a cache writes, as type checkers must see it: checked by both, never run."""

from __future__ import annotations

from typing import assert_type

from kubeapi.core.v1 import Node, Pod

from clientgen.runtime import (
    Added,
    ClusterLister,
    Deleted,
    DeletedFinalStateUnknown,
    Indexer,
    NamespacedLister,
    NamespaceLister,
    Resource,
    Updated,
    drop_managed_fields,
    split_key,
)
from clientgen.runtime._cache.deltas import Notification, apply_event, apply_replace
from clientgen.runtime._cache.listers import Lister
from clientgen.runtime._cache.mutation_detector import MutationDetector
from clientgen.runtime._cache.transforms import Transform
from clientgen.runtime._http.selectors import parse_label_selector


def by_node(pod: Pod) -> list[str]:
    return [pod.spec.node_name] if pod.spec.node_name else []


def size(pod: Pod) -> list[int]:
    return [len(pod.spec.containers)]


def stores(indexer: Indexer[Pod]) -> None:
    assert_type(indexer.get("default/web-0"), Pod | None)
    assert_type(indexer.list(), list[Pod])
    assert_type(indexer.keys(), list[str])
    assert_type(indexer.by_index("namespace", "default"), list[Pod])
    assert_type(indexer.index_keys("namespace", "default"), list[str])
    assert_type(indexer.index_values("namespace"), list[str])
    assert_type(indexer.resource_version, str)
    indexer.add_index("node", by_node)
    indexer.add_index("image", lambda pod: (each.image or "" for each in pod.spec.containers))
    indexer.add_index("size", size)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    indexer.upsert(Node())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def listers(pods: Lister[Pod], nodes: Lister[Node], key: str) -> None:
    assert_type(pods.list(), list[Pod])
    assert_type(pods.list("app=web"), list[Pod])
    assert_type(
        pods.list(label_selector={"app": "web", "tier": ["a", "b"], "old": None}), list[Pod]
    )
    assert_type(pods.list(label_selector=parse_label_selector("app=web")), list[Pod])
    assert_type(pods.get("default", "web-0"), Pod)
    assert_type(pods.get(*split_key(key)), Pod)
    assert_type(nodes.get("node-1"), Node)
    assert_type(pods.in_namespace("default"), NamespaceLister[Pod])
    assert_type(pods.in_namespace("default").get("web-0"), Pod)
    assert_type(pods.in_namespace("default").list("app"), list[Pod])
    pods.list(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pods.list({"app": 1})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    pods.get("a", "b", "c")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    pods.in_namespace("default").get("default", "web-0")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def listers_of_one_scope(pods: NamespacedLister[Pod], nodes: ClusterLister[Node]) -> None:
    assert_type(pods.get("default", "web-0"), Pod)
    assert_type(pods.in_namespace("default").list(), list[Pod])
    assert_type(nodes.get("node-1"), Node)
    assert_type(nodes.list("zone"), list[Node])
    pods.get("web-0")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    nodes.get("default", "node-1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def deltas(indexer: Indexer[Pod], pod: Pod) -> None:
    assert_type(apply_event(indexer, "ADDED", pod), Added[Pod] | Updated[Pod] | Deleted[Pod] | None)
    assert_type(apply_replace(indexer, [pod], "1"), list[Notification[Pod]])
    for told in apply_replace(indexer, [pod], "1"):
        match told:
            case Added(obj, is_initial):
                assert_type(obj, Pod)
                assert_type(is_initial, bool)
            case Updated(old, new):
                assert_type((old, new), tuple[Pod, Pod])
            case Deleted(obj):
                assert_type(obj, Pod)
                assert_type(told.tombstone, DeletedFinalStateUnknown[Pod])
                assert_type(told.tombstone.object, Pod | None)
    apply_event(indexer, "ADDED", Node())  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def transforms(pod: Pod, transform: Transform[Pod]) -> None:
    assert_type(transform(pod), Pod)
    assert_type(drop_managed_fields(pod), Pod)


def slim(pod: Pod) -> Pod:
    pod.spec.volumes = []
    return drop_managed_fields(pod)


def nothing(pod: Pod) -> None:
    pod.spec.volumes = []


transforms(Pod(), slim)
transforms(Pod(), drop_managed_fields)
transforms(Pod(), nothing)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
Indexer[Pod]({"node": by_node})
Lister(Indexer[Pod](), Resource("", "v1", "pods", "Pod"))
MutationDetector[Pod]("pods", enabled=True)
