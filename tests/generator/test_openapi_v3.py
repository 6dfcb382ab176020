"""OpenAPI v3 against v2 of the same server, and what only v3 has: folders, defaults, null."""

from __future__ import annotations

import importlib
import json
import random
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.golden import GOLDEN, generated
from support.run_folders import RunFolders

from clientgen._gvk import GroupVersion
from clientgen._openapi import metaschema
from clientgen._openapi.schema import kinds_of
from clientgen._problems import ClientgenError
from clientgen.cli.program import program
from clientgen.generator.ir import (
    Api,
    EnumType,
    Field,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Resource,
    Scalar,
    TypeRef,
)
from clientgen.generator.plan.plan_records import shown
from clientgen.generator.resolve import resolve
from clientgen.generator.sources import openapi
from clientgen.generator.sources.folder import file_name
from clientgen.generator.sources.spec import Input, Spec
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._models import model_codec
from clientgen.testing import FakeCluster

ROOT = Path(__file__).parent.parent.parent
SPECS = ROOT / "specs/kubernetes"
DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"

# Everything that differs between the packages generated from v2 and v3 of one server. v2 has no
# defaults; v3 has them, and those that are more than nothing are told in the documentation.
DEFAULTS: Mapping[str, object] = {
    "core/v1 AzureDiskVolumeSource.cachingMode": "ReadWrite",
    "core/v1 AzureDiskVolumeSource.fsType": "ext4",
    "core/v1 AzureDiskVolumeSource.kind": "Shared",
    "core/v1 ContainerPort.protocol": "TCP",
    "core/v1 ISCSIPersistentVolumeSource.iscsiInterface": "default",
    "core/v1 ISCSIVolumeSource.iscsiInterface": "default",
    "core/v1 RBDPersistentVolumeSource.keyring": "/etc/ceph/keyring",
    "core/v1 RBDPersistentVolumeSource.pool": "rbd",
    "core/v1 RBDPersistentVolumeSource.user": "admin",
    "core/v1 RBDVolumeSource.keyring": "/etc/ceph/keyring",
    "core/v1 RBDVolumeSource.pool": "rbd",
    "core/v1 RBDVolumeSource.user": "admin",
    "core/v1 ReplicationControllerSpec.replicas": 1,
    "core/v1 ScaleIOPersistentVolumeSource.fsType": "xfs",
    "core/v1 ScaleIOPersistentVolumeSource.storageMode": "ThinProvisioned",
    "core/v1 ScaleIOVolumeSource.fsType": "xfs",
    "core/v1 ScaleIOVolumeSource.storageMode": "ThinProvisioned",
    "core/v1 ServicePort.protocol": "TCP",
    "resource.k8s.io/v1 DeviceToleration.operator": "Equal",
    "resource.k8s.io/v1alpha3 ResourcePoolStatusRequestSpec.limit": 100,
    "resource.k8s.io/v1beta1 DeviceToleration.operator": "Equal",
    "resource.k8s.io/v1beta2 DeviceToleration.operator": "Equal",
}

# The same for a custom resource: what v2 drops. (v2, v3), `*` is said of fields that are required.
SHARPER: Mapping[str, tuple[str, str]] = {
    "Widget.status": ("json", "WidgetStatus"),
    "WidgetSpec.kinds": ("[A/B]*", "[A/B]"),
    "WidgetSpec.level": ("High/Low*", "High/Low"),
    "WidgetSpec.mood": ("json", "Glad/Sad"),
    "WidgetSpec.note": ("string*", "string"),
    "WidgetSpec.options": ("json", "WidgetSpecOptions"),
    "WidgetSpec.owner": ("json*", "string or null*"),
    "WidgetSpec.parent": ("json", "string"),
    "WidgetSpec.ratios": ("[json]*", "[number or null]*"),
    "WidgetSpec.slots": ("{json}", "{WidgetSpecSlots or null}"),
    "WidgetSpecOptions.verbose": ("", "boolean"),
    "WidgetSpecSlots.at": ("", "integer*"),
    "WidgetStatus.phase": ("", "string"),
    "WidgetStatus.since": ("", "time"),
}
CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.machines.example.com"},
    "spec": {
        "group": "machines.example.com",
        "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "storage": True}],
    },
}


