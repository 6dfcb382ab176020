"""Verbs that write: a real server holds the same after a call as after kubectl's command."""

from __future__ import annotations

import pytest
from clusterkit.scratch import Scratch
from kubeapi import AsyncClientset
from support.kubectl import Kubectl
from support.verb_cases import CASES, Case, clean_up

from clientgen.runtime import aio as verbs

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("case", CASES, ids=[f"{n}: {each}" for n, each in enumerate(CASES)])
async def test_a_call_writes_what_kubectl_writes(
    kube: AsyncClientset, scratch: Scratch, kubectl: Kubectl, case: Case
) -> None:
    ours, theirs = scratch.make(), kubectl.namespace
    try:
        for namespace in (ours, theirs):
            case.set_up(scratch.admin, namespace)
        before = case.state(scratch.admin, theirs)
        assert case.run_kubectl(kubectl) == (case.refusal is None)
        with case.outcome():
            await case.call(verbs, kube.with_(namespace=ours))
        expected = case.state(scratch.admin, theirs)
        assert case.state(scratch.admin, ours) == expected
        assert not case.refusal or expected == before
    finally:
        for namespace in (ours, theirs):
            clean_up(scratch.admin, namespace)
        scratch.drop(ours)
