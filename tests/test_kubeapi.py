"""The committed Kubernetes package: complete, lazy, and what its spec says."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import kubeapi
import msgspec
import pytest
from kubeapi import AsyncClientset, Clientset
from support.kubernetes import actions, object_definitions, resources, watched_resources

from clientgen._openapi.operation import Operation
from clientgen.generator import python_names
from clientgen.generator.resolve import resolve
from clientgen.generator.sources import openapi
from clientgen.runtime._cache.listers import ClusterLister, NamespacedLister
from clientgen.runtime._models import meta_v1
from clientgen.runtime._models.meta_v1 import ModelList
from clientgen.testing import FakeCluster

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "specs/kubernetes/swagger.json"
METHODS = {
    "get": "get",
    "list": "list",
    "post": "create",
    "put": "update",
    "patch": "patch",
    "delete": "delete",
    "deletecollection": "delete_collection",
}


@pytest.fixture(scope="module")
def spec():
    return openapi.parse(openapi.gather(SPEC, "spec"))


@pytest.fixture(scope="module")
def api(spec):
    return resolve([spec], {})


def modules(name: str):
    root = Path(kubeapi.__file__).parent
    for path in sorted(root.rglob(f"{name}.py")):
        dotted = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        yield importlib.import_module(dotted)


# Subresources that are streams, and a method of each.
STREAMS = {
    "log": "logs",
    "exec": "exec",
    "attach": "attach",
    "portforward": "port_forward",
    "proxy": "proxy",
    "proxy/{path}": "proxy",
}


def client_of(operation: Operation, flavour: str) -> type:
    """The generated class that has the calls of an operation's resource."""
    groups = python_names.group_packages([operation.group_version.group])
    package = groups[operation.group_version.group]
    version = python_names.version_module(operation.group_version.version)
    module = importlib.import_module(f"kubeapi.{package}.{version}.{flavour}clients")
    for value in vars(module).values():
        resource = getattr(value, "resource", None)
        if resource and resource.plural == operation.plural and value.__name__.endswith("Client"):
            return value
    raise AssertionError(f"{operation.operation_id} has no client")


@pytest.mark.parametrize("flavour", ["", "async_"])
def test_every_operation_has_a_method_or_is_listed_as_left_out(spec, api, flavour: str) -> None:
    left_out = {skipped.what for skipped in api.skipped}
    emitted = [op for op in spec.operations if op.operation_id not in left_out]

    assert len(spec.operations) == len(emitted)
    for operation in emitted:
        client = client_of(operation, flavour)
        verb = METHODS.get(operation.action, "")
        if not operation.subresource:
            assert hasattr(client, verb), operation.operation_id
        elif operation.subresource in STREAMS:
            assert hasattr(client, STREAMS[operation.subresource])
        else:
            names = {
                python_names.subresource_accessor(operation.subresource),
                python_names.method_name(verb, operation.subresource),
            }
            assert any(hasattr(client, name) for name in names), operation.operation_id


def test_skipped_operations_have_a_reason(spec, api) -> None:
    reasons = Counter(skipped.reason.partition(":")[0] for skipped in api.skipped)

    assert reasons == {
        "deprecated": actions()["watch"] + actions()["watchlist"],
        "not a call on a resource (discovery, version or key set)": actions()[""],
    }
    assert len(spec.operations) + len(spec.ignored) == actions().total() > 1000


def test_only_what_can_be_watched_has_a_watch(api) -> None:
    unwatched = {
        resource.plural
        for group_version in api.group_versions
        for resource in group_version.resources
        if "watch" not in resource.verbs
    }

    assert unwatched == {
        "bindings",
        "componentstatuses",
        "localsubjectaccessreviews",
        "selfsubjectaccessreviews",
        "selfsubjectreviews",
        "selfsubjectrulesreviews",
        "subjectaccessreviews",
        "tokenreviews",
    }


def test_every_model_has_the_wire_names_of_its_definition() -> None:
    definitions = json.loads(SPEC.read_bytes())["definitions"]
    wanted: dict[str, list[set[str]]] = {}
    for name, schema in definitions.items():
        wanted.setdefault(name.rpartition(".")[2], []).append(set(schema.get("properties", {})))

    count = 0
    for module in modules("models"):
        for name in module.__all__:
            fields = msgspec.structs.fields(getattr(module, name))
            assert {field.encode_name for field in fields} in wanted[name], f"{module}.{name}"
            count += 1
    assert count == sum(map(is_generated, object_definitions())) > 650


