"""Manifest sets against a server; `test_manifest_set_cluster_threads` has the same for threads."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from msgspec.structs import replace

from clientgen.runtime._async.manifest_set import AsyncManifestSet
from clientgen.runtime._manifests.apply_set import ApplySet, ApplySetError
from clientgen.runtime._manifests.manifest_documents import ManifestError
from clientgen.runtime._manifests.set_results import ManifestSetError
from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime.conditions import deleted, ready
from clientgen.runtime.errors import (
    ApplyConflict,
    ClientError,
    ConnectionLost,
    DecodeError,
    Forbidden,
    Invalid,
    NoResourceMatch,
    NotFound,
    RequestTimeout,
    WaitFailed,
    WaitTimeout,
)
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._fake.local_server import LocalServer
from clientgen.testing._fake.network_faults import afterwards, cut, cut_response
from clientgen.testing._fake.reactors import Pattern

SHOP = ApplySet("shop")
LABEL = "applyset.kubernetes.io/part-of"


def manifests(k: Any, *sources: Any, **options: Any) -> AsyncManifestSet:
    made: AsyncManifestSet = k.manifests(*sources, **options)
    return made


def config(name: str, namespace: str = "", **data: str) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def space(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def secret(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


def definition(plural: str = "owns", **labels: str) -> dict[str, Any]:
    kind = plural.removesuffix("s").capitalize()
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com", "labels": labels},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {
                "plural": plural,
                "singular": kind.lower(),
                "kind": kind,
                "listKind": f"{kind}List",
            },
            "versions": [version],
        },
    }


def own(name: str, namespace: str = "", kind: str = "Own") -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": metadata, "spec": {"n": 1}}


def stored(cluster: FakeCluster, *kinds: str) -> set[str]:
    """What is in the cluster: `configmaps default/a`, without what every cluster has."""
    k: Any = cluster.clientset(Clientset)
    found = {
        f"configmaps {each.metadata.namespace}/{each.metadata.name}"
        for each in k.core_v1.config_maps().list().items
        if each.metadata.name != "kube-root-ca.crt" and each.metadata.namespace != "kube-system"
    }
    found |= {
        f"secrets {each.metadata.namespace}/{each.metadata.name}"
        for each in k.core_v1.secrets().list().items
    }
    found |= {
        f"namespaces {each.metadata.name}"
        for each in k.core_v1.namespaces().list().items
        if not each.metadata.name.startswith(("kube-", "default"))
    }
    return found


def config_map(cluster: FakeCluster, name: str, namespace: str = "default") -> Any:
    k: Any = cluster.clientset(Clientset)
    return k.core_v1.config_maps(namespace).get(name)


def annotations(cluster: FakeCluster, name: str = "shop", namespace: str = "default") -> Any:
    k: Any = cluster.clientset(Clientset)
    found = k.core_v1.secrets(namespace).get(name).metadata.annotations
    prefix = "applyset.kubernetes.io/"
    return found[f"{prefix}contains-group-kinds"], found[f"{prefix}additional-namespaces"]


# ---- apply ------------------------------------------------------------------------------------


async def test_a_folder_is_applied_in_order(tmp_path: Path) -> None:
    """With everything that it needs: a namespace, a definition, and objects of its kind."""
    objects = [own("o", "shop"), config("a", k="v"), definition(), space("shop")]
    for number, each in enumerate(objects):
        (tmp_path / f"{number}.json").write_text(json.dumps(each))
    (tmp_path / "web.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
        "spec:\n  selector: {matchLabels: {app: web}}\n  template:\n"
        "    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: i}]}\n"
    )
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            deploy = manifests(k, tmp_path)
            assert [type(each) for each in deploy][-1] is Deployment
            first = await deploy.apply()
            assert str(first).splitlines() == [
                "namespace/shop created",
                "customresourcedefinition.apiextensions.k8s.io/owns.example.com created",
                "configmap/a created",
                "deployment.apps/web created",
                "own.example.com/o created",
            ]
            assert first[3].where == f"{tmp_path}/web.yaml, document 1, line 1"
            assert first[3].obj is not None
            assert first[3].obj["spec"]["replicas"] == 1
            assert first.changed
            again = await deploy.apply()
            assert {each.outcome for each in again} == {"unchanged"}
            assert not again.changed
            (tmp_path / "1.json").write_text(json.dumps(config("a", k="w")))
            third = await manifests(k, tmp_path).apply()
            assert [each.name for each in third.of("configured")] == ["a"]
            assert [each.name for each in third.of("unchanged")] == [
                "shop", "owns.example.com", "web", "o",
            ]  # fmt: skip
    assert config_map(server.cluster, "a").data == {"k": "w"}


async def test_fields_that_manifests_leave_out_are_the_servers_and_removed_ones_go() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a", k="1", l="2")).apply(field_manager="m")
        await manifests(k, config("a", k="1")).apply(field_manager="m")
        found = config_map(cluster, "a")
        assert found.data == {"k": "1"}
        assert [each.manager for each in found.metadata.managed_fields] == ["m"]


async def test_a_field_manager_is_given_once_for_a_set() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        mine = manifests(k, config("a", k="1"), field_manager="t4")
        await mine.apply()
        assert not await manifests(k, config("a", k="1"), field_manager="t4").diff()
        changed = manifests(k, config("a", k="2"), field_manager="t4")
        assert (await changed.diff()).changed
        await changed.apply()
        found = config_map(cluster, "a")
        assert [each.manager for each in found.metadata.managed_fields] == ["t4"]
        assert str(await changed.delete()) == "configmap/a deleted"
        with pytest.raises(ValueError, match="field_manager must be a name, not ''"):
            manifests(k, config("a"), field_manager="")


async def test_a_diff_is_made_as_the_field_manager_that_applied_last() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a", k="1")).apply(field_manager="t4")
        deploy = manifests(k, config("a", k="2"))
        with pytest.raises(ManifestSetError, match='conflict with "t4"'):
            await deploy.diff()
        await deploy.apply(field_manager="t4")
        assert not await deploy.diff()
        assert {each.outcome for each in await deploy.apply()} == {"unchanged"}
        with pytest.raises(ValueError, match="field_manager must be a name, not ' '"):
            await deploy.diff(field_manager=" ")
        changed = manifests(k, config("a", k="3"), field_manager="t4")
        await changed.apply(field_manager="other", force=True, dry_run=True)  # which owns nothing
        with pytest.raises(ManifestSetError):
            await changed.apply(field_manager="other")
        assert await changed.diff()


async def test_models_are_applied_too() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        model = ConfigMap(metadata=ObjectMeta(name="a"), data={"k": "v"})
        assert str(await manifests(k, model).apply()) == "configmap/a created"
    assert config_map(cluster, "a").data == {"k": "v"}


async def test_nothing_is_sent_if_a_manifest_is_wrong() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        wrong = [config("a"), config("b", "x"), own("o"), own("p", kind="Missing"), config("a")]
        with pytest.raises(ManifestError) as raised:
            await manifests(k, wrong, namespace="default").apply()
        lines = str(raised.value).splitlines()
        assert "argument 1[1]: ConfigMap b: metadata.namespace is 'x'" in lines[0]
        assert "argument 1[2]: Own o: the server has no resource" in lines[1]
        assert "argument 1[3]: Missing p: " in lines[2]
        assert "argument 1[4]: ConfigMap default/a is also in argument 1[0]" in lines[3]
        with pytest.raises(ManifestError, match="no object to apply"):
            await manifests(k).apply(prune=SHOP)
    assert cluster.writes == []


async def test_an_object_that_fails_does_not_stop_the_others() -> None:
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            await manifests(k, config("b", k="theirs")).apply(field_manager="them")
            both = manifests(k, config("a"), config("b", k="ours"), config("c" * 300), config("d"))
            with pytest.raises(ManifestSetError) as raised:
                await both.apply(field_manager="us")
            error = raised.value
            lines = str(error).splitlines()
            assert lines[0] == "2 of 4 objects could not be applied:"
            assert lines[1].startswith("argument 2: ConfigMap default/b: ")
            assert 'conflict with "them"' in lines[1]
            assert lines[2].startswith("argument 3: ConfigMap default/ccc")
            assert [type(each) for each in error.exceptions] == [ApplyConflict, Invalid]
            assert [each.name for each in error.result] == ["a", "d"]
            assert str(error.failures[0].key) == "ConfigMap default/b"
            forced = manifests(k, config("b", k="ours"))
            assert (
                str(await forced.apply(field_manager="us", force=True)) == "configmap/b configured"
            )
    assert config_map(server.cluster, "b").data == {"k": "ours"}


async def test_when_nobody_answers_the_rest_is_not_tried() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset, max_retries=0) as k:
        cluster.fail("patch", "configmaps", ConnectionLost, name="b")
        with pytest.raises(ManifestSetError, match="the rest was not tried") as raised:
            await manifests(k, [config(name) for name in "abc"]).apply()
    assert [each.name for each in raised.value.result] == ["a"]
    assert stored(cluster) == {"configmaps default/a"}


async def test_a_dry_run_says_what_would_happen() -> None:
    """Also to what is in a namespace, or of a kind, that does not exist yet."""
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            await manifests(k, config("same"), config("other")).apply()
            before = stored(server.cluster)
            deploy = manifests(
                k,
                [config("same"), config("other", k="v"), config("new")],
                [space("shop"), config("a", "shop"), definition(), own("o"), own("p", "shop")],
            )
            result = await deploy.apply(dry_run=True, prune=SHOP)
            assert [f"{each.name} {each.outcome}" for each in result] == [
                "shop created",
                "owns.example.com created",
                "same configured",
                "other configured",
                "new created",
                "a created",
                "o created",
                "p created",
            ]
            assert str(result[2]) == "configmap/same configured (server dry run)"
            assert str(await deploy.apply(dry_run=True)).count("unchanged") == 1
            with pytest.raises(ManifestSetError) as raised:
                await manifests(k, config("a", "missing")).apply(dry_run=True)
            assert isinstance(raised.value.exceptions[0], NotFound)
    assert stored(server.cluster) == before


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "schedule": {"type": "string"},
                "replicas": {"type": "integer"},
                "port": {"x-kubernetes-int-or-string": True},
                "paused": {"type": "boolean", "nullable": True},
                "names": {"type": "array", "items": {"type": "string"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {
                        "n": {"type": "integer"},
                        "in": {"type": "object", "properties": {"a": {"type": "string"}}},
                    },
                },
                "any": {"x-kubernetes-preserve-unknown-fields": True},
                "blank": {"type": "object"},
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "properties": {
                        "spec": {"type": "object", "properties": {"n": {"type": "integer"}}}
                    },
                },
            },
        }
    },
}


def typed(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """A definition with a schema, and an object of its kind."""
    crd = json.loads(json.dumps(definition()))
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json.loads(json.dumps(SCHEMA))
    return [crd, {**own("o"), "spec": spec}]


WRONG_SPECS: list[tuple[dict[str, Any], str]] = [
    (
        {"scedule": "x"},
        "spec.scedule: the definition of Own does not declare this field; did you mean schedule?",
    ),
    ({"schedule": 3}, "spec.schedule: expected string, got integer; write it in quotes"),
    ({"replicas": "3"}, "spec.replicas: expected integer, got string"),
    ({"replicas": 1.5}, "spec.replicas: expected integer, got number"),
    ({"replicas": True}, "spec.replicas: expected integer, got boolean"),
    ({"port": {}}, "spec.port: expected integer or string, got object"),
    ({"names": {}}, "spec.names: expected array, got object"),
    ({"names": ["a", 1]}, "spec.names[1]: expected string, got integer; write it in quotes"),
    ({"labels": {"a": True}}, "spec.labels.a: expected string, got boolean; write it in quotes"),
    ({"free": {"n": "x"}}, "spec.free.n: expected integer, got string"),
    (
        {"template": {"spek": 1}},
        "spec.template.spek: the definition of Own does not declare this field; did you mean spec?",
    ),
    ({"blank": "x"}, "spec.blank: expected object, got string"),
]


@pytest.mark.parametrize(("spec", "problem"), WRONG_SPECS)
async def test_custom_objects_are_checked_by_definitions_of_the_set(
    spec: dict[str, Any], problem: str
) -> None:
    """A server that has the kind refuses the same objects."""
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        crd, obj = typed(spec)
        deploy = manifests(k, config("a"), crd, obj)
        for work in (deploy.apply, deploy.diff):
            with pytest.raises(ManifestError) as raised:
                await work()
            assert str(raised.value) == f"argument 3: Own o: {problem}"
        assert {each.verb for each in cluster.actions} <= {"get"}
        await deploy.delete()
        await manifests(k, crd).apply()
        with pytest.raises(ManifestSetError):
            await manifests(k, obj).apply()


async def test_custom_objects_that_servers_take_are_applied() -> None:
    right: list[dict[str, Any]] = [
        {"schedule": "x", "replicas": 3.0, "port": 80, "paused": None, "names": [], "labels": {}},
        {"port": "http", "labels": {"any": "x"}, "names": ["a"], "paused": False},
        {"free": {"n": 1, "more": {"x": [1]}}, "any": [1, {"a": 2}]},
        {"template": {"apiVersion": "v1", "kind": "Odd", "metadata": {"name": "x"}, "spec": {}}},
        {"free": {"in": {"a": "x"}}, "any": "text"},
    ]
    for spec in right:
        async with FakeCluster().clientset(AsyncClientset) as k:
            assert len(await manifests(k, *typed(spec)).apply()) == 2


async def test_unknown_fields_are_the_servers_matter_if_that_is_wanted() -> None:
    async with FakeCluster().clientset(AsyncClientset) as k:
        both = typed({"scedule": "x"})
        dry = {"dry_run": True}
        assert len(await manifests(k, *both).apply(field_validation="Warn", **dry)) == 2
        assert len(await manifests(k, *both, strict=False).apply(**dry)) == 2
        open_ended = typed({"scedule": "x"})
        version = open_ended[0]["spec"]["versions"][0]
        del version["schema"]["openAPIV3Schema"]["properties"]
        assert len(await manifests(k, *open_ended).apply(**dry)) == 2


async def test_an_object_that_is_being_deleted_is_told() -> None:
    going = config("a")
    going["metadata"]["finalizers"] = ["example.com/f"]
    cluster = FakeCluster(going)
    async with cluster.clientset(AsyncClientset) as k:
        await k.core_v1.config_maps("default").delete("a")
        result = await manifests(k, config("a", k="v")).apply()
    assert str(result) == "configmap/a configured: it is being deleted"


async def test_many_objects_cost_two_requests_each() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        many = manifests(k, [config(f"c{number}") for number in range(300)])
        assert len(await many.apply()) == 300
    assert len(cluster.actions) == 600


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (b"", "the response is empty"),
        (b"[]", "expected an object, got list"),
        (b"{", "Input data was truncated"),
        (b"{}", "an object of another kind than ConfigMap"),
        (b'{"metadata": 7}', "metadata must be a dict, not int"),
        (json.dumps(config("b")).encode(), "another object than ConfigMap default/a"),
        (json.dumps(config("a", "default")).encode(), "an object without a uid"),
        (json.dumps(secret("a")).encode(), "an object of another kind than ConfigMap"),
    ],
)
async def test_nonsense_of_servers_is_told(answer: bytes, what: str) -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        replace_answers(cluster, "patch", answer)
        with pytest.raises(ManifestSetError) as raised:
            await manifests(k, config("a")).diff()
    assert what in str(raised.value)
    assert "hush" not in str(raised.value)


def replace_answers(cluster: FakeCluster, verb: str, body: bytes) -> None:
    def effect(_: Any, proceed: Callable[[], Any]) -> Any:
        answer = proceed()
        return type(answer)(200, body, answer.headers)

    cluster.dispatcher.add_rule(Pattern(verb), effect, None)


# ---- diff -------------------------------------------------------------------------------------


async def test_a_diff_shows_what_an_apply_would_change() -> None:
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            await manifests(k, config("a", k="1"), secret("s", p="aHVzaA=="), config("c")).apply()
            server.cluster.clear_actions()
            changed = manifests(
                k, config("a", k="2"), secret("s", p="aHVzaDI="), config("b", k="new"), config("c")
            )
            diff = await changed.diff()
            assert diff
            assert [each.key.name for each in diff.changed] == ["a", "s", "b"]
            assert '-  k: "1"\n+  k: "2"\n' in diff.of("ConfigMap", "a").text
            assert "-  p: '*** (before)'\n+  p: '*** (after)'\n" in str(diff)
            assert "aHVz" not in str(diff)
            assert "managedFields" not in str(diff)
            assert "+  k: new\n" in str(diff.of("ConfigMap", "b", "default"))
            assert not diff.of("ConfigMap", "c")
            same = await manifests(k, config("a", k="1"), config("c")).diff()
            assert not same
            assert str(same) == ""
            assert len(same) == 2
    assert {each.options.get("dryRun") for each in server.cluster.writes} == {"All"}


async def test_a_diff_of_what_cannot_be_applied_is_an_error() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a", k="theirs")).apply(field_manager="them")
        with pytest.raises(ManifestSetError, match="1 of 2 objects could not be compared"):
            await manifests(k, config("a", k="1"), config("b")).diff()
        assert await manifests(k, config("a", k="1")).diff(force=True)


async def test_a_diff_shows_what_would_be_pruned() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), secret("s", p="aHVzaA=="), space("x")).apply(prune=SHOP)
        diff = await manifests(k, config("a")).diff(prune=SHOP)
        assert [str(each.key) for each in diff.changed] == ["Secret default/s"]
        assert "-  p: '***'\n" in str(diff)
        assert "default/s" in "".join(sorted(stored(cluster)))


# ---- delete -----------------------------------------------------------------------------------


async def test_delete_takes_the_reverse_order_and_passes_over_what_is_missing() -> None:
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            deploy = manifests(
                k, space("shop"), definition(), config("a", "shop"), own("o"), config("b")
            )
            await deploy.apply()
            await k.core_v1.config_maps("default").delete("b")
            dry = await deploy.delete(dry_run=True)
            assert len(dry) == 4
            done = await deploy.delete()
            assert str(done).splitlines() == [
                "own.example.com/o deleted",
                "configmap/a deleted",
                "customresourcedefinition.apiextensions.k8s.io/owns.example.com deleted",
                "namespace/shop deleted",
            ]
            assert len(await deploy.delete()) == 0
            # Nobody knows the kind any more, so there is nothing of it.
            assert len(await manifests(k, own("o")).delete()) == 0
    assert stored(server.cluster) == set()


async def test_what_cannot_be_deleted_is_told() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        both = manifests(k, config("a"), config("b"))
        await both.apply()
        cluster.fail("delete", "configmaps", Forbidden, name="b")
        with pytest.raises(ManifestSetError, match="1 of 2 objects could not be deleted") as raised:
            await both.delete()
        assert [each.name for each in raised.value.result] == ["a"]


# ---- ApplySets --------------------------------------------------------------------------------


async def test_what_the_manifests_no_longer_have_is_pruned() -> None:
    with LocalServer() as server:
        cluster = server.cluster
        cluster.add(config("foreign", k="v"), space("y"))
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            await manifests(k, config("a"), config("b"), config("c", "y"), secret("s")).apply(
                prune=SHOP
            )
            assert annotations(cluster) == ("ConfigMap,Secret", "y")
            result = await manifests(k, config("a")).apply(prune=SHOP)
            assert sorted(str(result).splitlines()) == [
                "configmap/a unchanged",
                "configmap/b pruned",
                "configmap/c pruned",
                "secret/s pruned",
            ]
            assert annotations(cluster) == ("ConfigMap", "")
            assert len(await manifests(k, config("a")).apply(prune=SHOP)) == 1
    assert stored(cluster) == {
        "configmaps default/a",
        "configmaps default/foreign",
        "secrets default/shop",
        "namespaces y",
    }


async def test_a_set_may_be_in_the_namespace_that_it_makes() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, space("shop"), config("a"), namespace="shop")
        result = await deploy.apply(prune=SHOP)
        assert [each.name for each in result] == ["shop", "a"]
        assert annotations(cluster, namespace="shop") == ("ConfigMap,Namespace", "")
        assert len((await deploy.apply(prune=SHOP)).of("unchanged")) == 2


async def test_namespaces_and_definitions_are_pruned_only_if_their_names_are_given() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), space("x"), config("b", "x"), definition(), own("o")).apply(
            prune=SHOP
        )
        less = manifests(k, config("a"))
        result = await less.apply(prune=SHOP)
        assert {f"{each.name} {each.outcome}" for each in result} == {
            "a unchanged",
            "b pruned",
            "o pruned",
            "x kept",
            "owns.example.com kept",
        }
        kinds = "ConfigMap,CustomResourceDefinition.apiextensions.k8s.io,Namespace"
        assert annotations(cluster) == (kinds, "")
        named = ApplySet("shop", prune_namespaces=["x"], prune_definitions=["owns.example.com"])
        result = await less.apply(prune=named)
        assert {each.name for each in result.of("pruned")} == {"x", "owns.example.com"}
        assert annotations(cluster) == ("ConfigMap", "")
    assert "namespaces x" not in stored(cluster)


async def test_nothing_is_pruned_if_an_object_failed() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), secret("s")).apply(prune=SHOP)
        cluster.fail("patch", "configmaps", Forbidden, name="a")
        with pytest.raises(ManifestSetError):
            await manifests(k, config("a", k="v")).apply(prune=SHOP)
        assert annotations(cluster) == ("ConfigMap,Secret", "")
    assert "secrets default/s" in stored(cluster)


async def test_a_dry_run_prunes_nothing_but_says_what() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b")).apply(prune=SHOP)
        before = (stored(cluster), annotations(cluster))
        result = await manifests(k, secret("s")).apply(prune=SHOP, dry_run=True)
        assert sorted(str(result).splitlines()) == [
            "configmap/a pruned (server dry run)",
            "configmap/b pruned (server dry run)",
            "secret/s created (server dry run)",
        ]
    assert (stored(cluster), annotations(cluster)) == before


async def test_what_servers_list_without_being_asked_is_not_pruned() -> None:
    """A proxy that ignores selectors must not cost anybody an object."""
    cluster = FakeCluster(config("foreign"))
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b")).apply(prune=SHOP)
        everything: Any = {"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}}
        place = {"namespace": "default", "uid": "u"}
        everything["items"] = [
            {"metadata": {**place, "name": "foreign"}},
            {"metadata": {**place, "name": "a", "labels": {LABEL: "x"}}},
        ]
        replace_answers(cluster, "list", json.dumps(everything).encode())
        result = await manifests(k, config("a")).apply(prune=SHOP)
        assert str(result) == "configmap/a unchanged"
        everything["items"] = [{"metadata": 7}]
        replace_answers(cluster, "list", json.dumps(everything).encode())
        with pytest.raises(DecodeError):
            await manifests(k, config("a")).apply(prune=SHOP)
    cluster.clear_reactions()
    assert stored(cluster) >= {"configmaps default/foreign", "configmaps default/b"}


async def test_what_stops_being_a_member_in_the_meantime_is_not_pruned() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b"), config("c")).apply(prune=SHOP)

        free: Any = cluster.clientset(Clientset).core_v1.config_maps("default")

        def leave(action: Any) -> None:
            free.edit("b", lambda obj: obj.metadata.labels.pop(LABEL))

        def change(action: Any) -> None:
            free.edit("c", lambda obj: obj.data.update(k="v"))

        cluster.react("delete", "configmaps", leave, name="b", times=1)
        cluster.react("delete", "configmaps", change, name="c", times=1)
        result = await manifests(k, config("a")).apply(prune=SHOP)
        assert [each.name for each in result.of("pruned")] == ["c"]
    assert "configmaps default/b" in stored(cluster)


async def test_what_keeps_changing_is_told() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b")).apply(prune=SHOP)
        edits = iter(range(100))

        def meanwhile(action: Any) -> None:
            free = cluster.clientset(Clientset).core_v1.config_maps("default")
            free.edit("b", lambda obj: obj.data.update(k=str(next(edits))))

        cluster.react("delete", "configmaps", meanwhile)
        with pytest.raises(ManifestSetError, match="ConfigMap default/b keeps changing"):
            await manifests(k, config("a")).apply(prune=SHOP)
        assert annotations(cluster) == ("ConfigMap", "")


async def test_objects_of_another_set_are_refused_and_stay_in_it() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a", k="1")).apply(prune=SHOP)
        with pytest.raises(ManifestSetError, match="the object belongs to the ApplySet") as raised:
            await manifests(k, config("a", k="2")).apply(prune=ApplySet("other"), force=True)
        assert isinstance(raised.value.exceptions[0], ApplySetError)
        # An apply without the set takes nothing out of it.
        await manifests(k, config("a", k="3")).apply()
        found = config_map(cluster, "a")
        assert found.data == {"k": "3"}
        assert LABEL in found.metadata.labels
        assert [each.name for each in await manifests(k, config("b")).apply(prune=SHOP)] == [
            "b",
            "a",
        ]


async def test_sets_of_other_tools_and_other_objects_are_refused() -> None:
    cluster = FakeCluster(secret("mine"))
    async with cluster.clientset(AsyncClientset) as k:
        one = manifests(k, config("a"))
        with pytest.raises(ApplySetError, match="default/mine, exists, but has no annotation"):
            await one.apply(prune=ApplySet("mine"))
        await one.apply(prune=ApplySet("shop", tool="kubectl/v1.32.0"))
        with pytest.raises(ApplySetError, match="is managed by 'kubectl', not by 'clientgen'"):
            await one.apply(prune=SHOP)
        with pytest.raises(ApplySetError, match="is managed by 'kubectl'"):
            await one.diff(prune=SHOP)
        with pytest.raises(ApplySetError, match="is managed by 'kubectl'"):
            await one.delete(prune=SHOP)
        labelled = config("b")
        labelled["metadata"]["labels"] = {LABEL: "x"}
        with pytest.raises(ManifestError, match=f"ConfigMap default/b has the label {LABEL}"):
            await manifests(k, labelled).apply(prune=SHOP)
        with pytest.raises(ManifestError, match="Secret default/new is the parent of the ApplySet"):
            await manifests(k, secret("new")).apply(prune=ApplySet("new"))
    assert "secrets default/new" not in stored(cluster)


async def test_the_parent_is_taken_back_from_others_as_by_kubectl() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a")).apply(prune=SHOP)
        name = "applyset.kubernetes.io/additional-namespaces"
        cluster.clientset(Clientset).core_v1.secrets("default").edit(
            "shop", lambda obj: obj.metadata.annotations.update({name: "x"})
        )
        await manifests(k, config("a")).apply(prune=SHOP)
        assert annotations(cluster) == ("ConfigMap", "")


async def test_custom_resources_may_be_parents_if_their_definition_says_so() -> None:
    parents = definition("parents", **{"applyset.kubernetes.io/is-parent-type": ""})
    cluster = FakeCluster(crds=[parents, definition()])
    async with cluster.clientset(AsyncClientset) as k:
        one = manifests(k, config("a"))
        with pytest.raises(ApplySetError, match="the server has no kind Missing"):
            await one.apply(prune=ApplySet("p", kind="Missing"))
        with pytest.raises(ApplySetError, match="Own cannot be the parent of an ApplySet"):
            await one.apply(prune=ApplySet("p", kind="Own.example.com"))
        chosen = ApplySet("p", kind="Parent.example.com")
        with pytest.raises(ApplySetError, match="Parent default/p, does not exist"):
            await one.apply(prune=chosen)
        # It has to be made by hand, with the annotations of an empty set.
        made = own("p", kind="Parent")
        await manifests(k, made).apply()
        with pytest.raises(ApplySetError, match="default/p, exists, but has no annotation"):
            await one.apply(prune=chosen)


async def test_parents_may_be_config_maps_in_other_namespaces() -> None:
    cluster = FakeCluster(space("x"))
    async with cluster.clientset(AsyncClientset) as k:
        chosen = ApplySet("p", kind="ConfigMap", namespace="x")
        await manifests(k, config("a"), config("b")).apply(prune=chosen)
        result = await manifests(k, config("a")).apply(prune=chosen)
        assert [each.name for each in result.of("pruned")] == ["b"]
        parent = config_map(cluster, "p", "x")
        names = parent.metadata.annotations["applyset.kubernetes.io/additional-namespaces"]
        assert names == "default"
        assert [each.manager for each in parent.metadata.managed_fields] == ["clientgen-applyset"]


async def test_kinds_that_are_gone_are_forgotten_and_unknown_ones_are_not() -> None:
    cluster = FakeCluster(crds=[definition()])
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), own("o")).apply(prune=SHOP)
        definitions: Any = cluster.clientset(Clientset).apiextensions_v1
        definitions.custom_resource_definitions().delete("owns.example.com")
        result = await manifests(k, config("a")).apply(prune=SHOP)
        assert str(result) == "configmap/a unchanged"
        assert annotations(cluster) == ("ConfigMap", "")


async def test_deleting_a_set_deletes_all_its_members_and_its_parent() -> None:
    cluster = FakeCluster(config("foreign"))
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b"), space("x"), secret("s")).apply(prune=SHOP)
        result = await manifests(k, config("a")).delete(prune=SHOP)
        assert {f"{each.name} {each.outcome}" for each in result} == {
            "a deleted",
            "b pruned",
            "s pruned",
            "x kept",
        }
        assert annotations(cluster) == ("Namespace", "")
        result = await manifests(k).delete(prune=ApplySet("shop", prune_namespaces=["x"]))
        assert [each.name for each in result] == ["x"]
        assert len(await manifests(k).delete(prune=SHOP)) == 0
    assert stored(cluster) == {"configmaps default/foreign"}


@pytest.mark.parametrize("namespace", ["", "  ", 0, "a/b"])
async def test_a_namespace_that_is_none_is_refused_at_once(namespace: Any) -> None:
    async with FakeCluster().clientset(AsyncClientset) as k:
        with pytest.raises(ValueError, match="namespace"):
            manifests(k, config("a"), namespace=namespace)


@pytest.mark.parametrize("prune", ["shop", True])
async def test_what_is_no_apply_set_is_refused(prune: Any) -> None:
    cluster = FakeCluster(config("a"))
    async with cluster.clientset(AsyncClientset) as k:
        with pytest.raises(TypeError, match="prune must be an ApplySet"):
            await manifests(k, config("a")).apply(prune=prune)
        with pytest.raises(TypeError, match="prune must be an ApplySet"):
            await manifests(k, config("a")).diff(prune=prune)
        with pytest.raises(TypeError, match="prune must be an ApplySet"):
            await manifests(k, config("a")).delete(prune=prune)
    assert stored(cluster) == {"configmaps default/a"}


async def test_a_parent_that_somebody_else_makes_meanwhile_is_refused() -> None:
    cluster = FakeCluster()

    def meanwhile(action: Any) -> None:
        k: Any = cluster.clientset(Clientset)
        k.apply({**secret("shop", p="aHVzaA=="), "metadata": {"name": "shop"}})

    async with cluster.clientset(AsyncClientset) as k:
        cluster.react("patch", "secrets", meanwhile, name="shop", times=1)
        with pytest.raises(ApplySetError, match="another program has just created"):
            await manifests(k, config("a")).apply(prune=SHOP)
    assert stored(cluster) == {"secrets default/shop"}


async def test_a_parent_with_data_is_not_deleted() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a")).apply(prune=SHOP)
        free: Any = cluster.clientset(Clientset).core_v1.secrets("default")
        free.patch("shop", {"data": {"p": "aHVzaA=="}})
        result = await manifests(k, config("a")).delete(prune=SHOP)
        assert str(result).splitlines() == [
            "configmap/a deleted",
            "secret/shop kept: it contains data; delete it yourself",
        ]
        assert annotations(cluster) == ("", "")


async def test_a_kind_that_is_not_listed_for_once_is_not_forgotten() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), secret("s")).apply(prune=SHOP)
        cluster.react("list", "secrets", 404, times=2)
        await manifests(k, config("a")).apply(prune=SHOP)
        assert annotations(cluster) == ("ConfigMap,Secret", "")
        result = await manifests(k, config("a")).delete(prune=SHOP)
        assert "secret/shop kept: the server did not list its members: Secret" in str(result)
        result = await manifests(k).delete(prune=SHOP)
        assert [each.name for each in result.of("pruned")] == ["s"]
    assert stored(cluster) == set()


async def test_a_set_with_its_own_definition_is_deleted_with_its_parent() -> None:
    """Its kind cannot be listed any more, and the server says that it is gone."""
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, definition(), own("o"), own("p")).apply(prune=SHOP)
        await manifests(k, definition(), own("o")).delete(prune=SHOP)
    assert stored(cluster) == set()


async def test_a_list_that_ends_in_a_404_is_an_error() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b")).apply(prune=SHOP)
        metadata = {"resourceVersion": "1", "continue": "more"}
        page = {"apiVersion": "v1", "kind": "ConfigMapList", "metadata": metadata, "items": []}
        answers = iter([json.dumps(page).encode()])

        def effect(_: Any, proceed: Callable[[], Any]) -> Any:
            body = next(answers, None)
            status = {"kind": "Status", "apiVersion": "v1", "code": 404, "reason": "NotFound"}
            return Response(200, body) if body else Response(404, json.dumps(status).encode())

        cluster.dispatcher.add_rule(Pattern("list", "configmaps"), effect, None)
        with pytest.raises(ApplySetError, match="the server did not list all configmaps"):
            await manifests(k, config("a")).apply(prune=SHOP)


async def test_members_with_wrong_names_stop_pruning_before_it_begins() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, config("a"), config("b")).apply(prune=SHOP)
        labels = config_map(cluster, "b").metadata.labels
        wrong = [
            {"metadata": {"name": name, "namespace": "default", "uid": name, "labels": labels}}
            for name in ("b", "../x")
        ]
        answer = {"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}, "items": wrong}
        replace_answers(cluster, "list", json.dumps(answer).encode())
        with pytest.raises(ApplySetError, match="the server listed configmaps: name cannot be"):
            await manifests(k, config("a")).apply(prune=SHOP)
        cluster.clear_reactions()
    assert "configmaps default/b" in stored(cluster)


async def test_definitions_do_not_redefine_known_kinds() -> None:
    crd = definition()
    crd["spec"] = {**crd["spec"], "group": "apps"}
    crd["spec"]["names"] = {**crd["spec"]["names"], "kind": "Deployment", "plural": "owns"}
    cluster = FakeCluster(crds=[definition()])
    async with cluster.clientset(AsyncClientset) as k:
        with pytest.raises(ManifestError, match="but they are known as namespaced deployments"):
            await manifests(k, crd, deployment("web")).apply()
        crd = definition()
        crd["spec"] = {**crd["spec"], "scope": "Cluster"}
        with pytest.raises(ManifestError, match="but they are known as namespaced owns"):
            await manifests(k, crd, own("o")).delete()


# ---- wait -------------------------------------------------------------------------------------


def deployment(name: str) -> dict[str, Any]:
    labels = {"app": name}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


async def test_apply_waits_until_all_is_ready() -> None:
    """Only what the answers do not show as ready costs requests."""
    with LocalServer() as server:
        server.cluster.play()
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            deploy = manifests(k, deployment("web"), config("a"))
            await deploy.apply(wait=60)
            listed = [str(each) for each in server.cluster.actions if each.verb == "list"]
            assert listed == ["list deployments.apps default"]
            await deploy.wait(ready, timeout=60)
            await deploy.wait(lambda obj: obj.metadata.name, timeout=60)


async def test_what_is_not_ready_in_time_is_told() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, deployment("web"), config("a"), deployment("other"))
        with pytest.raises(ManifestSetError) as raised:
            await deploy.apply(wait=0)
        lines = str(raised.value).splitlines()
        assert lines[0] == "ready is not true for 2 of 3 objects:"
        assert lines[1].startswith("argument 1: Deployment default/web: ")
        assert lines[2].startswith("argument 3: Deployment default/other: ")
        assert len(raised.value.result) == 3
        assert [type(each) for each in raised.value.exceptions] == [WaitTimeout] * 2
        with pytest.raises(ManifestSetError, match="<lambda> is not true for 1 of 3 objects"):
            await deploy.wait(
                lambda obj: obj.kind == "ConfigMap" or obj.metadata.name == "web", timeout=0
            )


async def test_a_wait_tells_what_it_waits_for_and_why_it_timed_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "clientgen.manifests")
    told: list[str] = []
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, config("a"), deployment("web"))
        with pytest.raises(ManifestSetError):
            await deploy.apply(wait=0, on_progress=told.append)
        state, end = told
        assert state.startswith("Deployment default/web: ")
        assert end.startswith("Deployment default/web: ready is not true: ")
        assert [each.getMessage() for each in caplog.records] == told
        kept = config("b")
        kept["metadata"]["finalizers"] = ["example.com/f"]
        deploy = manifests(k, kept)
        await deploy.apply()
        with pytest.raises(ManifestSetError):
            await deploy.delete(wait=0, on_progress=told.append)
        with pytest.raises(ManifestSetError):
            await deploy.wait(deleted, timeout=0, on_progress=told.append)
        assert [each.partition(":")[0] for each in told[2::2]] == ["ConfigMap default/b"] * 2


async def test_an_uncaught_error_of_a_wait_is_short() -> None:
    """A line for each object with its name once, and no traceback of internals for each."""
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, *(deployment(f"web-{number}") for number in range(5)))
        await deploy.apply()
        with pytest.raises(ManifestSetError) as raised:
            await deploy.wait(ready, timeout=0.01)
        lines = str(raised.value).splitlines()
        assert [each.count("Deployment default/web-") for each in lines] == [0, 1, 1, 1, 1, 1]
        assert lines[1].startswith("argument 1: Deployment default/web-0: ready is not true")
        assert "ready is not true: " in lines[5]
        shown = "".join(format_exception(raised.value))
        assert shown.count("Traceback (most recent call last)") == 1
        cluster.fail("patch", "deployments.apps", Forbidden, times=None)
        with pytest.raises(ManifestSetError) as raised:
            await deploy.apply()
        shown = "".join(format_exception(raised.value))
        assert shown.count("Traceback (most recent call last)") == 1


async def test_the_seconds_of_a_wait_are_those_that_were_given() -> None:
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)

    def pass_time(state: str) -> None:
        clock.step(1.00041 if state.startswith("ConfigMap ") else 2)

    def is_config(obj: Any) -> bool:
        return bool(obj.kind == "ConfigMap")

    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, config("a"), deployment("web"))
        await deploy.apply()
        with pytest.raises(ManifestSetError, match=r"web: is_config is not true after 3 s: "):
            await deploy.wait(is_config, timeout=3, on_progress=pass_time)


async def test_an_object_that_failed_ends_the_wait() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        deploy = manifests(k, config("a"), deployment("web"), own("o"), definition())
        await deploy.apply()
        with pytest.raises(ManifestSetError) as raised:
            await deploy.wait(
                lambda obj: obj.metadata.name in {"o", "owns.example.com"},
                fail=lambda obj: obj.metadata.name == "a",
            )
        names = [failure.key and failure.key.name for failure in raised.value.failures]
        assert names == ["a", "web"]
        assert isinstance(raised.value.exceptions[0], WaitFailed)


async def test_delete_waits_until_all_is_gone() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        kept = config("a")
        kept["metadata"]["finalizers"] = ["example.com/f"]
        deploy = manifests(k, kept, config("b"))
        await deploy.apply()
        with pytest.raises(ManifestSetError, match=r"deleted is not true for 1 of 2 objects"):
            await deploy.delete(wait=0)
        free: Any = cluster.clientset(Clientset).core_v1.config_maps("default")
        free.edit("a", lambda obj: obj.metadata.finalizers.clear())
        await deploy.wait(deleted, timeout=0)
        assert len(await deploy.delete(wait=0)) == 0


async def test_objects_that_went_with_their_definition_are_gone() -> None:
    with LocalServer() as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            deploy = manifests(k, definition(), own("o"), own("p", "shop"), space("shop"))
            await deploy.apply(wait=60)
            assert len(await deploy.delete(wait=60)) == 4
            await deploy.apply(prune=SHOP)
            names = ApplySet(
                "shop", prune_definitions=["owns.example.com"], prune_namespaces=["shop"]
            )
            assert len(await manifests(k).delete(prune=names, wait=60)) == 4


async def test_objects_whose_definition_goes_meanwhile_are_gone() -> None:
    cluster = FakeCluster(crds=[definition()])
    others: Any = cluster.clientset(Clientset)
    told: list[str] = []

    def forget_kind(state: str) -> None:
        told.append(state)
        if len(told) == 1:
            crds = others.apiextensions_v1.custom_resource_definitions()
            crds.delete("owns.example.com")

    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, own("o")).apply()
        obj = Unstructured(own("o"))
        found = await k.wait(obj, until=deleted, on_progress=forget_kind, timeout=60)
        assert found.metadata.name == "o"
        assert await k.wait(obj, until=deleted, timeout=0) is None
        with pytest.raises(NotFound):
            await k.wait(obj, until=ready, timeout=0)
    async with cluster.clientset(AsyncClientset) as k:  # one that does not know the kind
        assert await k.wait(found, until=deleted, timeout=0) is None
        with pytest.raises(NoResourceMatch):
            await k.wait(obj, until=deleted, timeout=0)
        with pytest.raises(NoResourceMatch):
            await k.wait(found, until=ready, timeout=0)


async def test_a_404_of_something_else_than_an_api_server_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = FakeCluster(crds=[definition()])
    async with cluster.clientset(AsyncClientset) as k:
        await manifests(k, own("o")).apply()
        cluster.fail("list", "owns.example.com", NotFound, times=None)
        assert await k.wait(Unstructured(own("o")), until=deleted, timeout=0) is None
        send = k.rest.send

        async def elsewhere(request: Any, *given: Any, **options: Any) -> Any:
            """Send it to an address that has no API groups."""
            return await send(replace(request, target=f"/else{request.target}"), *given, **options)

        monkeypatch.setattr(k.rest, "send", elsewhere)
        with pytest.raises(NotFound):
            await k.wait(Unstructured(own("o")), until=deleted, timeout=0)


async def test_a_refused_wait_does_not_cut_the_others_short() -> None:
    cluster = FakeCluster()
    others: Any = cluster.clientset(Clientset)

    def free(state: str) -> None:
        if state.startswith("Secret ") and "finalizers" in state:
            others.core_v1.secrets("default").edit("s", lambda s: s.metadata.finalizers.clear())

    async with cluster.clientset(AsyncClientset) as k:
        kept = secret("s")
        kept["metadata"]["finalizers"] = ["example.com/f"]
        deploy = manifests(k, kept, config("a"))
        await deploy.apply()
        cluster.fail("list", "configmaps", Forbidden, times=None)
        with pytest.raises(ManifestSetError) as raised:
            await deploy.delete(wait=60, on_progress=free)
        assert [type(each) for each in raised.value.exceptions] == [Forbidden]


async def test_the_timeout_of_a_client_is_that_of_each_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A set of many objects takes longer than one request may; its own timeout limits the whole."""
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)
    async with cluster.clientset(AsyncClientset, timeout=100) as k:
        send = k.rest.send

        async def slow(request: Any, deadline: float | None = None, **options: Any) -> Any:
            """A request that takes 20 s."""
            clock.step(20)
            if deadline is not None and deadline <= clock.monotonic():
                raise RequestTimeout("too slow")
            return await send(request, deadline, **options)

        monkeypatch.setattr(k.rest, "send", slow)
        both = manifests(k, config("a"), config("b"), own("o"), definition())
        await both.apply(prune=SHOP)
        await both.diff()
        with pytest.raises(ManifestSetError, match="too slow"):
            await both.diff(timeout=100)
        await both.delete(prune=SHOP)


