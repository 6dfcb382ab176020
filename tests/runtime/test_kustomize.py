"""Kustomizations that are loaded as manifests, compared with what kubectl makes of them."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubeapi
import pytest
import yaml
from kubeapi import Clientset
from support.kubectl import KUBECTL
from support.overlays import MAP, OVERLAYS, write_files

from clientgen.runtime import ManifestError, Scheme, aio
from clientgen.runtime._manifests.set_objects import load_objects
from clientgen.runtime.sync import kustomize
from clientgen.testing import FakeCluster

needs_kubectl = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")
HASH = re.compile(r"-[a-z0-9]{10}$")
Json = dict[str, Any]


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    return made


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kustomization of all overlays: kubectl takes long to start."""
    folder = tmp_path_factory.mktemp("overlays")
    for name, (files, _, _) in OVERLAYS.items():
        write_files(folder / name, files)
    return write_files(folder, {"kustomization.yaml": f"resources: [{', '.join(OVERLAYS)}]"})


@pytest.fixture(scope="module")
def built(root: Path) -> list[Json]:
    """What kubectl prints for all overlays."""
    done = subprocess.run([KUBECTL, "kustomize", root], capture_output=True, check=True, timeout=60)
    return list(yaml.safe_load_all(done.stdout))


@pytest.fixture(scope="module")
def loaded(root: Path, scheme: Scheme) -> list[Json]:
    """What is loaded from all overlays, as it is sent."""
    return [each.body() for each in load_objects(scheme, [root], strict=True)]


@needs_kubectl
@pytest.mark.parametrize("name", OVERLAYS)
def test_an_overlay_is_what_kubectl_makes_of_it(
    name: str, loaded: list[Json], built: list[Json]
) -> None:
    _, key, fields = OVERLAYS[name]
    mine = [each for each in loaded if name in owners(each)]
    assert mine
    assert mine == [each for each in built if name in owners(each)]
    [found] = [each for each in mine if key_of(each, "HASH" in key) == key]
    for path, value in fields.items():
        assert at(found, path) == value, path


@needs_kubectl
def test_all_overlays_are_loaded_in_the_order_of_kubectl(
    loaded: list[Json], built: list[Json]
) -> None:
    assert loaded == built


def key_of(obj: Json, hashed: bool) -> str:
    name = obj["metadata"]["name"]
    return f"{obj['kind']}/{HASH.sub('-HASH', name) if hashed else name}"


def owners(obj: Json) -> set[str]:
    """The overlays to which an object may belong by its name: the longest is the right one."""
    names = [name for name in OVERLAYS if re.search(rf"(^|-){name}(-|$)", obj["metadata"]["name"])]
    return set(sorted(names, key=len)[-1:])


def at(obj: Json, path: str) -> Any:
    inner: Any = obj
    for step in path.split("."):
        inner = inner[int(step) if step.isdecimal() else step]
    return inner


# ---- what kubectl refuses -----------------------------------------------------------------------


@needs_kubectl
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"kustomization.yaml": "resources: [../outside.yaml]"}, "is not in or below"),
        ({"kustomization.yaml": "resources: [/etc/hosts]"}, "is not in or below"),
        (
            {"kustomization.yaml": "configMapGenerator: [{name: a, files: [../outside.yaml]}]"},
            "security; file",
        ),
        ({"kustomization.yaml": "resources: [link.yaml]"}, "is not in or below"),
        (
            {"kustomization.yaml": "resources: [a]", "a/kustomization.yaml": "resources: [../]"},
            "cycle detected",
        ),
        ({"kustomization.yaml": "helmCharts: [{name: a}]"}, "must specify --enable-helm"),
        (
            {
                "kustomization.yaml": "generators: [g.yaml]",
                "g.yaml": "apiVersion: example.com/v1\nkind: Own\nmetadata: {name: a}",
            },
            "external plugins disabled",
        ),
        (
            {
                "kustomization.yaml": "generators: [g.yaml]",
                "g.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a, annotations: {config."
                "kubernetes.io/function: 'exec: {path: /bin/true}'}}",
            },
            "external plugins disabled",
        ),
        ({"kustomization.yaml": "resources: [missing.yaml]"}, "no such file"),
        ({"kustomization.yaml": "resorces: [a.yaml]"}, 'unknown field "resorces"'),
    ],
)
def test_what_kubectl_refuses_is_told_with_its_reason(
    files: dict[str, str], reason: str, tmp_path: Path
) -> None:
    (tmp_path / "outside.yaml").write_text(MAP)
    folder = write_files(tmp_path / "overlay", files)
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    with pytest.raises(ManifestError) as raised:
        kustomize(folder, program=KUBECTL)
    assert str(raised.value).startswith(
        f"{folder}: `{KUBECTL} kustomize` failed with exit code 1 ("
    )
    assert "Kustomize Version: v" in str(raised.value)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


