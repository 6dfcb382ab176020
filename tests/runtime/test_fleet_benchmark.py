"""Dead clusters do not hold up the others, on the real clock: a short run of `benchmarks/fleet.py`.

One of three dead clusters takes requests and never answers. If its reconciliations held the workers
of the others, their changes would not be reconciled.
"""

from __future__ import annotations

import logging

import pytest

from benchmarks.fleet import CLUSTERS, DEAD, ROUNDS, Fleet

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_task_is_left")]


async def test_changes_of_seven_clusters_are_reconciled_while_three_are_dead(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL)
    healthy, with_dead = await Fleet(objects=20, seed=4).measure(turns=1)
    assert len(healthy) == len(with_dead) == ROUNDS * (CLUSTERS - DEAD)