async def test_delete_waits_for_pruned_members_too() -> None:
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        kept = config("a")
        kept["metadata"]["finalizers"] = ["example.com/f"]
        await manifests(k, kept, config("b")).apply(prune=SHOP)
        with pytest.raises(
            ManifestSetError, match="deleted is not true for 1 of 2 objects"
        ) as caught:
            await manifests(k, config("b")).delete(prune=SHOP, wait=0)
        assert [each.key.name for each in caught.value.failures] == ["a"]
        assert "ConfigMap default/a" in str(caught.value)


async def test_kinds_that_vanished_are_asked_for_again(tmp_path: Path) -> None:
    """What other programs knew of the server, minutes ago, is on the disk."""
    cluster = FakeCluster()

    def client() -> Any:
        return cluster.clientset(AsyncClientset, discovery_cache=tmp_path)

    async with client() as k:
        await manifests(k, definition(), own("o")).apply()
        await manifests(k, own("o")).apply()
    definitions: Any = cluster.clientset(Clientset).apiextensions_v1
    definitions.custom_resource_definitions().delete("owns.example.com")

    async with client() as k:
        both = manifests(k, definition(), own("o"))
        assert {each.key.name for each in await both.diff()} == {"owns.example.com", "o"}
        assert [each.outcome for each in await both.apply(dry_run=True)] == ["created"] * 2
    for call in ("diff", "apply"):
        async with client() as k:
            alone = manifests(k, own("o"))
            with pytest.raises(ManifestError, match=r"Own o: the server has no resource 'exam"):
                await (alone.diff() if call == "diff" else alone.apply(dry_run=True))
    cluster.add(definition())
    async with client() as k:
        assert str(await manifests(k, own("o")).apply()) == "own.example.com/o created"
    definitions.custom_resource_definitions().delete("owns.example.com")
    async with client() as k:
        with pytest.raises(ManifestSetError, match="the server has no resource 'exam"):
            await manifests(k, config("a"), own("o")).apply()
        with pytest.raises(ManifestError, match="the server has no resource 'exam"):
            await manifests(k, own("o")).apply()


