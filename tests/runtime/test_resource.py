"""Resources and their paths."""

from __future__ import annotations

import pytest

from clientgen.gvk import GroupVersionKind, GroupVersionResource
from clientgen.runtime.resource import Resource

PODS = Resource("", "v1", "pods", "Pod", namespaced=True)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")


@pytest.mark.parametrize(
    ("resource", "arguments", "path"),
    [
        (PODS, (), "/api/v1/pods"),
        (PODS, ("a",), "/api/v1/namespaces/a/pods"),
        (PODS, ("a", "b"), "/api/v1/namespaces/a/pods/b"),
        (PODS, ("a", "b", "log"), "/api/v1/namespaces/a/pods/b/log"),
        (NODES, (), "/api/v1/nodes"),
        (NODES, (None, "n"), "/api/v1/nodes/n"),
        (NODES, (None, "system:node:x"), "/api/v1/nodes/system:node:x"),
        (NODES, (None, "ä b?c#d"), "/api/v1/nodes/%C3%A4%20b%3Fc%23d"),
        (DEPLOYMENTS, ("a", "b", "scale"), "/apis/apps/v1/namespaces/a/deployments/b/scale"),
    ],
)
def test_paths(resource, arguments, path):
    assert resource.path(*arguments) == path


@pytest.mark.parametrize("bad", ["", ".", "..", "a/b", "a%2Fb"])
def test_segments_that_would_mean_something_else_are_refused(bad):
    with pytest.raises(ValueError, match="name"):
        NODES.path(None, bad)
    with pytest.raises(ValueError, match="namespace"):
        PODS.path(bad)
    if bad:
        with pytest.raises(ValueError, match="subresource"):
            NODES.path(None, "n", bad)


def test_namespaces_are_where_they_belong():
    with pytest.raises(ValueError, match="one Pod needs a namespace"):
        PODS.path(None, "a")
    with pytest.raises(ValueError, match="nodes do not live in namespaces"):
        NODES.path("a")
    with pytest.raises(ValueError, match="leave it out to mean all"):
        PODS.path("")


def test_words():
    assert DEPLOYMENTS.api_version == "apps/v1"
    assert PODS.api_version == "v1"
    assert DEPLOYMENTS.name == "deployments.apps"
    assert PODS.name == "pods"
    assert DEPLOYMENTS.gvk == GroupVersionKind("apps", "v1", "Deployment")
    assert DEPLOYMENTS.gvr == GroupVersionResource("apps", "v1", "deployments")
    assert {PODS: 1}[Resource("", "v1", "pods", "Pod")] == 1