@pytest.fixture(autouse=True, scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def spec_of(path: Path) -> Spec:
    return openapi.parse(openapi.gather(path, path.name))


@pytest.fixture(scope="module")
def v2() -> Spec:
    return spec_of(SPECS / "swagger.json")


@pytest.fixture(scope="module")
def v3() -> Spec:
    return spec_of(SPECS / "v3")


def undocumented(api: Api) -> Api:
    """The same API without the descriptions of fields."""
    groups = (
        replace(
            group,
            models=tuple(
                replace(model, fields=tuple(replace(f, description="") for f in model.fields))
                for model in group.models
            ),
        )
        for group in api.group_versions
    )
    return replace(api, group_versions=tuple(groups))


def fields_of(api: Api) -> dict[str, Field]:
    return {
        f"{shown(group.group_version)} {model.id.name}.{field.name}": field
        for group in api.group_versions
        for model in group.models
        for field in model.fields
    }


def resource(api: Api, group_version: GroupVersion, plural: str) -> Resource:
    served = (
        r for g in api.group_versions for r in g.resources if r.group_version == group_version
    )
    return next(one for one in served if one.plural == plural)


@pytest.mark.slow
def test_v3_gives_what_v2_gives_and_tells_the_defaults(v2: Spec, v3: Spec) -> None:
    weak, exact = resolve([v2], ()), resolve([v3], ())

    assert undocumented(exact) == undocumented(weak)
    before, after = fields_of(weak), fields_of(exact)
    told = {name: f.description for name, f in after.items() if f != before[name]}
    assert sorted(told) == sorted(DEFAULTS)
    assert [n for n, default in DEFAULTS.items() if json.dumps(default) not in told[n]] == []


def widget() -> dict[str, Any]:
    """The schema of the golden case, as the author of the definition writes it."""
    path = GOLDEN / "v3-folder/v3/apis__machines.example.com__v1.json"
    schemas = json.loads(path.read_bytes())["components"]["schemas"]
    status = schemas["com.example.machines.v1.Widget"]
    spec = status["properties"]["spec"]
    for name in ("template", "claim"):
        for added in ("apiVersion", "kind", "metadata", "required"):
            spec["properties"][name].pop(added, None)
            spec["properties"][name].get("properties", {}).pop(added, None)
    return {
        "type": "object",
        "properties": {"spec": spec, "status": status["properties"]["status"]},
    }


def spelled(type_: TypeRef) -> str:
    if isinstance(type_, Scalar):
        return type_.value
    if isinstance(type_, EnumType):
        return "/".join(type_.values)
    if isinstance(type_, ModelType):
        return type_.model.name
    if isinstance(type_, ListType):
        return f"[{spelled(type_.item)}]"
    if isinstance(type_, MapType):
        return f"{{{spelled(type_.value)}}}"
    return " or ".join(map(spelled, type_.members))


def brief(field: Field) -> str:
    return f"{spelled(field.type)}{'*' if field.required else ''}"


def test_v3_says_what_v2_drops_of_custom_resources() -> None:
    definition = json.loads(json.dumps(CRD))
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": widget()}
    server = FakeCluster(crds=[definition]).server
    key = "apis/machines.example.com/v1"
    answers = [server.handle(HttpRequest("GET", f"/openapi/{p}")) for p in ("v2", f"v3/{key}")]
    weak, exact = (
        fields_of(resolve([openapi.parse([Input(key, key, answer.body)])], ()))
        for answer in answers
    )

    before, after = (
        {name.split()[1]: brief(field) for name, field in fields.items() if "machines" in name}
        for fields in (weak, exact)
    )
    assert before.keys() - after.keys() == set()
    differing = {name for name in after if before.get(name) != after[name]}
    assert {name: (before.get(name, ""), after[name]) for name in differing} == SHARPER


def test_both_name_the_same_schemas_calls_and_what_is_none(v2: Spec, v3: Spec) -> None:
    def calls(spec: Spec) -> list[tuple[Any, ...]]:
        return sorted(
            (op.operation_id, op.action, str(op.gvk), op.plural, op.subresource, op.watchable)
            for op in spec.operations
        )

    assert v3.definitions.keys() == v2.definitions.keys()
    assert calls(v3) == calls(v2)
    assert sorted(v3.ignored) == sorted(v2.ignored)


def test_patch_types_are_those_of_v2(v2: Spec, v3: Spec) -> None:
    def patches(spec: Spec) -> dict[str, list[str]]:
        return {o.operation_id: sorted(o.consumes) for o in spec.operations if o.action == "patch"}

    assert patches(v3) == patches(v2)
    assert len(patches(v3)) > 100


def test_a_schema_that_names_other_kinds_in_each_document_names_all(v3: Spec) -> None:
    documents = [json.loads(path.read_bytes()) for path in (SPECS / "v3").glob("api*__v*.json")]
    schemas = [d["components"]["schemas"].get(DELETE_OPTIONS, {}) for d in documents]
    each = [set(kinds_of(schema)) for schema in schemas]

    assert set(v3.definitions[DELETE_OPTIONS].schema.kinds) == set().union(*each)
    assert max(map(len, each)) < len(set().union(*each))


def test_the_order_of_documents_and_index_does_not_matter(v3: Spec, tmp_path: Path) -> None:
    inputs = list(openapi.gather(SPECS / "v3", "v3"))
    shuffled = random.Random(7).sample(inputs, len(inputs))
    copied = tmp_path / "v3"
    shutil.copytree(SPECS / "v3", copied)
    index = json.loads((copied / "index.json").read_bytes())
    paths = dict(reversed(index["paths"].items()))
    (copied / "index.json").write_text(json.dumps({"paths": paths}))

    assert openapi.parse(shuffled) == v3
    again = openapi.gather(copied, "v3")
    assert [(i.name, i.data) for i in again] == [(i.name, i.data) for i in inputs]


def test_documents_are_read_alone_and_nested_types_stay_at_home() -> None:
    api = resolve([spec_of(SPECS / "v3/apis__apps__v1.json")], ())

    deployments = resource(api, GroupVersion("apps", "v1"), "deployments")
    assert deployments.strategic_merge
    assert [part.name for part in deployments.subresources] == ["scale", "status"]
    homes = {group.group_version for group in api.group_versions}
    assert homes == {GroupVersion(g, "v1") for g in ("", "apps", "autoscaling")}
    core = next(g for g in api.group_versions if g.group_version == GroupVersion("", "v1"))
    assert ModelId(GroupVersion("", "v1"), "PodSpec") in {model.id for model in core.models}


def test_documents_of_one_server_in_v2_and_v3_get_along(v2: Spec, v3: Spec) -> None:
    assert resolve([v2, v3], ()) == resolve([v3], ()) == resolve([v3, v2], ())


def test_the_verdict_on_a_document_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(metaschema, "check_metaschema", lambda *args: asked.append(args[3]))
    document = {"openapi": "3.0.0", "info": {"title": "t", "version": "once"}, "paths": {}}
    one = Input("a", "a.json", json.dumps(document).encode())

    openapi.parse([one])
    openapi.parse([one])
    openapi.parse([replace(one, data=one.data + b" ")])

    assert asked == ["a.json", "a.json"]


def document(group: str, kind: str, schemas: dict[str, Any]) -> bytes:
    """A document that serves one kind, by a list and nothing else."""
    package = ".".join([*reversed(group.split(".")), "v1"])
    gvk = {"group": group, "version": "v1", "kind": kind}
    name = f"{package}.{kind}"
    call = {
        "operationId": f"read{kind}",
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": gvk,
        "responses": {"200": {"description": "OK", "content": {"*/*": {"schema": ref(name)}}}},
    }
    kinds = {"properties": {"x": {"type": "string"}}, "x-kubernetes-group-version-kind": [gvk]}
    return json.dumps(
        {
            "openapi": "3.0.0",
            "info": {"title": "t", "version": "v"},
            "paths": {f"/apis/{group}/v1/{kind.lower()}s/{{name}}": {"get": call}},
            "components": {"schemas": {name: {"type": "object", **kinds}, **schemas}},
        }
    ).encode()


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_servers_behind_the_aggregator_may_bring_older_types_of_kubernetes() -> None:
    def typed(*fields: str) -> dict[str, Any]:
        properties = {name: {"type": "string"} for name in fields}
        return {"io.k8s.v1.Part": {"type": "object", "properties": properties}}

    older = Input("apis/a.example.com/v1", "a", document("a.example.com", "Old", typed("one")))
    # The kind is of the same package as the type: this is the server whose word counts.
    owner = Input("apis/k8s.io/v1", "b", document("k8s.io", "Own", typed("one", "two")))

    for inputs in ([older, owner], [owner, older]):
        part = openapi.parse(inputs).definitions["io.k8s.v1.Part"]
        assert set(part.schema.properties) == {"one", "two"}


def test_others_have_to_agree() -> None:
    schemas = [{"com.example.Part": {"type": kind}} for kind in ("object", "string")]
    inputs = [
        Input("a", "a", document("a.example.com", "A", schemas[0])),
        Input("b", "b", document("b.example.com", "B", schemas[1])),
    ]

    with pytest.raises(ClientgenError, match=r"differs from the schema of that name at a#/") as e:
        openapi.parse(inputs)
    assert len(e.value.problems) == 1


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "array", "items": ref("com.example.Tree")}, "list[Raw]"),
        ({"type": "object", "additionalProperties": ref("com.example.Tree")}, "dict[str, Raw]"),
    ],
)
def test_types_made_of_themselves_are_json_inside(schema: dict[str, Any], type_: str) -> None:
    kind = {"com.example.Tree": schema}
    holder = {
        "com.example.v1.Holder": {
            "type": "object",
            "properties": {"tree": {"allOf": [ref("com.example.Tree")], "description": "A tree."}},
        }
    }
    spec = openapi.parse([Input("a", "a", document("a.example.com", "A", {**kind, **holder}))])
    field = fields_of(resolve([spec], ()))["example/v1 Holder.tree"]

    inside = {"list[Raw]": "item", "dict[str, Raw]": "value"}[type_]
    assert getattr(field.type, inside).value == "json"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("apis/apps/v1", "apis__apps__v1.json"),
        (".well-known/openid-configuration", "well-known__openid-configuration.json"),
        ("version", "version.json"),
    ],
)
def test_files_are_called_after_the_keys_of_the_index(key: str, name: str) -> None:
    assert file_name(key) == name