@pytest.fixture
def changing(tmp_path: Path) -> Any:
    """A server with a custom kind and the object `o`, and programs that share a cache on disk."""
    with LocalServer() as server:
        yield Changing(server, tmp_path / "discovery")


class Changing:
    def __init__(self, server: LocalServer, folder: Path) -> None:
        self.cluster = server.cluster
        self.folder = folder
        self.config = server.kubeconfig
        self.cluster.add(definition())

    def program(self) -> Any:
        """The clientset of a new program."""
        return AsyncClientset.from_config(self.config, discovery_cache=self.folder)

    def define(self, *objects: dict[str, Any], **spec: Any) -> None:
        """Make the definition anew, after the programs have remembered what there was."""
        definitions: Any = self.cluster.clientset(Clientset).apiextensions_v1
        for each in definitions.custom_resource_definitions().list().items:
            definitions.custom_resource_definitions().delete(each.metadata.name)
        made = definition()
        made["spec"].update(spec)
        made["metadata"]["name"] = f"{made['spec']['names']['plural']}.example.com"
        self.cluster.add(made, *objects)


CLUSTER_SCOPED: Any = {"scope": "Cluster"}
RENAMED: Any = {"names": {"plural": "ownies", "kind": "Own"}}


async def applied(m: Any) -> None:
    assert "own.example.com/o unchanged" in str(await m.apply())


