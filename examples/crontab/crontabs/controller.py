"""The operator, with threads. `async_controller.py` is the same with tasks.

python -m crontabs.controller
"""

from __future__ import annotations

import logging
import os
from typing import Any

import crontabs_client
import kubeapi
from kubeapi.batch.v1 import CronJob

from clientgen.runtime.sync import Context, Manager

from .decisions import NAME, cron_job_for, with_status
from .v1 import CronTab
from .webhook import check


def make_manager(k: kubeapi.Clientset, **options: Any) -> Manager:
    """Keeps a CronJob for each CronTab, and the status of the CronTab."""
    crontabs_client.add_to_scheme(k.scheme)

    # Servers may ask for it before they block the deletion of an owner; tests do not reach that.
    # +kubebuilder:rbac:groups=stable.example.com,resources=crontabs/finalizers,verbs=update
    def reconcile(context: Context[CronTab]) -> None:
        tab = context.object
        if tab is None or tab.metadata.deletion_timestamp is not None:
            return  # and its CronJob goes with it
        # Applying the same again is no change, so it does not matter if the caches are behind.
        job = k.apply(cron_job_for(tab), field_manager=NAME, force=True)
        k.patch_status(tab, with_status(tab, job))

    manager = Manager(k, **options)
    manager.controller(NAME, reconcile).for_(CronTab).owns(CronJob)
    return manager


def main() -> None:
    """Work until the program is told to stop."""
    logging.basicConfig(level=logging.WARNING)
    with kubeapi.Clientset.from_config() as k:
        manager = make_manager(k, leader_election=NAME)
        if certificates := os.environ.get("CERTIFICATES"):
            manager.webhooks(":9443", certificates=certificates).validate(CronTab, check)
        manager.run()


if __name__ == "__main__":
    main()
