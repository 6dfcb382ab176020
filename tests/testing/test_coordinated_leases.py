"""How the server names the holders of leases, with the gate CoordinatedLeaderElection."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.coordination.v1 import Lease, LeaseSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen.testing import FakeClock, FakeCluster

OLDEST = "OldestEmulationVersion"


class Leases:
    def __init__(self, *, gate: bool = True) -> None:
        self.clock = FakeClock()
        gates = {"CoordinatedLeaderElection": gate}
        self.cluster = FakeCluster(clock=self.clock, feature_gates=gates, controller_delay=1)
        self.k = self.cluster.clientset(Clientset)

    def candidate(self, name: str, version: str, strategy: str = OLDEST) -> None:
        spec = {"leaseName": "lock", "binaryVersion": version, "emulationVersion": version}
        self.k.coordination_v1beta1.lease_candidates("default").create(
            {
                "metadata": {"name": name},
                "spec": {**spec, "strategy": strategy, "renewTime": self.now()},
            }
        )

    def now(self) -> str:
        return self.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def spec(self) -> dict[str, Any]:
        self.clock.step(1)
        found = self.cluster.server.cluster.get("coordination.k8s.io", "leases", "default", "lock")
        return {} if found is None else dict(found["spec"])


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([("a", "1.10.0", OLDEST), ("b", "1.9.0", OLDEST)], {"strategy": OLDEST, "holder": "b"}),
        # The strategy of the latest binary version counts; the server does not know this one.
        (
            [("a", "1.2.0", "example.com/first"), ("b", "1.1.0", OLDEST)],
            {"strategy": "example.com/first", "holder": None},
        ),
        ([("a", "1.2.0", "example.com/first"), ("b", "1.2.0", OLDEST)], {}),
    ],
)
def test_the_holder_is_named_by_the_strategy_of_the_latest_version(
    candidates: list[tuple[str, str, str]], expected: dict[str, str | None]
) -> None:
    leases = Leases()
    for each in candidates:
        leases.candidate(*each)
    spec = leases.spec()
    found = {"strategy": spec.get("strategy"), "holder": spec.get("holderIdentity")}
    assert found == (expected or {"strategy": None, "holder": None})


def test_candidates_that_give_no_sign_of_life_are_not_named() -> None:
    leases = Leases()
    leases.candidate("silent", "1.0.0")
    assert leases.spec()["holderIdentity"] == "silent"
    leases.clock.step(60)
    leases.candidate("alive", "1.1.0")
    leases.clock.step(4)
    assert leases.spec()["holderIdentity"] == "silent"  # the server waits for its sign of life
    leases.clock.step(6)
    alive = leases.k.coordination_v1beta1.lease_candidates("default").get("alive")
    alive.spec.renew_time = leases.clock.now()
    leases.k.coordination_v1beta1.lease_candidates("default").update(alive)
    assert leases.spec()["holderIdentity"] == "alive"


def test_members_of_the_feature_are_kept_with_its_gate_only() -> None:
    for gate in (False, True):
        leases = Leases(gate=gate)
        lease = Lease(
            metadata=ObjectMeta(name="lock"),
            spec=LeaseSpec(holder_identity="z", strategy=OLDEST, preferred_holder="b"),
        )
        created = leases.k.coordination_v1.leases("default").create(lease)
        assert (created.spec is not None and created.spec.preferred_holder == "b") == gate
        leases.candidate("a", "1.0.0")
        assert leases.spec()["holderIdentity"] == ("a" if gate else "z")  # its lease has expired
