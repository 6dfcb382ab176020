"""The controller, with threads. `async_controller.py` is the same with tasks.

python -m crontabs.controller
"""

from __future__ import annotations

import crontabs_client
import kubeapi

from clientgen.runtime import Request
from clientgen.runtime.errors import NotFound
from clientgen.runtime.sync import Controller

from .decisions import NAME, cron_job_for, status_for


def make_controller(k: kubeapi.Clientset, factory: kubeapi.InformerFactory) -> Controller:
    """Keeps a CronJob for each CronTab, and the status of the CronTab."""
    own = crontabs_client.Clientset(k.rest)  # on the same connection
    # This factory is one with the other: who starts or stops that one does so to both.
    tabs = factory.join(crontabs_client.InformerFactory).stable_v1.cron_tabs()
    jobs = factory.batch_v1.cron_jobs()

    def reconcile(request: Request) -> None:
        try:
            tab = tabs.lister.get(request.namespace, request.name)
        except NotFound:
            return  # and its CronJob goes with it
        # Applying the same again is no change, so it does not matter if the caches are behind.
        cron_jobs = k.batch_v1.cron_jobs(request.namespace)
        job = cron_jobs.apply(cron_job_for(tab), field_manager=NAME, force=True)
        status = status_for(tab, job)
        if status:
            own.stable_v1.cron_tabs(request.namespace).apply_status(
                status, field_manager=NAME, force=True
            )

    return Controller(NAME, reconcile).for_(tabs).owns(jobs)


def main() -> None:
    """Work until the program is told to stop."""
    with kubeapi.Clientset.from_config() as k, k.informers() as factory:
        make_controller(k, factory).run()


if __name__ == "__main__":
    main()
