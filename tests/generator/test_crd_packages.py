"""Packages made of manifests, called in both flavours against a server that has the manifests."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.golden import GOLDEN, GOOD, generated
from support.imports import importable
from support.run_folders import RunFolders

from clientgen.runtime import errors
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.raw_json import raw, raw_value
from clientgen.runtime.models import Quantity, decode, encode
from clientgen.testing import FakeCluster

# Package, manifests, and a resource: its accessors, its module and kind, and if it has a namespace.
RESOURCES = [
    ("crd_basic", ["crontabs.yaml"], "stable_v1", "cron_tabs", "stable.v1", "CronTab", True),
    ("crd_versions", ["widgets.yaml"], "shop_v2", "widgets", "shop.v2", "Widget", False),
    ("crd_hard_types", ["gadgets.yaml"], "hard_v1", "gadgets", "hard.v1", "Gadget", True),
    (
        "crd_hostile_names",
        ["odd.yaml"],
        "async_import_v1",
        "classes",
        "async_import.v1",
        "Class",
        True,
    ),
    (
        "crd_hostile_names",
        ["odd.yaml"],
        "async_import_class",
        "imports",
        "async_import.class_",
        "Model",
        True,
    ),
    ("crd_list_and_folder", ["crds/fruit.yaml"], "garden_v1", "pears", "garden.v1", "Pear", True),
    (
        "crd_list_and_folder",
        ["crds/deep/er/flowers.yml"],
        "flowers_v1",
        "roses",
        "flowers.v1",
        "Rose",
        True,
    ),
]


@pytest.fixture(autouse=True, scope="module")
def golden_packages(run_folders: RunFolders) -> Iterator[None]:
    cases = [case for case in GOOD if case.name.startswith("crd-")]
    with importable(generated(case, run_folders) for case in cases):
        yield


def load(name: str) -> Any:
    return importlib.import_module(name)


def cluster_with(package: str, *files: str) -> FakeCluster:
    folder = GOLDEN / package.replace("_", "-")
    return FakeCluster(crds=[folder / file for file in files])


def crontab(name: str = "nightly") -> Any:
    stable = load("crd_basic.stable.v1")
    spec = stable.CronTabSpec(cron_spec="0 0 * * *", image="job:1")
    return stable.CronTab(metadata=ObjectMeta(name=name), spec=spec)


def sample(module: str, kind: str) -> Any:
    """An object with no more than it needs."""
    models = load(module)
    metadata = ObjectMeta(name="sample")
    if kind == "CronTab":
        return crontab("sample")
    if kind == "Widget":
        return models.Widget(metadata=metadata, spec=models.WidgetSpec(colour="red"))
    if kind == "Gadget":
        spec = models.GadgetSpec(name="n", note=None, ratio=0.5)
        return models.Gadget(metadata=ObjectMeta(name="gsample"), spec=spec)
    return getattr(models, kind)(metadata=metadata)


@pytest.mark.parametrize(
    ("package", "files", "accessor", "plural", "module", "kind", "namespaced"),
    RESOURCES,
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_objects_live_their_lives(  # noqa: PLR0917
    package: str,
    files: list[str],
    accessor: str,
    plural: str,
    module: str,
    kind: str,
    namespaced: bool,
) -> None:
    where = ["default"] if namespaced else []
    body = sample(f"{package}.{module}", kind)
    name = body.metadata.name

    def threads() -> None:
        with cluster_with(package, *files).clientset(load(package).Clientset) as k:
            things = getattr(getattr(k, accessor), plural)(*where)
            created = things.create(body)
            assert type(created) is type(body)
            with things.watch(resource_version=created.metadata.resource_version) as events:
                labelled = things.edit(name, lambda it: it.metadata.labels.update(seen="yes"))
                assert next(iter(events)).object.metadata.labels == {"seen": "yes"}
            assert [each.metadata.name for each in things.list()] == [name]
            assert things.get(name) == labelled
            things.delete(name)
            with pytest.raises(errors.NotFound):
                things.get(name)

    async def tasks() -> None:
        async with cluster_with(package, *files).clientset(load(package).AsyncClientset) as k:
            things = getattr(getattr(k, accessor), plural)(*where)
            created = await things.create(body)
            assert type(created) is type(body)
            async with things.watch(resource_version=created.metadata.resource_version) as events:
                labelled = await things.edit(name, lambda it: it.metadata.labels.update(seen="yes"))
                async for event in events:
                    assert event.object.metadata.labels == {"seen": "yes"}
                    break
            assert [each.metadata.name for each in await things.list()] == [name]
            assert await things.get(name) == labelled
            await things.delete(name)
            with pytest.raises(errors.NotFound):
                await things.get(name)

    threads()
    asyncio.run(tasks())


def test_status_and_scale_are_written_apart() -> None:
    stable, scaling = load("crd_basic.stable.v1"), load("crd_basic.autoscaling.v1")
    with cluster_with("crd_basic", "crontabs.yaml").clientset(load("crd_basic").Clientset) as k:
        crontabs = k.stable_v1.cron_tabs("default")
        created = crontabs.create(crontab())
        assert (created.spec.replicas, created.spec.concurrency) == (1, "Allow")

        created.status = stable.CronTabStatus(replicas=1, selector="app=nightly")
        crontabs.update_status(created)
        scale = crontabs.scale("nightly").get()
        assert type(scale) is scaling.Scale
        assert (scale.spec.replicas, scale.status.selector) == (1, "app=nightly")
        crontabs.scale("nightly").edit(lambda it: setattr(it.spec, "replicas", 5))
        assert crontabs.get("nightly").spec.replicas == 5
        with pytest.raises(errors.Invalid, match="less than or equal to 10"):
            crontabs.edit("nightly", lambda it: setattr(it.spec, "replicas", 11))


async def _status_and_scale() -> None:
    cluster = cluster_with("crd_basic", "crontabs.yaml")
    async with cluster.clientset(load("crd_basic").AsyncClientset) as k:
        crontabs = k.stable_v1.cron_tabs("default")
        await crontabs.create(crontab())
        await crontabs.status("nightly").edit(lambda it: setattr(it.status, "replicas", 1))
        await crontabs.scale("nightly").edit(lambda it: setattr(it.spec, "replicas", 5))
        stored = await crontabs.get("nightly")
        assert (stored.spec.replicas, stored.status.replicas) == (5, 1)


def test_status_and_scale_are_written_apart_by_tasks() -> None:
    asyncio.run(_status_and_scale())


def test_selectable_fields_select() -> None:
    with cluster_with("crd_basic", "crontabs.yaml").clientset(load("crd_basic").Clientset) as k:
        crontabs = k.stable_v1.cron_tabs("default")
        crontabs.create(crontab())
        assert len(list(crontabs.list(field_selector="spec.image=job:1"))) == 1
        assert len(list(crontabs.list(field_selector="spec.image=job:2"))) == 0


def test_each_served_version_has_its_own_models_and_the_others_have_none() -> None:
    package = load("crd_versions")
    assert package.Clientset.__dict__.keys() >= {"shop_v1", "shop_v1beta1", "shop_v2"}
    assert "shop_v1alpha1" not in package.Clientset.__dict__
    old, new = load("crd_versions.shop.v1"), load("crd_versions.shop.v2")
    assert set(old.WidgetSpec.__struct_fields__) == {"color", "height"}
    assert "Deprecated: shop.example.com/v1 Widget is deprecated; use v2" in old.Widget.__doc__
    assert "Deprecated" not in new.Widget.__doc__
    assert not hasattr(load("crd_versions.shop.v1.clients").WidgetClient, "update_status")
    assert hasattr(load("crd_versions.shop.v2.clients").WidgetClient, "update_status")
    assert new.Widgets.__struct_fields__ == old.Widgets.__struct_fields__


def test_fields_of_every_kind_are_built_stored_and_read() -> None:
    hard = load("crd_hard_types.hard.v1")
    template = hard.GadgetSpecTemplate(
        api_version="v1",
        kind="Pod",
        metadata=ObjectMeta(labels={"app": "web"}),
        spec=hard.GadgetSpecTemplateSpec(size=3),
    )
    spec = hard.GadgetSpec(
        name="all",
        note=None,
        ratio=0.5,
        mode='with "quotes"',
        data=b"\xff\x00",
        percent=7,
        port="http",
        memory=Quantity("1Gi"),
        limits={"cpu": Quantity("500m")},
        maybe_words=["a", None],
        grid=[[1.5], []],
        points=[[hard.GadgetSpecPoints(x=1, y=2)]],
        groups={"a": ["b"], "none": []},
        shelves={"top": [hard.GadgetSpecShelves(title="t", pages=3)]},
        steps=[hard.GadgetSpecSteps(name="build")],
        anything=raw([1, "two"]),
        any_object=raw({"a": {"b": 1}}),
        any_map=raw({"x": 1}),
        any_list=[raw(1), raw({"y": 2})],
        empty_dir=hard.GadgetSpecEmptyDir(),
        open=hard.GadgetSpecOpen(driver="d"),
        raw=raw({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}),
        template=template,
        address=hard.GadgetSpecAddress(ip="10.0.0.1"),
        range=hard.GadgetSpecRange(from_=1, to=2),
        tree=hard.GadgetSpecTree(children=[hard.GadgetSpecTreeChildren(value="leaf")]),
    )
    gadget = hard.Gadget(metadata=ObjectMeta(name="g1"), spec=spec)
    sent = json.loads(encode(gadget))["spec"]
    assert sent["note"] is None
    assert sent["maybeWords"] == ["a", None]
    assert decode(encode(gadget), hard.Gadget).spec == spec

    cluster = cluster_with("crd_hard_types", "gadgets.yaml")
    with cluster.clientset(load("crd_hard_types").Clientset) as k:
        stored = k.hard_v1.gadgets("default").create(gadget)

    stored_spec = json.loads(encode(stored))["spec"]
    defaults = {"count": 0, "enabled": True, "level": 2}
    assert stored_spec == {**sent, **defaults, "steps": [{"name": "build", "run": "true"}]}
    assert raw_value(stored.spec.raw)["data"] == {"k": "v"}
    assert (stored.spec.count, stored.spec.level, stored.spec.steps[0].run) == (0, 2, "true")
    assert stored.spec.template.metadata.labels == {"app": "web"}


def test_hostile_names_reach_the_wire_as_they_are() -> None:
    odd = load("crd_hostile_names.async_import.v1")
    spec = odd.ClassSpec2(
        class_="a", self="b", ref="c", foo_bar="d", doc="e", raw="f", field_2fast="g"
    )
    status = odd.ClassStatus(a_b=odd.ClassStatusAB_51a3(a_b=1), a_b_2=odd.ClassStatusAB_c919(a_b=2))

    sent = json.loads(encode(odd.Class(spec=spec, status=status, spec_2="S")))

    assert sent == {
        "apiVersion": "async-import.class.example.com/v1",
        "kind": "Class",
        "Spec": "S",
        "spec": {
            "class": "a", "self": "b", "$ref": "c", "fooBar": "d", "__doc__": "e", "raw": "f",
            "2fast": "g",
        },
        "status": {"aB": {"aB": 1}, "a-b": {"a-b": 2}},
    }  # fmt: skip
    assert json.loads(encode(decode(json.dumps(sent).encode(), odd.Class))) == sent
