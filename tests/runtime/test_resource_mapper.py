"""Resources are found by kubectl's rules."""

from __future__ import annotations

import copy
import logging
import pickle

import pytest
from support.discovery import aggregated, documents, group, resource

from clientgen._gvk import GroupVersionKind, GroupVersionResource
from clientgen.runtime._discovery.discovery_documents import read_documents
from clientgen.runtime._discovery.mapper import ResourceMapper
from clientgen.runtime.errors import (
    AmbiguousResource,
    ClientError,
    DiscoveryFailed,
    NoResourceMatch,
)

CORE = group(
    "",
    v1=[
        resource("pods", "Pod", shortNames=["po"], categories=["all"]),
        resource("events", "Event", shortNames=["ev"]),
        resource("endpoints", "Endpoints", shortNames=["ep"]),
        resource("services", "Service", shortNames=["svc"], categories=["all"]),
    ],
)
HPA = "horizontalpodautoscalers"
HPAS = resource(HPA, "HorizontalPodAutoscaler", shortNames=["hpa"], categories=["all"])
DEPLOYMENTS = resource("deployments", "Deployment", shortNames=["deploy"], categories=["all"])
GROUPS = [
    group("apps", v1=[DEPLOYMENTS]),
    group("events.k8s.io", v1=[resource("events", "Event", shortNames=["ev"])]),
    group("autoscaling", v2=[HPAS], v1=[HPAS, resource("olds", "Old")]),
    group("storage.k8s.io", v1=[resource("storageclasses", "StorageClass", shortNames=["sc"])]),
    group(
        "stable.example.com",
        v1=[resource("crontabs", "CronTab", singularResource="ct", shortNames=["cron", "deploy"])],
        v1beta1=[resource("crontabs", "CronTab", singularResource="ct")],
    ),
    group(
        "template.openshift.io",
        v1=[resource("processedtemplates", "Template"), resource("templates", "Template")],
    ),
    group("knative.dev", v1=[resource("services", "Service", shortNames=["ksvc", "pods"])]),
]
STALE = group("metrics.k8s.io", v1beta1=[])
STALE["versions"][0]["freshness"] = "Stale"


def mapper(*more):
    return ResourceMapper(
        read_documents(documents(aggregated("/api", CORE), aggregated("/apis", *GROUPS, *more)))
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # plural, singular, kind, short name
        ("deployments", "deployments.v1.apps"),
        ("deployment", "deployments.v1.apps"),
        ("Deployment", "deployments.v1.apps"),
        ("DEPLOYMENTS", "deployments.v1.apps"),
        (" deployments ", "deployments.v1.apps"),
        ("po", "pods"),
        ("PO", "pods"),
        ("endpoints", "endpoints"),
        ("ct", "crontabs.v1.stable.example.com"),
        ("CronTab", "crontabs.v1.stable.example.com"),
        ("crontab", "crontabs.v1.stable.example.com"),
        # the server's order decides between groups
        ("events", "events"),
        ("Event", "events"),
        ("services", "services"),
        ("deploy", "deployments.v1.apps"),
        # a name wins over a short name
        ("pods", "pods"),
        # with a group
        ("deployments.apps", "deployments.v1.apps"),
        ("Deployment.apps", "deployments.v1.apps"),
        ("events.events.k8s.io", "events.v1.events.k8s.io"),
        ("ev.events.k8s.io", "events.v1.events.k8s.io"),
        ("services.knative.dev", "services.v1.knative.dev"),
        ("deploy.stable.example.com", "crontabs.v1.stable.example.com"),
        ("crontabs.stable.example.com", "crontabs.v1.stable.example.com"),
        ("CronTab.stable.example.com", "crontabs.v1.stable.example.com"),
        # a part of a group's name
        ("storageclass.storage", "storageclasses.v1.storage.k8s.io"),
        ("sc.storage", "storageclasses.v1.storage.k8s.io"),
        # with a version
        ("deployments.v1.apps", "deployments.v1.apps"),
        ("Deployment.v1.apps", "deployments.v1.apps"),
        (f"{HPA}.v1.autoscaling", f"{HPA}.v1.autoscaling"),
        ("hpa.v1.autoscaling", f"{HPA}.v1.autoscaling"),
        ("CronTab.v1beta1.stable.example.com", "crontabs.v1beta1.stable.example.com"),
        ("crontabs.v1beta1.stable.example.com", "crontabs.v1beta1.stable.example.com"),
        ("pods.v1.", "pods"),
        ("pods.", "pods"),
        # the preferred version, or the one that there is
        ("hpa", f"{HPA}.v2.autoscaling"),
        ("olds", "olds.v1.autoscaling"),
        # as in manifests
        ("apps/v1/Deployment", "deployments.v1.apps"),
        ("apps/v1/deployments", "deployments.v1.apps"),
        ("v1/Pod", "pods"),
        ("autoscaling/v1/HorizontalPodAutoscaler", f"{HPA}.v1.autoscaling"),
        # two resources of one kind: each by its name; by kind the last, as in client-go
        ("processedtemplates", "processedtemplates.v1.template.openshift.io"),
        ("templates", "templates.v1.template.openshift.io"),
    ],
)
def test_a_name_finds_what_kubectl_finds(name, expected):
    assert str(mapper().resource(name)) == expected


