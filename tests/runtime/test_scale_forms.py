"""The forms that `benchmarks.scale` measures, over a real connection.

`test_scale_forms_threads` does the same with threads.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubeapi import AsyncClientset

from benchmarks.pods import pods
from benchmarks.scale.forms import FACTORY_OPTIONS, FORMS, PodPlace, read
from clientgen.runtime.models import encode
from clientgen.testing import FakeCluster, LocalServer

MANY = 40  # more than the samples of a compressed cache
IN_PODS: list[dict[str, Any]] = [{"kind": "Pod", "apiVersion": "v1", **pod} for pod in pods(MANY)]


@pytest.mark.parametrize("form", FORMS)
async def test_each_form_is_filled_by_a_streaming_list(form):
    """Regression: informers of views listed, because bookmarks of views had no annotations."""
    with LocalServer(FakeCluster(*IN_PODS)) as server:
        async with (
            AsyncClientset.from_config(server.kubeconfig) as k,
            k.informers(**FACTORY_OPTIONS.get(form, {})) as factory,
        ):
            informer = FORMS[form](factory)
            factory.start()
            assert all((await factory.wait_for_sync(60)).values())
            cached = {each.metadata.name: read(each)[1] for each in informer.lister.list()}
        is_metadata = form == "metadata"
        assert cached == {
            pod["metadata"]["name"]: pod["metadata"]["uid"] if is_metadata else "Running"
            for pod in IN_PODS
        }
        assert {each.verb for each in server.cluster.actions} == {"watch"}


async def test_a_view_has_what_the_function_of_the_go_program_keeps():
    pod = IN_PODS[0]
    k = FakeCluster(pod).clientset(AsyncClientset)
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    place = json.loads(encode(await k.get(PodPlace, name, namespace=namespace)))
    assert place["metadata"]["labels"] == pod["metadata"]["labels"]
    assert place["spec"] == {
        "nodeName": pod["spec"]["nodeName"],
        "restartPolicy": pod["spec"]["restartPolicy"],
        "containers": [
            {"name": each["name"], "image": each["image"]} for each in pod["spec"]["containers"]
        ],
    }
    fields = ("phase", "podIP", "hostIP", "startTime")
    assert place["status"] == {field: pod["status"][field] for field in fields}
