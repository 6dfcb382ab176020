"""What the server says of itself: groups, resources, version, health."""

from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import yaml
from msgspec import json

from clientgen._gvk import GroupVersionKind
from clientgen._shipped import KUBERNETES
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.discovery_facts import GROUPS
from clientgen.testing._apiserver.documents import Documents
from clientgen.testing._apiserver.documents.health_documents import version_info
from clientgen.testing._apiserver.served_resources import Resource, Subresource
from clientgen.testing._apiserver.served_spec import SCALE, load

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
CUSTOM_VERBS = [*ALL_VERBS[1:6], "create", "update", "watch"]


def widgets(version="v1", group="example.com", storage="v1", parts=()):
    kind = GroupVersionKind(group, version, "Widget")
    kinds = {"status": kind, "scale": SCALE}
    resource = Resource(
        group=group,
        version=version,
        plural="widgets",
        kind="Widget",
        namespaced=True,
        verbs=frozenset(ALL_VERBS),
        singular="widget",
        short_names=("wd",),
        categories=("all",),
        subresources={
            part: Subresource(part, kinds[part], ("get", "patch", "update")) for part in parts
        },
        list_kind="WidgetList",
    )
    return SimpleNamespace(
        resource=resource,
        version=SimpleNamespace(read_openapi=lambda: {"type": "object"}, selectable_fields=()),
        definition=SimpleNamespace(storage_version=SimpleNamespace(name=storage), is_ending=False),
    )


class Served:
    """A registry with nothing but custom resources."""

    def __init__(self, *strategies):
        self.revision = 1
        self._strategies = strategies

    def serve(self, *strategies):
        self.revision += 1
        self._strategies = strategies

    def custom_strategies(self):
        return iter(self._strategies)


def documents(*resources):
    return Documents(load(), Served(*resources))


def ask(path, *resources, method="GET", query=None, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return documents(*resources).answer(method, path, query or {}, named)


def read(path, *resources, **headers):
    answer = ask(path, *resources, **headers)
    assert answer.status == 200
    return json.decode(answer.body)


def listed(path, *resources):
    return {each["name"]: each for each in read(path, *resources)["resources"]}


# ---------------------------------------------------------------------------------- legacy


@pytest.mark.parametrize("path", ["/api", "/api/"])
def test_the_core_group_says_where_it_was_found(path):
    assert read(path, host="localhost:8080") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": "localhost:8080"}
        ],
    }


def test_groups_come_in_the_order_of_a_real_server_and_custom_ones_after_them():
    groups = read("/apis", widgets(group="b.example.com"), widgets(group="a.example.com"))
    names = [group["name"] for group in groups["groups"]]
    assert names == [*list(GROUPS)[1:], "a.example.com", "b.example.com"]


def test_the_first_version_is_preferred():
    autoscaling = read("/apis/autoscaling")
    assert [each["version"] for each in autoscaling["versions"]] == ["v2", "v1"]
    assert autoscaling["preferredVersion"]["groupVersion"] == "autoscaling/v2"


def test_versions_are_ordered_by_stability_then_number_then_name():
    versions = ["foo", "v2alpha1", "v1beta2", "v1", "v1beta10", "v10", "bar", "v2"]
    group = read("/apis/example.com", *(widgets(version) for version in versions))
    assert [each["version"] for each in group["versions"]] == [
        *("v10", "v2", "v1", "v1beta10", "v1beta2", "v2alpha1", "bar", "foo")
    ]


def test_built_in_resources_have_sorted_verbs_names_and_a_hash():
    pods = listed("/api/v1")["pods"]
    assert pods == {
        "name": "pods",
        "singularName": "pod",
        "namespaced": True,
        "kind": "Pod",
        "verbs": ALL_VERBS,
        "shortNames": ["po"],
        "categories": ["all"],
        "storageVersionHash": "xPOwRZ+Yhw8=",
    }