async def applied_dry(m: Any) -> None:
    assert "own.example.com/o unchanged" in str(await m.apply(dry_run=True))


async def compared(m: Any) -> None:
    difference = str(await m.diff())
    assert "ConfigMap" in difference
    assert "Own" not in difference


async def not_gone(m: Any) -> None:
    with pytest.raises(ManifestSetError, match=r"Own .*its deletion was not requested") as caught:
        await m.wait(deleted, timeout=0)
    assert str(caught.value).count("Own ") == 1


async def is_there(m: Any) -> None:
    with pytest.raises(ManifestSetError, match="1 of 2 objects") as caught:
        await m.wait(lambda one: one.metadata.name == "o", timeout=0)
    assert [each.key.name for each in caught.value.failures] == ["c"]


async def was_deleted(m: Any) -> None:
    assert "own.example.com/o deleted" in str(await m.delete(wait=60))


@pytest.mark.parametrize("now", [CLUSTER_SCOPED, RENAMED], ids=["scope", "plural"])
@pytest.mark.parametrize("call", [applied, applied_dry, compared, not_gone, is_there, was_deleted])
async def test_objects_are_found_where_their_kind_is_now(
    changing: Any, call: Any, now: Any
) -> None:
    async with changing.program() as k:
        await manifests(k, own("o")).apply()
    changing.define(own("o", "" if now is CLUSTER_SCOPED else "default"), **now)
    async with changing.program() as k:
        await call(manifests(k, config("c"), own("o")))
    async with changing.program() as k:
        left = await k.dynamic.resource("example.com/v1/Own").list()
        assert [each.metadata.name for each in left.items] == ["o"] * (call is not was_deleted)