# ---- what is refused before a program is run ----------------------------------------------------


@pytest.mark.parametrize(
    ("files", "what"),
    [
        *(
            ({"kustomization.yaml": f"{key}: ['{entry}']"}, f"{key.casefold()}: '{shown}'")
            for key, entry, shown in [
                (
                    "resources",
                    "https://example.com/x.yaml?token=s3cret",
                    "https://example.com/x.yaml",
                ),
                ("Resources", "HTTP://example.com/x.yaml", "HTTP://example.com/x.yaml"),
                ("re\u017fources", "github.com/shop/web//base", "github.com/shop/web//base"),
                ("bases", "git::https://example.com/web", "git::https://example.com/web"),
                ("components", "git@example.com:shop/web.git", "git@example.com:shop/web.git"),
                ("generators", "ssh://git@example.com/web", "ssh://git@example.com/web"),
                ("transformers", "file:///etc", "file:///etc"),
                ("crds", "https://example.com/x.json", "https://example.com/x.json"),
            ]
        ),
        (
            {"kustomization.yaml": "patches: [{path: 'http://127.0.0.1/p.yaml'}]"},
            "path: 'http://127.0.0.1/p.yaml'",
        ),
        (
            {"kustomization.yaml": "secretGenerator: [{files: [a=https://example.com/x]}]"},
            "files: 'a=https://example.com/x'",
        ),
        ({"kustomization.yaml": "openapi: {path: 'https://a/x'}"}, "path: 'https://a/x'"),
        (
            {
                "kustomization.yaml": "resources: [a]",
                "a/kustomization.yml": "components: [../b]",
                "b/Kustomization": "resources: ['https://example.com/x']",
            },
            "b/Kustomization: resources: 'https://example.com/x'",
        ),
        (
            {
                "kustomization.yaml": "transformers: [t.yaml]",
                "t.yaml": "a: 1\n---\nkind: PatchTransformer\npath: https://example.com/x",
            },
            "t.yaml: path: 'https://example.com/x'",
        ),
        (
            {"kustomization.yaml": "transformers:\n- |-\n  path: https://example.com/x\n  a: b"},
            "path: 'https://example.com/x'",
        ),
    ],
)
def test_remote_paths_are_refused_by_name(files: dict[str, str], what: str, tmp_path: Path) -> None:
    write_files(tmp_path, files)
    (tmp_path / "github.com/shop/web/base").mkdir(parents=True)  # kustomize would clone it anyhow
    message = refused(tmp_path)
    assert f"{what} is not on this machine" in message
    assert "allow_remote=True" in message
    assert "s3cret" not in message


def refused(folder: Path, program: str = "/bin/true") -> str:
    with pytest.raises(ManifestError) as raised:
        kustomize(folder, program=program)
    return str(raised.value)