def test_every_file_of_the_specs_is_called_after_its_key() -> None:
    index = json.loads((SPECS / "v3/index.json").read_bytes())["paths"]

    assert {key: entry["file"] for key, entry in index.items()} == {k: file_name(k) for k in index}


def test_a_package_is_made_again_when_a_document_changes_and_only_then(tmp_path: Path) -> None:
    folder = tmp_path / "v3"
    shutil.copytree(GOLDEN / "v3-folder/v3", folder)
    config = tmp_path / "clientgen.toml"
    config.write_text('package = "made"\nspec = ["v3"]\noutput = "out"\n')

    def run(command: str) -> Result:
        return CliRunner().invoke(program, [command, "--config", str(config)])

    assert run("generate").exit_code == 0
    index = json.loads((folder / "index.json").read_bytes())["paths"]
    turned = {key: {"serverRelativeURL": "/elsewhere"} for key in reversed(index)}
    (folder / "index.json").write_text(json.dumps({"paths": turned}))
    assert run("verify").exit_code == 0
    assert "unchanged" in run("generate").stdout

    changed = folder / "apis__machines.example.com__v1.json"
    changed.write_text(changed.read_text().replace("A part of a machine.", "A small part."))
    assert run("verify").exit_code == 1
    assert run("generate").exit_code == 0
    assert "A small part." in (tmp_path / "out/made/machines/v1/models.py").read_text()
    assert run("verify").exit_code == 0


def test_null_is_sent_where_it_has_to_be_said(
    run_folders: RunFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(generated(GOLDEN / "v3-folder", run_folders)))
    machines = importlib.import_module("v3_folder.machines.v1")
    sent = {
        "owner": None,
        "ratios": [0.5, None],
        "size": "50%",
        "slots": {"a": None, "b": {"at": 1}},
        "template": {"apiVersion": "v1", "kind": "Pod", "spec": {}},
    }
    data = json.dumps({"spec": sent}).encode()

    read = model_codec.decode(data, machines.Widget).spec

    assert (read.owner, read.ratios, read.slots["a"]) == (None, [0.5, None], None)
    assert json.loads(model_codec.encode(read)) == sent
    assert model_codec.deep_copy(read) == read
