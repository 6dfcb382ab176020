"""Work queues and threads: test_workqueue.py, derived, and what only threads can do."""

from __future__ import annotations

import threading
from pathlib import Path

from support.flavours import derived_tests

from clientgen.runtime._controllers.rate_limiters import ItemExponentialFailure
from clientgen.runtime.sync import PriorityQueue, WorkQueue

globals().update(
    {
        name: test
        for name, test in derived_tests(Path(__file__).with_name("test_workqueue.py")).items()
        if name.startswith("test_")
    }
)


class Ledger:
    """What was asked for and what was done about it, by key."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.wanted: dict[str, int] = {}
        self.seen: dict[str, int] = {}
        self.busy: set[str] = set()
        self.wrong: list[str] = []

    def want(self, key: str) -> None:
        with self.lock:
            self.wanted[key] = self.wanted.get(key, 0) + 1

    def begin(self, key: str) -> None:
        with self.lock:
            if key in self.busy:
                self.wrong.append(f"{key} is with two workers")
            self.busy.add(key)
            self.seen[key] = self.wanted[key]

    def end(self, key: str) -> None:
        with self.lock:
            self.busy.discard(key)


def produce(queue: WorkQueue[str], ledger: Ledger, number: int) -> None:
    for n in range(400):
        key = f"key-{(n * 7 + number) % 11}"
        ledger.want(key)
        if n % 3:
            queue.add(key)
        else:
            queue.add_rate_limited(key)


def consume(queue: WorkQueue[str], ledger: Ledger) -> None:
    for key in queue:
        with queue.processing(key):
            ledger.begin(key)
            queue.forget(key)
            ledger.end(key)


def idle(queue: WorkQueue[str]) -> bool:
    ready = len(queue)
    with queue._lock:
        state = queue._state
        return not (ready or len(state) or state.processing or state.next_ready)


def trial(queue: WorkQueue[str]) -> Ledger:
    """Many threads add a few keys again and again, others work on them."""
    ledger = Ledger()
    workers = [threading.Thread(target=consume, args=(queue, ledger)) for _ in range(4)]
    producers = [threading.Thread(target=produce, args=(queue, ledger, n)) for n in range(4)]
    for thread in (*workers, *producers):
        thread.start()
    for thread in producers:
        thread.join(60)
    # A shut down queue loses what waits for its time.
    while not idle(queue):
        threading.Event().wait(0.001)
    queue.shut_down()
    for thread in workers:
        thread.join(60)
        assert not thread.is_alive()
    return ledger


def test_no_item_is_lost_or_processed_twice_at_once() -> None:
    ledger = trial(WorkQueue(limiter=ItemExponentialFailure(0.0001, 0.001)))
    assert ledger.wrong == []
    assert ledger.seen == ledger.wanted


def test_nor_by_priority() -> None:
    ledger = trial(PriorityQueue(limiter=ItemExponentialFailure(0.0001, 0.001)))
    assert ledger.wrong == []
    assert ledger.seen == ledger.wanted
