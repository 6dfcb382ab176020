"""What a pod says of its containers, for those who follow their logs or forward their ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .._conditions.json_fields import Json, items, number, part, text
from .._conditions.pods import FINAL_PHASES
from ..errors import OperationRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ContainerState", "check_going_on", "container_states"]

_KINDS: Final = ("initContainer", "container", "ephemeralContainer")


class ContainerState(NamedTuple):
    """The state of one container."""

    name: str
    restarts: int
    has_begun: bool
    """Whether it has written a log."""
    is_over: bool
    """Whether its present instance writes no more."""
    is_last: bool
    """Whether there will be no other instance."""


def check_going_on(pod: Json) -> None:
    """Make sure that a pod has not ended.

    Raises:
        OperationRefused: It has.
    """
    phase = text(pod, "status", "phase")
    if phase in FINAL_PHASES:
        name = f"{text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')}"
        raise OperationRefused(f"Pod {name} has ended: its phase is {phase}")


def container_states(pod: Json) -> Iterator[ContainerState]:
    """Yield the states of all containers of a pod.

    A container without a status may have begun if a node has the pod.
    """
    is_last = text(pod, "status", "phase") in FINAL_PHASES
    has_node = bool(text(pod, "spec", "nodeName"))
    for kind in _KINDS:
        statuses = {text(each, "name"): each for each in items(pod, "status", f"{kind}Statuses")}
        for container in items(pod, "spec", f"{kind}s"):
            name = text(container, "name")
            found = statuses.get(name)
            if not name:
                continue
            if found is None:
                yield ContainerState(name, 0, has_node, False, is_last)
            else:
                yield _state(name, found, is_last=is_last)


def _state(name: str, status: Json, *, is_last: bool) -> ContainerState:
    state = part(status, "state")
    return ContainerState(
        name=name,
        restarts=number(status, "restartCount"),
        has_begun=bool({"running", "terminated"} & state.keys() or part(status, "lastState")),
        is_over="terminated" in state,
        is_last=is_last,
    )
