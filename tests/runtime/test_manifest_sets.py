"""What a manifest set is made of, and what is decided without a request."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import kubeapi
import pytest
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from kubeapi.meta.v1 import ObjectMeta

import clientgen
from clientgen._gvk import GroupVersionKind
from clientgen.runtime._http.resource import Resource
from clientgen.runtime._manifests.apply_order import deletion_order, in_apply_order
from clientgen.runtime._manifests.apply_plan import (
    ObjectKey,
    PlannedObject,
    defined_resources,
    plan,
)
from clientgen.runtime._manifests.apply_set import (
    ApplySet,
    ApplySetError,
    ApplySetScope,
    Member,
    Parent,
    foreign_set,
    members_to_prune,
    reason_to_keep,
)
from clientgen.runtime._manifests.manifest_diff import ManifestDiff, ObjectDiff
from clientgen.runtime._manifests.manifest_documents import ManifestError
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.runtime._manifests.set_objects import load_objects
from clientgen.runtime._manifests.set_results import (
    ManifestSetError,
    ObjectFailure,
    ObjectOutcome,
    SetResult,
)
from clientgen.runtime._models.meta_v1 import Status
from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime.errors import ClientError, ConfigError, RequestInfo, api_error

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
SECRETS = Resource("", "v1", "secrets", "Secret")
NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
DEFINITIONS = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    namespaced=False,
)
KNOWN = {each.gvk: each for each in (CONFIG_MAPS, SECRETS, NAMESPACES, DEFINITIONS)}


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    return made


def load(scheme: Scheme, *sources: Any, strict: bool = True) -> list[Any]:
    return load_objects(scheme, sources, strict=strict)


def planned(scheme: Scheme, *sources: Any, namespace: str | None = None) -> list[PlannedObject]:
    objects = load(scheme, *sources)
    resources = KNOWN | defined_resources(objects)
    return plan(objects, resources, {}, namespace=namespace, default_namespace="default")


def problems(scheme: Scheme, *sources: Any, namespace: str | None = None) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        planned(scheme, *sources, namespace=namespace)
    return str(raised.value).splitlines()


def manifest(kind: str = "ConfigMap", name: str = "a", **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **metadata}}


# ---- reading ----------------------------------------------------------------------------------


def test_sources_are_text_files_and_objects(scheme: Scheme, tmp_path: Path):
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [manifest(name="b")]})
    model = ConfigMap(metadata=ObjectMeta(name="c"))
    own = Unstructured(apiVersion="example.com/v1", kind="Own", metadata={"name": "d"})
    objects = load(scheme, tmp_path, text, model, [own, manifest(name="e")])
    assert [type(each.obj).__name__ for each in objects] == [
        "ConfigMap",
        "ConfigMap",
        "ConfigMap",
        "Unstructured",
        "ConfigMap",
    ]
    assert objects[2].obj is model
    assert [each.body()["metadata"]["name"] for each in objects] == list("abcde")
    assert [each.where for each in objects] == [
        f"{tmp_path}/a.yaml, document 1, line 1",
        "the text, document 1, line 1, items[0]",
        "argument 3",
        "argument 4[0]",
        "argument 4[1]",
    ]


def test_reprs_show_no_values(scheme: Scheme):
    secret = {**manifest("Secret"), "data": {"p": "aHVzaA=="}}
    (each,) = load(scheme, secret)
    assert repr(each) == "<SetObject: argument 1>"
    assert repr(planned(scheme, secret)) == "[<PlannedObject: Secret default/a>]"


def test_lists_of_models_are_taken_apart(scheme: Scheme):
    several = ConfigMapList(items=[ConfigMap(metadata=ObjectMeta(name=name)) for name in "ab"])
    assert [each.where for each in load(scheme, several)] == ["argument 1[0]", "argument 1[1]"]


def test_what_a_manifest_says_is_sent_to_the_letter(scheme: Scheme):
    text = """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, creationTimestamp: null}
        spec: {replicas: 2}
    """
    (each,) = load(scheme, text, strict=False)
    assert each.body()["spec"] == {"replicas": 2}
    assert each.body()["metadata"] == {"name": "web", "creationTimestamp": None}
    each.obj.spec.replicas = 3
    assert each.body()["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (7, r"argument 1 is an int: manifests\(\) takes text, Paths and objects"),
        (["a: b"], r"argument 1\[0\] is a str: a list may contain objects and Paths"),
        (None, "argument 1 is None"),
    ],
)
def test_wrong_sources_are_told(scheme: Scheme, source: Any, what: str):
    with pytest.raises(TypeError, match=what):
        load(scheme, source)


def test_open_files_are_told(scheme: Scheme, tmp_path: Path):
    (tmp_path / "a").write_text("")
    with (tmp_path / "a").open("rb") as file, pytest.raises(TypeError, match="its read"):
        load(scheme, type("Reader", (), {"read": file.read})())


def test_every_problem_of_every_source_is_told(scheme: Scheme, tmp_path: Path):
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\ndta: {}\n---\nkind: Pod\n")
    wrong = {**manifest(), "data": {"a": 1}}
    lines = problems(scheme, tmp_path, wrong, "apiVersion: v1\nkind: ConfigMap\nbinaryData: 7\n")
    assert [line.partition(": ")[0] for line in lines] == [
        f"{tmp_path}/a.yaml, document 1, line 3",
        f"{tmp_path}/a.yaml, document 2, line 5",
        "argument 2",
        "the text, document 1, line 3",
    ]


def test_problems_of_many_objects_are_not_all_listed(scheme: Scheme):
    lines = problems(scheme, [manifest("Pod", f"p{number}") for number in range(1000)])
    assert len(lines) == 101
    assert lines[-1] == "and 900 more"


# ---- places -----------------------------------------------------------------------------------


def test_namespaces_are_the_objects_the_options_or_the_clients(scheme: Scheme):
    objects = [manifest(name="a", namespace="x"), manifest(name="b"), manifest("Namespace", "c")]
    keys = [str(each.key) for each in planned(scheme, objects)]
    assert keys == ["Namespace c", "ConfigMap x/a", "ConfigMap default/b"]
    both = planned(scheme, objects, namespace="x")
    assert [str(each.key) for each in both][1:] == ["ConfigMap x/a", "ConfigMap x/b"]
    assert both[2].path == "/api/v1/namespaces/x/configmaps/b"
    assert both[2].body({"l": "v"})["metadata"] == {
        "name": "b",
        "namespace": "x",
        "labels": {"l": "v"},
    }
    assert both[0].body({}) == manifest("Namespace", "c")


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (manifest(namespace="y"), "ConfigMap a: metadata.namespace is 'y', but namespace='x'"),
        (manifest("Namespace", namespace="x"), "namespaces are cluster-scoped: leave out"),
        (manifest(name=""), "ConfigMap: metadata.name must be a non-empty string, not ''"),
        (manifest(name="a/b"), "metadata.name cannot be 'a/b'"),
        (manifest(name="..", namespace="x"), "metadata.name cannot be '..'"),
        (manifest(namespace="x%2f"), "namespace='x' was passed"),
        ({"apiVersion": "v1", "kind": "ConfigMap"}, "metadata.name must be a non-empty string"),
        (manifest(name="", generateName="a-"), "generateName works with create() only"),
        (manifest(managedFields=[{"manager": "m"}]), "the object was read from a server"),
        ({**manifest(), "apiVersion": "a/b/v1"}, "the server has no kind a/b/v1/ConfigMap"),
        (Unstructured(apiVersion="a/v1", kind="K", metadata=7), "metadata is not an object"),
        (
            Unstructured(apiVersion="a/v1", kind="K", metadata={"name": "a", "labels": "x"}),
            "metadata.labels is not a map of strings",
        ),
    ],
)
def test_wrong_objects_are_told(scheme: Scheme, wrong: Any, what: str):
    (line,) = problems(scheme, [wrong], namespace="x")
    assert line.startswith("argument 1[0]: ")
    assert what in line


@pytest.mark.parametrize("namespace", [0, False, [], {}])
def test_namespaces_that_are_no_text_are_not_the_default(scheme: Scheme, namespace: Any):
    owns = Resource("a", "v1", "owns", "Own")
    metadata = {"name": "o", "namespace": namespace}
    objects = load(scheme, Unstructured(apiVersion="a/v1", kind="Own", metadata=metadata))
    with pytest.raises(ManifestError, match=r"Own o: metadata.namespace is not a string"):
        plan(objects, {owns.gvk: owns}, {}, namespace=None, default_namespace="default")


@pytest.mark.parametrize("namespace", [None, ""])
def test_objects_without_a_namespace_get_the_default(scheme: Scheme, namespace: Any):
    (one,) = planned(scheme, Unstructured(manifest(namespace=namespace)))
    assert str(one.key) == "ConfigMap default/a"


def test_messages_have_no_control_characters_of_names(scheme: Scheme, tmp_path: Path):
    evil = "a\x1b[2J\nb"
    assert str(ObjectKey(f"{evil}.apps", evil, evil)).isprintable()
    (line,) = problems(scheme, Unstructured(apiVersion="a/v1", kind=evil, metadata={"name": evil}))
    assert line.isprintable()
    assert str(
        ObjectOutcome.make("kept", ObjectKey(evil, evil, evil), "v1", note=evil)
    ).isprintable()
    (tmp_path / f"{evil}.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}")
    (each,) = load(scheme, tmp_path / f"{evil}.yaml")
    assert each.where.isprintable()


def test_an_object_that_is_there_twice_is_told_with_both_places(scheme: Scheme, tmp_path: Path):
    (tmp_path / "a.yaml").write_text("---\n\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}")
    first = f"{tmp_path}/a.yaml, document 1, line 3"
    assert problems(scheme, tmp_path, manifest(namespace="default")) == [
        f"argument 2: ConfigMap default/a is also in {first}: remove one of the two"
    ]


def definition(**spec: Any) -> dict[str, Any]:
    spec = {
        "group": "example.com",
        "names": {"plural": "owns", "kind": "Own"},
        "scope": "Cluster",
        "versions": [
            {"name": "v1", "served": True, "storage": False},
            {"name": "v2", "served": True, "storage": True},
            {"name": "v3", "served": False, "storage": False},
        ],
        **spec,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "owns.example.com"},
        "spec": spec,
    }


def test_kinds_are_those_of_the_definitions_of_the_set(scheme: Scheme):
    own = Unstructured(apiVersion="example.com/v2", kind="Own", metadata={"name": "o"})
    objects = load_objects(scheme, [own, definition()], strict=False)
    found = defined_resources(objects)
    assert found == {
        GroupVersionKind("example.com", version, "Own"): Resource(
            "example.com", version, "owns", "Own", namespaced=False
        )
        for version in ("v1", "v2")
    }
    made = plan(objects, KNOWN | found, {}, namespace=None, default_namespace="default")
    assert [each.path for each in made] == [
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/owns.example.com",
        "/apis/example.com/v2/owns/o",
    ]
    assert made[0].is_definition
    assert not made[0].is_namespace


@pytest.mark.parametrize(
    "spec",
    [
        {"group": "../x"},
        {"names": {"plural": "a/b", "kind": "Own"}},
        {"names": 7},
        {"versions": None},
        {"versions": [7, {}, {"name": "v1?"}]},
    ],
)
def test_definitions_that_no_server_takes_define_nothing(scheme: Scheme, spec: Any):
    wrong = Unstructured(definition(**spec))
    assert defined_resources(load(Scheme(), wrong)) == {}


# ---- the order --------------------------------------------------------------------------------


def test_what_others_need_comes_first_and_what_intercepts_comes_last():
    kinds = [
        "APIService.apiregistration.k8s.io",
        "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
        "Own.example.com",
        "Deployment.apps",
        "Service",
        "Secret",
        "RoleBinding.rbac.authorization.k8s.io",
        "ClusterRole.rbac.authorization.k8s.io",
        "ServiceAccount",
        "ResourceQuota",
        "CustomResourceDefinition.apiextensions.k8s.io",
        "Namespace",
    ]
    moved = in_apply_order(kinds, str)
    assert moved[:-3] == kinds[:2:-1]
    assert moved[-3:] == ["Own.example.com", kinds[1], kinds[0]]
    assert deletion_order(kinds, str) == moved[::-1]


def test_kinds_of_one_rank_keep_their_order():
    kinds = ["Secret", "ConfigMap", "Secret", "A.example.com", "Ingress.networking.k8s.io"]
    assert in_apply_order(kinds, str) == kinds


def test_kinds_of_other_groups_are_not_taken_for_kubernetes_own():
    assert in_apply_order(["Deployment.apps", "Namespace.example.com"], str) == [
        "Deployment.apps",
        "Namespace.example.com",
    ]


# ---- ApplySets --------------------------------------------------------------------------------


def parent(**options: Any) -> Parent:
    return Parent(ApplySet("shop", **options), SECRETS, "default")


def live(made: Parent, scope: ApplySetScope, **changes: Any) -> dict[str, Any]:
    obj = made.manifest(scope)
    for what in ("labels", "annotations"):
        for name, value in changes.items():
            key = f"applyset.kubernetes.io/{name.replace('_', '-')}"
            if key in obj["metadata"][what]:
                obj["metadata"][what] = {**obj["metadata"][what], key: value}
                if value is None:
                    del obj["metadata"][what][key]
    return obj


def test_the_id_is_that_of_the_specification():
    assert parent().labels == {"applyset.kubernetes.io/part-of": parent().id}
    other = Parent(ApplySet("shop"), CONFIG_MAPS, "default")
    assert other.id != parent().id


def test_the_parent_names_kinds_and_namespaces():
    scope = ApplySetScope(
        frozenset({"Secret", "Deployment.apps"}), frozenset({"default", "b", "a"})
    )
    manifest = parent().manifest(scope)
    assert manifest == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "shop",
            "namespace": "default",
            "labels": {"applyset.kubernetes.io/id": parent().id},
            "annotations": {
                "applyset.kubernetes.io/tooling": f"clientgen/v{clientgen.__version__}",
                "applyset.kubernetes.io/contains-group-kinds": "Deployment.apps,Secret",
                "applyset.kubernetes.io/additional-namespaces": "a,b",
            },
        },
    }
    assert parent().scope_in(manifest) == scope
    assert parent().scope_in(parent().manifest(ApplySetScope())).kinds == frozenset()


def test_a_new_set_is_empty():
    assert parent().scope_in(None) == ApplySetScope()


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"tooling": None}, "exists, but has no annotation"),
        ({"tooling": "kubectl/v1.32"}, "is managed by 'kubectl', not by 'clientgen'"),
        ({"tooling": "a/b/v1"}, "is managed by 'a/b'"),
        ({"tooling": "helm"}, "is managed by 'helm'"),
        ({"id": None}, "has a wrong label applyset.kubernetes.io/id: it is missing"),
        ({"id": "x"}, "it is 'x', not 'applyset-"),
        ({"contains_group_kinds": None}, "has no annotation"),
        ({"additional_namespaces": "a,../b"}, "has a wrong annotation"),
    ],
)
def test_other_parents_are_refused_as_by_kubectl(changes: dict[str, Any], what: str):
    with pytest.raises(
        ApplySetError, match=r"the parent of the ApplySet, Secret default/shop,"
    ) as e:
        parent().scope_in(live(parent(), ApplySetScope(), **changes))
    assert what in str(e.value)


def test_a_set_of_another_tool_is_continued_in_its_name():
    theirs = live(parent(), ApplySetScope(), tooling="kubectl/v1.30.0")
    ours = parent(tool="kubectl/v1.32.4")
    assert ours.scope_in(theirs).kinds == frozenset()
    assert ours.field_manager == "kubectl-applyset"


def test_custom_parents_are_not_created():
    owns = Resource("example.com", "v1", "owns", "Own", namespaced=False)
    made = Parent(ApplySet("x", kind="Own.example.com"), owns, "")
    assert not made.apply_set.is_builtin
    assert made.path == "/apis/example.com/v1/owns/x"
    with pytest.raises(ApplySetError, match="Own x, does not exist: create it, or use a Secret"):
        made.scope_in(None)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"name": ""}, ValueError),
        ({"name": "a/b"}, ValueError),
        ({"name": "a", "namespace": ""}, ValueError),
        ({"name": "a", "tool": "me"}, ValueError),
        ({"name": "a", "tool": "/v1"}, ValueError),
        ({"name": "a", "prune_namespaces": "ns"}, TypeError),
        ({"name": "a", "prune_definitions": "ns"}, TypeError),
    ],
)
def test_wrong_sets_are_refused(options: dict[str, Any], error: type[Exception]):
    with pytest.raises(error):
        ApplySet(**options)


def member(kind: str, name: str, uid: str = "", *, namespace: str = "x", owner: str = "") -> Member:
    resource = {each.kind: each for each in KNOWN.values()}[kind]
    references = [{"kind": "Owner", "name": owner, "controller": True}] if owner else None
    metadata = {"name": name, "uid": uid or f"{kind}-{name}", "ownerReferences": references}
    space = namespace if resource.namespaced else ""
    obj = {"metadata": {**metadata, "namespace": space, "labels": parent().labels}}
    made = Member.read(obj, resource, space, parent().id)
    assert made is not None
    return made


def test_members_that_the_manifests_no_longer_have_are_pruned():
    members = [
        member("Namespace", "gone"),
        member("ConfigMap", "kept"),
        member("ConfigMap", "moved", "same-uid"),
        member("ConfigMap", "gone"),
        member("ConfigMap", "gone"),
        member("Secret", "shop", namespace="default"),
    ]
    applied = {ObjectKey("ConfigMap", "x", "kept")}
    found = members_to_prune(members, parent(), applied, {"same-uid"})
    assert [str(each.key) for each in found] == ["ConfigMap x/gone", "Namespace gone"]
    assert found[0].path == "/api/v1/namespaces/x/configmaps/gone"


def test_namespaces_and_definitions_are_pruned_if_their_names_are_given():
    space, crd = member("Namespace", "a"), member("CustomResourceDefinition", "owns.example.com")
    assert "prune_namespaces=['a']" in reason_to_keep(space, ApplySet("s", prune_namespaces=["b"]))
    assert reason_to_keep(space, ApplySet("s", prune_namespaces=["a"])) == ""
    assert "prune_definitions=['owns.example.com']" in reason_to_keep(crd, ApplySet("s"))
    assert reason_to_keep(crd, ApplySet("s", prune_definitions=["owns.example.com"])) == ""
    assert reason_to_keep(member("ConfigMap", "a"), ApplySet("s")) == ""


def test_what_a_controller_made_is_not_pruned():
    assert (
        reason_to_keep(member("ConfigMap", "a", owner="o"), ApplySet("s")) == "Owner o controls it"
    )


@pytest.mark.parametrize(
    "metadata",
    [{}, {"name": "a"}, {"name": 1, "uid": "u"}, {"name": "a", "uid": "u", "namespace": "y"}],
)
def test_members_without_names_are_refused(metadata: Any):
    obj = {"metadata": {**metadata, "labels": parent().labels}}
    with pytest.raises(ApplySetError, match="the server listed configmaps"):
        Member.read(obj, CONFIG_MAPS, "x", parent().id)


@pytest.mark.parametrize("name", ["../x", "..", "a%2fb"])
def test_members_whose_names_are_none_for_a_path_are_refused(name: str):
    metadata = {"name": name, "uid": "u", "namespace": "x", "labels": parent().labels}
    with pytest.raises(ApplySetError, match="the server listed configmaps: name cannot be"):
        Member.read({"metadata": metadata}, CONFIG_MAPS, "x", parent().id)


@pytest.mark.parametrize("labels", [None, {}, {"applyset.kubernetes.io/part-of": "x"}, [], 7])
def test_what_has_not_the_label_is_no_member_even_if_it_was_listed(labels: Any):
    obj = {"metadata": {"name": "a", "uid": "u", "namespace": "x", "labels": labels}}
    assert Member.read(obj, CONFIG_MAPS, "x", parent().id) is None


def test_members_of_other_sets_are_known():
    ours, theirs = manifest(labels=parent().labels), manifest(labels={**parent().labels})
    theirs["metadata"]["labels"] = {"applyset.kubernetes.io/part-of": "other"}
    assert foreign_set(ours, parent()) == ""
    assert foreign_set(theirs, parent()) == "other"
    assert foreign_set(manifest(), parent()) == ""
    assert foreign_set({"metadata": 7}, parent()) == ""


# ---- differences ------------------------------------------------------------------------------


def difference(before: Any, after: Any, kind: str = "ConfigMap") -> ObjectDiff:
    made = [None if each is None else Unstructured(each) for each in (before, after)]
    return ObjectDiff(ObjectKey(kind, "x", "a"), "here", *made)


def test_a_difference_is_shown_as_by_kubectl():
    before = {**manifest(managedFields=[1]), "data": {"a": "1", "b": "2"}}
    after = {**manifest(managedFields=[2]), "data": {"a": "1", "b": "3"}}
    changed = difference(before, after)
    assert changed
    assert str(changed) == (
        "diff -u -N LIVE/v1.ConfigMap.x.a MERGED/v1.ConfigMap.x.a\n"
        "--- LIVE/v1.ConfigMap.x.a\n"
        "+++ MERGED/v1.ConfigMap.x.a\n"
        "@@ -1,7 +1,7 @@\n"
        " apiVersion: v1\n"
        " data:\n"
        '   a: "1"\n'
        '-  b: "2"\n'
        '+  b: "3"\n'
        " kind: ConfigMap\n"
        " metadata:\n"
        "   name: a\n"
    )
    assert before["metadata"]["managedFields"] == [1]
    assert repr(changed) == "<ObjectDiff: ConfigMap x/a would change>"


def test_what_is_the_same_but_for_managed_fields_does_not_differ():
    same = difference(manifest(managedFields=[1]), manifest(managedFields=[2]))
    assert not same
    assert str(same) == ""
    assert repr(same) == "<ObjectDiff: ConfigMap x/a is the same>"


def test_new_and_pruned_objects_are_shown():
    new, old = difference(None, manifest()), difference(manifest(), None)
    assert "@@ -0,0 +1,4 @@\n+apiVersion: v1\n" in new.text
    assert "@@ -1,4 +0,0 @@\n-apiVersion: v1\n" in old.text
    assert "would be created" in repr(new)
    assert "would be pruned" in repr(old)


def test_values_of_secrets_are_hidden_but_their_changes_are_seen():
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "hush-1", "note": "n"}
    before = {
        **manifest("Secret", annotations=applied),
        "data": {"same": "hush", "other": "hush-2", "gone": "hush-3"},
    }
    after = {
        **manifest("Secret", annotations={**applied, "note": "m"}),
        "data": {"same": "hush", "other": "hush-4", "new": "hush-5"},
        "stringData": {"k": "hush-6"},
    }
    text = difference(before, after, "Secret").text
    assert "hush" not in text
    shown = [line.replace("'", "") for line in text.splitlines()]
    for line in ("-  gone: ***", "+  new: ***", "-  other: *** (before)", "+  other: *** (after)"):
        assert line in shown
    assert "   same: '***'\n" in text
    assert "last-applied-configuration: '***'\n" in text
    assert '-    note: "n"\n+    note: m\n' in text
    assert before["data"]["same"] == "hush"
    assert "hush" not in repr(difference(before, after, "Secret"))


@pytest.mark.parametrize("data", ["hush", ["hush"], {"a": {"b": "hush"}}, {"a": ["hush"]}])
def test_nonsense_in_secrets_is_hidden_too(data: Any):
    secret = {**manifest("Secret"), "data": data}
    assert "hush" not in difference(secret, None, "Secret").text
    assert "hush" not in difference(manifest("Secret"), secret, "Secret").text


@pytest.mark.parametrize("field", ["Data", "binaryData", "stringdata", "spec"])
@pytest.mark.parametrize("value", ["hush", ["hush"], {"a": "hush"}])
def test_all_else_of_secrets_is_hidden_too(field: str, value: Any):
    secret = {**manifest("Secret"), "type": "Opaque", "immutable": True, field: value}
    text = difference(secret, {**secret, field: "hush-2"}, "Secret").text
    assert "*** (before)" in text or "***" in text
    assert "hush" not in text
    assert "type: Opaque" in difference(None, secret, "Secret").text


def test_large_differences_are_shown_without_being_compared_line_by_line():
    before = {**manifest(), "data": {f"a{n}": "same" for n in range(20_000)}}
    after = {**manifest(), "data": {f"b{n}": "same" for n in range(20_000)}}
    text = difference(before, after).text
    assert text.count("\n-  a") == text.count("\n+  b") == 20_000
    assert "\n@@ -1,20005 +1,20005 @@\n apiVersion: v1\n data:\n-  a0: same\n" in text
    assert text.endswith("+  b9999: same\n kind: ConfigMap\n metadata:\n   name: a\n")


def test_the_differences_of_a_set():
    one = difference(manifest(), {**manifest(), "data": {"a": "b"}})
    other = ObjectDiff(ObjectKey("Deployment.apps", "y", "web"), "", None, None)
    same = difference(manifest(), manifest())
    both = ManifestDiff([one, same])
    assert both
    assert len(both) == 2
    assert both.changed == [one]
    assert str(both) == one.text
    assert repr(both) == "<ManifestDiff: 1 of 2 objects differ>"
    assert not ManifestDiff([same])
    assert ManifestDiff([one, other]).of("Deployment", "web") is other
    assert ManifestDiff([one, other]).of("Deployment.apps", "web", "y") is other
    assert ManifestDiff([one, other])[1:] == (other,)
    with pytest.raises(LookupError, match="no object is called Pod web in the manifest set"):
        both.of("Pod", "web")
    with pytest.raises(LookupError, match="several objects are called ConfigMap a"):
        both.of("ConfigMap", "a")


# ---- results ----------------------------------------------------------------------------------


def outcome(what: Any, kind: str = "Deployment", **options: Any) -> ObjectOutcome:
    given = {"dry_run": False, "note": "", **options}
    return ObjectOutcome(what, "apps/v1", kind, "x", "web", "here", Unstructured(), **given)


def test_a_result_reads_like_kubectls_lines():
    result = SetResult(
        [
            outcome("created"),
            outcome("unchanged", dry_run=True),
            outcome("kept", note="because"),
            ObjectOutcome("pruned", "v1", "ConfigMap", "", "a", "", None, dry_run=False, note=""),
        ]
    )
    assert str(result).splitlines() == [
        "deployment.apps/web created",
        "deployment.apps/web unchanged (server dry run)",
        "deployment.apps/web kept: because",
        "configmap/a pruned",
    ]
    assert result.of("created") == [result[0]]
    assert result.changed
    assert not SetResult([outcome("unchanged"), outcome("kept")]).changed
    assert repr(result) == "<SetResult of 4 objects>"
    assert repr(result[0]) == "<ObjectOutcome: deployment.apps/web created>"
    assert result[:1] == (result[0],)


def test_an_error_lists_what_failed_and_has_the_errors():
    key = ObjectKey("Deployment.apps", "x", "web")
    failures = [
        ObjectFailure("a.yaml, document 1, line 1", key, ConfigError("one")),
        ObjectFailure("", None, ValueError("two")),
    ]
    error = ManifestSetError("2 of 3 objects failed", failures, [outcome("created")])
    assert isinstance(error, ClientError)
    assert str(error).splitlines() == [
        "2 of 3 objects failed",
        "a.yaml, document 1, line 1: Deployment x/web: one",
        "two",
    ]
    assert len(error.result) == 1
    caught: list[ExceptionGroup[Any]] = []
    try:
        try:
            raise error
        except* ConfigError as group:
            caught.append(group)
    except* ValueError as group:
        caught.append(group)
    assert [type(each).__name__ for each in caught] == ["ManifestSetError"] * 2
    assert str(caught[1]).splitlines()[1:] == ["two"]
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert len(again.result) == 1


def test_an_error_of_many_objects_lists_each_reason_a_few_times():
    request = RequestInfo("PATCH", "/api/v1/namespaces/x/configmaps")
    failures = [
        ObjectFailure(
            f"{number}",
            ObjectKey("ConfigMap", "x", f"m-{number}"),
            ConfigError("one")
            if number == 17
            else api_error(Status(message=why, code=403), request),
        )
        for number in range(30)
        for why in [f'configmaps "m-{number}" is forbidden']
    ]
    error = ManifestSetError("30 of 30 objects failed:", failures, [])
    forbidden = 'configmaps "m-{}" is forbidden (403 Forbidden)'
    assert str(error).splitlines() == [
        "30 of 30 objects failed:",
        *(f"{number}: ConfigMap x/m-{number}: {forbidden.format(number)}" for number in range(10)),
        "17: ConfigMap x/m-17: one",
        f"and 19 more: {forbidden.replace('m-{}', '*')}",
    ]
    assert len(error.failures) == len(error.exceptions) == 30