def test_subresources_stand_beside_their_resource_and_name_foreign_kinds_whole():
    assert listed("/api/v1")["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }
    assert "group" not in listed("/api/v1")["pods/status"]


def test_only_the_core_list_lacks_an_api_version():
    assert "apiVersion" not in read("/api/v1")
    assert read("/apis/apps/v1")["apiVersion"] == "v1"


def test_unstored_resources_have_no_storage_hash():
    reviews = listed("/apis/authorization.k8s.io/v1")
    assert "storageVersionHash" not in reviews["subjectaccessreviews"]
    assert "storageVersionHash" not in listed("/api/v1")["bindings"]


def test_events_of_both_groups_are_stored_alike():
    events = listed("/apis/events.k8s.io/v1")["events"]
    assert events["storageVersionHash"] == listed("/api/v1")["events"]["storageVersionHash"]


def test_custom_resources_have_verbs_in_their_own_order_and_status_before_scale():
    verbs = listed("/apis/example.com/v1", widgets(parts=("scale", "status")))
    assert list(verbs) == ["widgets", "widgets/status", "widgets/scale"]
    assert verbs["widgets"]["verbs"] == CUSTOM_VERBS
    assert verbs["widgets/scale"]["group"] == "autoscaling"


def test_all_versions_of_a_custom_resource_have_the_hash_of_the_stored_one():
    both = widgets("v1"), widgets("v1beta1")
    hashes = {
        listed(f"/apis/example.com/{version}", *both)["widgets"]["storageVersionHash"]
        for version in ("v1", "v1beta1")
    }
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "path",
    ["/apis/nothing.example.com", "/apis/apps/v9", "/api/v9", "/apis//", "/apis//v1", "/apiss"],
)
def test_documents_of_unserved_groups_are_not_found(path):
    assert ask(path) is None


def test_discovery_follows_what_is_served():
    served = Served()
    documents = Documents(load(), served)
    assert documents.answer("GET", "/apis/example.com", {}, {}) is None
    served.serve(widgets())
    assert documents.answer("GET", "/apis/example.com", {}, {}).status == 200
    served.serve()
    assert documents.answer("GET", "/apis/example.com/v1", {}, {}) is None


# ------------------------------------------------------------------------------ aggregated


def test_everything_at_once_for_those_who_ask_for_it():
    answer = ask("/apis", accept=f"{AGGREGATED},application/json")
    assert dict(answer.headers)["content-type"] == AGGREGATED
    value = json.decode(answer.body)
    assert value["kind"] == "APIGroupDiscoveryList"
    apps = next(each for each in value["items"] if each["metadata"]["name"] == "apps")
    (version,) = apps["versions"]
    assert version["freshness"] == "Current"
    deployments = version["resources"][2]
    assert deployments["responseKind"] == {"group": "", "version": "", "kind": "Deployment"}
    assert deployments["scope"] == "Namespaced"
    assert deployments["subresources"][0] == {
        "subresource": "scale",
        "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
        "verbs": ["get", "patch", "update"],
    }


def test_the_core_group_has_no_name():
    (core,) = read("/api", accept=AGGREGATED)["items"]
    assert core["metadata"] == {}


def test_custom_resources_spell_out_the_kind_they_answer():
    group = read("/apis", widgets(), accept=AGGREGATED)["items"][-1]
    (resource,) = group["versions"][0]["resources"]
    assert resource["responseKind"] == {"group": "example.com", "version": "v1", "kind": "Widget"}


def test_an_unchanged_document_is_not_modified():
    first = dict(ask("/apis", accept=AGGREGATED).headers)
    assert first["cache-control"] == "public"
    tag = first["etag"]
    assert ask("/apis", accept=AGGREGATED, if_none_match=tag).status == 304
    assert ask("/apis", widgets(), accept=AGGREGATED, if_none_match=tag).status == 200


def test_the_old_form_is_refused_and_falls_back_to_the_legacy_document():
    old = AGGREGATED.replace("v=v2", "v=v2beta1")
    assert ask("/apis", accept=old).status == 406
    assert read("/apis", accept=f"{old},application/json")["kind"] == "APIGroupList"


# ------------------------------------------------------------------------ forms and methods


def test_yaml_in_both_forms():
    answer = ask("/api/v1", accept="application/yaml")
    assert dict(answer.headers)["content-type"] == "application/yaml"
    assert yaml.safe_load(answer.body)["kind"] == "APIResourceList"
    whole = AGGREGATED.replace("json", "yaml", 1)
    answer = ask("/api", accept=whole)
    assert dict(answer.headers)["content-type"] == whole
    assert yaml.safe_load(answer.body)["kind"] == "APIGroupDiscoveryList"


@pytest.mark.parametrize("accept", ["text/html", "application/json;as=Table;v=v1;g=meta.k8s.io"])
@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/apps", "/apis/apps/v1"])
def test_other_forms_are_not_acceptable(path, accept):
    answer = ask(path, accept=accept)
    assert answer.status == 406
    assert json.decode(answer.body)["reason"] == "NotAcceptable"


def test_humans_get_indented_json():
    assert ask("/apis/apps", user_agent="curl/8.1").body.startswith(b"{\n  ")
    assert ask("/apis/apps", query={"pretty": ["true"]}).body.startswith(b"{\n  ")
    assert ask("/apis/apps").body.startswith(b'{"kind"')


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/apps/v1", "/version"])
def test_lists_of_built_in_resources_are_only_read(path):
    answer = ask(path, method="POST")
    assert answer.status == 405
    assert json.decode(answer.body)["reason"] == "MethodNotAllowed"


