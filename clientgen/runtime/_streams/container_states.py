"""The states of a pod's containers, for log tails and port forwarding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .._conditions.json_fields import Json, items, number, part, text
from .._conditions.pods import FINAL_PHASES
from ..errors import OperationRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS: Final = ("initContainer", "container", "ephemeralContainer")


class ContainerState(NamedTuple):
    """The state of one container."""

    name: str
    restarts: int
    has_begun: bool
    """Whether the container may have a log."""
    is_over: bool
    """Whether the current instance has terminated, so that its log is complete."""
    is_final: bool
    """Whether the container will not be restarted, because the pod has ended."""


def check_not_ended(pod: Json) -> None:
    """Check that a pod has not ended.

    Raises:
        OperationRefused: The phase of the pod is Succeeded or Failed.
    """
    phase = text(pod, "status", "phase")
    if phase in FINAL_PHASES:
        name = f"{text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')}"
        raise OperationRefused(f"Pod {name} has ended: its phase is {phase}")


def container_states(pod: Json) -> Iterator[ContainerState]:
    """Yield the states of all containers of a pod.

    A container without a status may have begun if the pod is scheduled to a node.
    """
    is_final = text(pod, "status", "phase") in FINAL_PHASES
    has_node = bool(text(pod, "spec", "nodeName"))
    for kind in _KINDS:
        statuses = {text(each, "name"): each for each in items(pod, "status", f"{kind}Statuses")}
        for container in items(pod, "spec", f"{kind}s"):
            name = text(container, "name")
            status = statuses.get(name)
            if not name:
                continue
            if status is None:
                yield ContainerState(name, 0, has_node, False, is_final)
            else:
                yield _state(name, status, is_final=is_final)


def _state(name: str, status: Json, *, is_final: bool) -> ContainerState:
    state = part(status, "state")
    return ContainerState(
        name=name,
        restarts=number(status, "restartCount"),
        has_begun=bool({"running", "terminated"} & state.keys() or part(status, "lastState")),
        is_over="terminated" in state,
        is_final=is_final,
    )
