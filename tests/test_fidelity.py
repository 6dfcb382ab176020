"""What was read is sent back as it was: objects made up by the schemas of every kind.

Equal means: the same JSON, where null counts as absent, and so do the empty texts of meta/v1, which
Kubernetes does not write either. Times are the same instants; those here are in the form of Go.
"""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import http.client
import importlib
import json
import pickle
import random
import sys
from collections.abc import Iterator
from itertools import chain
from types import UnionType
from typing import Any, Union, get_args, get_origin

import kubeapi
import msgspec
import pytest
import yaml
from click.testing import CliRunner

from clientgen.cli.program import program
from clientgen.runtime._manifests.manifest_documents import ManifestError
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.runtime._models import model_codec
from clientgen.runtime._models.meta_v1 import ListMeta, ManagedFieldsEntry, ObjectMeta
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.model_info import bare, fields_of
from clientgen.runtime._models.variants import unknown_attributes
from clientgen.testing import FakeCluster, LocalServer
from tests.support.inlined_types import CORE, META, custom_resource, definitions, inlined
from tests.support.samples import Sampler, meaning

KINDS = Scheme()
kubeapi.add_to_scheme(KINDS)

META_TEXTS = frozenset(
    each.encode_name
    for model in (ManagedFieldsEntry, ObjectMeta, ListMeta)
    for each in msgspec.structs.fields(model)
    if each.default == ""
)


def comes_back(model: type[Model], sent: dict[str, Any]) -> None:
    """Whatever way an object takes through a program, it is sent as it was read."""
    decoded = model_codec.decode(json.dumps(sent).encode(), model)
    for each in (decoded, model_codec.deep_copy(decoded), pickle.loads(pickle.dumps(decoded))):
        assert meaning(json.loads(model_codec.encode(each))) == meaning(sent)


def kinds() -> dict[str, dict[str, Any]]:
    """The definitions of all kinds kubeapi has classes of, by the text a Scheme knows them by."""
    models = {}
    for schema in definitions().values():
        for gvk in schema.get("x-kubernetes-group-version-kind", ()):
            name = "/".join(filter(None, (gvk["group"], gvk["version"], gvk["kind"])))
            if name in KINDS and len(schema["x-kubernetes-group-version-kind"]) == 1:
                models[name] = schema
    return models


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_kubernetes_comes_back(seed: int) -> None:
    tried = 0
    for number, (name, schema) in enumerate(kinds().items()):
        sampler = Sampler(1000 * seed + number, lambda ref: definitions()[ref], texts=META_TEXTS)
        api_version, _, kind = name.rpartition("/")
        sent = {**sampler.value(schema), "apiVersion": api_version, "kind": kind}
        comes_back(KINDS.model(name), sent)
        tried += 1
    assert tried > 150


# ---- what people write --------------------------------------------------------------------------

_OTHER: tuple[Any, ...] = (
    1,
    "x",
    True,
    1.5,
    [],
    {},
    [{}],
    [[]],
    {"a": {"b": {}}},
    {"web": {"image": "x"}},
    [1],
)


def bent(value: Any, dice: random.Random) -> Any:
    """The same with something of another type somewhere."""
    steps = list(value.items()) if isinstance(value, dict) else []
    steps = list(enumerate(value)) if isinstance(value, list) else steps
    if not steps or dice.random() < 0.1:
        return dice.choice(_OTHER)
    step, inner = dice.choice(steps)
    changed = value.copy()
    changed[step] = bent(inner, dice)
    return changed


def strangers(value: Any, annotation: Any, path: str = "") -> Iterator[str]:
    """Where a value is not of the type its class says."""
    plain = bare(annotation)
    options = get_args(plain) if get_origin(plain) in (Union, UnionType) else (plain,)
    members = [bare(one) for one in options]
    kinds = [get_origin(one) or one for one in members]
    kinds += [int] if float in kinds else []
    if Any not in kinds and not isinstance(value, tuple(kinds)):
        yield path
    elif isinstance(value, Model):
        for each in fields_of(type(value)).values():
            if each.wire not in unknown_attributes(type(value)):
                yield from strangers(getattr(value, each.name), each.type, f"{path}.{each.name}")
    elif isinstance(value, list | dict):
        (inner,) = [get_args(one)[-1] for one in members if get_origin(one) is type_of(value)]
        for each in value.values() if isinstance(value, dict) else value:
            yield from strangers(each, inner, f"{path}[]")


def type_of(value: object) -> type:
    return dict if isinstance(value, dict) else list


def test_loaded_values_have_the_declared_types_or_are_refused() -> None:
    refused = 0
    for number, (name, schema) in enumerate(kinds().items()):
        dice = random.Random(number)
        sampler = Sampler(number, lambda ref: definitions()[ref], texts=META_TEXTS)
        api_version, _, kind = name.rpartition("/")
        for _ in range(6):
            value = bent(sampler.value(schema), dice)
            if not isinstance(value, dict):
                continue
            text = json.dumps({**value, "apiVersion": api_version, "kind": kind})
            try:
                loaded = KINDS.load(text)
            except ManifestError:
                refused += 1
            else:
                assert [*chain(*(strangers(one, type(one)) for one in loaded))] == [], text
    assert refused > 200


