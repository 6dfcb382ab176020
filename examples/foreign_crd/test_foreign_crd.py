"""What is made of the release, and both movers, on an API server that has its definitions."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import backups_client
import pytest
from backups_client.backups_example.v1 import (
    Backup,
    BackupSpec,
    BackupSpecFilter,
    BackupSpecFilterMetadata,
    BackupSpecKey,
    BackupSpecRetention,
    BackupSpecRetentionLevels,
    BackupSpecSource,
    BackupSpecSourceDatabase,
    BackupSpecSourceVolume,
    BackupSpecTargets,
    BackupStatusSnapshots,
    BackupStore,
    BackupStoreSpec,
    Drill,
    Window,
)
from backups_client.backups_other.v1 import Backup as TapeBackup
from kubeapi.core.v1 import EnvVar, Namespace, PodTemplateSpec, ResourceRequirements
from kubeapi.meta.v1 import Condition, ObjectMeta
from mover import async_move, move
from mover.decisions import Move, known_kinds

from clientgen.runtime import JsonPatch
from clientgen.runtime.errors import Invalid
from clientgen.runtime.models import Quantity, raw, raw_value, to_dict
from clientgen.testing import FakeCluster, LocalServer

HERE = Path(__file__).parent
RELEASE, MANIFESTS = HERE / "release", HERE / "manifests"
ANYTHING: Any = "Anything"
PRIORITY = 7
FROM_ATTIC = Move("attic", "cellar")
DATABASE = BackupSpecSource(database=BackupSpecSourceDatabase(engine="postgres"))
VOLUME = BackupSpecSource(volume=BackupSpecSourceVolume(claim_name="pictures"))
Mover = Callable[[FakeCluster, Move], list[Backup]]


def made() -> FakeCluster:
    """A cluster with the definitions of the release and two stores."""
    stores = [store("cellar"), store("vault", read_only=True)]
    return FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), *stores, crds=[RELEASE])


@pytest.fixture
def cluster() -> FakeCluster:
    return made()


@pytest.fixture(scope="module")
def strict_cluster() -> FakeCluster:
    """One that refuses whatever it is asked, so that tests may share it."""
    return made()


@pytest.fixture
def k(cluster: FakeCluster) -> backups_client.Clientset:
    return cluster.clientset(backups_client.Clientset)


def store(name: str, *, read_only: bool = False) -> BackupStore:
    """A store as somebody would write it."""
    spec = BackupStoreSpec(url=f"file:///{name}", read_only=read_only)
    return BackupStore(metadata=ObjectMeta(name=name), spec=spec)


def backup(name: str = "b", **spec: Any) -> Backup:
    """A backup with nothing but what has to be said, and what is given."""
    fields: dict[str, Any] = {"source": DATABASE, "targets": [BackupSpecTargets(store="attic")]}
    return Backup(metadata=ObjectMeta(name=name), spec=BackupSpec(**{**fields, **spec}))


def apply_manifests(k: backups_client.Clientset) -> None:
    """Create what is in the manifests, as `kubectl apply -f manifests` would."""
    for each in known_kinds().load(MANIFESTS):
        if isinstance(each, Backup):
            k.backups_example_v1.backups("shop").create(each)
        elif isinstance(each, BackupStore):
            k.backups_example_v1.backup_stores().create(each)
        elif isinstance(each, Drill):
            k.backups_example_v1.drills("shop").create(each)
        else:
            assert isinstance(each, TapeBackup)
            k.backups_other_v1.backups("shop").create(each)


# ---- the movers ---------------------------------------------------------------------------------


def with_threads(cluster: FakeCluster, way: Move) -> list[Backup]:
    with cluster.clientset(backups_client.Clientset) as k:
        return move.move_all(k, way)


def with_tasks(cluster: FakeCluster, way: Move) -> list[Backup]:
    async def run() -> list[Backup]:
        async with cluster.clientset(backups_client.AsyncClientset) as k:
            return await async_move.move_all(k, way)

    return asyncio.run(run())


@pytest.fixture(params=[with_threads, with_tasks])
def mover(request: pytest.FixtureRequest) -> Mover:
    mover: Mover = request.param
    return mover


def test_backups_move_to_another_store(
    cluster: FakeCluster,
    k: backups_client.Clientset,
    mover: Mover,
    capsys: pytest.CaptureFixture[str],
) -> None:
    apply_manifests(k)
    backups = k.backups_example_v1.backups("shop")
    backups.create(backup("elsewhere", targets=[BackupSpecTargets(store="cellar")]))
    backups.status("orders").edit(lambda each: setattr(each.status, "phase", "Failed"))
    cluster.clear_actions()

    moved = mover(cluster, FROM_ATTIC)

    assert [each.metadata.name for each in moved] == ["orders", "pictures"]
    assert [[t.store for t in each.spec.targets] for each in moved] == [["cellar"], ["cellar"]]
    assert [each.spec.runners for each in moved] == [2, 1]
    [condition] = moved[0].status.conditions
    assert (condition.type, condition.message) == ("Moved", "from attic to cellar")
    assert moved[0].status.phase == "Failed"
    assert capsys.readouterr().err == "failed before: orders\n"
    for_one = ["backups.backups.example.com/scale", "backups.backups.example.com"]
    for_one += ["backups.backups.example.com/status", "backups.backups.example.com/scale"]
    assert [str(action).split()[1] for action in cluster.writes] == for_one * 2


def test_an_unmoved_backup_is_unchanged(
    cluster: FakeCluster, k: backups_client.Clientset, mover: Mover
) -> None:
    apply_manifests(k)
    before = stored(cluster, "orders")

    mover(cluster, FROM_ATTIC)

    after = stored(cluster, "orders")
    [target] = after["targets"]
    assert target == {"store": "cellar", "prefix": "orders/"} | {
        "driver": {"name": "s3", "region": "eu-west-1"}  # which no class knows of
    }
    assert {**after, "targets": 0} == {**before, "targets": 0}


def stored(cluster: FakeCluster, name: str) -> dict[str, Any]:
    """The spec of a backup, with what no class knows of."""
    backups = cluster.clientset(backups_client.Clientset).backups_example_v1.backups("shop")
    spec: dict[str, Any] = to_dict(backups.get(name))["spec"]
    return spec


def test_a_later_release_of_the_operator_knows_more(mover: Mover, tmp_path: Path) -> None:
    text = (RELEASE / "backups.yaml").read_text()
    known = "              remark:\n"
    later = tmp_path / "backups.yaml"
    later.write_text(text.replace(known, f"              priority: {{type: integer}}\n{known}"))
    cluster = FakeCluster(store("cellar"), crds=[later])
    cluster.apply_manifests(
        (MANIFESTS / "shop.yaml")
        .read_text()
        .split("---")[1]
        .replace("mode:", f"priority: {PRIORITY}\n  mode:")
    )

    mover(cluster, FROM_ATTIC)

    assert stored(cluster, "orders")["priority"] == PRIORITY


@pytest.mark.parametrize("module", ["move", "async_move"])
def test_the_program_prints_manifests_of_what_it_moved(
    cluster: FakeCluster, k: backups_client.Clientset, module: str
) -> None:
    apply_manifests(k)
    command = [sys.executable, "-W", "error", "-m", f"mover.{module}", "attic", "cellar"]

    with LocalServer(cluster) as server:
        environment = {**os.environ, "KUBECONFIG": str(server.kubeconfig)}
        done = subprocess.run(
            command, check=False, cwd=HERE, env=environment, capture_output=True, text=True
        )

    assert (done.returncode, done.stderr) == (0, "")
    for each in known_kinds().load(done.stdout):
        assert isinstance(each, Backup)
        assert not each.metadata.uid  # it can be applied elsewhere
        assert each.spec == k.backups_example_v1.backups("shop").get(each.metadata.name or "").spec


def test_a_store_for_reading_takes_nothing(cluster: FakeCluster, mover: Mover) -> None:
    with pytest.raises(ValueError, match="vault is for reading only"):
        mover(cluster, Move("attic", "vault"))

    assert not cluster.writes


# ---- what the server makes of what the classes say ----------------------------------------------


def test_omitted_fields_take_the_defaults_of_the_definition(k: backups_client.Clientset) -> None:
    spec = k.backups_example_v1.backups("shop").create(backup()).spec

    assert (spec.mode, spec.schedule, spec.runners) == ("Incremental", "0 3 * * *", 1)
    assert (spec.compression, spec.check, spec.throttle) == (3, "Checksum", "50%")
    assert spec.retention == BackupSpecRetention(keep_last=7)
    assert [target.prefix for target in spec.targets] == [""]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"schedule": "at noon"}, "spec.schedule"),
        ({"mode": ANYTHING}, "spec.mode"),
        ({"compression": 4}, "spec.compression"),
        ({"check": ANYTHING}, "spec.check"),
        ({"mode": "Full", "compression": 0}, "spec.compression.* full backups are compressed"),
        ({"runners": 11}, "spec.runners"),
        ({"targets": []}, "spec.targets"),
        ({"targets": [BackupSpecTargets(store="a")] * 2}, r"spec.targets\[1\].*Duplicate"),
        ({"source": BackupSpecSource()}, "spec.source"),
        (
            {"source": BackupSpecSource(volume=VOLUME.volume, database=DATABASE.database)},
            "spec.source.*at most 1",
        ),
        ({"key": BackupSpecKey(id="1")}, "spec.key.id"),
        (
            {
                "source": BackupSpecSource(
                    database=BackupSpecSourceDatabase(engine="mysql", address="::1")
                )
            },
            "spec.source.database.address",
        ),
        (
            {
                "retention": BackupSpecRetention(
                    levels=[BackupSpecRetentionLevels(name="w", window=Window(from_=4, to=1))]
                )
            },
            r"spec.retention.levels\[0\].window.* a window begins before it ends",
        ),
        ({"on_failure": raw({"kind": "ConfigMap"})}, "spec.onFailure.apiVersion"),
    ],
)
def test_the_server_refuses_what_the_definition_does_not_allow(
    strict_cluster: FakeCluster, wrong: dict[str, Any], field: str
) -> None:
    k = strict_cluster.clientset(backups_client.Clientset)

    with pytest.raises(Invalid, match=field):
        k.backups_example_v1.backups("shop").create(backup(**wrong))


def test_names_that_are_words_of_python_or_no_words_at_all(
    cluster: FakeCluster, k: backups_client.Clientset
) -> None:
    filters = BackupSpecFilter(
        from_=datetime(2026, 1, 1, tzinfo=UTC),
        class_="image",
        import_=False,
        y="z",
        ref="main",
        field_2fa=True,
        list_=["*.png"],
        backups_example_com_tier="gold",
        metadata=BackupSpecFilterMetadata(owner="ada", uid=2**53 + 1),
    )

    made = k.backups_example_v1.backups("shop").create(backup("b", filter=filters))

    assert made.spec.filter == filters
    assert stored(cluster, "b")["filter"] == {
        "from": "2026-01-01T00:00:00Z",
        "class": "image",
        "import": False,
        "x-y": "z",
        "$ref": "main",
        "2fa": True,
        "list": ["*.png"],
        "backups.example.com/tier": "gold",
        "metadata": {"owner": "ada", "uid": 2**53 + 1},
    }


def test_values_of_every_kind_come_back(k: backups_client.Clientset) -> None:
    apply_manifests(k)
    spec = k.backups_example_v1.backups("shop").get("orders").spec

    assert spec.source.database is not None
    assert raw_value(spec.source.database.options)["application_name"] == "007"
    assert (spec.source.database.port, spec.throttle) == (5432, 2**20)
    assert spec.key == BackupSpecKey(id="0b7a5a3e-6f0e-4d3c-9f57-2f8f5f0f7c11", salt=b"salt")
    assert spec.retention is not None
    assert [level.window for level in spec.retention.levels] == [
        Window(from_=1, to=4, days=["Sat", "Sun"])
    ]
    assert [(stage, hook.timeout) for stage, [hook] in spec.hooks.items()] == [("before", "30s")]
    assert spec.holidays == [{"2027-01-01": "New Year"}]
    assert raw_value(spec.on_failure)["data"] == {"call": "Ada"}
    assert k.backups_example_v1.backup_stores().get("attic").spec.capacity == Quantity("2Ti")


def test_an_edit_leaves_null_where_it_stands(k: backups_client.Clientset) -> None:
    backups = k.backups_example_v1.backups("shop")
    backups.create(backup(remark="soon to go"))
    backups.patch("b", JsonPatch([{"op": "replace", "path": "/spec/remark", "value": None}]))

    edited = backups.edit("b", lambda each: setattr(each.spec, "compression", 9))

    assert edited.spec.remark is None
    backups.patch("b", JsonPatch([{"op": "test", "path": "/spec/remark", "value": None}]))


def test_copies_of_types_of_kubernetes_are_these_types(k: backups_client.Clientset) -> None:
    apply_manifests(k)
    spec = k.backups_example_v1.backups("shop").get("orders").spec
    template = k.backups_example_v1.drills("shop").get("orders").spec.template

    assert type(template) is PodTemplateSpec
    [container] = template.spec.containers
    container.env, container.resources = spec.env, spec.resources or ResourceRequirements()
    assert [type(each) for each in container.env] == [EnvVar]
    assert container.resources.limits == {"memory": Quantity("512Mi")}


# ---- verbs, versions, names ---------------------------------------------------------------------


def test_status_is_written_apart_from_the_rest(k: backups_client.Clientset) -> None:
    backups = k.backups_example_v1.backups("shop")
    mine = backups.create(backup())
    mine.spec.runners = 5
    mine.status.conditions = [
        Condition(
            type="Ready",
            status="True",
            reason="Done",
            message="",
            last_transition_time=datetime(2026, 1, 1, tzinfo=UTC),
        )
    ]
    mine.status.snapshots = [
        BackupStatusSnapshots(id="0b7a5a3e-6f0e-4d3c-9f57-2f8f5f0f7c11", digest=b"\xff")
    ]

    told = backups.update_status(mine)

    assert (told.spec.runners, told.status) == (1, mine.status)
    assert backups.get("b").status.snapshots[0].digest == b"\xff"


def test_a_scale_is_that_of_kubernetes(k: backups_client.Clientset) -> None:
    backups = k.backups_example_v1.backups("shop")
    backups.create(backup())

    before = backups.set_runners("b", most := 10)  # a method of ours: see expansions.py

    assert (before, backups.scale("b").get().spec.replicas) == (1, most)
    with pytest.raises(Invalid, match=r"spec\.runners"):
        backups.set_runners("b", most + 1)


def test_selectable_fields_select(k: backups_client.Clientset) -> None:
    backups = k.backups_example_v1.backups("shop")
    for name, mode in (("a", "Full"), ("b", "Incremental")):
        backups.create(backup(name, mode=mode))

    matching = backups.list(field_selector="spec.mode=Full")

    assert [each.metadata.name for each in matching] == ["a"]


def test_the_location_of_a_store_is_immutable(k: backups_client.Clientset) -> None:
    stores = k.backups_example_v1.backup_stores()

    with pytest.raises(Invalid, match="a store stays where it is"):
        stores.edit("cellar", lambda each: setattr(each.spec, "url", "file:///tmp"))


def test_a_version_that_goes_is_served_and_warned_of(
    k: backups_client.Clientset, caplog: pytest.LogCaptureFixture
) -> None:
    k.backups_example_v1.backups("shop").create(backup(mode="Full"))

    with caplog.at_level(logging.WARNING, "clientgen.warnings"):
        old = k.backups_example_v1alpha1.backups("shop").get("b")

    assert (old.spec.mode, old.api_version) == ("Full", "backups.example.com/v1alpha1")
    (warning,) = caplog.messages
    assert warning.endswith("/b: backups.example.com/v1alpha1 Backup goes with release 3; use v1")
    assert not hasattr(k, "backups_example_v1beta1")  # which is not served


def test_manifests_are_read_and_written() -> None:
    scheme = known_kinds()

    objects = scheme.load(MANIFESTS, strict=True)

    assert [type(each) for each in objects] == [BackupStore, Backup, Backup, TapeBackup, Drill]
    assert scheme.load(scheme.dump(objects)) == objects
    assert "backups.example.com/v1/BackupLock" not in scheme  # see `exclude` in clientgen.toml
