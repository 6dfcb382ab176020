"""Listers read a cache as clients read the API, and never ask the server."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import pickle
from typing import Any

import pytest

from clientgen.runtime import errors
from clientgen.runtime._cache.indexer import Indexer, meta_namespace_key, split_key
from clientgen.runtime._cache.listers import ClusterLister, Labels, Lister, NamespacedLister
from clientgen.runtime._cache.transforms import drop_managed_fields
from clientgen.runtime._http.resource import Resource
from clientgen.runtime._http.selectors import EVERYTHING, parse_label_selector
from clientgen.runtime._models.meta_v1 import (
    LabelSelector,
    LabelSelectorRequirement,
    ManagedFieldsEntry,
    ObjectMeta,
    PartialObjectMetadata,
)
from clientgen.runtime._models.model import Model
from clientgen.testing import FakeCluster, fake_clientset
from tests.runtime.sample_models import Pod

PODS = Resource("", "v1", "pods", "Pod")
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)

Meta = PartialObjectMetadata


def made(name: str, namespace: str = "", **labels: str) -> Meta:
    return Meta(metadata=ObjectMeta(name=name, namespace=namespace, labels=labels))


@pytest.fixture
def pods() -> Lister[Meta]:
    indexer = Indexer[Meta]()
    indexer.replace(
        [
            made("web-0", "one", app="web", tier="a"),
            made("web-1", "one", app="web", tier="b", legacy="yes"),
            made("web-0", "two", app="web"),
            made("db-0", "two", app="db", tier="a"),
            made("plain", "two"),
        ],
        "1",
    )
    return Lister(indexer, PODS)


@pytest.fixture
def nodes() -> Lister[Meta]:
    indexer = Indexer[Meta]()
    indexer.replace([made("node-1"), made("node-2", zone="a")], "1")
    return Lister(indexer, NODES)


def keys(objects: list[Meta]) -> list[str]:
    return sorted(map(meta_namespace_key, objects))


def test_a_lister_finds_one_object_by_namespace_and_name(pods: Lister[Meta]):
    assert pods.get("two", "web-0").metadata.namespace == "two"
    assert pods.get("two", "web-0") is pods.in_namespace("two").get("web-0")
    assert pods.get(*split_key("two/web-0")) is pods.get("two", "web-0")


def test_a_lister_of_what_is_in_no_namespace_needs_none(nodes: Lister[Meta]):
    assert nodes.get("node-1").metadata.name == "node-1"
    assert nodes.get(*split_key("node-1")) is nodes.get("node-1")


def test_listers_that_know_their_scope_read_the_same(pods: Lister[Meta], nodes: Lister[Meta]):
    namespaced = NamespacedLister(pods._indexer, PODS)
    assert namespaced.get("two", "web-0") is pods.get("two", "web-0")
    assert namespaced.in_namespace("two").get("web-0") is pods.get("two", "web-0")
    with pytest.raises(ValueError, match="pods are namespaced"):
        namespaced.get("", "web-0")
    with pytest.raises(errors.NotFound, match='pods "absent" not found'):
        namespaced.get("two", "absent")
    assert ClusterLister(nodes._indexer, NODES).get("node-1") is nodes.get("node-1")


def test_namespaces_must_be_where_they_belong(pods: Lister[Meta], nodes: Lister[Meta]):
    with pytest.raises(ValueError, match=r"pods are namespaced: get\(namespace, name\)"):
        pods.get("web-0")
    with pytest.raises(ValueError, match=r"pods are namespaced"):
        pods.get("", "web-0")
    with pytest.raises(ValueError, match=r"nodes are cluster-scoped: get\(name\)"):
        nodes.get("one", "node-1")
    with pytest.raises(ValueError, match="nodes are cluster-scoped"):
        nodes.in_namespace("one")
    with pytest.raises(ValueError, match="namespace must be a non-empty string, not ''"):
        pods.in_namespace("")


def test_a_missing_object_raises_not_found_with_the_servers_message(pods: Lister[Meta]):
    with pytest.raises(errors.NotFound) as local:
        pods.get("one", "absent")
    from kubeapi import Clientset

    with fake_clientset(Clientset) as k, pytest.raises(errors.NotFound) as remote:
        k.core_v1.pods("one").get("absent")
    assert local.value.status == remote.value.status
    assert str(local.value) == 'pods "absent" not found (404 NotFound)'
    assert str(pickle.loads(pickle.dumps(local.value))) == str(local.value)


def test_not_found_messages_name_the_group():
    from kubeapi import Clientset

    lister = Lister(Indexer[Meta](), DEPLOYMENTS).in_namespace("one")
    with pytest.raises(errors.NotFound) as local:
        lister.get("absent")
    with FakeCluster().clientset(Clientset) as k, pytest.raises(errors.NotFound) as remote:
        k.apps_v1.deployments("one").get("absent")
    assert local.value.status == remote.value.status
    assert local.value.message == 'deployments.apps "absent" not found'


def test_a_list_is_of_all_namespaces_or_of_one(pods: Lister[Meta], nodes: Lister[Meta]):
    assert len(pods.list()) == 5
    assert keys(pods.in_namespace("one").list()) == ["one/web-0", "one/web-1"]
    assert pods.in_namespace("three").list() == []
    assert keys(nodes.list()) == ["node-1", "node-2"]
    assert keys(nodes.list("zone")) == ["node-2"]


WEB_ONLY: list[Labels] = [
    "app=web,tier in (a, b),!legacy",
    {"app": "web", "tier": ["a", "b"], "legacy": None},
    parse_label_selector("app=web,tier in (a,b),!legacy"),
    LabelSelector(
        match_labels={"app": "web"},
        match_expressions=[
            LabelSelectorRequirement(key="tier", operator="In", values=["a", "b"]),
            LabelSelectorRequirement(key="legacy", operator="DoesNotExist"),
        ],
    ),
]


@pytest.mark.parametrize("selector", WEB_ONLY)
def test_labels_select_in_every_form_that_clients_know(pods: Lister[Meta], selector: Labels):
    assert keys(pods.list(selector)) == ["one/web-0"]
    assert keys(pods.list(label_selector=selector)) == ["one/web-0"]
    assert keys(pods.in_namespace("one").list(label_selector=selector)) == ["one/web-0"]
    assert pods.in_namespace("two").list(selector) == []


@pytest.mark.parametrize("selector", ["", {}, EVERYTHING, LabelSelector()])
def test_an_empty_selector_selects_everything(pods: Lister[Meta], selector: Labels):
    assert len(pods.list(selector)) == 5


def test_an_invalid_selector_is_a_value_error(pods: Lister[Meta]):
    with pytest.raises(ValueError, match="is not a valid requirement of a label"):
        pods.list("a b")
    nothing: Any = None
    with pytest.raises(TypeError, match="None is not a label selector"):
        pods.list(nothing)


def test_listers_show_what_they_are(pods: Lister[Meta]):
    assert repr(pods) == "<Lister of pods: 5 objects>"
    assert repr(pods.in_namespace("one")) == "<NamespaceLister of pods in 'one'>"


def test_a_lister_follows_its_cache():
    indexer = Indexer[Meta]()
    lister = Lister(indexer, PODS)
    namespaced = lister.in_namespace("one")
    indexer.upsert(made("a", "one"))
    assert keys(lister.list()) == keys(namespaced.list()) == ["one/a"]
    indexer.replace([made("b", "one")], "2")
    assert keys(lister.list()) == keys(namespaced.list()) == ["one/b"]


# What is done to objects on their way into a cache.


def test_managed_fields_are_dropped_and_nothing_else():
    pod = Pod()
    pod.metadata.name = "web-0"
    pod.metadata.managed_fields = [ManagedFieldsEntry(manager="kubectl")]
    assert drop_managed_fields(pod) is pod
    assert pod.metadata == ObjectMeta(name="web-0")
    assert drop_managed_fields(pod) is pod


def test_objects_without_metadata_are_left_unchanged():
    class Bare(Model):
        size: int = 0

    assert drop_managed_fields(Bare(size=3)) == Bare(size=3)
