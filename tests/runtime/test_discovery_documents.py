"""Discovery documents are read as client-go does, and hostile ones do no harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, json
from support.discovery import aggregated, documents, group, plain, resource

from clientgen.runtime._discovery import discovery_documents as module
from clientgen.runtime._discovery.discovered_resources import ApiSubresource
from clientgen.runtime._discovery.discovery_documents import (
    Document,
    is_aggregated,
    missing_paths,
    read_documents,
)
from clientgen.runtime.errors import DecodeError

CORE = aggregated("/api", group("", v1=[resource("pods", "Pod", shortNames=["po"])]))


def read(*groups, core=CORE):
    return read_documents(documents(core, aggregated("/apis", *groups)))


def names(found):
    return [str(each) for each in found.resources]


# ---- what a server sends ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json; as=APIGroupDiscoveryList ; v=v2beta1;g=apidiscovery.k8s.io;charset=x",
    ],
)
def test_the_content_type_says_that_everything_is_there(content_type):
    assert is_aggregated(content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "application/json",
        "text/html;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList",
        "application/json;v=v2;as=APIGroupDiscoveryList",
        ";;;=",
    ],
)
def test_other_content_types_do_not(content_type):
    assert not is_aggregated(content_type)


def test_a_resource_has_everything_that_the_server_says():
    scale = {
        "subresource": "scale",
        "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
        "verbs": ["get", "update"],
    }
    own = {"subresource": "status", "responseKind": {"kind": "Deployment"}, "verbs": ["get"]}
    deployments = resource(
        "deployments",
        "Deployment",
        shortNames=["deploy"],
        categories=["all"],
        subresources=[scale, own],
    )
    found = read(group("apps", v1=[deployments])).resources[1]
    assert (found.group, found.version, found.plural) == ("apps", "v1", "deployments")
    assert (found.kind, found.singular, found.namespaced) == ("Deployment", "deployment", True)
    assert (found.short_names, found.categories) == (("deploy",), ("all",))
    assert found.subresources == (
        ApiSubresource("scale", "autoscaling/v1", "Scale", ("get", "update")),
        ApiSubresource("status", "apps/v1", "Deployment", ("get",)),
    )
    assert found.subresource("status") == found.subresources[1]
    assert found.subresource("log") is None
    assert str(found) == "deployments.v1.apps"


def test_the_order_is_the_servers_and_the_core_group_is_first():
    found = read(
        group("b", v2=[resource("xs", "X")], v1=[resource("xs", "X")]),
        group("a", v1=[resource("ys", "Y", scope="Cluster")]),
    )
    assert names(found) == ["pods", "xs.v2.b", "xs.v1.b", "ys.v1.a"]
    assert not found.resources[3].namespaced


def test_a_stale_version_is_a_failure_of_its_own():
    stale = {"version": "v1beta1", "freshness": "Stale", "resources": [resource("xs", "X")]}
    metrics = group("metrics.k8s.io", v1=[resource("xs", "X")])
    metrics["versions"].append(stale)
    found = read(metrics)
    assert names(found) == ["pods", "xs.v1.metrics.k8s.io"]
    assert [str(each) for each in found.failures] == [
        "metrics.k8s.io/v1beta1: the group's API server does not answer (its discovery is stale)"
    ]


def test_a_server_without_a_core_group_is_one_behind_an_aggregation_layer():
    core = Document("/api", failure="not found")
    assert names(read(group("a", v1=[resource("xs", "X")]), core=core)) == ["xs.v1.a"]


# ---- older servers ----------------------------------------------------------------------------

LEGACY = [
    plain("/api", versions=["v1"]),
    plain(
        "/apis",
        groups=[
            {
                "name": "apps",
                "versions": [
                    {"groupVersion": "apps/v1beta1", "version": "v1beta1"},
                    {"groupVersion": "apps/v1", "version": "v1"},
                ],
                "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"},
            }
        ],
    ),
]
PODS = plain(
    "/api/v1",
    resources=[
        {"name": "pods", "namespaced": True, "kind": "Pod", "verbs": ["get"], "shortNames": ["po"]},
        {"name": "pods/status", "namespaced": True, "kind": "Pod", "verbs": ["get"]},
        {
            "name": "pods/eviction",
            "group": "policy",
            "version": "v1",
            "kind": "Eviction",
            "verbs": ["create"],
        },
        {"name": "nobody/status", "kind": "Pod", "verbs": ["get"]},
    ],
)


def test_an_older_server_is_asked_for_each_group_version_the_preferred_one_first():
    asked = missing_paths(documents(*LEGACY))
    assert asked == ["/api/v1", "/apis/apps/v1", "/apis/apps/v1beta1"]
    assert missing_paths(documents(*LEGACY, PODS)) == asked[1:]
    assert missing_paths(documents(CORE)) == []


def test_the_documents_of_an_older_server_say_the_same():
    apps = plain("/apis/apps/v1", resources=[{"name": "deployments", "kind": "Deployment"}])
    beta = Document("/apis/apps/v1beta1", failure="503 ServiceUnavailable")
    found = read_documents(documents(*LEGACY, PODS, apps, beta))
    assert names(found) == ["pods", "deployments.v1.apps"]
    pods = found.resources[0]
    assert (pods.singular, pods.namespaced, pods.short_names) == ("pod", True, ("po",))
    assert pods.subresources == (
        ApiSubresource("status", "v1", "Pod", ("get",)),
        ApiSubresource("eviction", "policy/v1", "Eviction", ("create",)),
    )
    assert [str(each) for each in found.failures] == ["apps/v1beta1: 503 ServiceUnavailable"]


def test_a_document_of_an_older_server_that_makes_no_sense_is_a_failure_of_its_group_version():
    broken = plain("/apis/apps/v1", resources="none")
    found = read_documents(documents(*LEGACY, PODS, broken))
    assert names(found) == ["pods"]
    assert [(each.group, each.version) for each in found.failures] == [
        ("apps", "v1"),
        ("apps", "v1beta1"),
    ]
    assert "is not a discovery document" in found.failures[0].message
    assert found.failures[1].message == "the discovery document is missing"


# ---- hostile ones -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "a%2fb", "pods?x", "pods#", "a b", "-a", "a" * 254, "\u0000", "é"],
)
def test_what_could_not_be_part_of_a_path_is_left_out(name):
    found = read(
        group("a", v1=[resource(name, "X"), resource("xs", "X")]),
        group(name, v1=[resource("xs", "X")]),
    )
    assert names(found) == ["pods", "xs.v1.a"]


@pytest.mark.parametrize("version", ["", ".", "v1/../..", "v1 ", "v" * 64, "V1"])
def test_so_is_such_a_version(version):
    assert names(read(group("a", **{version: [resource("xs", "X")]}))) == ["pods"]
    legacy = plain("/apis", groups=[{"name": "a", "versions": [{"version": version}]}])
    assert missing_paths(documents(CORE, legacy)) == []


def test_so_are_such_short_names_categories_and_subresources():
    bad = ["", "a/b", "x" * 300]
    found = read(
        group(
            "a",
            v1=[
                resource(
                    "xs",
                    "X",
                    singularResource="a/b",
                    shortNames=[*bad, "x", "x"],
                    categories=[*bad, "all"],
                    verbs=[*bad, "get"],
                    subresources=[{"subresource": name} for name in (*bad, "status", "status")],
                )
            ],
        )
    ).resources[1]
    assert (found.singular, found.short_names, found.categories) == ("x", ("x",), ("all",))
    assert found.verbs == ("get",)
    assert [each.name for each in found.subresources] == ["status"]


def test_nothing_but_the_core_document_speaks_of_the_core_group():
    core = aggregated("/api", group("", v1=[resource("pods", "Pod")]), group("evil", v1=[]))
    found = read(group("", v1=[resource("secrets", "Secret")]), core=core)
    assert names(found) == ["pods"]


def test_of_what_is_there_twice_the_first_counts():
    found = read(
        group("a", v1=[resource("xs", "X"), resource("xs", "Other")]),
        group("a", v1=[resource("ys", "Y")], v2=[resource("xs", "X")]),
    )
    assert names(found) == ["pods", "xs.v1.a", "xs.v2.a"]
    assert found.resources[1].kind == "X"


def test_resources_without_a_kind_are_left_out():
    kinds = [None, {}, {"kind": ""}, {"kind": None}, {"kind": "a/b"}]
    listed = [resource(f"x{n}", "X", responseKind=kind) for n, kind in enumerate(kinds)]
    assert names(read(group("a", v1=listed))) == ["pods"]


def test_absent_and_null_lists_are_empty():
    bare = {"resource": "xs", "responseKind": {"kind": "X", "group": None, "version": None}}
    nulls = resource("ys", "Y", verbs=None, shortNames=None, categories=None, subresources=None)
    assert names(read(group("a", v1=[bare, nulls]))) == ["pods", "xs.v1.a", "ys.v1.a"]
    assert read({"metadata": None, "versions": None}, group("a", v1=None)).failures == ()
    assert read_documents(documents(aggregated("/apis", items=None))).resources == ()


@pytest.mark.parametrize(
    "broken",
    [
        {"metadata": {"name": "b"}, "versions": "v1"},
        {"metadata": {"name": "b"}, "versions": [{"version": 1}]},
        {"metadata": {"name": "b"}, "versions": [{"version": "v1", "resources": [{}]}]},
        {"metadata": {"name": "b"}, "versions": [None]},
    ],
)
def test_a_group_that_makes_no_sense_is_no_error_of_the_others(broken):
    found = read(broken, group("a", v1=[resource("xs", "X")]))
    assert names(found) == ["pods", "xs.v1.a"]
    assert [(each.group, each.version) for each in found.failures] == [("b", "")]


@pytest.mark.parametrize("broken", [1, None, [], {"metadata": []}, {"metadata": {"name": [1]}}])
def test_a_group_may_not_even_have_a_name(broken):
    found = read(broken, group("a", v1=[resource("xs", "X")]))
    assert names(found) == ["pods", "xs.v1.a"]
    assert [each.group for each in found.failures] == ["a group without a name"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'"x"', b'{"items": 1}', b"\xff", b"[" * 10_000]
)
def test_a_document_that_is_none_is_an_error_with_its_path(body):
    broken = Document("/apis", Raw(body), is_aggregated=True)
    with pytest.raises(DecodeError, match=r"^/apis is not a discovery document"):
        read_documents(documents(CORE, broken))
    broken.is_aggregated = False
    if body != b'{"items": 1}':
        with pytest.raises(DecodeError, match=r"^/apis is not a discovery document"):
            missing_paths(documents(CORE, broken))


def test_there_is_an_end_of_what_is_read(monkeypatch):
    monkeypatch.setattr(module, "_MAX_RESOURCES", 3)
    monkeypatch.setattr(module, "_MAX_GROUP_VERSIONS", 3)
    many = [resource(f"x{n}", "X") for n in range(4)]
    with pytest.raises(DecodeError, match="more than 3 resources"):
        read(group("a", v1=many))
    with pytest.raises(DecodeError, match="more than 3 group versions"):
        read(*(group(f"g{n}", v1=[]) for n in range(4)))
    versions = [{"version": f"v{n}"} for n in range(4)]
    with pytest.raises(DecodeError, match="more than 3 group versions"):
        missing_paths(documents(plain("/apis", groups=[{"name": "a", "versions": versions}])))


KEYS = [
    "items",
    "metadata",
    "name",
    "versions",
    "version",
    "resources",
    "resource",
    "responseKind",
    "kind",
    "groups",
    "subresources",
    "verbs",
    "freshness",
    "shortNames",
    "singularResource",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=30,
)


@given(JSON, JSON, st.booleans())
def test_whatever_is_sent_there_is_a_result_or_a_decode_error(core, apis, is_whole):
    given_documents = documents(
        *(
            Document(path, Raw(json.encode(value)), is_aggregated=is_whole)
            for path, value in (("/api", core), ("/apis", apis))
        )
    )
    try:
        missing_paths(given_documents)
        read_documents(given_documents)
    except DecodeError:
        pass
