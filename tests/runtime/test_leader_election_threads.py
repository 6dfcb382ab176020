"""Electors in threads: test_leader_election.py, derived."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from kubeapi import Clientset
from support.flavours import derived_tests

from clientgen.runtime.sync import LeaderElector
from clientgen.testing import FakeClock, FakeCluster

globals().update(derived_tests(Path(__file__).with_name("test_leader_election.py")))
pytestmark = pytest.mark.usefixtures("no_task_is_left")


def test_a_thread_is_told_by_is_leader_that_it_is_to_end() -> None:
    clock = FakeClock()
    cluster = FakeCluster(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}, clock=clock
    )
    log: list[str] = []

    def work() -> None:
        log.append("began")
        while elector.is_leader:
            time.sleep(0.001)
        log.append("ended")

    elector = LeaderElector(
        cluster.clientset(Clientset), "lock", "default", clock=clock, on_started_leading=work
    )
    running = threading.Thread(target=elector.run)
    running.start()
    while not log:
        time.sleep(0.001)
    elector.stop()
    running.join(10)
    assert not running.is_alive()
    assert log == ["began", "ended"]
    assert cluster.writes[-1].object["spec"]["holderIdentity"] == ""
