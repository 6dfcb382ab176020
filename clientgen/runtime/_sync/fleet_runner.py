# Derived from _async/fleet_runner.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The fleet of a running manager: clusters join, leave, and are looked after."""

# The fleet of a manager uses private parts of the manager and of its fleet.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from .._controllers.fleet_health import REPORT_SECONDS
from ._primitives import Event, short_lock, spawn, wait_until
from .fleet import Fleet
from .fleet_controller import FleetController
from .fleet_member import Member
from .informer_factory import InformerFactory

if TYPE_CHECKING:
    from .._cache.informer_options import FactoryOptions
    from .._clock import Clock
    from .._controllers.fleet_health import News
    from .._controllers.fleet_metrics import PrometheusFleetMetrics
    from .._http.resource import Resource
    from ._primitives import Task
    from .clientset import ClientsetBase
    from .fleet import Joined
    from .informer import SharedInformer
    from .recorder import EventRecorder

_LOOK_SECONDS: Final = 1.0
_EVENTS_SECONDS: Final = 5.0
_JOIN_SECONDS: Final = 1.0

logger = logging.getLogger("clientgen.runtime.fleet")


def home_of(k: ClientsetBase | Fleet[Any], home: ClientsetBase | None) -> ClientsetBase:
    """Return the clientset of a manager: `home` for a fleet, otherwise `k`.

    Raises:
        TypeError: `home` is missing for a fleet, or is given for a clientset.
    """
    if isinstance(k, Fleet):
        if home is None:
            raise TypeError(
                "a manager of a fleet needs home=, the clientset of the cluster with its lease and"
                " its events"
            )
        k._claim()
        return home
    if home is not None:
        raise TypeError("home= is for a manager of a fleet: Manager(fleet, home=hub)")
    return k


class FleetManager(Protocol):
    """The part of a manager that its fleet uses."""

    _name: str
    _clock: Clock
    _grace: float
    _controllers: Any

    @property
    def clientset(self) -> ClientsetBase:
        """The clientset of the cluster `home`."""
        ...

    @property
    def recorder(self) -> EventRecorder:
        """The recorder of events at home."""
        ...

    @property
    def is_leader(self) -> bool:
        """Whether this process leads."""
        ...

    def _informer_of(
        self, factory: InformerFactory, model: type[Any], options: Any
    ) -> SharedInformer[Any]: ...

    def _fail(self, title: str, error: BaseException) -> None: ...


