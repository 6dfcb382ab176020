"""The state of a pod on its node."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from .behaviour import NORMAL

if TYPE_CHECKING:
    from .behaviour import Behaviour
    from .played_containers import ContainerRun

_MIN_BACKOFF_SECONDS: Final = 10
_MAX_BACKOFF_SECONDS: Final = 300


class Stage(Enum):
    """What happens next."""

    STARTING = auto()
    PULLING = auto()
    INITIALIZING = auto()
    RUNNING = auto()
    WAITING = auto()
    STOPPING = auto()
    DONE = auto()


@dataclass(slots=True)
class PodRun:
    """A pod on a node.

    Attributes:
        uid: the pod's uid; another pod may have its name later.
        inits: its init containers.
        mains: its other containers.
        stage: what happens at `wake`.
        wake: when, on the monotonic clock; None if nothing happens by itself.
        is_alarm: whether `settle` does not wait for it.
        host: the address of its node.
        address: its own address, once it has one.
        behaviour: the behaviour that was looked at last.
        exits: how many of its containers ended so far as the behaviour says.
        crashes: how often its containers ended and were, or will be, started again.
    """

    uid: str
    inits: list[ContainerRun]
    mains: list[ContainerRun]
    stage: Stage = Stage.STARTING
    wake: float | None = None
    is_alarm: bool = False
    host: str = ""
    address: str = ""
    behaviour: Behaviour = field(default=NORMAL)
    exits: int = 0
    crashes: int = 0

    @property
    def containers(self) -> list[ContainerRun]:
        """All containers, init containers first."""
        return [*self.inits, *self.mains]

    def go(self, stage: Stage, wake: float | None, *, is_alarm: bool = False) -> None:
        """Set what happens next."""
        self.stage, self.wake, self.is_alarm = stage, wake, is_alarm


def restart_delay(crashes: int) -> int:
    """Return the seconds before a container is started again: 0, 10, 20, 40, ... 300."""
    if crashes <= 1:
        return 0
    return min(_MIN_BACKOFF_SECONDS << min(crashes - 2, 10), _MAX_BACKOFF_SECONDS)