@pytest.mark.parametrize("path", ["/apis", "/apis/apps", "/apis/example.com/v1", "/healthz", "/"])
def test_the_other_documents_are_answered_whatever_the_method(path):
    assert ask(path, widgets(), method="DELETE").status == 200


def test_head_has_no_body():
    assert ask("/apis", method="HEAD").body == b""


def test_the_root_lists_all_paths():
    paths = read("/", widgets())["paths"]
    assert paths == sorted(paths)
    wanted = {"/api/v1", "/apis/apps/v1", "/apis/example.com/v1", "/openapi/v3", "/livez/ping"}
    assert wanted <= set(paths)


# ------------------------------------------------------------------------ version and health


def test_the_version_is_that_of_the_spec():
    version = read("/version")
    assert f"{version['major']}.{version['minor']}" == KUBERNETES
    assert version["gitVersion"] == f"v{KUBERNETES}.0+clientgen"


@pytest.mark.parametrize(
    ("written", "version"),
    [("1.36", "v1.36.0"), ("v1.31.2", "v1.31.2"), ("v1.30.1-gke.5", "v1.30.1"), ("", "v1.0.0")],
)
def test_versions_are_written_in_several_ways(written, version):
    assert version_info(written)["gitVersion"] == f"{version}+clientgen"


def test_below_the_version_there_is_nothing():
    answer = ask("/version/x")
    assert (answer.status, json.decode(answer.body)["reason"]) == (404, "NotFound")


def test_the_version_is_json_or_nothing():
    assert ask("/version", accept="application/yaml").status == 406


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/livez/ping", "/readyz/ping"])
def test_the_server_is_well(path):
    answer = ask(path, accept="text/html")
    assert (answer.status, answer.body) == (200, b"ok")
    assert dict(answer.headers)["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize("path", ["/healthz/nothing", "/healthz/", "/health"])
def test_other_checks_do_not_exist(path):
    assert ask(path) is None


def test_checks_are_listed_and_excluded():
    query = {"verbose": [""], "exclude": ["etcd", "nothing"]}
    assert ask("/livez", query=query).body.decode().splitlines() == [
        "[+]ping ok",
        "[+]log ok",
        "[+]etcd excluded: ok",
        'warn: some health checks cannot be excluded: no matches for "nothing"',
        "livez check passed",
    ]


# ---------------------------------------------------------------------- broken groups, old servers


def test_a_group_that_cannot_be_reached_is_stale_and_its_requests_fail():
    cluster = FakeCluster()
    with LocalServer(cluster) as server:
        cluster.break_group("metrics.k8s.io/v1beta1")
        cluster.break_group("apps/v1")
        items = {each["metadata"]["name"]: each for each in aggregated(server)["items"]}
        assert items["metrics.k8s.io"]["versions"] == [{"version": "v1beta1", "freshness": "Stale"}]
        assert [each["freshness"] for each in items["apps"]["versions"]] == ["Stale"]
        assert [each["freshness"] for each in items["batch"]["versions"]] == ["Current"]
        groups = [each["name"] for each in got(server, "/apis")["groups"]]
        assert groups[-1] == "metrics.k8s.io"
        for path in (
            "metrics.k8s.io/v1beta1",
            "metrics.k8s.io/v1beta1/pods",
            "apps/v1/deployments",
        ):
            with pytest.raises(HTTPError) as raised:
                got(server, f"/apis/{path}")
            assert raised.value.code == 503
            with raised.value as answer:
                assert answer.read() == b"service unavailable\n"
        assert got(server, "/apis/batch/v1/jobs")["items"] == []
        cluster.mend_group("metrics.k8s.io/v1beta1")
        cluster.mend_group("apps/v1")
        assert got(server, "/apis/apps/v1/deployments")["items"] == []
        assert "metrics.k8s.io" not in {e["metadata"]["name"] for e in aggregated(server)["items"]}


@pytest.mark.parametrize("wrong", ["", "v1", "/v1", "a/", "a/b/c"])
def test_only_a_group_version_can_be_broken(wrong):
    for change in (FakeCluster().break_group, FakeCluster().mend_group):
        with pytest.raises(ValueError, match="must be a group and a version"):
            change(wrong)


def test_an_old_server_has_no_aggregated_discovery():
    with LocalServer(FakeCluster(aggregated_discovery=False)) as server:
        assert aggregated(server)["kind"] == "APIGroupList"


def got(server, path, accept="application/json"):
    with urlopen(Request(server.url + path, headers={"Accept": accept})) as answer:
        return json.decode(answer.read())


def aggregated(server):
    return got(server, "/apis", f"{AGGREGATED},application/json")