class FleetRunner:
    """The fleet of a manager, for its controllers.

    Args:
        manager: The manager.
        fleet: The fleet.
        options: The options of the informers in the clusters of the fleet.
        metrics: The metrics; None without metrics.
        request_metrics: Receives the metrics of the requests of each cluster; None without metrics.
        regarding: The object of events about clusters that have no object of their own.
    """

    def __init__(
        self,
        manager: FleetManager,
        fleet: Fleet[Any],
        options: FactoryOptions,
        *,
        metrics: PrometheusFleetMetrics | None,
        request_metrics: Any,
        regarding: object,
    ) -> None:
        self.metrics = metrics
        self._request_metrics = request_metrics
        self._manager = manager
        self._fleet = fleet
        self._options = options
        self._regarding = regarding
        self._clock: Clock = manager._clock
        self._lock = short_lock()
        self._members: dict[str, Member] = {}
        self._farewells: list[Task] = []
        self._stopping = Event()

    # ---- for controllers ----------------------------------------------------------------------

    def member(self, name: str) -> Member | None:
        """Return the cluster with this name; None if it has not joined."""
        return self._members.get(name)

    def members(self) -> list[Member]:
        """List the clusters that have joined."""
        with self._lock:
            return [*self._members.values()]

    @property
    def leaving(self) -> int:
        """The number of clusters whose work has not ended yet."""
        self._farewells = [task for task in self._farewells if not task.done]
        return len(self._farewells)

    def resource(self, model: type[Any]) -> Resource:
        """Return the resource of a kind."""
        return self._manager.clientset.scheme.resource(model)

    def informer(self, member: Member, model: type[Any]) -> SharedInformer[Any]:
        """Return the informer of a kind in a cluster."""
        return member.watch(self._manager._informer_of(member.factory, model, {}))

    def _controllers(self) -> list[FleetController[Any]]:
        """List the controllers that work in the clusters: those of own requests work at home."""
        return [each for each in self._manager._controllers if isinstance(each, FleetController)]

    # ---- clusters -----------------------------------------------------------------------------

    def joined(self, joined: Joined) -> None:
        """Note that a cluster has joined."""
        with self._lock:
            if self._stopping.is_set():
                return
            clientset = joined.clientset
            if joined.is_own:  # kinds that the program has added are known in every cluster
                home = self._manager.clientset
                clientset._scheme, clientset._known = home.scheme, home._known
            if self._request_metrics is not None:
                clientset.rest.chain.add_metrics(self._request_metrics)
            new_factory = getattr(clientset, "informers", partial(InformerFactory, clientset.rest))
            factory = new_factory(**self._options)
            member = Member(joined, factory, self._manager._name, self._clock)
            self._members[joined.name] = member
        member.start()
        logger.info("%r: cluster %s joins", self._manager, joined.name)
        for controller in self._controllers():
            for pattern in controller._patterns:
                self.informer(member, pattern.model)
        member.factory.start()
        for controller in self._controllers():
            controller.attach(member)

    def left(self, joined: Joined) -> None:
        """Note that a cluster has left. Its running work gets time to end, in the background."""
        with self._lock:
            member = self._members.get(joined.name)
            if member is None or member.joined is not joined:
                return
            del self._members[joined.name]
            logger.info("%r: cluster %s leaves", self._manager, joined.name)
            self._dismiss(member)
            farewell = partial(self._say_farewell, member, self._manager._grace)
            self._farewells.append(spawn(farewell, f"{joined.name} leaves"))

    def refused(self, name: str, regarding: object, error: Exception) -> None:
        """Tell that a cluster could not join."""
        logger.error("%r: cluster %s cannot join: %s", self._manager, name, error)
        self._manager.recorder.event(
            regarding, "Warning", "ClusterRefused", f"cluster {name} cannot join: {error}"
        )

    def failed(self, error: Exception) -> None:
        """Stop the manager, because the source cannot go on."""
        self._manager._fail("the clusters of the fleet", error)

    def _dismiss(self, member: Member) -> None:
        """Take no more work from a cluster."""
        member.leave()
        for controller in self._controllers():
            controller.detach(member)
        if self.metrics is not None:
            self.metrics.left(member.name)

    def _say_farewell(self, member: Member, grace: float) -> None:
        """Wait for the running work of a cluster, cancel what remains, and stop its caches."""
        try:
            if grace > 0.0:
                wait_until(member.idle, self._clock, self._clock.monotonic() + grace)
        finally:
            if not member.idle.is_set():
                logger.warning("cluster %s: cancelling reconciliations that still run", member.name)
            member.end_work()
        member.idle.wait(_JOIN_SECONDS)
        self._stop_parts(member)
        logger.info("%r: cluster %s has left", self._manager, member.name)

    def _stop_parts(self, member: Member) -> None:
        clientset = member.clientset
        for stop in (
            member.factory.shutdown,
            partial(member.stop, _EVENTS_SECONDS),
            partial(self._fleet._aclose_own, member.joined),
        ):
            try:
                stop()
            except Exception as error:  # noqa: BLE001 - the other parts stop, too
                self._manager._fail(f"cluster {member.name}", error)
        if self._request_metrics is not None:
            clientset.rest.chain.remove_metrics(self._request_metrics)

    # ---- running ------------------------------------------------------------------------------

    def run(self) -> None:
        """Let clusters join and leave, and look after them, until `stop_soon` is called."""
        self._fleet._begin(self)
        source = self._fleet._source
        if source is not None:
            source.start(self._fleet, self, self._clock)
        try:
            while not self._stopping.is_set():
                for member in self.members():
                    self._look_after(member)
                until = self._clock.monotonic() + _LOOK_SECONDS
                wait_until(self._stopping, self._clock, until)
        finally:
            if source is not None:
                source.stop()

    def stop_soon(self) -> None:
        """Make `run` return. No cluster joins after this."""
        with self._lock:
            self._stopping.set()

    def close(self) -> None:
        """Stop the caches of all clusters. The controllers have ended."""
        self.stop_soon()
        with self._fleet._lock, self._lock:  # no cluster is about to join
            members, self._members = [*self._members.values()], {}
            for member in members:
                self._dismiss(member)
        farewells = [
            spawn(partial(self._say_farewell, member, 0.0), f"{member.name} leaves")
            for member in members
        ]
        for task in [*farewells, *self._farewells]:
            task.join(2 * _EVENTS_SECONDS + _JOIN_SECONDS)

    # ---- health -------------------------------------------------------------------------------

    def _look_after(self, member: Member) -> None:
        now, health = self._clock.monotonic(), member.health
        news = health.see(
            now, is_synced=member.has_synced, disconnected=member.seconds_without_watch
        )
        if news is not None or not health.is_reachable:
            for controller in self._controllers():
                controller.follow(member)
        if news is not None:
            self._tell(member, news, health.seconds(now))
        if self.metrics is not None:
            self._measure(self.metrics, member, health.seconds(now))

    def _measure(self, metrics: PrometheusFleetMetrics, member: Member, unwell: float) -> None:
        with self._lock:  # a cluster that leaves has no metrics any more
            if member.is_leaving:
                return
            metrics.seen(
                member.name,
                reachable=member.health.is_reachable,
                unwell=unwell,
                objects=member.objects,
            )
            for controller in self._controllers():
                metrics.queued(controller.name, member.name, controller.depth(member))

    def _tell(self, member: Member, news: News, seconds: float) -> None:
        if news == "back":
            logger.info("%r: cluster %s is reachable again", self._manager, member.name)
            self._record(member, "Normal", "ClusterReachable", "is reachable again")
            return
        what = "is unreachable" if member.is_cut_off else "cannot be watched"
        why = f"{what}: {member.reason}"
        logger.warning(
            "%r: cluster %s %s; for %.0f s now, logged every %g s",
            self._manager,
            member.name,
            why,
            seconds,
            REPORT_SECONDS,
        )
        self._record(member, "Warning", "ClusterUnreachable", why)

    def _record(
        self, member: Member, kind: Literal["Normal", "Warning"], reason: str, what: str
    ) -> None:
        """Record an event at home. One replica is enough: the one that leads."""
        if self._manager.is_leader:
            regarding = member.joined.regarding or self._regarding
            note = f"cluster {member.name} {what}"
            self._manager.recorder.event(regarding, kind, reason, note)
