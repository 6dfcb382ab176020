"""What the API server asks before it stores a CronTab. Both flavours answer with this function."""

from __future__ import annotations

from clientgen.runtime.webhooks import AdmissionRequest, Denied

from .decisions import schedule_problem
from .v1 import CronTab


def check(request: AdmissionRequest[CronTab]) -> None:
    """Refuse schedules that never run, and warn of a history that is not kept.

    Raises:
        Denied: a number of the schedule is too large.
    """
    problem = schedule_problem(request.object.spec.cron_spec)
    if problem:
        raise Denied(f"spec.cronSpec: {problem}", code=422)
    if request.object.spec.history == 0:
        request.warn("spec.history is 0: finished Jobs are not kept")