def test_bombs_are_refused(tmp_path: Path) -> None:
    for number in range(20):
        text = f"resources: [../{number + 1}, ../{number + 1}]"
        write_files(tmp_path / str(number), {"kustomization.yaml": text})
    write_files(tmp_path / "20", {"kustomization.yaml": "resources: []"})
    assert "would load more than 5000 bases" in refused(tmp_path / "0")

    deep = {f"{'a/' * depth}kustomization.yaml": "resources: [a]" for depth in range(60)}
    assert "nested more than 50 deep" in refused(write_files(tmp_path / "deep", deep))

    aliases = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
    )
    laughs = write_files(tmp_path / "laughs", {"kustomization.yaml": aliases})
    assert "excessive aliasing" in refused(laughs)
    entry = "a" * 100_000
    long = write_files(tmp_path / "long", {"kustomization.yaml": f"generators: [{entry}, ../20]"})
    assert "failed with exit code 1" in refused(long, "/bin/false")
    big = write_files(tmp_path / "big", {"kustomization.yaml": "#" * (1 << 20) + "\n"})
    assert "larger than 1 MiB" in refused(big)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("resources: [", "kustomization.yaml: yaml: "),
        ("\ufeffresources: ['https://a/b']", "'https://a/b' is not on this machine"),
        ('"\\x72esources": [a, !!str "\\x68ttps://a/b"]', "'https://a/b' is not on this machine"),
        ("a: &a {resources: ['https://a/b']}\n<<: *a", "'https://a/b' is not on this machine"),
        ("resources: ['https://a/b']".encode("utf-16").decode("latin-1"), "is not UTF-8 text"),
        ("resources: [a]\nresources: ['https://a/b']", 'key "resources" already set'),
    ],
)
def test_kustomizations_that_cannot_be_read_are_refused(
    text: str, what: str, tmp_path: Path
) -> None:
    folder = write_files(tmp_path, {"kustomization.yaml": ""})
    encoding = "latin-1" if "\0" in text else "utf-8"
    (folder / "kustomization.yaml").write_bytes(text.encode(encoding))
    assert what in refused(folder)


def test_a_kustomization_is_its_folder(scheme: Scheme, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "a/b", {"kustomization.yaml": "resources: [x.yaml]"})
    write_files(tmp_path, {"a/map.yaml": MAP})
    for source in (folder / "kustomization.yaml", tmp_path / "a"):
        with pytest.raises(ManifestError) as raised:
            scheme.load(source)
        told = f"{folder}/kustomization.yaml: this is a kustomization; pass its folder: {folder}"
        assert str(raised.value) == told
    with pytest.raises(ManifestError, match="contains no kustomization"):
        kustomize(tmp_path / "a")


def test_the_fake_cluster_loads_kustomizations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_files(tmp_path / "overlay", {"kustomization.yaml": "resources: []"})
    program = write_files(tmp_path, {"kustomize": f"#!/bin/sh\ncat <<E\n{MAP}E\n"}) / "kustomize"
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    cluster = FakeCluster()
    cluster.apply_manifests(str(folder))
    assert (
        cluster.clientset(Clientset).core_v1.config_maps("default").get("NAME").data["size"] == "9"
    )


# ---- remote bases -------------------------------------------------------------------------------


@needs_kubectl
@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_remote_bases_are_loaded_only_if_they_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"kustomization.yaml": "resources: [map.yaml]", "map.yaml": MAP}
    repository = write_files(tmp_path / "repository", files)
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "Add a map")):
        subprocess.run(["git", *words], cwd=repository, check=True, timeout=30)
    text = f"resources: ['file://{repository}/.git']"
    overlay = write_files(tmp_path / "overlay", {"kustomization.yaml": text})

    assert kustomize(overlay, program=KUBECTL, allow_remote=True).text.count("kind: ConfigMap") == 1
    assert "resources: 'file://" in refused(overlay)
    # What the check overlooks cannot be reached.
    monkeypatch.setattr("clientgen.runtime._manifests.kustomize.check_kustomization", check_nothing)
    with pytest.raises(ManifestError, match="transport 'file' not allowed"):
        kustomize(overlay, program=KUBECTL)
    text = "resources: ['http://example.com/map.yaml']"
    write_files(overlay, {"kustomization.yaml": text})
    with pytest.raises(ManifestError, match=r"proxyconnect tcp: dial tcp 127.0.0.1:1: connect"):
        kustomize(overlay, program=KUBECTL)


def check_nothing(*arguments: object, **options: object) -> None:
    """Check nothing."""


# ---- cancellation -------------------------------------------------------------------------------


async def test_a_cancelled_call_kills_the_program(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "overlay", {"kustomization.yaml": "resources: []"})
    pipe, program = tmp_path / "pipe", tmp_path / "kustomize"
    os.mkfifo(pipe)
    program.write_text(f"#!/bin/sh\nexec 3> '{pipe}'; echo started >&3; exec sleep 1000\n")
    program.chmod(0o755)
    task = asyncio.create_task(aio.kustomize(folder, program=program, timeout=1000))
    with await asyncio.to_thread(pipe.open) as reader:
        assert await asyncio.to_thread(reader.readline) == "started\n"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(reader.read) == ""
