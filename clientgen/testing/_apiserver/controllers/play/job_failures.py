"""Policies of Jobs: which failures count, and which successes are enough.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy. FailIndex is not
played, since failures of single indexes are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts

from .job_indexes import indexes_in

if TYPE_CHECKING:
    from collections.abc import Collection

FAIL_JOB: Final = "FailJob"
IGNORE: Final = "Ignore"


def failure_action(job: dict[str, Any], pod: dict[str, Any]) -> tuple[str, str]:
    """Return what follows from a pod that has failed, and why; empty if no rule is for it."""
    metadata, status = pod["metadata"], part(pod, "status")
    name = f"{metadata['namespace']}/{metadata['name']}"
    for index, rule in enumerate(parts(part(job["spec"], "podFailurePolicy"), "rules")):
        action: str = rule.get("action", "")
        match = f"matching {action} rule at index {index}"
        container = _ended_so(status, part(rule, "onExitCodes"))
        if container is not None:
            code = container["state"]["terminated"]["exitCode"]
            how = f"Container {container['name']} for pod {name} failed with exit code {code}"
            return action, f"{how} {match}"
        for pattern in parts(rule, "onPodConditions"):
            if _has_condition(status, pattern):
                return action, f"Pod {name} has condition {pattern.get('type')} {match}"
    return "", ""


def _ended_so(status: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any] | None:
    """Return the container that failed with one of the exit codes."""
    if not wanted:
        return None
    name, codes = wanted.get("containerName"), _numbers(wanted)
    for member in ("containerStatuses", "initContainerStatuses"):
        for each in parts(status, member):
            code = part(part(each, "state"), "terminated").get("exitCode") or 0
            is_meant = name is None or each.get("name") == name
            if code and is_meant and (code in codes) == (wanted.get("operator") == "In"):
                return each
    return None


def _numbers(wanted: dict[str, Any]) -> list[int]:
    values: list[int] | None = wanted.get("values")
    return values or []


def _has_condition(status: dict[str, Any], pattern: dict[str, Any]) -> bool:
    return any(
        each.get("type") == pattern.get("type") and each.get("status") == pattern.get("status")
        for each in parts(status, "conditions")
    )


def success_message(job: dict[str, Any], done: Collection[int]) -> str:
    """Return which rule says that these indexes are enough; empty if none does."""
    completions = job["spec"].get("completions") or 0
    for index, rule in enumerate(parts(part(job["spec"], "successPolicy"), "rules")):
        count, named = rule.get("succeededCount"), rule.get("succeededIndexes")
        wanted = indexes_in(named, completions) if named is not None else None
        if wanted is None:
            enough = count is not None and len(done) >= count
        else:
            number = len(wanted.intersection(done))
            enough = bool(wanted) and number >= (len(wanted) if count is None else count)
        if done and enough:
            return f"Matched rules at index {index}"
    return ""