# ---- custom resources, shaped like those that real operators have -------------------------------

_TEXT = {"type": "string"}
_LIST = {"type": "array", "items": _TEXT}
_CLAIM = inlined(f"{CORE}PersistentVolumeClaim")
_TEMPLATE = inlined(f"{CORE}PodTemplateSpec")
_MAP = {"type": "object", "additionalProperties": _TEXT}
_FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def objects(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


MANIFESTS = {
    # Monitoring: a claim in the middle, whose kind nobody writes.
    "Monitor": custom_resource(
        "monitoring.example.com",
        "Monitor",
        {
            "storage": {
                "type": "object",
                "properties": {
                    "emptyDir": {"type": "object", "properties": {"medium": _TEXT}},
                    "volumeClaimTemplate": _CLAIM,
                },
            },
            "ruleSelector": inlined(f"{META}LabelSelector"),
            "podMetadata": {"type": "object", "properties": {"labels": _MAP}},
            "externalLabels": _MAP,
            "replicas": {"type": "integer", "format": "int32"},
        },
        {"conditions": {"type": "array", "items": inlined(f"{META}Condition")}},
    ),
    # Search: lists of claims, and templates that anything may be in.
    "Search": custom_resource(
        "search.example.com",
        "Search",
        {
            "nodeSets": objects(
                name=_TEXT,
                config=_FREE,
                podTemplate=_FREE,
                volumeClaimTemplates={"type": "array", "items": _CLAIM},
            ),
            "secureSettings": objects(secretName=_TEXT, entries=objects(key=_TEXT, path=_TEXT)),
        },
    ),
    # Routes: lists and maps with defaults, which are not what an empty one is.
    "Route": custom_resource(
        "gateway.example.com",
        "Route",
        {
            "hostnames": _LIST,
            "rules": {
                **objects(
                    matches={
                        **objects(path=_TEXT, headers={**_MAP, "default": {"accept": "any"}}),
                        "default": [{"path": "/"}],
                    },
                    backendRefs=objects(name=_TEXT, port={"type": "integer"}),
                ),
                "default": [{"matches": [{"path": "/"}]}],
            },
            "weights": {"type": "object", "additionalProperties": _LIST},
            "options": {"type": "object", "additionalProperties": _FREE, "default": {"a": {}}},
        },
    ),
    # Workflows: whole pods, and what belongs to them, in lists of lists.
    "Flow": custom_resource(
        "flows.example.com",
        "Flow",
        {
            "template": _TEMPLATE,
            "steps": {"type": "array", "items": objects(name=_TEXT, arguments=_MAP, when=_LIST)},
            "volumeClaimTemplates": {"type": "array", "items": _CLAIM},
            "items": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}},
        },
    ),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, type[Model]]]:
    """The classes of a package that is generated from the manifests above."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "crds.yaml").write_text(yaml.safe_dump_all(MANIFESTS.values()))
    (folder / "clientgen.toml").write_text(
        'crd = ["crds.yaml"]\nuses = ["kubeapi"]\npackage = "reallife"\noutput = "."\n'
    )
    config = str(folder / "clientgen.toml")
    done = CliRunner().invoke(program, ["generate", "--config", config], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    sys.path.append(str(folder))
    scheme = Scheme()
    importlib.import_module("reallife").add_to_scheme(scheme)
    yield {kind: scheme.model(api_version_of(kind) + "/" + kind) for kind in MANIFESTS}
    sys.path.remove(str(folder))


def api_version_of(kind: str) -> str:
    return f"{MANIFESTS[kind]['spec']['group']}/v1"


def sample(kind: str, seed: int) -> dict[str, Any]:
    schema = MANIFESTS[kind]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    made = Sampler(seed, lambda ref: definitions()[ref], texts=META_TEXTS).value(schema)
    type_meta = {"apiVersion": api_version_of(kind), "kind": kind}
    return {**type_meta, "metadata": {"name": "a"}, **made}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANIFESTS)
def test_custom_resources_like_real_ones_come_back(
    kind: str, models: dict[str, type[Model]]
) -> None:
    for seed in range(40):
        comes_back(models[kind], sample(kind, seed))


def test_the_copies_of_a_claim_are_the_kind_itself(models: dict[str, type[Model]]) -> None:
    sent: dict[str, Any] = {"spec": {"storage": {"volumeClaimTemplate": {}}}}
    obj: Any = model_codec.from_dict(models["Monitor"], sent)
    assert type(obj.spec.storage.volume_claim_template) is KINDS.model("v1/PersistentVolumeClaim")


def test_manifests_are_dumped_as_they_were_loaded(models: dict[str, type[Model]]) -> None:
    scheme = Scheme()
    for model in models.values():
        scheme.register(model)
    sent = [sample(kind, seed) for kind in MANIFESTS for seed in range(5)]
    loaded = scheme.load(yaml.safe_dump_all(sent))
    again = [meaning(each) for each in yaml.safe_load_all(scheme.dump(loaded))]
    assert again == [meaning(each) for each in sent]


# ---- on the wire ------------------------------------------------------------------------------

ODD: dict[str, dict[str, Any]] = {
    "Monitor": {
        "storage": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": 1}}}}},
        "ruleSelector": {"matchLabels": {}},
        "externalLabels": {},
        "replicas": 0,
    },
    "Route": {
        "hostnames": [],
        "rules": [{"matches": [], "backendRefs": []}, {"matches": [{"headers": {}}]}],
        "weights": {"a": []},
        "options": {},
    },
    "Flow": {
        "template": {"spec": {"containers": [], "nodeSelector": {}, "tolerations": []}},
        "volumeClaimTemplates": [{"metadata": {"name": "a"}}, {"kind": "PersistentVolumeClaim"}],
        "steps": [[], [{"arguments": {}}]],
        "items": [],
    },
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    """A server over HTTP with the definitions and an odd object of each."""
    cluster = FakeCluster(crds=list(MANIFESTS.values()))
    for kind, spec in ODD.items():
        metadata = {"name": "a", "namespace": "default"}
        type_meta = {"apiVersion": api_version_of(kind), "kind": kind}
        cluster.add({**type_meta, "metadata": metadata, "spec": spec})
    with LocalServer(cluster) as local:
        yield local


def stored(server: LocalServer, kind: str) -> dict[str, Any]:
    """What is stored, without what every write changes."""
    path = f"/apis/{api_version_of(kind)}/namespaces/default/{kind.lower()}s/a"
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", path)
        document: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    for name in ("managedFields", "resourceVersion"):
        document["metadata"].pop(name, None)
    return document


def clients(k: Any) -> dict[str, Any]:
    """The clients of the kinds, of either flavour."""
    return {
        "Monitor": k.monitoring_v1.monitors("default"),
        "Route": k.gateway_v1.routes("default"),
        "Flow": k.flows_v1.flows("default"),
    }


def label(obj: Any) -> None:
    obj.metadata.labels["touched"] = "yes"


def check(server: LocalServer, before: dict[str, dict[str, Any]]) -> None:
    """That what was read and written back is what was there, and only the label came."""
    for kind, was in before.items():
        now = stored(server, kind)
        assert now["metadata"].pop("labels") == {"touched": "yes"}
        assert now == was


def test_an_update_of_what_was_read_changes_nothing(
    server: LocalServer, models: dict[str, type[Model]]
) -> None:
    before = {kind: stored(server, kind) for kind in ODD}
    with importlib.import_module("reallife").Clientset.from_config(server.kubeconfig) as k:
        for kind, client in clients(k).items():
            client.update(client.get("a"))
            assert stored(server, kind) == before[kind]
            client.update(model_codec.deep_copy(next(iter(client.list()))))
            assert stored(server, kind) == before[kind]
            client.edit("a", label)
    check(server, before)


async def test_an_update_of_what_was_read_changes_nothing_async(
    server: LocalServer, models: dict[str, type[Model]]
) -> None:
    before = {kind: stored(server, kind) for kind in ODD}
    package = importlib.import_module("reallife")
    async with package.AsyncClientset.from_config(server.kubeconfig) as k:
        for kind, client in clients(k).items():
            await client.update(await client.get("a"))
            assert stored(server, kind) == before[kind]
            informer = k.informers()
            cached = getattr(informer, MANIFESTS[kind]["spec"]["group"].partition(".")[0] + "_v1")
            lister = getattr(cached, f"{kind.lower()}s")().lister
            async with informer:
                assert all((await informer.wait_for_sync(5)).values())
                await client.update(model_codec.deep_copy(lister.get("default", "a")))
            assert stored(server, kind) == before[kind]
            await client.edit("a", label)
    check(server, before)


def test_fields_set_to_empty_keep_the_server_from_defaulting(
    server: LocalServer, models: dict[str, type[Model]]
) -> None:
    with importlib.import_module("reallife").Clientset.from_config(server.kubeconfig) as k:
        routes = k.gateway_v1.routes("default")
        sent = model_codec.from_dict(models["Route"], {"metadata": {"name": "b"}, "spec": {}})
        made = routes.create(sent)
        assert made.spec.rules[0].matches[0].path == "/"  # nobody set any
        made.spec.rules = []
        made.spec.options.clear()
        assert routes.update(made).spec.rules == []

        def more(route: Any) -> None:
            route.spec.rules.append({"matches": []})

        edited = routes.edit("b", more)
        assert edited.spec.rules[0].matches == []
        assert model_codec.to_dict(edited)["spec"] == {"rules": [{"matches": []}], "options": {}}
        spec = type(made.spec)(options={})
        made.metadata, made.spec = ObjectMeta(name="c"), spec
        applied = routes.apply(made)
        assert model_codec.to_dict(applied)["spec"]["options"] == {}
