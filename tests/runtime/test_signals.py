"""SIGTERM and SIGINT: the first asks to stop, the second does what it always did."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from clientgen.runtime._signals import on_stop_signal


@pytest.fixture(autouse=True)
def came() -> Iterator[list[str]]:
    """Signals that nobody listened to."""
    came: list[str] = []
    before = {
        number: signal.signal(number, lambda *_: came.append("as before"))
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_is_for_all_who_listen_the_second_for_nobody(
    number: signal.Signals, came: list[str]
) -> None:
    forget = [on_stop_signal(lambda who=who: came.append(who)) for who in ("one", "two")]
    signal.raise_signal(number)
    assert came == ["one", "two"]
    signal.raise_signal(number)
    assert came == ["one", "two", "as before"]
    for each in forget:
        each()


def test_removed_callbacks_are_not_called_and_the_last_removal_restores_the_handlers(
    came: list[str],
) -> None:
    forget_one = on_stop_signal(lambda: came.append("one"))
    forget_two = on_stop_signal(lambda: came.append("two"))
    forget_one()
    signal.raise_signal(signal.SIGTERM)
    assert came == ["two"]
    forget_two()
    on_stop_signal(lambda: came.append("three"))()
    signal.raise_signal(signal.SIGTERM)
    assert came == ["two", "as before"]


def test_other_threads_are_told_when_the_main_thread_listens_too(came: list[str]) -> None:
    forget: list[object] = []

    def listen() -> None:
        forget.append(on_stop_signal(lambda: came.append("thread")))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    signal.raise_signal(signal.SIGTERM)
    assert came == ["as before"]
    on_stop_signal(lambda: came.append("main"))
    signal.raise_signal(signal.SIGTERM)
    assert came == ["as before", "thread", "main"]


def test_leaving_in_another_thread_does_not_touch_signal_handlers(came: list[str]) -> None:
    forget = on_stop_signal(lambda: came.append("never"))
    thread = threading.Thread(target=forget)
    thread.start()
    thread.join()
    signal.raise_signal(signal.SIGTERM)
    assert came == ["as before"]


TASKS = """
import asyncio
from clientgen.runtime.aio import AsyncController
from clientgen.runtime._controllers.reconcile_loop import Request

async def reconcile(request):
    print("ready", flush=True)
    await asyncio.sleep({seconds})
    print("done", flush=True)

async def main():
    controller = AsyncController("c", reconcile)
    controller.queue.add(Request("", "a"))
    await controller.run()
    print("stopped", flush=True)

asyncio.run(main())
"""

THREADS = """
import time
from clientgen.runtime.sync import Controller
from clientgen.runtime._controllers.reconcile_loop import Request

def reconcile(request):
    print("ready", flush=True)
    time.sleep({seconds})
    print("done", flush=True)

controller = Controller("c", reconcile)
controller.queue.add(Request("", "a"))
controller.run()
print("stopped", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("program", [TASKS, THREADS], ids=["tasks", "threads"])
def test_a_program_that_is_told_to_stop_finishes_what_it_is_doing(
    program: str, number: signal.Signals
) -> None:
    with started(program.format(seconds=0.2)) as running:
        running.send_signal(number)
        out, error = running.communicate(timeout=30)
    assert (out, error, running.returncode) == ("done\nstopped\n", "", 0)


@pytest.mark.parametrize("program", [TASKS, THREADS], ids=["tasks", "threads"])
def test_a_program_that_is_told_twice_ends(program: str) -> None:
    with started(program.format(seconds=60)) as running:
        while running.poll() is None:
            running.send_signal(signal.SIGTERM)
            try:
                running.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        out, _ = running.communicate(timeout=30)
    assert (out, running.returncode) == ("", -signal.SIGTERM)


def started(program: str) -> subprocess.Popen[str]:
    """Run a program until it is ready."""
    running = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout
    assert running.stdout.readline() == "ready\n"
    return running
