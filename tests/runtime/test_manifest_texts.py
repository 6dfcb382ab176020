"""Manifests that a program prints or a server sends: hostile ones, too."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from support.manifest_site import MAP, answer
from support.overlays import write_files
from support.raw_server import Peer, RawServer
from support.server import Certificates
from support.web_server import WebServer, running

from clientgen.runtime import ManifestError, ManifestText, Scheme
from clientgen.runtime.aio import fetch_manifests, kustomize
from clientgen.testing import FakeCluster


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    folder = tmp_path / "an overlay; $(touch x)"
    return write_files(folder, {"kustomization.yaml": "resources: []"})


def program(folder: Path, script: str, *, name: str = "kustomize", runs: str = "/bin/sh") -> Path:
    path = folder / name
    path.write_text(f"#!{runs}\n{script}\n")
    path.chmod(0o755)
    return path


# ---- kustomize ----------------------------------------------------------------------------------


async def test_a_program_gets_arguments_and_no_secrets(
    overlay: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "KUBECONFIG", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "s3cret")
    script = 'printf "%s\\n" "$0" "$@"; env; pwd; cat; ls -a "$HOME"'
    made = program(tmp_path, script, name="kubectl-1.36")
    printed = await kustomize(overlay, program=made)
    lines = printed.text.splitlines()
    assert printed.source == f"{overlay} (kubectl-1.36 kustomize)"
    assert lines[:2] == [str(made), "kustomize"]
    assert lines[2:5] == [
        "--load-restrictor=LoadRestrictionsRootOnly",
        "--enable-helm=false",
        "--enable-alpha-plugins=false",
    ]
    assert lines[5] == str(overlay)
    assert "s3cret" not in printed.text
    settings = dict(line.split("=", 1) for line in lines[6:] if "=" in line)
    assert settings["GIT_ALLOW_PROTOCOL"] == "none"
    assert settings["HTTPS_PROXY"] == "http://127.0.0.1:1"
    assert lines[-2:] == [".", ".."]
    assert settings["HOME"] == lines[-3]
    assert not Path(settings["HOME"]).exists()  # noqa: ASYNC240 - it takes no time

    remote = (await kustomize(overlay, program=made, allow_remote=True)).text
    assert "HTTPS_PROXY=s3cret\n" in remote
    assert "GIT_ALLOW_PROTOCOL" not in remote
    assert "AWS" not in remote


async def test_kustomize_is_preferred_to_kubectl(
    overlay: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ManifestError, match="neither kustomize nor kubectl is on PATH"):
        await kustomize(overlay)
    with pytest.raises(ManifestError, match="no executable '/missing/kustomize'"):
        await kustomize(overlay, program="/missing/kustomize")
    program(tmp_path, 'echo "# $1"', name="kubectl")
    assert (await kustomize(overlay)).text == "# kustomize\n"
    program(tmp_path, 'echo "# $1"')
    assert (await kustomize(overlay)).text == "# build\n"
    with pytest.raises(ValueError, match="timeout must be a positive"):
        await kustomize(overlay, timeout=0)
    name: Any = str(overlay)
    with pytest.raises(TypeError, match="folder must be a Path, not a str"):
        await kustomize(name)
    program(tmp_path, "", runs=str(tmp_path / "missing"))
    with pytest.raises(ManifestError, match="kustomize build` cannot be run: No such file"):
        await kustomize(overlay)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("yes apiVersion", "printed more than 64 MiB and was killed"),
        ("yes >&2", "did not end within 0.5 s and was killed"),
        ("sleep 1000", "did not end within 0.5 s and was killed"),
        ("sleep 1000 & exit 0", "did not end within 0.5 s and was killed"),
        (
            'test "$1" = version && echo v5.7 && exit; echo "Error: \033[31mno\nbase" >&2; exit 3',
            "failed with exit code 3 (v5.7): [31mno base",
        ),
        ("exit 4", "failed with exit code 4: it gave no reason"),
        ("kill -9 $$", "was ended by signal 9: it gave no reason"),
        ("head -c 100000 /dev/zero | tr '\\0' x >&2; echo END >&2; exit 1", ": …xxx"),
        ("printf '\\377\\376'", "the manifest is not UTF-8 text"),
    ],
)
async def test_a_program_that_misbehaves_is_told(
    script: str, what: str, overlay: Path, tmp_path: Path
) -> None:
    made = program(tmp_path, script)
    with pytest.raises(ManifestError) as raised:
        await kustomize(overlay, program=made, timeout=0.5 if "within" in what else 50)
    assert str(raised.value).startswith(f"{overlay}")
    assert what in str(raised.value)
    assert len(str(raised.value)) < 3000


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no memory")
async def test_a_program_has_limited_memory(overlay: Path, tmp_path: Path) -> None:
    script = """import resource
while resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
    pass  # the limit is set just after the start
