"""Numbers that servers leave out when they are zero."""

from __future__ import annotations

import copy
import pickle

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentStatus
from kubeapi.autoscaling.v1 import Scale, ScaleSpec
from kubeapi.batch.v1 import JobStatus
from kubeapi.core.v1 import ContainerPort, PodTemplateSpec
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime._http.edit import changed
from clientgen.runtime._http.patches import MergePatch
from clientgen.runtime._models.model_codec import decode, encode
from clientgen.runtime.models import deep_copy
from clientgen.testing import FakeCluster

READ = b'{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},"spec":{}}'


def scale() -> Scale:
    return decode(READ, Scale)


def test_omitted_numbers_read_as_zero_and_are_not_sent():
    obj = scale()
    assert obj.spec.replicas == 0
    assert obj.spec.replicas + 1 == 1
    assert repr(obj.spec) == "ScaleSpec()"
    assert b"replicas" not in encode(obj)
    assert decode(b'{"spec":{"replicas":0}}', Scale).spec == ScaleSpec(replicas=0)


def test_a_zero_that_somebody_sets_or_sends_is_sent():
    assert encode(ScaleSpec(replicas=0)) == b'{"replicas":0}'
    assert encode(ScaleSpec()) == b"{}"
    assert encode(decode(b'{"replicas":0}', ScaleSpec)) == b'{"replicas":0}'


@pytest.mark.parametrize(
    "copied", [deep_copy, copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_copies_have_what_nobody_set_too(copied):
    again = copied(scale())
    assert again == scale()
    assert encode(again) == encode(scale())


def test_an_unset_zero_behaves_like_an_int():
    taken = scale().spec.replicas
    assert encode(MergePatch({"spec": {"replicas": taken}}).body) == b'{"spec":{"replicas":0}}'
    assert encode(ContainerPort(container_port=1, host_port=taken)).endswith(b'"hostPort":0}')


def test_an_edit_sends_the_difference():
    assert changed(scale(), lambda it: setattr(it.spec, "replicas", 2)) is not None
    three = decode(READ.replace(b'"spec":{}', b'"spec":{"replicas":3}'), Scale)
    patch = changed(three, lambda it: setattr(it.spec, "replicas", 0))
    assert patch == MergePatch({"spec": {"replicas": 0}})


def test_counts_of_what_runs_are_numbers():
    status, jobs = DeploymentStatus(), JobStatus()
    counts = (status.ready_replicas, status.unavailable_replicas, status.observed_generation)
    assert counts == (0, 0, 0)
    assert (jobs.active, jobs.succeeded, jobs.failed) == (0, 0, 0)
    assert ContainerPort(container_port=1).host_port is None  # none is not port 0


def web() -> Deployment:
    deployment = Deployment(metadata=ObjectMeta(name="web", namespace="default"))
    deployment.spec.replicas = 2
    deployment.spec.selector = LabelSelector(match_labels={"app": "web"})
    deployment.spec.template = PodTemplateSpec(metadata=ObjectMeta(labels={"app": "web"}))
    return deployment


def test_a_scale_of_zero_is_zero():
    cluster = FakeCluster(web())
    part = cluster.clientset(Clientset).apps_v1.deployments("default").scale("web")
    part.edit(lambda it: setattr(it.spec, "replicas", 0))
    assert part.get().spec.replicas == 0
    part.update(part.get())
    assert part.get().spec.replicas == 0


async def test_a_scale_of_zero_is_zero_in_tasks_too():
    part = FakeCluster(web()).clientset(AsyncClientset).apps_v1.deployments("default").scale("web")
    await part.edit(lambda it: setattr(it.spec, "replicas", 0))
    assert (await part.get()).spec.replicas == 0
