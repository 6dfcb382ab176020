"""`python -m benchmarks.scale`: the command, and the pods that it creates in a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Pod

from benchmarks.scale import cluster
from clientgen.runtime.errors import NotFound
from clientgen.runtime.models import encode
from clientgen.testing import FakeClock, FakeCluster, LocalServer

ROOT = Path(__file__).resolve().parents[1]


def test_pods_of_the_usual_size_are_created_in_a_namespace_that_goes_at_the_end():
    with (
        LocalServer(FakeCluster(clock=FakeClock())) as server,
        Clientset.from_config(server.kubeconfig) as k,
    ):
        refusal = server.cluster.fail("create", "pods", 403)
        with cluster.pods(server.kubeconfig, "default", 5) as (namespace, count):
            found = k.core_v1.pods(namespace).list().items
            assert (len(found), count) == (5, 5)
            assert refusal.hits == 1
            assert all(each.status.phase == "Running" for each in found)
            assert all(not each.spec.node_name for each in found)
            assert min(len(encode(each)) for each in found) > 6_000
        server.cluster.settle()
        with pytest.raises(NotFound):
            k.get(Pod, found[0].metadata.name, namespace=namespace)


@pytest.mark.slow
def test_the_command_measures_and_writes_figures_tables_and_plots(tmp_path: Path):
    module = [sys.executable, "-m", "benchmarks.scale", "--output", tmp_path]
    how = ["--counts", "30", "--forms", "view", "--flavours", "asyncio,threads", "--events", "20"]
    done = subprocess.run([*module, *how], cwd=ROOT, capture_output=True, text=True, check=True)
    rows = json.loads((tmp_path / "scale.json").read_bytes())["rows"]
    assert [(row["form"], row["how"]) for row in rows] == [("view", "asyncio"), ("view", "threads")]
    assert all(row["figures"]["rss_mb"] > row["figures"]["kept_kb"] > 0 for row in rows)
    assert all(row["figures"]["events_per_s"] > 0 for row in rows)
    assert (tmp_path / "scale.md").read_text() == done.stdout[:-1]
    assert "<svg" in (tmp_path / "scale-rss.svg").read_text()
