"""Resources and their paths."""

from __future__ import annotations

from enum import Enum

import pytest

from clientgen._gvk import GroupVersionKind, GroupVersionResource
from clientgen.runtime._http.resource import Resource
from tests.support.names import NO_NAMES

PODS = Resource("", "v1", "pods", "Pod", namespaced=True)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")


class Names(str, Enum):  # noqa: UP042 - its format is another one
    WEB = "web"


@pytest.mark.parametrize(
    ("resource", "arguments", "path"),
    [
        (PODS, (), "/api/v1/pods"),
        (PODS, ("a",), "/api/v1/namespaces/a/pods"),
        (NODES, (), "/api/v1/nodes"),
        (DEPLOYMENTS, (Names.WEB,), "/apis/apps/v1/namespaces/web/deployments"),
    ],
)
def test_paths_of_collections(resource, arguments, path):
    assert resource.collection_path(*arguments) == path


@pytest.mark.parametrize(
    ("resource", "arguments", "path"),
    [
        (PODS, ("a", "b"), "/api/v1/namespaces/a/pods/b"),
        (PODS, ("a", "b", "log"), "/api/v1/namespaces/a/pods/b/log"),
        (NODES, (None, "n"), "/api/v1/nodes/n"),
        (NODES, (None, "system:node:x"), "/api/v1/nodes/system:node:x"),
        (NODES, (None, "ä b?c#d\\"), "/api/v1/nodes/%C3%A4%20b%3Fc%23d%5C"),
        (NODES, (None, Names.WEB), "/api/v1/nodes/web"),
        (DEPLOYMENTS, ("a", "b", "scale"), "/apis/apps/v1/namespaces/a/deployments/b/scale"),
    ],
)
def test_paths_of_objects(resource, arguments, path):
    object_path = resource.object_path(*arguments)
    assert object_path == path
    assert type(object_path) is str


@pytest.mark.parametrize("bad", NO_NAMES, ids=repr)
def test_invalid_names_have_no_path(bad):
    with pytest.raises(ValueError, match="name"):
        NODES.object_path(None, bad)
    with pytest.raises(ValueError, match="namespace"):
        PODS.object_path(bad, "a")
    if bad is not None:
        with pytest.raises(ValueError, match="namespace"):
            PODS.collection_path(bad)
    if bad:
        with pytest.raises(ValueError, match="subresource"):
            NODES.object_path(None, "n", bad)


def test_errors_about_names_do_not_show_the_name():
    with pytest.raises(ValueError, match=r"name must be a non-empty string, not a dict$"):
        NODES.object_path(None, {"data": "secret"})
    with pytest.raises(ValueError, match=r"name must be a non-empty string, not None$"):
        NODES.object_path(None, None)
    with pytest.raises(ValueError, match=r"name cannot be 'a/b': it must not be '\.' or '\.\.' or"):
        NODES.object_path(None, "a/b")


def test_namespaces_are_where_they_belong():
    with pytest.raises(ValueError, match="one Pod needs a namespace"):
        PODS.object_path(None, "a")
    with pytest.raises(ValueError, match="nodes are cluster-scoped"):
        NODES.collection_path("a")
    with pytest.raises(ValueError, match="nodes are cluster-scoped"):
        NODES.object_path("a", "b")


def test_words():
    assert DEPLOYMENTS.api_version == "apps/v1"
    assert PODS.api_version == "v1"
    assert DEPLOYMENTS.name == "deployments.apps"
    assert PODS.name == "pods"
    assert DEPLOYMENTS.gvk == GroupVersionKind("apps", "v1", "Deployment")
    assert DEPLOYMENTS.gvr == GroupVersionResource("apps", "v1", "deployments")
    assert {PODS: 1}[Resource("", "v1", "pods", "Pod")] == 1
