"""`clientgen serve --data`: what was answered is there after a kill, and a damaged file is told."""

from __future__ import annotations

import json
import os
import signal
import threading
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli.test_serve import CRD, Served, started
from click.testing import Result
from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap, Secret, ServiceAccount
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.runtime import errors
from clientgen.runtime.conditions import deleted
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster
from clientgen.testing._fake.data_folder import DataError, DataFolder

Run = Callable[..., Result]


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def kill(served: Served) -> None:
    served.process.send_signal(signal.SIGKILL)
    served.process.wait(60)


def user_of(served: Served, token: str) -> str:
    """Return the user whom the server knows by a token."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    request = urllib.request.Request(
        f"{served.url}/apis/authentication.k8s.io/v1/selfsubjectreviews",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        user: str = json.load(response)["status"]["userInfo"]["username"]
        return user


@contextmanager
def cluster_in(path: Path, **options: Any) -> Generator[tuple[FakeCluster, DataFolder]]:
    """A cluster that keeps its objects in a folder, in this process."""
    folder = DataFolder(path, **options)
    try:
        cluster = FakeCluster(controller_delay=0.0)
        folder.attach(cluster.server)
        yield cluster, folder
    finally:
        folder.close()


@pytest.mark.slow
def test_a_kill_loses_nothing_that_was_answered(here: Path) -> None:
    answered: dict[str, str] = {}
    removed: list[str] = []

    def write(k: Clientset, writer: int) -> None:
        maps = k.core_v1.config_maps("default")
        try:
            for number in range(100_000):
                name = f"w{writer}-{number}"
                made = maps.create(config_map(name, text="x" * 3000))
                answered[name] = made.metadata.resource_version
                if number % 3 == 0:
                    maps.delete(name)
                    removed.append(name)
        except errors.TransportError:  # the server is killed
            pass

    with started("--data", "data") as served, Clientset.from_config(served.kubeconfig) as k:
        writers = [threading.Thread(target=write, args=(k, number)) for number in range(3)]
        for writer in writers:
            writer.start()
        while len(answered) < 100:
            threading.Event().wait(0.01)
        kill(served)
        for writer in writers:
            writer.join()
    with started("--data", "data") as served, Clientset.from_config(served.kubeconfig) as k:
        stored = {
            each.metadata.name: each.metadata.resource_version
            for each in k.core_v1.config_maps("default").list().items
        }
        # The last write of each writer may be there without an answer.
        missing = {name for name in answered if name not in stored and name not in removed}
        assert len(missing) <= 3
        assert all(int(name.partition("-")[2]) % 3 == 0 for name in missing)  # its delete was sent
        assert not stored.keys() & {*removed}
        assert all(stored[name] == version for name, version in answered.items() if name in stored)


def test_definitions_tokens_and_pending_work_go_on(here: Path) -> None:
    (here / "cups.yaml").write_text(CRD)
    arguments = ("--data", "data", "--crd", "cups.yaml", "--controller-delay", "0.5")
    with started(*arguments) as served, Clientset.from_config(served.kubeconfig) as k:
        cup = {"apiVersion": "shop.example/v1", "kind": "Cup", "metadata": {"name": "blue"}}
        k.create(Unstructured(cup))
        bot = k.core_v1.service_accounts("default").create(
            ServiceAccount(metadata=ObjectMeta(name="bot"))
        )
        asked = k.core_v1.service_accounts("default").create_token("bot", {"spec": {}})
        assert asked.status is not None
        token = asked.status.token or ""
        owner = k.core_v1.config_maps("default").create(config_map("owner"))
        reference = OwnerReference(
            api_version="v1", kind="ConfigMap", name="owner", uid=owner.metadata.uid
        )
        owned = config_map("owned")
        owned.metadata.owner_references.append(reference)
        k.core_v1.config_maps("default").create(owned)
        k.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}})
        k.core_v1.config_maps("going").create(config_map("inside"))
        k.core_v1.config_maps("default").delete("owner")
        k.core_v1.namespaces().delete("going")
        kill(served)
    with started(*arguments) as served, Clientset.from_config(served.kubeconfig) as k:
        (found,) = k.dynamic.resource("cups.shop.example").list(namespace="default").items
        assert found.metadata.name == "blue"
        k.create(Unstructured({**cup, "metadata": {"name": "red"}}))
        assert user_of(served, token) == "system:serviceaccount:default:bot"
        assert k.core_v1.service_accounts("default").get("bot").metadata.uid == bot.metadata.uid
        k.core_v1.config_maps("default").wait("owned", until=deleted, timeout=60)
        k.core_v1.namespaces().wait("going", until=deleted, timeout=60)
        code, told = served.end()
        assert code == 0
        assert "note: data has objects, so --crd, --load and --setup are left out" in told


def test_a_folder_that_cannot_be_used_is_told(run: Run, here: Path) -> None:
    with cluster_in(here / "data"):
        result = run("serve", "--data", "data")
    assert result.exit_code == 1
    assert "data: another server uses the folder\n    Stop it, or name another fol" in result.stderr
    (here / "mine").mkdir()
    (here / "mine" / "letter.txt").write_text("Dear")
    result = run("serve", "--data", "mine")
    assert "mine: the folder has other files, such as letter.txt" in result.stderr
    assert [each.name for each in (here / "mine").iterdir()] == ["letter.txt"]
    (here / "file").write_text("")
    assert "file: file exists" in run("serve", "--data", "file").stderr
    for content in ("", "{}\n", "0" * 100 + "\n", "\x00\n"):
        (here / "data" / "objects").write_text(content)
        result = run("serve", "--data", "data")
        assert "objects: it is no file of `clientgen serve`" in result.stderr
    assert (here / "data" / "objects").read_text() == "\x00\n"


@pytest.mark.parametrize("cut", [1, 7, 200])
def test_an_unfinished_line_was_not_answered(tmp_path: Path, cut: int) -> None:
    with cluster_in(tmp_path) as (cluster, _):
        cluster.add(config_map("a"))
        size = (tmp_path / "objects").stat().st_size
        cluster.add(config_map("b", text="x" * 1000))
    os.truncate(tmp_path / "objects", size + cut)
    with cluster_in(tmp_path) as (cluster, folder), cluster.clientset(Clientset) as k:
        names = [each.metadata.name for each in k.core_v1.config_maps("default").list()]
        assert "a" in names
        assert "b" not in names
        assert not folder.damages


def test_flipped_bytes_are_found(tmp_path: Path) -> None:
    with cluster_in(tmp_path) as (cluster, _):
        cluster.add(config_map("a"), config_map("b"), config_map("c"))
    file = tmp_path / "objects"
    lines = file.read_bytes().splitlines(keepends=True)
    where = next(at for at, line in enumerate(lines) if b'"key":"default/b"' in line)
    for at in range(0, len(lines[where]) - 1, 7):
        broken = bytearray(lines[where])
        broken[at] ^= 1
        file.write_bytes(b"".join([*lines[:where], bytes(broken), *lines[where + 1 :]]))
        with pytest.raises(DataError, match=rf"line {where + 1} cannot be read: ") as raised:
            DataFolder(tmp_path)
        assert "objects can be read. --skip-invalid begins with them" in raised.value.hint
    with cluster_in(tmp_path, skip_damaged=True) as (cluster, folder):
        with cluster.clientset(Clientset) as k:
            names = {each.metadata.name for each in k.core_v1.config_maps("default").list()}
        assert names & {"a", "b", "c"} == {"a", "c"}
        assert folder.kept.exists()
        assert [each.number for each in folder.damages] == [where + 1]


def test_a_full_disk_refuses_writes_and_keeps_the_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster_in(tmp_path) as (cluster, _), cluster.clientset(Clientset) as k:
        maps = k.core_v1.config_maps("default")
        maps.create(config_map("a", text="old"))
        stored = cluster.server.cluster.store.stored
        real = os.write
        room = [10]

        def write(number: int, data: bytes) -> int:
            if not room:
                raise OSError(28, "No space left on device")
            return real(number, data[: room.pop()])

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", write)
            for attempt in (
                lambda: maps.create(config_map("b")),
                lambda: maps.patch("a", {"data": {"text": "new"}}),
                lambda: maps.delete("a"),
            ):
                with pytest.raises(errors.InternalError, match="cannot be written: No space left"):
                    attempt()
        assert maps.get("a").data == {"text": "old"}
        assert cluster.server.cluster.store.stored == stored
        maps.create(config_map("c"))
    with cluster_in(tmp_path) as (cluster, _), cluster.clientset(Clientset) as k:
        names = {each.metadata.name for each in k.core_v1.config_maps("default").list()}
        assert names & {"a", "b", "c"} == {"a", "c"}


def test_the_file_is_written_anew(tmp_path: Path) -> None:
    with cluster_in(tmp_path) as (cluster, folder), cluster.clientset(Clientset) as k:
        maps = k.core_v1.config_maps("default")
        maps.create(config_map("a"))
        for number in range(50):
            maps.patch("a", {"data": {"text": f"{number}" * 500}})
        k.core_v1.secrets("default").create(
            Secret(metadata=ObjectMeta(name="s"), data={"k": b"hush"})
        )
        grown = (tmp_path / "objects").stat().st_size
        version = cluster.server.cluster.store.version
        folder.rewrite()
        assert (tmp_path / "objects").stat().st_size < grown - 40 * 500
        maps.create(config_map("after"))
        assert (tmp_path / "objects").stat().st_mode & 0o077 == 0
        assert not folder.is_outdated
    with cluster_in(tmp_path) as (cluster, _), cluster.clientset(Clientset) as k:
        assert cluster.server.cluster.store.version == version + 1
        maps = k.core_v1.config_maps("default")
        assert maps.get("a").data == {"text": "49" * 500}
        assert maps.get("after").metadata.uid
        with pytest.raises(errors.Expired):
            list(maps.watch(resource_version=str(version - 10), timeout_seconds=1))
        with maps.watch(resource_version=str(version + 1)) as watch:
            maps.create(config_map("later"))
            assert next(iter(watch)).object.metadata.name == "later"
