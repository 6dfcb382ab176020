from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from clientgen._problems import ClientgenError
from clientgen.generator import pipeline
from clientgen.generator.configuration import Flags, load
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.sync import Rest
from clientgen.testing import FakeCluster, LocalServer

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "specs/kubernetes/swagger.json"
LABELS = ROOT / "specs/small/shared-labels.json"
CRD = ROOT / "examples/servicelookup/crd.yaml"


def kinds(*specs: Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> set[str]:
    (package,) = load(
        Flags(specs, Path("out"), "selected", include=include, exclude=exclude), Path("/")
    )
    return {f"{row.group_version}/{row.kind}" for row in pipeline.resources([package])}


def tree(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}


def generate(*specs: Path, output: Path, **selection: tuple[str, ...]) -> dict[str, str]:
    for package in load(Flags(specs, output, "selected", **selection), Path("/")):  # type: ignore[arg-type]
        pipeline.generate(package, lambda _: None)
    return tree(output / "selected")


ALL_LABELS = {
    f"networking.{of}/{version}/Route"
    for of in ("k8s.io", "mesh.example.com")
    for version in ("v1", "v1beta1")
}


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ((), (), ALL_LABELS),
        (("*",), (), ALL_LABELS),
        (("networking.k8s.io",), (), {k for k in ALL_LABELS if "k8s.io" in k}),
        (("*.k8s.io/v1",), (), {"networking.k8s.io/v1/Route"}),
        (("*/*/Route",), ("*/v1",), {k for k in ALL_LABELS if "/v1beta1/" in k}),
        ((), ("networking.*/v1*/R*",), None),
        (("networking.k8s.io/v1/Route",), (), {"networking.k8s.io/v1/Route"}),
    ],
)
def test_patterns(include: tuple[str, ...], exclude: tuple[str, ...], left: set[str] | None):
    if left is None:
        with pytest.raises(
            ClientgenError, match="`include` and `exclude` leave no kind to generate"
        ):
            kinds(LABELS, include=include, exclude=exclude)
    else:
        assert kinds(LABELS, include=include, exclude=exclude) == left


def test_a_group_is_not_the_start_of_another_and_a_dot_is_no_wildcard():
    selected = kinds(KUBERNETES, include=("apps", "core/v1/Pod"))
    assert selected == {
        "v1/Pod",
        *(
            f"apps/v1/{kind}"
            for kind in (
                "ControllerRevision",
                "DaemonSet",
                "Deployment",
                "ReplicaSet",
                "StatefulSet",
            )
        ),
    }
    with pytest.raises(ClientgenError, match="matches no kind"):
        kinds(LABELS, include=("networkingxk8s.io",))


def test_only_models_that_a_kind_needs_are_kept(tmp_path: Path):
    files = generate(KUBERNETES, output=tmp_path, include=("apps/v1/Deployment",))
    models = files["core/v1/models.py"]
    assert "class PodTemplateSpec(" in models
    assert "class Node(" not in models
    assert "class DaemonSet(" not in files["apps/v1/models.py"]
    # The scale of a Deployment is a type of another group, without clients.
    assert "class Scale(" in files["autoscaling/v1/models.py"]
    assert {path.partition("/")[0] for path in files if path.endswith("/clients.py")} == {"apps"}
    assert "core_v1" not in files["clientset.py"]


def test_the_order_of_patterns_and_documents_does_not_matter(tmp_path: Path):
    document = json.loads(LABELS.read_text())
    shuffled = {
        key: (
            dict(random.Random(7).sample(sorted(value.items()), len(value)))
            if key in {"paths", "definitions"}
            else value
        )
        for key, value in document.items()
    }
    other = tmp_path / "shared-labels.json"
    other.write_text(json.dumps(shuffled))
    patterns = ("networking.k8s.io/v1", "networking.mesh.example.com/v1beta1")
    assert generate(LABELS, output=tmp_path / "a", include=patterns) == generate(
        other, output=tmp_path / "b", include=patterns[::-1]
    )


def test_a_group_of_a_server_gives_the_clients_of_its_definition(tmp_path: Path):
    """What a whole cluster says, of which one group is wanted; and the definition by itself."""
    with (
        LocalServer(FakeCluster(crds=[CRD])) as server,
        Rest.from_config(server.kubeconfig) as rest,
    ):
        answer = rest.send(HttpRequest("GET", "/openapi/v2"), rest.deadline({}))
    spec = tmp_path / "openapi.json"
    spec.write_bytes(answer.body)

    pulled = generate(spec, output=tmp_path / "pulled", include=("servicelookup.example.com",))
    written = generate(output=tmp_path / "written", crds=(CRD,))

    assert pulled.keys() == written.keys()
    differing = [path for path in pulled if pulled[path] != written[path]]
    assert differing == ["servicelookup/v1alpha1/models.py"]  # the server describes metadata