bytearray(5 << 30)"""
    made = program(tmp_path, script, runs=f"{sys.executable} -SE")
    with pytest.raises(ManifestError, match="MemoryError"):
        await kustomize(overlay, program=made)


async def test_what_is_no_manifest_is_told_with_its_place(overlay: Path, tmp_path: Path) -> None:
    made = program(tmp_path, "echo '---\na: 1\n---\nkind: ['")
    text = await kustomize(overlay, program=made)
    with pytest.raises(ManifestError) as raised:
        Scheme().load(text)
    first, second = str(raised.value).splitlines()
    assert (
        first == f"{overlay} (kustomize build), document 1, line 2: the manifest has no apiVersion"
    )
    assert second.startswith(f"{overlay} (kustomize build), document 2, line 4: yaml: ")


async def test_warnings_of_a_program_are_logged(
    overlay: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = program(tmp_path, "echo '# Warning: bases is deprecated' >&2; echo 'a: 1'")
    assert (await kustomize(overlay, program=made)).text == "a: 1\n"
    assert [each.getMessage() for each in caplog.records] == [
        f"{overlay}: # Warning: bases is deprecated"
    ]


async def test_a_program_is_killed_with_its_children(overlay: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    made = program(tmp_path, f"exec 3> '{pipe}'; sleep 1000 & wait")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ManifestError, match="was killed"):
        await kustomize(overlay, program=made, timeout=0.5)
    select.select([reader], [], [])  # the end of the pipe: no process has it open
    assert os.read(reader, 1) == b""
    os.close(reader)


# ---- URLs ---------------------------------------------------------------------------------------


@pytest.fixture
def trusted(certificates: Certificates, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The server's TLS context; this machine trusts its authority."""
    file = tmp_path / "ca.pem"
    file.write_bytes(certificates.ca_pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return certificates.server_context()


@pytest.fixture
def site(trusted: Any) -> Iterator[WebServer]:
    server = WebServer(answer)
    with running(server, trusted):
        yield server


async def test_manifests_are_fetched_from_urls(site: WebServer) -> None:
    assert (await fetch_manifests(f"{site.url}/map.yaml")).text == MAP
    text = await fetch_manifests(f"{site.url}/hop/3")
    assert text.source == f"{site.url}/map.yaml"
    [request, *_] = site.requests
    assert "Authorization" not in request.headers
    assert "Cookie" not in request.headers
    async with FakeCluster().clientset(AsyncClientset) as k:
        [found] = k.manifests(await fetch_manifests(f"{site.url}/map.yaml?token=s3cret"))
    assert isinstance(found, ConfigMap)
    assert found.metadata.name == "a"


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("missing?token=s3cret", "/missing: the server answered 404"),
        ("page", "/page: this is a web page; pass the URL of the file itself"),
        ("bytes", "/bytes: the manifest is not UTF-8 text"),
        ("hop/5", "there were more than 5 redirects"),
        ("to?url=file:///etc/passwd", "redirects to another URL, but it must begin with https://"),
        ("to?url=http://127.0.0.1:1/x", "redirects to another URL, but http is not encrypted"),
        ("to?url=https://me:s3cret@a/", "but it contains a user name"),
        ("to?url=//127.0.0.1:1/x?s3cret", "https://127.0.0.1:1/x: cannot be fetched: GET /x: "),
        ("to?url=https://[", "but it is not a URL"),
    ],
)
async def test_answers_that_are_no_manifests_are_told(
    path: str, what: str, site: WebServer
) -> None:
    with pytest.raises(ManifestError) as raised:
        await fetch_manifests(f"{site.url}/{path}")
    assert what in str(raised.value)
    assert str(raised.value).startswith("https://127.0.0.1:")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://127.0.0.1/s3cret", "http is not encrypted; use https, or allow_http=True"),
        ("file:///s3cret", "it must begin with https://"),
        ("s3cret.yaml", "it must begin with https://"),
        ("https:///s3cret", "it has no host"),
        ("https://me:s3cret@example.com/", "it contains a user name, and no credentials are sent"),
        ("https://[s3cret", "it is not a URL"),
    ],
)
async def test_other_urls_are_refused(url: str, what: str) -> None:
    with pytest.raises(ValueError, match="cannot be used") as raised:
        await fetch_manifests(url)
    assert str(raised.value) == f"the URL of manifests cannot be used: {what}"
    with pytest.raises(ValueError, match="timeout must be a positive"):
        await fetch_manifests(url, timeout=-1)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/yaml\r\n"


def silent(peer: Peer) -> None:
    peer.read_request()
    peer.wait()


def drips_headers(peer: Peer) -> None:
    peer.read_request()
    peer.drip(HEAD, b"X: y\r\n")


def drips(peer: Peer) -> None:
    peer.read_request()
    peer.drip(HEAD + b"\r\n", b"a")


def floods(peer: Peer) -> None:
    peer.read_request()
    peer.flood(HEAD + b"\r\n", b"a" * 100_000)


@pytest.mark.parametrize("talk", [silent, drips_headers, drips, floods])
async def test_a_server_can_neither_keep_nor_flood_the_client(talk: Any) -> None:
    is_big = talk is floods
    with RawServer(talk) as server:
        url = f"http://127.0.0.1:{server.port}/x"
        with pytest.raises(ManifestError) as raised:
            await fetch_manifests(f"{url}?s3cret", allow_http=True, timeout=50 if is_big else 0.3)
    what = "67108864" if is_big else "no response before the timeout"
    assert what in str(raised.value)
    assert str(raised.value).startswith(f"{url}: cannot be fetched: GET /x: ")


def test_texts_have_a_name_and_show_no_values() -> None:
    text = ManifestText(f"{MAP}data: {{a: 1}}", "chart web")
    assert repr(text) == "<ManifestText of chart web>"
    assert str(text) == text.text
    with pytest.raises(ManifestError, match=r"^chart web, document 1, line 1: the kind v1/Conf"):
        Scheme().load(text)
