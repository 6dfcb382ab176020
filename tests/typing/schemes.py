"""Schemes as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import kubeapi
from kubeapi.core.v1 import Pod
from servicelookup import api as servicelookup

from clientgen._gvk import GroupVersionKind
from clientgen.runtime import Resource, Scheme
from clientgen.runtime.models import (
    CustomResource,
    Literal,
    Model,
    ModelList,
    Unstructured,
    constant,
)
from clientgen.testing import FakeCluster, fake_clientset


def packages_and_classes(scheme: Scheme) -> None:
    kubeapi.add_to_scheme(scheme)
    servicelookup.add_to_scheme(scheme)

    @scheme.register
    class Backup(Model):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["Backup"] = constant("Backup")
        days: int = 0

    assert_type(scheme.register(Backup), type[Backup])
    print(Backup(days=3).days)
    scheme.register(dict)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]

    @scheme.register(plural="restores", namespaced=False)
    class Restore(CustomResource, group="example.com", version="v1"):
        days: int = 0

    print(Restore(days=3).days)
    assert_type(scheme.register(Backup, plural="backups"), type[Backup])
    assert_type(scheme.resource(Pod), Resource)
    assert_type(scheme.resource("v1/Pod"), Resource)
    assert_type(scheme.list_model(Pod), type[ModelList[Pod]])
    scheme.resource(Unstructured)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    assert_type(scheme.kinds(), list[GroupVersionKind])
    assert_type(scheme.model("v1/Pod"), type[Model])
    assert_type(scheme.model(GroupVersionKind("", "v1", "Pod")), type[Model])


def reading(scheme: Scheme) -> None:
    assert_type(scheme.load("a: b"), list[Model])
    assert_type(scheme.load(b"a: b", strict=True), list[Model])
    assert_type(scheme.load(Path("deploy"), unknown="refuse"), list[Model])
    assert_type(scheme.load(Path("deploy"), unknown="keep"), list[Model | Unstructured])
    scheme.load("a: b", unknown="raise")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    for each in scheme.load("a: b", unknown="keep"):
        if isinstance(each, Unstructured):
            assert_type(each.name, str)
        elif isinstance(each, Pod):
            assert_type(each.spec.node_name, str | None)


def writing(scheme: Scheme, pod: Pod, thing: Unstructured) -> None:
    assert_type(scheme.dump(pod), str)
    assert_type(scheme.dump([pod, thing, {"kind": "A"}], server_fields=False), str)
    assert_type(scheme.dump_json(thing), str)
    assert_type(scheme.dump(scheme.load("a: b", unknown="keep")), str)
    assert_type(scheme.dump(scheme.load("a: b")), str)
    scheme.dump(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def clusters(crd: Path) -> None:
    k = fake_clientset(servicelookup.Clientset, crds=crd)
    assert_type(k, servicelookup.Clientset)
    fake_clientset(servicelookup.AsyncClientset, crds=[crd, {"kind": "A"}])
    assert_type(FakeCluster(crds=crd).clientset(servicelookup.Clientset), servicelookup.Clientset)
    assert_type(kubeapi.Clientset(k.rest), kubeapi.Clientset)
