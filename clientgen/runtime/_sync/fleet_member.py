# Derived from _async/fleet_member.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""A cluster of a fleet in a running manager: its caches, its running work, and its health."""

# A member uses private parts of its informers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from .._controllers.fleet_health import ClusterHealth
from .._http.write_permit import PERMIT, Permit, with_permit
from .._models.unstructured import Object
from ..errors import TransportError
from ._primitives import Event, short_lock
from .controller_cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Generator

    from .._clock import Clock
    from .fleet import Joined
    from .informer import SharedInformer
    from .informer_factory import InformerFactory

T = TypeVar("T", bound=Object)

logger = logging.getLogger("clientgen.runtime.fleet")


class Member(Cluster):
    """A cluster of a fleet.

    Args:
        joined: The name and the clientset.
        factory: The factory of its informers.
        reporter: The name of the program, as the reporter of events.
        clock: The clock.

    Attributes:
        health: The health of the cluster.
        over: Set when running work must end at once.
    """

    def __init__(
        self, joined: Joined, factory: InformerFactory, reporter: str, clock: Clock
    ) -> None:
        super().__init__(joined.clientset, reporter, clock, joined.name)
        self.joined = joined
        self.factory = factory
        self.health = ClusterHealth(clock.monotonic())
        self.over = Event()
        self.idle = Event()
        self.idle.set()
        self._is_leaving = False
        self._running = 0
        self._permits: set[Permit] = set()
        self._work_lock = short_lock()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def is_leaving(self) -> bool:
        """Whether the cluster leaves its fleet, so that reconciliations of its objects must end."""
        return self._is_leaving

    def leave(self) -> None:
        """Note that the cluster leaves."""
        self._is_leaving = True

    # ---- caches -------------------------------------------------------------------------------

    def watch(self, informer: SharedInformer[T]) -> SharedInformer[T]:
        """Take the errors of an informer: the fleet tells about them, once a minute."""
        if not informer.is_started:
            informer.on_watch_error(self._log_error)
        return informer

    def _log_error(self, error: Exception) -> None:
        logger.debug("cluster %s: %s", self.name, error)

    @property
    def _informers(self) -> list[SharedInformer[Any]]:
        """The informers of kinds that the cluster serves."""
        return [each for each in self.factory._pool.all() if not each.is_unserved]

    @property
    def has_synced(self) -> bool:
        """Whether all caches are filled."""
        return all(each.has_synced() for each in self._informers)

    @property
    def seconds_without_watch(self) -> float:
        """The longest time in seconds that a cache has had no open watch."""
        return max((each.seconds_without_watch for each in self._informers), default=0.0)

    @property
    def objects(self) -> int:
        """The number of objects in the caches."""
        return sum(len(each.indexer.stored) for each in self._informers)

    @property
    def is_cut_off(self) -> bool:
        """Whether the cluster does not answer, so that reconciliations would only fail."""
        return not self.health.is_reachable and any(
            isinstance(answer, TransportError) for answer in self._last_answers
        )

    @property
    def _last_answers(self) -> list[object]:
        """The last answers of the server to informers that have no open watch."""
        return [
            sink.reflector.last_answer
            for each in self._informers
            for sink in each._sinks.values()
            if sink.reflector.seconds_without_watch
        ]

    @property
    def reason(self) -> str:
        """The reason why the cluster is not well."""
        missing = [
            f"{each.title} ({each.sync_status})"
            for each in self._informers
            if not each.has_synced()
        ]
        answers = [str(answer) for answer in self._last_answers if isinstance(answer, Exception)]
        return ", ".join(missing or answers[:1]) or "no watch is open"

    # ---- running work -------------------------------------------------------------------------

    @contextmanager
    def working(self) -> Generator[None]:
        """Count a reconciliation. Its writes are refused when the cluster has left."""
        with self._work_lock:
            self._running += 1
            self.idle.clear()
        permit = Permit(self._refusal, PERMIT.get())
        self._permits.add(permit)
        try:
            with with_permit(permit):
                yield
        finally:
            self._permits.discard(permit)
            with self._work_lock:
                self._running -= 1
                if not self._running:
                    self.idle.set()

    def end_work(self) -> None:
        """Cancel running reconciliations, and break off their writes."""
        self.over.set()
        for permit in [*self._permits]:
            permit.end()

    def _refusal(self) -> str:
        return f"{self.name} has left the fleet" if self.over.is_set() else ""