def is_generated(definition: str) -> bool:
    """Whether a model is made of a definition: the runtime has those that all kinds share."""
    shared = {"RawExtension", "FieldsV1", "Patch", "WatchEvent", *vars(meta_v1)}
    is_machinery = definition.startswith("io.k8s.apimachinery.")
    return not (is_machinery and definition.rpartition(".")[2] in shared)


def test_every_model_can_be_decoded_into() -> None:
    for module in modules("models"):
        for name in module.__all__:
            model = getattr(module, name)
            msgspec.json.Decoder(model, dec_hook=lambda _type, value: value)
            assert model.__doc__
            if issubclass(model, ModelList):
                assert len(model()) == 0


def test_exports_are_sorted_and_there() -> None:
    names = ("models", "resources", "listers", "clients", "informers", "clientset")
    twins = ("async_clients", "async_informers", "async_clientset", "async_informer_factory")
    for name in (*names, *twins, "informer_factory"):
        for module in modules(name):
            assert sorted(module.__all__, key=lambda n: (not n.isupper(), n)) == module.__all__
            assert all(hasattr(module, name) for name in module.__all__)
    for name in kubeapi.__all__:
        assert getattr(kubeapi, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Clientsett'"):
        _ = kubeapi.Clientsett  # type: ignore[attr-defined]


def test_both_flavours_have_the_same_names() -> None:
    pairs = [
        pair
        for name in ("clients", "informers", "clientset", "informer_factory")
        for pair in zip(modules(f"async_{name}"), modules(name), strict=True)
    ]
    versions = {each[:2] for each in resources()}
    watched_versions = {each[:2] for each in watched_resources()}
    assert len(pairs) == len(versions) + len(watched_versions) + 2
    for module, twin in pairs:
        assert sorted(n.removeprefix("Async") for n in module.__all__) == sorted(twin.__all__)
        for name in module.__all__:
            value, other = getattr(module, name), getattr(twin, name.removeprefix("Async"))
            if isinstance(value, type):
                assert public(value) == public(other)


def public(client: type) -> set[str]:
    return {name.removeprefix("a") for name in dir(client) if not name.startswith("_")}


def test_readable_kinds_have_listers_and_watchable_kinds_have_informers(api) -> None:
    for group_version in api.group_versions:
        gv, resources = group_version.group_version, group_version.resources
        package = python_names.group_packages([gv.group])[gv.group]
        folder = f"{package}.{python_names.version_module(gv.version)}"
        for file, ending, verbs in (
            ("listers", "Lister", {"get", "list"}),
            ("informers", "Informer", {"list", "watch"}),
            ("async_informers", "Informer", {"list", "watch"}),
        ):
            prefix = "Async" if file.startswith("async") else ""
            wanted = {f"{prefix}{r.kind}{ending}" for r in resources if verbs <= r.verbs}
            names = names_in(f"kubeapi.{folder}.{file}")
            assert {name for name in names if name.endswith(ending)} == wanted


def names_in(module: str) -> list[str]:
    return importlib.import_module(module).__all__ if importlib.util.find_spec(module) else []


@pytest.mark.parametrize("clientset", [Clientset, AsyncClientset])
def test_every_resource_with_an_informer_is_found_by_its_name(api, clientset: type) -> None:
    factory = FakeCluster().clientset(clientset).informers()
    wanted = [
        resource
        for group_version in api.group_versions
        for resource in group_version.resources
        if {"list", "watch"} <= resource.verbs
    ]

    assert len(wanted) == len(watched_resources()) > 70
    for resource in wanted:
        informer = factory.for_resource(f"{resource.group_version}/{resource.plural}")
        served = informer.resource
        assert (served.api_version, served.plural) == (
            str(resource.group_version),
            resource.plural,
        )
        assert (served.kind, served.namespaced) == (resource.kind, resource.namespaced)
        assert type(informer).__name__.removeprefix("Async") == f"{resource.kind}Informer"
        narrows = isinstance(informer.lister, NamespacedLister)
        assert narrows is resource.namespaced
        assert isinstance(informer.lister, ClusterLister) is not narrows


def test_a_program_loads_only_the_group_versions_and_the_flavour_it_uses() -> None:
    program = """
import sys
from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
loaded = {m for m in sys.modules if m.startswith("kubeapi.")}
assert "kubeapi.batch.v1" not in loaded and "kubeapi.async_clientset" not in loaded, loaded
assert not any(m.endswith(("clients", "informers", "listers")) for m in loaded), loaded
heavy = {"aiohttp", "urllib3", "asyncio", "yaml", "ssl", "jinja2", "black", "click"}
heavy |= {"dataclasses", "difflib", "hashlib", "clientgen.runtime._http.call_options"}
assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_informer_loads_its_group_version_and_flavour_only() -> None:
    program = """
import sys
from kubeapi import Clientset
from clientgen.testing import FakeCluster
k = FakeCluster().clientset(Clientset)
assert not any("informer" in m or "lister" in m for m in sys.modules if m != "clientgen")
k.informers().apps_v1.deployments()
loaded = {m for m in sys.modules if m.startswith("kubeapi.")}
assert "kubeapi.apps.v1.listers" in loaded and "kubeapi.core.v1.informers" not in loaded, loaded
assert not any("async" in m or m.endswith("clients") for m in loaded), loaded
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_lines_are_short_and_the_package_is_bounded() -> None:
    files = list(Path(kubeapi.__file__).parent.rglob("*.py"))
    lines = [line for path in files for line in path.read_text().splitlines()]

    assert max(map(len, lines)) <= 120
    assert len(lines) <= 80_000  # 64,000 of code and 8,000 of texts on fields


# ---- slips ------------------------------------------------------------------------------------


@pytest.mark.parametrize("flavour", [Clientset, AsyncClientset])
def test_a_clientset_says_how_it_is_made(flavour: Any):
    name = flavour.__name__
    with pytest.raises(TypeError, match=rf"^{name} takes a Rest: write {name}\.from_config\(\),"):
        flavour()
    with pytest.raises(TypeError, match=rf"write {name}\.from_config\(KUBECONFIG\)"):
        flavour("~/.kube/config")


@pytest.mark.parametrize("flavour", [Clientset, AsyncClientset])
def test_clients_suggest_what_was_meant(flavour: Any):
    k = FakeCluster().clientset(flavour)
    with pytest.raises(AttributeError, match=r"no attribute 'pod'; did you mean 'pods'\?$"):
        getattr(k.core_v1, "pod")  # noqa: B009 - checkers know
    with pytest.raises(AttributeError, match=r"no attribute 'corev1'; did you mean 'core_v1'\?$"):
        getattr(k, "corev1")  # noqa: B009 - checkers know
    assert not hasattr(k, "appsv1")
    assert not hasattr(k.apps_v1, "deployment")


@pytest.mark.parametrize("flavour", [Clientset, AsyncClientset])
def test_the_rest_client_shows_what_programs_use(flavour: Any):
    rest = FakeCluster().clientset(flavour).rest
    shown = {name for name in dir(rest) if not name.startswith("__")}
    assert {"config", "namespace", "send"} <= shown
    assert len(shown) < 15
    assert all(hasattr(rest, name) for name in shown)


@pytest.mark.parametrize("flavour", [Clientset, AsyncClientset])
def test_what_a_clientset_leads_to_shows_what_programs_use(flavour: Any):
    k = FakeCluster().clientset(flavour)
    shown = {
        k.scheme: {"add_kinds", "dump", "kinds", "list_model", "load", "register", "resource"},
        k.metadata: {"resource", "resources"},
        k.dynamic: {"discovery", "namespace", "resource", "resources", "rest", "scheme"},
        k.dynamic.discovery: {"api_resources", "failures", "invalidate", "resource"},
        k.metadata.resource("pods"): {"delete", "each", "get", "list", "patch", "wait", "watch"},
        k.informers(): {"core_v1", "dynamic", "informer", "start", "wait_for_sync"},
        k.informers().core_v1: {"pods", "services"},
        k.manifests(): {"apply", "delete", "diff"},
        k.core_v1.pods("shop").watch(): {"resource_version", "stop"},
    }
    for obj, wanted in shown.items():
        names = {name for name in dir(obj) if not name.startswith("__")}
        assert wanted <= names
        assert not {name for name in names if name.startswith("_")}
        assert all(hasattr(obj, name) for name in names)
    assert not {"find", "model_of", "registered"} & {*dir(k.dynamic)}
    assert not {"client_in", "model_for"} & {*dir(k.dynamic.resource("pods"))}
    assert "known_resources" not in dir(k.scheme)