NOTHING_IS_SENT = [lambda m: m.diff(), lambda m: m.apply(dry_run=True)]
OTHERS = [lambda m: m.apply(), lambda m: m.delete(), lambda m: m.wait(deleted, timeout=0)]


@pytest.mark.parametrize("call", [*NOTHING_IS_SENT, *OTHERS])
async def test_a_manifest_that_does_not_fit_its_kind_any_more_is_told(
    changing: Any, call: Any
) -> None:
    async with changing.program() as k:
        await manifests(k, own("o", "default")).apply()
    changing.define(**CLUSTER_SCOPED)
    what = r"argument 2: Own o: owns are cluster-scoped: leave out metadata.namespace"
    async with changing.program() as k:
        m = manifests(k, config("c"), own("o", "default"))
        with pytest.raises((ManifestError, ManifestSetError), match=what) as caught:
            await call(m)
        assert str(caught.value).count("Own") == 1
    assert isinstance(caught.value, ManifestError) == (call in NOTHING_IS_SENT)


async def test_objects_of_a_kind_that_the_server_has_lost_are_gone(changing: Any) -> None:
    async with changing.program() as k:
        await manifests(k, own("o")).apply()
    definitions: Any = changing.cluster.clientset(Clientset).apiextensions_v1
    definitions.custom_resource_definitions().delete("owns.example.com")
    async with changing.program() as k:
        await manifests(k, own("o")).wait(deleted, timeout=0)
    async with changing.program() as k:
        assert not list(await manifests(k, own("o")).delete(wait=60))


