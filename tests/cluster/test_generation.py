"""Packages from a live cluster are those from the manifests that it was told.

What differs is listed here, with the reason; documentation aside, of which the server has words of
its own for metadata and lists, and no word of what is deprecated.
"""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest
from clusterkit.definitions import defined, new_domain
from clusterkit.generation import bare, definitions, in_domain, run, wait_for_documents
from clusterkit.scratch import Scratch

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
CASES: dict[str, list[Path]] = {
    **{
        case.name: sorted(case.glob("expected/*.yaml"))
        for case in sorted(ROOT.glob("tests/crd_golden/*"))
        if (case / "expected").is_dir()
    },
    "basic": [GOLDEN / "crd-basic/crontabs.yaml"],
    "hard-types": [GOLDEN / "crd-hard-types/gadgets.yaml"],
    "hostile-names": [GOLDEN / "crd-hostile-names/odd.yaml"],
    "inlined-older": [GOLDEN / "crd-inlined-older/veterans.json"],
    "list-and-folder": [
        *sorted(GOLDEN.glob("crd-list-and-folder/crds/**/f*.y*ml")),
        GOLDEN / "crd-list-and-folder/more/bundle.json",
    ],
    "uses-kubernetes": sorted(GOLDEN.glob("crd-uses-kubernetes/*.json")),
    "served-versions": [GOLDEN / "crd-versions/widgets.yaml"],
    "foreign": sorted(ROOT.glob("examples/foreign_crd/release/*.yaml")),
}

# What a cluster cannot tell.
LOST = {
    # `properties: {}` is nothing to a server: an object without fields is one of any.
    "hard-types": {
        "-    empty_dir: GadgetSpecEmptyDir | None = None",
        "+    empty_dir: Raw = field(default=NO_RAW)",
        "-class GadgetSpecEmptyDir(Model):",
        "-    emptyDir: GadgetSpecEmptyDirManifest | None",
        "+    emptyDir: Any",
        "-class GadgetSpecEmptyDirManifest(TypedDict, total=False):",
        "-    pass",
        "-",
    }
}
# What version 2 of the documents cannot tell beside what tests/generator/test_openapi_v3.py lists.
DROPPED = {
    # Objects that may have any field are described as any value, without metadata: no informers.
    "served-versions": {
        f"made/shop/v1beta1/{name}.py" for name in ("async_informers", "informers", "listers")
    }
}


@pytest.fixture(autouse=True)
def flavour(kubeconfig: str) -> str:
    """None: the tests run once."""
    return ""


@pytest.mark.parametrize("case", CASES)
def test_a_package_is_the_same_from_the_cluster(
    scratch: Scratch, kubeconfig: str, tmp_path: Path, case: str
) -> None:
    domain = new_domain()
    in_domain(domain, CASES[case], tmp_path / "crds")
    live = ("--cluster", "--kubeconfig", kubeconfig)
    cluster = ("--kubeconfig", kubeconfig, "--output")
    with defined(scratch.admin, definitions(tmp_path / "crds")) as there:
        wait_for_documents(scratch.admin, there)
        include = {f"--include={each['spec']['group']}" for each in there}
        more = ("--use", "kubeapi", "--package", "made", "--quiet", *sorted(include))
        run(tmp_path, "generate", "--crd", "crds", "--output", "manifests", *more)
        run(tmp_path, "generate", *live, "--output", "live", *more)
        run(tmp_path, "verify", *live, "--output", "live", *more)
        run(tmp_path, "spec", "pull", "--openapi", "v3", "--quiet", *cluster, "v3")
        run(tmp_path, "spec", "pull", "--openapi", "v2", "--quiet", *cluster, "v2.json")
    run(tmp_path, "generate", "--spec", "v3", "--output", "pulled", *more)
    run(tmp_path, "generate", "--spec", "v2.json", "--output", "older", *more)
    expected, from_cluster = bare(tmp_path / "manifests"), bare(tmp_path / "live")
    assert expected.keys() == from_cluster.keys()
    assert any("models.py" in name for name in from_cluster)
    changed = {
        line
        for name in expected
        for line in list(unified_diff(expected[name], from_cluster[name], n=0, lineterm=""))[2:]
        if not line.startswith(("@@", "-__all__", "+__all__"))
    }
    assert changed == LOST.get(case, set())
    assert bare(tmp_path / "pulled") == from_cluster
    assert from_cluster.keys() - bare(tmp_path / "older").keys() == DROPPED.get(case, set())
