"""Files of the test server's containers: copied by our client, by kubectl, and hostile archives."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Pod
from support.http_calls import call
from support.kubectl import KUBECTL, Kubectl

from clientgen.runtime.errors import CopyFailed, InternalError, OperationRefused
from clientgen.testing import FakeCluster, LocalServer

BIG = bytes(range(256)) * 10_000


@pytest.fixture
def cluster() -> FakeCluster:
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    web = Pod(
        metadata={"name": "web-0", "namespace": "shop"}, spec=spec, status={"phase": "Running"}
    )
    return FakeCluster(web)


@pytest.fixture
def pods(cluster: FakeCluster) -> Any:
    return cluster.clientset(Clientset).core_v1.pods("shop")


@pytest.fixture
def kubectl(cluster: FakeCluster, tmp_path: Path) -> Iterator[Kubectl]:
    if not KUBECTL:
        pytest.skip("kubectl is not installed")
    with LocalServer(cluster) as server:
        yield Kubectl(server.kubeconfig, tmp_path, "shop")


def test_files_are_copied_to_and_from(cluster: FakeCluster, pods: Any, tmp_path: Path) -> None:
    files = cluster.container("shop/web-0").files
    files["/srv/www/a"] = b"a"
    files["/srv/www/sub/b"] = BIG

    pods.copy_from("web-0", "/srv/www", tmp_path / "www")
    (tmp_path / "www/c").write_text("c")
    pods.copy_to("web-0", tmp_path / "www", "/new/")
    pods.copy_from("web-0", "/new/www/sub/b", tmp_path / "b")

    assert (tmp_path / "www/sub/b").read_bytes() == (tmp_path / "b").read_bytes() == BIG
    assert sorted(files) == [
        *("/new/www/a", "/new/www/c", "/new/www/sub/b", "/srv/www/a", "/srv/www/sub/b"),
    ]
    with pytest.raises(CopyFailed, match=r"tar: \./nothing: Cannot stat: No such file"):
        pods.copy_from("web-0", "/nothing", tmp_path / "x")


def test_kubectl_copies_files_and_folders_both_ways(
    cluster: FakeCluster, kubectl: Kubectl, tmp_path: Path
) -> None:
    files = cluster.container("shop/web-0").files
    files["/srv/www/a"] = b"a"
    files["/srv/www/sub/b"] = BIG
    (tmp_path / "local").write_bytes(BIG)

    kubectl("cp", "web-0:/srv/www", f"{tmp_path}/www")
    kubectl("cp", f"{tmp_path}/local", "web-0:/srv/www/sub")
    kubectl("cp", f"{tmp_path}/www", "web-0:/copy")
    kubectl("cp", "web-0:/srv/www/sub/local", f"{tmp_path}/back")

    assert (tmp_path / "www/sub/b").read_bytes() == BIG
    assert files["/srv/www/sub/local"] == BIG
    assert files["/copy/sub/b"] == BIG
    assert (tmp_path / "back").read_bytes() == BIG


def test_programs_that_a_test_plays_beside_files(cluster: FakeCluster, pods: Any) -> None:
    container = cluster.container("shop/web-0")
    container.files["/a"] = b"of the file"

    assert pods.exec("web-0", ["ls"]).exit_code == 127
    container.on_exec(lambda process: process.stdout.write(process.command[0]))
    assert pods.exec("web-0", ["ls"]).text == "ls"
    assert pods.exec("web-0", ["cat", "/a"]).text == "of the file"
    assert pods.exec("web-0", ["cat", "/b"]).exit_code == 1
    assert pods.exec("web-0", ["tar", "czf", "-", "/a"]).exit_code == 2
    assert pods.exec("web-0", ["test", "-x", "/a"]).exit_code == 2
    assert [pods.exec("web-0", ["test", *w]).exit_code for w in (["-d", "/"], ["-d", "/a"])] == [
        *(0, 1),
    ]


NOT_OF_FILES = (
    ["cat"],
    ["cat", "-"],
    ["tar", "--version"],
    ["tar"],
    ["test", "-n", "/a"],
    ["test"],
)


@pytest.mark.parametrize("command", NOT_OF_FILES)
def test_commands_that_name_no_files_reach_the_test(
    cluster: FakeCluster, pods: Any, command: list[str]
) -> None:
    """`files` took `cat` over, and lost its input."""
    container = cluster.container("shop/web-0")
    container.on_exec(lambda process: process.stdout.write(process.stdin.read()))
    assert pods.exec("web-0", command, stdin="abc").text == "abc"
    container.files["/a"] = b"of the file"
    assert pods.exec("web-0", command, stdin="abc").text == "abc"


def test_cat_without_a_file_copies_its_input(cluster: FakeCluster, pods: Any) -> None:
    cluster.container("shop/web-0").files["/a"] = b"of the file"

    assert pods.exec("web-0", ["cat"], stdin="abc").text == "abc"
    assert pods.exec("web-0", ["cat", "/a", "-"], stdin=", abc").text == "of the file, abc"
    assert pods.exec("web-0", ["cat"]).text == ""
    assert pods.exec("web-0", ["tar", "tf", "-"]).exit_code == 2


def test_wrong_files(cluster: FakeCluster) -> None:
    files = cluster.container("shop/web-0").files
    with pytest.raises(ValueError, match="'a' is not an absolute path"):
        files["a"] = b""
    with pytest.raises(TypeError, match="/a: the contents must be bytes, not str"):
        files["/a"] = "text"  # type: ignore[assignment]


def test_hostile_archives(cluster: FakeCluster, pods: Any) -> None:
    files = cluster.container("shop/web-0").files
    huge, outside = tarfile.TarInfo("huge"), tarfile.TarInfo("../../etc/passwd")
    huge.size = 1 << 60

    def extract(data: bytes) -> Any:
        return pods.exec("web-0", ["tar", "xf", "-", "-C", "/srv"], stdin=data)

    assert extract(b"no archive" * 100).exit_code == 2
    assert extract(huge.tobuf()).stderr == b"tar: No space left on device\n"
    assert extract(outside.tobuf() + bytes(1024)).exit_code == 0
    assert sorted(files) == ["/etc/passwd"]


@pytest.mark.parametrize("subresource", ["exec?command=ls&stdout=1", "attach?stdout=1"])
def test_containers_refuse_media_types_as_a_kubelet_does(
    cluster: FakeCluster, subresource: str
) -> None:
    cluster.container("shop/web-0").files["/a"] = b"a"
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "v5.channel.k8s.io",
        "Accept": "application/json",
    }
    with LocalServer(cluster) as server:
        path = f"/api/v1/namespaces/shop/pods/web-0/{subresource}"
        answer = call(f"127.0.0.1:{server.port}", "GET", path, headers=upgrade)
    assert answer.status == 406
    assert answer.text == "406: Not Acceptable\n\nAvailable representations: "
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


def test_a_pod_that_has_ended(cluster: FakeCluster, pods: Any, tmp_path: Path) -> None:
    cluster.container("shop/web-0").files["/a"] = b"a"
    over = pods.get("web-0")
    over.status.phase = "Succeeded"
    pods.update_status(over)

    because = r'an error of the server prevented the request: container not found \("app"\)'
    with pytest.raises(InternalError, match=because):
        pods.copy_from("web-0", "/a", tmp_path / "a")
    with (
        pytest.raises(OperationRefused, match="Pod shop/web-0 has ended: its phase is Succeeded"),
        pods.port_forward("web-0", 80),
    ):
        pass