async def test_definitions_are_waited_for() -> None:
    """A server takes a while until it serves a new kind."""
    cluster = FakeCluster()
    async with cluster.clientset(AsyncClientset) as k:
        early = definition()
        hidden = {"status": {"conditions": []}}

        def effect(_: Any, proceed: Callable[[], Any]) -> Any:
            answer = proceed()
            body = json.loads(answer.body)
            return type(answer)(
                answer.status, json.dumps({**body, **hidden}).encode(), answer.headers
            )

        cluster.dispatcher.add_rule(
            Pattern("patch", "customresourcedefinitions.apiextensions.k8s.io"), effect, None
        )
        await manifests(k, own("o"), early).apply()
        asked = [str(each) for each in cluster.actions]
        assert "list customresourcedefinitions.apiextensions.k8s.io" in asked
        crd = "customresourcedefinitions.apiextensions.k8s.io"
        cluster.fail("list", crd, Forbidden, times=None)
        with pytest.raises(
            ManifestSetError, match=r"CustomResourceDefinition owns\.example\.com: "
        ):
            await manifests(k, own("o"), early).apply()


# ---- interruption -----------------------------------------------------------------------------


def interrupt(cluster: FakeCluster, number: int, *, after: bool) -> list[str]:
    """Break the request of this number, before or after it takes effect; gives the requests."""
    seen: list[str] = []

    def effect(action: Any, proceed: Callable[[], Any]) -> Any:
        seen.append(str(action))
        if len(seen) != number:
            return proceed()
        if not after:
            return cut_response(Response(0), None)
        return afterwards(proceed(), lambda answer: cut(answer, 0))

    cluster.dispatcher.add_rule(Pattern(), effect, None)
    return seen


