"""python -m servicelookup                      a demonstration, against a server in memory

python -m servicelookup --kubeconfig FILE    at work in a cluster of yours, until Ctrl-C or SIGTERM
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from kubeapi import AsyncClientset, Clientset

from .async_controller import AsyncServiceLookup
from .controller import ServiceLookup
from .demo import demonstrate

LEASE = "servicelookup"


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    kubeconfig: str | None
    namespace: str | None
    workers: int
    threads: bool
    elect: bool

    def rest(self) -> dict[str, Any]:
        """Return what both flavours take."""
        lease = LEASE if self.elect else None
        return {"namespace": self.namespace, "workers": self.workers, "lease": lease}


def work_with_threads(given: Options) -> None:
    with Clientset.from_config(given.kubeconfig) as k:
        ServiceLookup(k, **given.rest()).run()


async def work_with_tasks(given: Options) -> None:
    async with AsyncClientset.from_config(given.kubeconfig) as k:
        await AsyncServiceLookup(k, **given.rest()).run()


def parsed() -> Options:
    parser = argparse.ArgumentParser(prog="servicelookup")
    parser.description = "Keeps a PodToService for every pod that backs a service."
    parser.add_argument("--kubeconfig", help="a cluster of yours, which knows crd.yaml")
    parser.add_argument("--namespace", help="the only one to look at")
    parser.add_argument("--workers", type=int, default=2, help="for each of the queues")
    parser.add_argument("--threads", action="store_true", help="instead of asyncio")
    parser.add_argument("--elect", action="store_true", help="only one of several works at a time")
    return Options(**vars(parser.parse_args()))


def main() -> None:
    given = parsed()
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger("clientgen.warnings").setLevel(logging.ERROR)  # Endpoints are deprecated
    if given.kubeconfig is None:
        demonstrate(threads=given.threads)
    elif given.threads:
        work_with_threads(given)
    else:
        asyncio.run(work_with_tasks(given))


if __name__ == "__main__":
    main()
