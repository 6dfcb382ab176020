"""Readiness of Pods, and the reasons why a Pod does not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..errors import one_line
from .json_fields import condition_of, items, number, part, reason_and_message, text
from .verdict import Verdict, failed, met, unmet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .json_fields import Json

FINAL_PHASES: Final = frozenset({"Succeeded", "Failed"})
"""The phases that a Pod never leaves."""

# The reasons of containers that start normally.
_STARTING_REASONS: Final = frozenset({"", "ContainerCreating", "PodInitializing"})
_MAX_CAUSES: Final = 3


def judge_pod(obj: Json) -> Verdict:
    """Judge whether a Pod is Ready or Succeeded.

    Unlike in kstatus, a failed Pod is not ready, and a crash loop is not final.
    """
    phase = text(obj, "status", "phase")
    if phase == "Succeeded":
        return met("the Pod has Succeeded")
    if phase == "Failed":
        return failed(pod_causes(obj))
    if phase == "Running" and text(condition_of(obj, "Ready"), "status") == "True":
        return met("the Pod is Ready")
    return unmet(pod_causes(obj))


def pod_causes(obj: Json) -> str:
    """Describe the phase of a Pod and why its containers do not run."""
    phase = one_line(text(obj, "status", "phase"))
    words = "the Pod has no phase yet"
    if phase in FINAL_PHASES:
        words = f"the Pod has {phase}"
    elif phase:
        words = f"the Pod is {phase}"
    ready = condition_of(obj, "Ready")
    if phase == "Running" and text(ready, "status") != "True":
        words += ", but not Ready"
    if pod_reason := reason_and_message(part(obj, "status")):
        words += f" ({pod_reason})"
    causes = list(container_causes(obj))
    scheduled = condition_of(obj, "PodScheduled")
    if text(scheduled, "status") == "False":
        causes.insert(0, reason_and_message(scheduled) or "not scheduled")
    if not causes and phase == "Running" and (unready := reason_and_message(ready)):
        causes.append(unready)
    return "; ".join([words, *causes[:_MAX_CAUSES]])


def container_causes(obj: Json) -> Iterator[str]:
    """Describe each container that does not run: `container main: CrashLoopBackOff`."""
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in items(obj, "status", field):
            if words := _container_problem(status):
                yield f"container {one_line(text(status, 'name'))}: {words}"


def _container_problem(status: Json) -> str:
    waiting = part(status, "state", "waiting")
    if text(waiting, "reason") not in _STARTING_REASONS:
        last = _describe_exit(part(status, "lastState", "terminated"))
        return f"{reason_and_message(waiting)}{f'; before that it {last}' if last else ''}"
    ended = _describe_exit(part(status, "state", "terminated"))
    return f"it {ended}" if ended else ""


def _describe_exit(terminated: Json) -> str:
    code = number(terminated, "exitCode")
    if not code:
        return ""
    words = reason_and_message(terminated)
    return f"exited with code {code}{f' ({words})' if words else ''}"