async def interrupted(number: int) -> int:
    """Run two applies, the second of them interrupted; gives how many requests there were."""
    cluster = FakeCluster(config("foreign"), space("y"))
    async with cluster.clientset(AsyncClientset, max_retries=0) as k:
        old = [config("a", k="1"), config("b"), config("c", "y"), own("o", "y"), definition()]
        new = [config("a", k="2"), secret("s"), space("z"), config("d", "z")]
        chosen = ApplySet("shop", prune_definitions=["owns.example.com"])
        await manifests(k, old).apply(prune=chosen)
        seen = interrupt(cluster, number, after=number % 2 == 0)
        with suppress(ClientError):
            await manifests(k, new).apply(prune=chosen)
        count = len(seen)
        cluster.clear_reactions()
        assert "configmaps default/foreign" in stored(cluster), number
        await manifests(k, new).apply(prune=chosen)
        assert stored(cluster) == {
            "configmaps default/a",
            "configmaps default/foreign",
            "configmaps z/d",
            "secrets default/s",
            "secrets default/shop",
            "namespaces y",
            "namespaces z",
        }, number
        assert annotations(cluster) == ("ConfigMap,Namespace,Secret", "z"), number
        assert config_map(cluster, "a").data == {"k": "2"}
    return count


@pytest.mark.slow
async def test_a_run_that_is_cut_short_anywhere_is_completed_by_the_next() -> None:
    number = 1
    while await interrupted(number) >= number:
        number += 1
    assert number > 20


async def test_a_first_run_that_is_cut_short_and_then_given_up_leaves_nothing_behind() -> None:
    """The parent knows of all members before the first one exists."""
    for number in range(1, 30):
        cluster = FakeCluster(config("foreign"), space("y"))
        async with cluster.clientset(AsyncClientset, max_retries=0) as k:
            interrupt(cluster, number, after=number % 2 == 0)
            with suppress(ClientError):
                await manifests(k, config("a"), config("c", "y"), secret("s")).apply(prune=SHOP)
            cluster.clear_reactions()
            await manifests(k, config("b")).apply(prune=SHOP)
            assert stored(cluster) == {
                "configmaps default/b",
                "configmaps default/foreign",
                "secrets default/shop",
                "namespaces y",
            }, number
