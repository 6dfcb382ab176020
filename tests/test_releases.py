"""The packages of all Kubernetes releases: what they are made of, and clients at other servers."""

from __future__ import annotations

import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes_release import releases as documents
from kubernetes_release.go_enums import add_enums
from kubernetes_release.packages import generate, version_of
from kubernetes_release.releases import document_of, releases, write_older
from support.run_folders import RunFolders

from clientgen._shipped import KUBERNETES

ROOT = Path(__file__).parents[1]
RELEASES = releases()
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]


def minor(release: str) -> int:
    return int(release.partition(".")[2])


def document(release: str) -> Any:
    return json.loads(document_of(release))


def test_the_releases_follow_each_other_up_to_the_one_that_is_committed():
    assert NEWEST == KUBERNETES
    assert [*map(minor, RELEASES)] == [*range(minor(OLDEST), minor(NEWEST) + 1)]
    assert len(RELEASES) >= 4
    with pytest.raises(KeyError, match=r"1\.2"):
        document_of("1.2")


def texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield the documentation texts of a document."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "description" and isinstance(each, str) and key != "properties":
                yield each
            yield from texts(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each, key)


def enums(value: Any) -> int:
    if isinstance(value, dict):
        return isinstance(value.get("enum"), list) + sum(map(enums, value.values()))
    return sum(map(enums, value)) if isinstance(value, list) else 0


@pytest.mark.parametrize("release", RELEASES)
def test_documents_are_facts_in_the_form_of_a_server(release: str):
    read = document(release)
    assert read["info"] == {"title": "Kubernetes", "version": release}
    assert set(texts(read)) == {"Accepted", "Created", "OK", "Unauthorized"}
    assert enums(read["definitions"]) > 100
    assert b"cbor" not in document_of(release)


# ------------------------------------------------------------------------------ enumerations

