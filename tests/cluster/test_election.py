"""Leader election and sharding: who leads, who follows, and how leases look."""

from __future__ import annotations

import pytest
from clusterkit.together import AsyncBackground, async_until
from kubeapi import AsyncClientset

from clientgen.runtime.aio import AsyncLeaderElector, AsyncSharding

pytestmark = pytest.mark.cluster


async def test_one_of_two_leads_and_hands_over_in_good_order(
    kube: AsyncClientset, namespace: str
) -> None:
    def elector(identity: str) -> AsyncLeaderElector:
        return AsyncLeaderElector(kube, "lock", namespace, identity, retry_period=0.2)

    first, second = elector("first"), elector("second")
    running = AsyncBackground(first.run)

    async def leads() -> bool:
        return first.is_leader

    await async_until(leads)
    waiting = AsyncBackground(second.run)

    async def follows() -> bool:
        return second.leader == "first"

    await async_until(follows)
    before = await kube.coordination_v1.leases(namespace).get("lock")

    async def has_renewed() -> bool:
        now = await kube.coordination_v1.leases(namespace).get("lock")
        return now.spec.renew_time != before.spec.renew_time

    await async_until(has_renewed)
    lease = await kube.coordination_v1.leases(namespace).get("lock")
    assert (lease.spec.holder_identity, lease.spec.lease_duration_seconds) == ("first", 15)
    assert lease.spec.acquire_time == before.spec.acquire_time
    assert first.is_leader
    assert not second.is_leader
    first.stop()
    await running.result()

    async def is_next() -> bool:
        return second.is_leader

    await async_until(is_next)
    assert not await leads()
    lease = await kube.coordination_v1.leases(namespace).get("lock")
    assert (lease.spec.holder_identity, lease.spec.lease_transitions) == ("second", 1)
    second.stop()
    await waiting.result()
    lease = await kube.coordination_v1.leases(namespace).get("lock")
    assert not lease.spec.holder_identity


async def test_the_body_of_a_context_leads(kube: AsyncClientset, namespace: str) -> None:
    async with AsyncLeaderElector(kube, "lock", namespace, "me", retry_period=0.2) as elector:
        assert elector.is_leader
        lease = await kube.coordination_v1.leases(namespace).get("lock")
        assert lease.spec.holder_identity == "me"
    assert not elector.is_leader


async def test_a_leader_that_cannot_renew_is_replaced(kube: AsyncClientset, namespace: str) -> None:
    def elector(identity: str) -> AsyncLeaderElector:
        return AsyncLeaderElector(
            kube,
            "lock",
            namespace,
            identity,
            lease_duration=2,
            renew_deadline=1.5,
            retry_period=0.3,
            release_on_cancel=False,
        )

    async with elector("gone"):
        pass
    async with elector("next") as following:
        assert following.is_leader
        lease = await kube.coordination_v1.leases(namespace).get("lock")
        assert (lease.spec.holder_identity, lease.spec.lease_transitions) == ("next", 1)


async def test_replicas_share_keys(kube: AsyncClientset, namespace: str) -> None:
    def replica(identity: str) -> AsyncSharding:
        return AsyncSharding(
            kube,
            "shop",
            namespace,
            identity,
            lease_duration=2,
            renew_deadline=1.5,
            retry_period=0.3,
        )

    keys = [f"default/pod-{count}" for count in range(100)]
    async with replica("a") as a:
        assert await a.wait_until_settled(20.0)
        assert all(a.owns(key) for key in keys)
        async with replica("b") as b:
            assert await b.wait_until_settled(20.0)
            assert {key for key in keys if a.owns(key)}.isdisjoint(
                key for key in keys if b.owns(key)
            )
            assert a.members == b.members == ("a", "b")

        async def is_alone() -> bool:
            return a.members == ("a",)

        await async_until(is_alone)
    assert (await kube.coordination_v1.leases(namespace).list()).items == []
