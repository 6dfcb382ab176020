"""Kinds by `CustomResource` from source to server: the golden case types-own-kinds at work."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from clientgen.cli.program import program
from clientgen.runtime import Scheme
from clientgen.runtime.errors import Invalid
from clientgen.runtime.models import ObjectMeta
from clientgen.testing import FakeCluster

CASE = Path(__file__).resolve().parents[1] / "golden/types-own-kinds"
MODULES = ("kiosk", "types_own_kinds")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project with the types, the generated package and the definitions."""
    shutil.copytree(CASE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for command in (["generate", "--output", "."], ["crd", "--output", "crds"]):
        done = CliRunner().invoke(program, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield tmp_path
    for name in list(sys.modules):
        if name.partition(".")[0] in MODULES:
            del sys.modules[name]


@pytest.fixture
def client(folder: Path) -> ModuleType:
    return importlib.import_module("types_own_kinds")


@pytest.fixture
def clientset(client: ModuleType, folder: Path) -> Any:
    return FakeCluster(crds=[folder / "crds"]).clientset(client.Clientset)


def test_every_group_version_can_be_imported(client: ModuleType):
    for name in ("shop.v1", "stable.v1", "stable.v2"):
        module = importlib.import_module(f"types_own_kinds.{name}")
        assert all(hasattr(module, each) for each in module.__all__)
    shop = importlib.import_module("types_own_kinds.shop.v1")
    assert shop.Policy is importlib.import_module("kiosk.v1").Policy
    assert "RunPolicyList" in shop.__all__
    assert "_Shop" not in shop.__all__


def test_a_class_with_another_name_than_its_kind_has_a_client(clientset: Any):
    from kiosk.v1 import Policy, RunPolicyList  # type: ignore[import-not-found]

    policies = clientset.shop_v1.run_policies()
    policies.create(Policy(metadata=ObjectMeta(name="a"), allowed=["x"], notes=["n"]))

    listed = policies.list()
    assert (type(listed), type(listed.items[0])) == (RunPolicyList, Policy)
    assert (listed.kind, listed.items[0].kind) == ("RunPolicyList", "RunPolicy")
    with clientset.informers() as factory:
        informer = factory.shop_v1.run_policies()
        factory.start()
        factory.wait_for_sync(timeout=30)
        assert informer.lister.get("a").allowed == ["x"]


def test_a_derived_kind_is_of_the_version_it_says(clientset: Any):
    from kiosk import v1, v2

    spec = v1.CronTabSpec(schedule="0 3 * * *")
    nightly = v2.NightlyTab(metadata=ObjectMeta(name="n"), spec=spec, holidays=True)
    made = clientset.stable_v2.nightly_tabs("default").create(nightly)
    assert (made.api_version, made.kind, made.holidays) == (
        "stable.example.com/v2",
        "NightlyTab",
        True,
    )
    clientset.stable_v2.cron_tabs("default").create(
        v2.CronTab(metadata=ObjectMeta(name="c"), spec=spec)
    )
    assert type(clientset.stable_v1.cron_tabs("default").get("c")) is v1.CronTab


def test_the_server_requires_a_spec(clientset: Any):
    for tabs in (
        clientset.stable_v1.cron_tabs("default"),
        clientset.stable_v2.cron_tabs("default"),
    ):
        api_version = tabs.resource.api_version
        bare = {"apiVersion": api_version, "kind": "CronTab", "metadata": {"name": "b"}}
        with pytest.raises(Invalid, match="spec: Required value"):
            tabs.apply(bare)


def test_manifests_find_the_class_by_the_kind(client: ModuleType):
    from kiosk import v1

    scheme = Scheme()
    client.add_to_scheme(scheme)
    assert scheme.model("shop.example.com/v1/RunPolicy") is v1.Policy
    assert scheme.model("shop.example.com/v1/RunReport") is v1.RunReport
    policy = v1.Policy(metadata=ObjectMeta(name="a"), allowed=["x"])
    assert scheme.load(scheme.dump(policy)) == [policy]
