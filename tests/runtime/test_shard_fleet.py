"""Replicas that come and go: no object has two owners, and none is without an owner for long.

A short run of `benchmarks/shards.py`, which explains what happens.
"""

from __future__ import annotations

import logging

import pytest

from benchmarks.shards import BOUND, measure_bytes, simulate

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_task_is_left")]


@pytest.mark.parametrize("gate", [True, False])
async def test_replicas_divide_objects(gate: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "clientgen")
    fleet = await simulate(seed=4, changes=12, objects=40, gate=gate)
    assert fleet.double_owners == 0
    assert fleet.orphans == 0
    assert 0 < fleet.longest <= BOUND


async def test_a_replica_reads_its_part_of_the_bytes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "clientgen")
    parts = await measure_bytes(400, gate=True)
    assert max(parts) < 0.4  # there are few objects
    assert 0.95 < sum(parts) < 1.05
