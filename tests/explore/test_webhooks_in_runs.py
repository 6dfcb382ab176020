"""Webhooks in the process are asked in virtual time, too."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.errors import ClientError
from clientgen.runtime.sync import Webhooks
from clientgen.runtime.webhooks import AdmissionRequest
from clientgen.testing import FakeCluster, explore


@pytest.mark.parametrize("kind", [AsyncWebhooks, Webhooks])
def test_runs_ask_webhooks(kind: Any) -> None:
    def setup(cluster: FakeCluster) -> None:
        webhooks = kind(scheme=cluster.clientset(AsyncClientset).scheme)

        @webhooks.default(ConfigMap)
        def own(request: AdmissionRequest[ConfigMap]) -> None:
            request.object.metadata.labels["owner"] = "webhook"

        cluster.service("default/op", webhooks)
        cluster.add(*webhooks.configurations("op", service="default/op"))

    async def program(k: AsyncClientset) -> None:
        with suppress(ClientError):
            await k.core_v1.config_maps("default").create(new_map("out"))
        await asyncio.Event().wait()

    async def scenario(k: AsyncClientset) -> None:
        made = await k.core_v1.config_maps("default").create(new_map("in"))
        assert made.metadata.labels == {"owner": "webhook"}

    found = explore(program, scenario, clientset=AsyncClientset, setup=setup, runs=1)
    assert found.runs == 1


def new_map(name: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name))
