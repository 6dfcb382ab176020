"""The status of a pod, as a kubelet writes it.

Facts: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .status_conditions import condition_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .played_containers import ContainerRun

_OWN: Final = frozenset(
    {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}
)


def pod_phase(
    pod: dict[str, Any],
    inits: Sequence[ContainerRun],
    mains: Sequence[ContainerRun],
    *,
    stopped: bool = False,
) -> str:
    """Return the phase that follows from the states of the containers.

    `stopped` means that no container starts again, whatever the restart policy is.
    """
    policy = pod["spec"].get("restartPolicy", "Always")
    policy = "Never" if stopped else policy
    if policy == "Never" and any(_has_failed(each) for each in inits if not each.is_sidecar):
        return "Failed"
    started = any(each.is_running or each.ended or each.last for each in mains)
    if not stopped and not started and any(not _is_through(each) for each in inits):
        return "Pending"
    if any(each.is_running for each in mains):
        return "Running"
    if any(not each.ended and not each.last for each in mains):
        return "Failed" if stopped else "Pending"
    codes = [_code(each) for each in mains]
    if policy == "Always" or (policy == "OnFailure" and any(codes)):
        return "Running"
    return "Failed" if any(codes) else "Succeeded"


def _has_failed(run: ContainerRun) -> bool:
    return run.ended is not None and run.ended.get("exitCode") != 0


def _is_through(run: ContainerRun) -> bool:
    """Return whether the containers after an init container may start."""
    if run.is_sidecar:
        return run.is_started
    return run.ended is not None and run.ended.get("exitCode") == 0


def _code(run: ContainerRun) -> int:
    ended = run.ended or part(run.last, "terminated")
    code: int = ended.get("exitCode", 0)
    return code


def pod_status(
    pod: dict[str, Any],
    inits: Sequence[ContainerRun],
    mains: Sequence[ContainerRun],
    now: str,
    *,
    host: str,
    address: str,
    stopped: bool = False,
) -> dict[str, Any]:
    """Return the status of a pod with containers in these states.

    Args:
        pod: the pod, with the status that it has.
        inits: its init containers.
        mains: its other containers.
        now: the time.
        host: the address of its node.
        address: the pod's own address; empty if it has none yet.
        stopped: whether its containers have been stopped for good.
    """
    before = part(pod, "status")
    phase = pod_phase(pod, inits, mains, stopped=stopped)
    generation = pod["metadata"].get("generation", 1)
    status: dict[str, Any] = {
        "observedGeneration": generation,
        "phase": phase,
        "conditions": _conditions(
            pod, _contents(pod, inits, mains, phase, has_sandbox=bool(address)), now
        ),
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": before.get("startTime") or now,
        "qosClass": before.get("qosClass"),
    }
    if address:
        status["podIP"] = address
        status["podIPs"] = [{"ip": address}]
    if inits:
        status["initContainerStatuses"] = [each.status() for each in inits]
    status["containerStatuses"] = [each.status() for each in mains]
    kept = ("reason", "message", "nominatedNodeName", "resourceClaimStatuses")
    status |= {name: before[name] for name in kept if before.get(name)}
    return {name: value for name, value in status.items() if value is not None}


def _contents(
    pod: dict[str, Any],
    inits: Sequence[ContainerRun],
    mains: Sequence[ContainerRun],
    phase: str,
    *,
    has_sandbox: bool,
) -> dict[str, dict[str, Any]]:
    """Return the values of the conditions, in the order of a kubelet."""
    containers = _containers_ready([*(each for each in inits if each.is_sidecar), *mains], phase)
    ready = containers if containers["status"] != "True" else _gates(pod)
    done = phase in FINAL_PHASES
    sandbox = {"status": "True" if has_sandbox and not done else "False"}
    return {
        "PodReadyToStartContainers": sandbox,
        "Initialized": _initialized(inits, mains, phase),
        "Ready": ready,
        "ContainersReady": containers,
        "PodScheduled": {"status": "True"},
    }


def _conditions(
    pod: dict[str, Any], contents: dict[str, dict[str, Any]], now: str
) -> list[dict[str, Any]]:
    """Return the conditions of others, then those of the kubelet."""
    before, generation = part(pod, "status"), pod["metadata"].get("generation", 1)
    conditions: list[dict[str, Any]] = []
    for kind, content in contents.items():
        current = condition_of(before, kind)
        same = current is not None and current.get("status") == content["status"]
        since = current.get("lastTransitionTime") if current is not None and same else now
        conditions.append(
            {
                "type": kind,
                "observedGeneration": generation,
                "lastProbeTime": None,
                "lastTransitionTime": since,
                **content,
            }
        )
    others = [each for each in parts(before, "conditions") if each.get("type") not in _OWN]
    return [*others, *conditions]


def _containers_ready(runs: Sequence[ContainerRun], phase: str) -> dict[str, Any]:
    if phase in FINAL_PHASES:
        return {
            "status": "False",
            "reason": "PodCompleted" if phase == "Succeeded" else "PodFailed",
        }
    unready = [each.name for each in runs if not each.is_ready]
    if not unready:
        return {"status": "True"}
    message = f"containers with unready status: [{' '.join(unready)}]"
    return {"status": "False", "reason": "ContainersNotReady", "message": message}


def _gates(pod: dict[str, Any]) -> dict[str, Any]:
    """Return whether the conditions hold that others have to set."""
    status, missing = part(pod, "status"), list[str]()
    for gate in parts(pod["spec"], "readinessGates"):
        kind = gate.get("conditionType", "")
        condition = condition_of(status, kind)
        if condition is None:
            missing.append(
                f'corresponding condition of pod readiness gate "{kind}" does not exist.'
            )
        elif condition.get("status") != "True":
            missing.append(
                f'the status of pod readiness gate "{kind}" is not "True", '
                f"but {condition.get('status')}"
            )
    if not missing:
        return {"status": "True"}
    return {"status": "False", "reason": "ReadinessGatesNotReady", "message": ", ".join(missing)}


def _initialized(
    inits: Sequence[ContainerRun], mains: Sequence[ContainerRun], phase: str
) -> dict[str, Any]:
    if phase == "Succeeded":
        return {"status": "True", "reason": "PodCompleted"}
    missing = [each.name for each in inits if not _is_through(each)]
    if not missing or any(each.is_running or each.ended or each.last for each in mains):
        return {"status": "True"}
    message = f"containers with incomplete status: [{' '.join(missing)}]"
    return {"status": "False", "reason": "ContainersNotInitialized", "message": message}
