"""What a pod says of its containers, for those who follow their logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ContainerState", "container_states"]

_KINDS: Final = ("initContainer", "container", "ephemeralContainer")
_ENDED: Final = ("Succeeded", "Failed")


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


def container_states(pod: Mapping[str, Any]) -> Iterator[ContainerState]:
    """Yield the states of all containers of a pod.

    A container without a status may have begun if a node has the pod.
    """
    spec, status = _part(pod, "spec"), _part(pod, "status")
    is_last = status.get("phase") in _ENDED
    for kind in _KINDS:
        statuses = {each.get("name"): each for each in _parts(status, f"{kind}Statuses")}
        for container in _parts(spec, f"{kind}s"):
            name = container.get("name")
            if not isinstance(name, str):
                continue
            found = statuses.get(name)
            if found is None:
                yield ContainerState(name, 0, bool(spec.get("nodeName")), False, is_last)
            else:
                yield _state(name, found, is_last=is_last)


def _state(name: str, status: Mapping[str, Any], *, is_last: bool) -> ContainerState:
    state = _part(status, "state")
    restarts = status.get("restartCount", 0)
    has_begun = bool({"running", "terminated"} & state.keys() or _part(status, "lastState"))
    return ContainerState(
        name=name,
        restarts=restarts if isinstance(restarts, int) else 0,
        has_begun=has_begun,
        is_over="terminated" in state,
        is_last=is_last,
    )


def _part(obj: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = obj.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _parts(obj: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = obj.get(name)
    return [each for each in found if isinstance(each, dict)] if _is_list(found) else []


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