GO = {
    "api/core/v1/types.go": """\
package v1

// Protocol is a way to talk.
// +enum
type Protocol string

const (
\t// ProtocolTCP is the old one.
\tProtocolTCP Protocol = "TCP"
\tProtocolUDP Protocol = "UDP" // the other one
)

// Colour is open.
type Colour string

const Red Colour = "red"
""",
    "api/net/v1/types.go": """\
package v1

import (
\tcorev1 "k8s.io/api/core/v1"
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +enum
type Kind string

const (
\tKindTCP = Kind(corev1.ProtocolTCP)
\tKindOther = Kind("Other")
)

type Port struct {
\tCommon `json:",inline"`
\tProtocol *corev1.Protocol `json:"protocol,omitempty"`
\tProtocols []corev1.Protocol `json:"protocols"`
\tColour corev1.Colour `json:"colour"`
}

type Common struct {
\tKinds map[string]Kind `json:"kinds"`
\tGone Kind `json:"gone"`
}
""",
    "api/net/v2/types.go": """\
package v2

import "k8s.io/api/net/v1"

type Kind = v1.Kind
type Port = v1.Port

type Plug struct {
\tKind Kind `json:"kind"`
\tPorts []Port `json:"ports"`
}
""",
    "api/net/v2/zz_generated.go": "package v2\n\n// +enum\ntype Port string\n",
}
PORT = {
    "properties": {
        "protocol": {"type": "string"},
        "protocols": {"type": "array", "items": {"type": "string"}},
        "colour": {"type": "string"},
        "kinds": {"type": "object", "additionalProperties": {"type": "string"}},
    }
}


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name, text in GO.items():
        (tmp_path / "sources" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sources" / name).write_text(text)
    return tmp_path / "sources"


def definitions() -> dict[str, Any]:
    plug = {"properties": {"kind": {"type": "string"}, "ports": {"type": "array", "items": {}}}}
    names = ("io.k8s.api.net.v1.Port", "io.k8s.api.net.v2.Port")
    return {
        **{name: json.loads(json.dumps(PORT)) for name in names},
        "io.k8s.api.net.v2.Plug": plug,
    }


def test_enumerations_are_those_of_the_go_types(sources: Path):
    read = {"definitions": definitions()}
    assert add_enums(read, sources) == 7
    port = read["definitions"]["io.k8s.api.net.v1.Port"]["properties"]
    assert port["protocol"]["enum"] == ["TCP", "UDP"]
    assert port["protocols"]["items"]["enum"] == ["TCP", "UDP"]
    assert port["kinds"]["additionalProperties"]["enum"] == ["Other", "TCP"]
    assert "enum" not in port["colour"]
    assert read["definitions"]["io.k8s.api.net.v2.Port"]["properties"] == port
    plug = read["definitions"]["io.k8s.api.net.v2.Plug"]["properties"]
    assert plug["kind"]["enum"] == ["Other", "TCP"]
    assert plug["ports"] == {"type": "array", "items": {}}


def test_an_older_document_is_kept_as_a_server_would_answer_it(
    sources: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(documents, "_FOLDER", sources / "kept")
    given = {
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "definitions": {**definitions(), "Thing": {"description": "Prose."}},
        "paths": {"/api/": {"get": {"produces": ["application/json", "application/cbor"]}}},
    }
    size = write_older("1.9", given, sources)
    assert (sources / "kept/1.9.json.xz").stat().st_size == size
    assert releases() == ["1.9", NEWEST]
    read = document("1.9")
    assert read["info"]["version"] == "1.9"
    assert read["definitions"]["Thing"] == {}
    assert read["paths"]["/api/"]["get"]["produces"] == ["application/json"]
    assert enums(read) == 7
    assert lzma.decompress((sources / "kept/1.9.json.xz").read_bytes()) == document_of("1.9")


# ------------------------------------------------------------------------------------ packages


@pytest.fixture(scope="module")
def oldest(run_folders: RunFolders) -> Path:
    return run_folders.get(f"kubernetes-{OLDEST}", lambda folder: generate(folder, OLDEST))


@pytest.mark.slow
def test_the_package_of_the_newest_release_is_the_committed_one(tmp_path: Path):
    generate(tmp_path, NEWEST)
    committed = ROOT / "generated"
    assert (tmp_path / "pyproject.toml").read_text() == (committed / "pyproject.toml").read_text()
    manifest = "kubeapi/_manifest.json"  # it has the digests of all files
    assert (tmp_path / manifest).read_bytes() == (committed / manifest).read_bytes()


@pytest.mark.slow
def test_the_package_of_an_older_release_says_which_one(oldest: Path):
    text = (oldest / "pyproject.toml").read_text()
    assert f'version = "{version_of(OLDEST)}"' in text
    assert f"Kubernetes {OLDEST} " in text
    assert KUBERNETES not in text
    assert (oldest / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


# -------------------------------------------------------------- clients and servers of all ages

_LISTED = re.compile(r"/(?:api|apis/([^/]+))/(v\w+)/([a-z]+)")


def listed(release: str) -> set[str]:
    """Return the resources that a server of a release lists across namespaces."""
    found = set[str]()
    for path, item in document(release)["paths"].items():
        match = _LISTED.fullmatch(path)
        if match and item.get("get", {}).get("x-kubernetes-action") == "list":
            found.add(f"{match[1]}/{match[2]} {match[3]}" if match[1] else f"{match[2]} {match[3]}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("client", [OLDEST, NEWEST])
def test_a_client_meets_servers_of_all_releases(client: str, oldest: Path, tmp_path: Path):
    package = oldest if client == OLDEST else ROOT / "generated"
    servers = {release: tmp_path / f"{release}.json" for release in RELEASES}
    for release, path in servers.items():
        path.write_bytes(document_of(release))
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "tests/support/skewed_client.py"),
            *(f"{release}={path}" for release, path in servers.items()),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    met = json.loads(done.stdout)
    assert list(met) == list(RELEASES)
    has = listed(client)
    for release, found in met.items():
        served = listed(release)
        # Each kind that the server does not have is NotFound, and every other one is listed.
        assert found["reached"] == {name: name in served for name in has}, release
        assert found["knows"] == (minor(client) >= 34)
        if minor(release) >= 34:
            # The server has the field: a client that does not know it writes it back.
            assert found["kept"] == ["www", "www"]
            assert found["typed"] == ("www" if found["knows"] else None)
            assert found["refused"] == ""
        else:
            # It does not: creates lose it with a warning, server-side apply is refused.
            assert found["kept"] == [None, None]
            assert found["typed"] is None
            assert ".spec.hostnameOverride: field not declared in schema" in found["refused"]
            assert 'unknown field "spec.hostnameOverride"' in "".join(found["warnings"])
        told = re.findall(r"is deprecated in v1\.(\d+)\+", "".join(found["warnings"]))
        assert max(map(int, told)) <= minor(release)
    removed = {name for name, served in met[NEWEST]["reached"].items() if not served}
    assert bool(removed) == (client == OLDEST)
