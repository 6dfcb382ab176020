"""The controller, with tasks. `controller.py` is the same with threads.

python -m crontabs.async_controller
"""

from __future__ import annotations

import asyncio

import crontabs_client
import kubeapi

from clientgen.runtime import Request
from clientgen.runtime.aio import AsyncController
from clientgen.runtime.errors import NotFound

from .decisions import NAME, cron_job_for, status_for


def make_controller(
    k: kubeapi.AsyncClientset, factory: kubeapi.AsyncInformerFactory
) -> AsyncController:
    """Keeps a CronJob for each CronTab, and the status of the CronTab."""
    own = crontabs_client.AsyncClientset(k.rest)  # on the same connection
    # This factory is one with the other: who starts or stops that one does so to both.
    tabs = factory.join(crontabs_client.AsyncInformerFactory).stable_v1.cron_tabs()
    jobs = factory.batch_v1.cron_jobs()

    async def reconcile(request: Request) -> None:
        try:
            tab = tabs.lister.get(request.namespace, request.name)
        except NotFound:
            return  # and its CronJob goes with it
        # Applying the same again is no change, so it does not matter if the caches are behind.
        cron_jobs = k.batch_v1.cron_jobs(request.namespace)
        job = await cron_jobs.apply(cron_job_for(tab), field_manager=NAME, force=True)
        status = status_for(tab, job)
        if status:
            await own.stable_v1.cron_tabs(request.namespace).apply_status(
                status, field_manager=NAME, force=True
            )

    return AsyncController(NAME, reconcile).for_(tabs).owns(jobs)


async def main() -> None:
    """Work until the program is told to stop."""
    async with kubeapi.AsyncClientset.from_config() as k, k.informers() as factory:
        await make_controller(k, factory).run()


if __name__ == "__main__":
    asyncio.run(main())
