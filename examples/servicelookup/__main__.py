"""python -m servicelookup                      a demonstration, against a server in memory

python -m servicelookup --kubeconfig FILE    at work in a cluster of yours, until Ctrl-C or SIGTERM
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import threading

import kubeapi

from clientgen.runtime.signals import on_stop_signal

from .async_controller import AsyncServiceLookup
from .controller import ServiceLookup
from .demo import demonstrate


def work_with_threads(kubeconfig: str, namespace: str | None, workers: int) -> None:
    with kubeapi.Clientset.from_config(kubeconfig) as k:
        lookup = ServiceLookup(k, namespace=namespace, workers=workers)
        # A signal interrupts the main thread anywhere, maybe where it holds a lock.
        forget = on_stop_signal(lambda: threading.Thread(target=lookup.stop).start())
        try:
            lookup.run()
        finally:
            forget()


async def work_with_tasks(kubeconfig: str, namespace: str | None, workers: int) -> None:
    async with kubeapi.AsyncClientset.from_config(kubeconfig) as k:
        lookup = AsyncServiceLookup(k, namespace=namespace, workers=workers)
        loop = asyncio.get_running_loop()
        forget = on_stop_signal(lambda: loop.call_soon_threadsafe(lookup.stop))
        try:
            await lookup.run()
        finally:
            forget()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="servicelookup", description="Which service does a pod back?"
    )
    parser.add_argument("--kubeconfig", help="a cluster of yours, which knows crd.yaml")
    parser.add_argument("--namespace", help="the only one to look at")
    parser.add_argument("--workers", type=int, default=2, help="for each of the queues")
    parser.add_argument("--threads", action="store_true", help="instead of asyncio")
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger("clientgen.warnings").setLevel(logging.ERROR)  # Endpoints are deprecated
    if given.kubeconfig is None:
        demonstrate(threads=given.threads)
    elif given.threads:
        work_with_threads(given.kubeconfig, given.namespace, given.workers)
    else:
        asyncio.run(work_with_tasks(given.kubeconfig, given.namespace, given.workers))


if __name__ == "__main__":
    main()
