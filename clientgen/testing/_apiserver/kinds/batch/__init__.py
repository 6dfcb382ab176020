"""The group batch."""

from __future__ import annotations

from .cron_job import CronJobStrategy
from .job import JobStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "CronJob": CronJobStrategy,
    "Job": JobStrategy,
}