def test_groups_versions_and_kinds_are_taken_literally():
    kind = GroupVersionKind("template.openshift.io", "v1", "Template")
    assert mapper().resource(kind).plural == "templates"
    assert mapper().resource(GroupVersionKind("autoscaling", "", "HorizontalPodAutoscaler"))
    assert mapper().resource(GroupVersionResource("", "v1", "pods")).kind == "Pod"
    for wrong in (
        GroupVersionKind("app", "v1", "Deployment"),
        GroupVersionKind("apps", "v1", "deployments"),
        GroupVersionKind("apps", "v2", "Deployment"),
        GroupVersionResource("storage", "v1", "storageclasses"),
    ):
        with pytest.raises(NoResourceMatch):
            mapper().resource(wrong)


def test_the_full_name_of_a_group_wins_over_one_that_begins_so():
    longer = group("example.com", v1=[resource("xs", "X")])
    shorter = group("example", v1=[resource("xs", "X")])
    assert mapper(longer, shorter).resource("xs.example").group == "example"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("deplyments", "; did you mean deployments.apps?"),
        ("pods.apps", "; did you mean pods?"),
        ("apps/v2/Deployment", "; did you mean deployments.v1.apps?"),
        ("zzz", ""),
        ("a/b/c/d", ""),
        ("pods/status", ""),
        ("..", ""),
        (".", ""),
        ("/", ""),
        ("%2e%2e", ""),
    ],
)
def test_a_name_that_is_not_there_is_told_with_what_is_similar(name, hint):
    with pytest.raises(NoResourceMatch) as raised:
        mapper().resource(name)
    assert str(raised.value) == f"the server has no resource {name!r}{hint}"
    assert isinstance(raised.value, LookupError)
    assert isinstance(raised.value, ClientError)
    assert not isinstance(raised.value, DiscoveryFailed)


@pytest.mark.parametrize("name", ["", "  ", "x" * 601])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ValueError, match="a resource is named by a string"):
        mapper().resource(name)


@pytest.mark.parametrize("name", [None, 1, b"pods", ["pods"]])
def test_so_is_what_is_no_string(name):
    with pytest.raises(TypeError, match="a resource is named by a string"):
        mapper().resource(name)


# ---- groups that are not available ------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["nodes.metrics.k8s.io", "nodes.v1beta1.metrics.k8s.io", "nodes.metrics"]
)
def test_a_resource_of_a_group_that_is_not_available_may_exist(name):
    with pytest.raises(DiscoveryFailed) as raised:
        mapper(STALE).resource(name)
    assert str(raised.value) == (
        f"the resource {name!r} cannot be looked up: metrics.k8s.io/v1beta1: "
        "the group's API server does not answer (its discovery is stale)"
    )


def test_a_resource_of_any_group_may_be_in_one_that_is_not_available():
    with pytest.raises(
        NoResourceMatch, match=r"not available now: metrics\.k8s\.io/v1beta1"
    ) as raised:
        mapper(STALE).resource("nodemetrics")
    assert not isinstance(raised.value, DiscoveryFailed)
    with pytest.raises(NoResourceMatch, match=r"no resource 'xs\.apps'$"):
        mapper(STALE).resource("xs.apps")
    assert str(mapper(STALE).resource("pods")) == "pods"


# ---- several ----------------------------------------------------------------------------------


def test_a_category_is_its_resources_each_once_in_its_preferred_version():
    expected = ["pods", "services", "deployments.v1.apps", f"{HPA}.v2.autoscaling"]
    assert [str(each) for each in mapper().resources("all")] == expected
    assert [str(each) for each in mapper().resources("ALL")] == expected


def test_several_names_are_divided_by_commas():
    found = mapper().resources("po, deploy,all,pods")
    assert [str(each) for each in found] == [
        "pods",
        "deployments.v1.apps",
        "services",
        f"{HPA}.v2.autoscaling",
    ]
    with pytest.raises(NoResourceMatch):
        mapper().resources("po,nothing")
    with pytest.raises(ValueError, match="a resource is named"):
        mapper().resources("po,")


def test_a_category_is_not_one_resource():
    with pytest.raises(AmbiguousResource) as raised:
        mapper().resource("all")
    assert raised.value.matches == (
        "deployments.apps",
        f"{HPA}.autoscaling",
        "pods",
        "services",
    )
    assert str(raised.value).endswith("services; the name is a category: use resources('all')")


def test_two_resources_of_one_group_version_with_one_name_are_ambiguous():
    both = group(
        "a",
        v1=[resource("as", "A", singularResource="x"), resource("bs", "B", singularResource="x")],
    )
    with pytest.raises(
        AmbiguousResource, match=r"^'x' matches several resources: as\.v1\.a, bs\.v1\.a$"
    ):
        mapper(both).resource("x")
    assert mapper(both).resource("as").kind == "A"
    plural = group("a", v1=[resource("as", "A"), resource("bs", "B", singularResource="as")])
    assert mapper(plural).resource("as").kind == "A"


def test_a_short_name_of_two_resources_is_told(caplog):
    with caplog.at_level(logging.WARNING, "clientgen.discovery"):
        mapper().resource("ev")
        assert caplog.messages == []  # the same events in another group
        mapper().resource("deploy")
    assert caplog.messages == [
        (
            "the short name deploy matches deployments.apps and also crontabs.stable.example.com;"
            " the first is used"
        )
    ]


def test_the_preferred_version_of_each_resource():
    found = [str(each) for each in mapper().preferred()]
    assert f"{HPA}.v2.autoscaling" in found
    assert f"{HPA}.v1.autoscaling" not in found
    assert "olds.v1.autoscaling" in found


@pytest.mark.parametrize(
    "error",
    [
        NoResourceMatch("xs", ["ys"], ["a/v1: gone"]),
        DiscoveryFailed("xs", (), ["a/v1: gone"]),
        AmbiguousResource("xs", ["a", "b"], "; choose"),
    ],
)
def test_the_errors_can_be_pickled(error):
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
