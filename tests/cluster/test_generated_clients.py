"""From Python types to clients that work, by way of a real server.

`clientgen crd` writes the definition, the server takes it, and the package is generated from what
the server then says of itself, in version 3 and in version 2.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusterkit.definitions import defined, new_domain
from clusterkit.generation import bare, definitions, in_domain, run, wait_for_documents
from clusterkit.scratch import Scratch
from clusterkit.together import async_take, async_until

from clientgen.runtime import MergePatch
from clientgen.runtime.errors import Conflict, Invalid
from clientgen.runtime.models import Condition, ObjectMeta

pytestmark = pytest.mark.cluster

TYPES = Path(__file__).resolve().parents[1] / "crd_golden/crontab/crontab"
LONG = 30.0
# The package of each document, by the names they are imported by.
SOURCES = {
    "clientgen_test_live": ("--cluster", "--kubeconfig"),
    "clientgen_test_v2": ("--spec", "v2.json"),
    "clientgen_test_v3": ("--spec", "v3"),
}


@pytest.fixture(scope="module")
def folder(
    scratch: Scratch, kubeconfig: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Where the packages are; their kind is served."""
    folder, domain = tmp_path_factory.mktemp("generated"), new_domain()
    in_domain(domain, TYPES.glob("*.py"), folder / "crontab")
    run(folder, "crd", "--types", "crontab.v1", "--output", "crds", "--package", "x", "--quiet")
    with defined(scratch.admin, definitions(folder / "crds")) as there:
        wait_for_documents(scratch.admin, there)
        for version, output in (("v2", "v2.json"), ("v3", "v3")):
            pull = ("spec", "pull", "--openapi", version, "--output", output, "--quiet")
            run(folder, *pull, "--kubeconfig", kubeconfig)
        more = ("--use", "kubeapi", "--include", f"stable.{domain}", "--output", ".", "--quiet")
        for name, source in SOURCES.items():
            place = (kubeconfig,) if source[-1] == "--kubeconfig" else ()
            run(folder, "generate", *source, *place, *more, "--package", name)
        yield folder


@pytest.fixture(params=SOURCES)
def made(folder: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One of the packages."""
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return importlib.import_module(request.param)


@pytest.fixture
def models(made: Any) -> Any:
    return importlib.import_module(f"{made.__name__}.stable.v1")


def test_all_documents_make_one_package(folder: Path) -> None:
    live, v2, v3 = (bare(folder / name) for name in SOURCES)
    assert live == v3
    assert live == v2


def changed(**fields: Any) -> Callable[[Any], None]:
    """A change of some fields of a spec."""

    def change(it: Any) -> None:
        for name, value in fields.items():
            setattr(it.spec, name, value)

    return change


async def test_objects_live_their_lives(
    kubeconfig: str, namespace: str, made: Any, models: Any
) -> None:
    async with made.AsyncClientset.from_config(kubeconfig, timeout=LONG) as k:
        crontabs = k.stable_v1.cron_tabs(namespace)
        spec = models.CronTabSpec(cron_spec="0 0 * * *", image="job:1")
        nightly = models.CronTab(metadata=ObjectMeta(name="nightly"), spec=spec)
        created = await crontabs.create(nightly)
        assert (type(created), created.metadata.generation) == (models.CronTab, 1)
        assert (created.spec.replicas, created.spec.concurrency) == (1, "Allow")
        assert await crontabs.get("nightly") == created

        since = created.metadata.resource_version
        async with crontabs.watch(resource_version=since, timeout=LONG) as watch:
            edited = await crontabs.edit("nightly", changed(image="job:2"))
            (event,) = await async_take(1, watch)
        assert (event.type, event.object) == ("MODIFIED", edited)
        with pytest.raises(Conflict):
            await crontabs.update(created)
        assert [each.metadata.name for each in await crontabs.list()] == ["nightly"]

        other = models.CronTab(metadata=ObjectMeta(name="bad"), spec=spec)
        other.spec.cron_spec = "whenever"
        with pytest.raises(Invalid) as caught:
            await crontabs.create(other)
        assert [cause.field for cause in caught.value.causes] == ["spec.cronSpec"]

        patched = await crontabs.patch("nightly", MergePatch({"spec": {"replicas": 2}}))
        assert patched.spec.replicas == 2
        await crontabs.delete("nightly")
        assert list(await crontabs.list()) == []


async def test_a_status_and_a_scale_are_written_by_themselves(
    kubeconfig: str, namespace: str, made: Any, models: Any
) -> None:
    async with made.AsyncClientset.from_config(kubeconfig, timeout=LONG) as k:
        crontabs = k.stable_v1.cron_tabs(namespace)
        spec = models.CronTabSpec(cron_spec="0 0 * * *", image="job:1")
        created = await crontabs.create(models.CronTab(metadata=ObjectMeta(name="a"), spec=spec))
        now = created.metadata.creation_timestamp
        assert now
        ready = Condition(
            type="Ready", status="True", reason="Ok", message="", last_transition_time=now
        )
        created.status = models.CronTabStatus(replicas=1, selector="app=a", conditions=[ready])
        created.spec.replicas = 9
        written = await crontabs.update_status(created)
        assert (written.spec.replicas, written.status.conditions) == (1, [ready])
        scale = await crontabs.scale("a").get()
        assert (scale.spec.replicas, scale.status.selector) == (1, "app=a")
        await crontabs.scale("a").edit(changed(replicas=5))
        assert (await crontabs.get("a")).spec.replicas == 5
        with pytest.raises(Invalid):
            await crontabs.scale("a").edit(changed(replicas=11))


async def test_an_informer_follows_them(
    kubeconfig: str, namespace: str, made: Any, models: Any
) -> None:
    spec = models.CronTabSpec(cron_spec="0 0 * * *", image="job:1")
    async with made.AsyncClientset.from_config(kubeconfig, timeout=LONG) as k:
        crontabs = k.stable_v1.cron_tabs(namespace)
        await crontabs.create(models.CronTab(metadata=ObjectMeta(name="a"), spec=spec))
        async with k.informers(namespace=namespace) as factory:
            lister = factory.stable_v1.cron_tabs().lister
            factory.start()
            assert all((await factory.wait_for_sync(LONG)).values())
            assert lister.in_namespace(namespace).get("a").spec.image == "job:1"
            await crontabs.edit("a", changed(image="job:2"))

            async def is_seen() -> bool:
                return bool(lister.in_namespace(namespace).get("a").spec.image == "job:2")

            await async_until(is_seen)
