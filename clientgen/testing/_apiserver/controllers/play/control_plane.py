"""What the controllers share: objects, events, settings, rules for pods, and when to come back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from ...storage.cluster_state import ClusterState
    from .behaviour import PodRule
    from .objects import Objects
    from .played_events import Recorder
    from .settings import PlaySettings

Again: TypeAlias = "Callable[[str, str, float, bool], None]"
"""Have a controller look at a key after some seconds; the last says whether it is an alarm."""


class Controller(ABC):
    """Brings objects of one kind closer to what they ask for.

    Attributes:
        name: what it is called.
        needs: the kinds without which it does nothing.
        watches: the kinds whose changes it hears of.
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    watches: ClassVar[tuple[str, ...]]

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane

    @abstractmethod
    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield the keys that a change is about; both objects are equal at the beginning."""

    @abstractmethod
    def sync(self, key: str) -> None:
        """Look at one object, and do what has to be done."""

    def _record(
        self, about: dict[str, Any], reason: str, message: str, *, warning: bool = False
    ) -> None:
        """Write an event about an object."""
        self._plane.recorder.record(about, self.name, reason, message, warning=warning)


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """What controllers work with.

    Attributes:
        cluster: time, chance and the store.
        objects: reads and writes.
        recorder: writes events.
        settings: how long things take.
        rules: rules for pods that do not behave as usual; the last one wins.
        again: comes back later.
        forget: does not come back to a key.
    """

    cluster: ClusterState
    objects: Objects
    recorder: Recorder
    settings: PlaySettings
    rules: list[PodRule]
    again: Again
    forget: Callable[[str, str], None]

    def now(self) -> datetime:
        """Return the time of day."""
        return self.cluster.now()

    def timestamp(self) -> str:
        """Return the time of day as it stands in objects."""
        return self.cluster.timestamp()

    def come_back(self, controller: Controller, key: str, seconds: float) -> None:
        """Call a controller again when some time has passed."""
        self.again(controller.name, key, seconds, False)

    def set_alarm(self, controller: Controller, key: str, seconds: float) -> None:
        """Call a controller again later, without waiting for it in `settle`.

        Alarms are deadlines, back-offs and schedules.
        """
        self.again(controller.name, key, seconds, True)
