"""Controllers in threads: test_controller.py, derived."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from support.flavours import derived_tests

from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.sync import Controller
from clientgen.testing import FakeClock

globals().update(derived_tests(Path(__file__).with_name("test_controller.py")))


def test_run_leaves_behind_what_does_not_end_in_time(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    began, over = threading.Event(), threading.Event()

    def reconcile(request: Request) -> None:
        began.set()
        over.wait(60)

    controller = Controller("endless", reconcile, clock=clock)
    controller.queue.add(Request("default", "a"))
    running = threading.Thread(target=controller.run)
    running.start()
    assert began.wait(60)
    controller.stop()
    while not clock.waiters:
        over.wait(0.001)
    clock.step(30.0)
    running.join(60)
    assert not running.is_alive()
    assert "endless: still reconciling after 30 s" in caplog.messages
    over.set()
