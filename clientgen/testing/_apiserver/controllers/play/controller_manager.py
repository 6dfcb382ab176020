"""Runs the controllers: a queue of keys, in the order in which they were added."""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Failure

from .control_plane import ControlPlane
from .controllers import controllers
from .kubelet import Kubelet
from .nodes import make_nodes
from .objects import Objects, key
from .played_events import Recorder
from .played_kinds import PODS
from .scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...storage.cluster_state import ClusterState
    from ...storage.store import Change, Collection
    from .behaviour import Behaviour, PodRule
    from .control_plane import Controller
    from .settings import PlaySettings

_log = logging.getLogger("clientgen.testing")

MAX_SYNCS: Final = 5000
"""How often a controller looks at an object in one second of the clock."""
_WINDOW_SECONDS: Final = 1.0
_INVALID: Final = 422
_MAX_SYNCS_AT_ONCE: Final = 50
_MIN_RETRY_SECONDS: Final = 1.0
_MAX_RETRY_SECONDS: Final = 60.0


class ControllerManager:
    """Moves the workloads of a cluster along.

    It hears of every change in the store, and has the controllers look at the objects concerned.
    A controller that fails tries again after a second, then after two, and so on up to a minute.
    So does one that looks at the same object over and over within a second.
    """

    def __init__(self, cluster: ClusterState, settings: PlaySettings) -> None:
        self._cluster = cluster
        self.objects = Objects(cluster)
        self.rules: list[PodRule] = []
        recorder = Recorder(cluster, self.objects)
        self.plane = ControlPlane(
            cluster, self.objects, recorder, settings, self.rules, self._add_later, self._forget
        )
        self._controllers: dict[str, Controller] = {
            each.name: each
            for each in controllers(self.plane)
            if all(self.objects.view(kind) is not None for kind in each.needs)
        }
        self._delay = settings.delay
        self._queue: dict[tuple[str, str], None] = {}
        self._planned: dict[tuple[str, str, bool], tuple[float, Callable[[], None]]] = {}
        self._is_planned = False
        self._is_working = False
        self._window = cluster.clock.monotonic()
        self._syncs: Counter[tuple[str, str]] = Counter()
        self._failures: Counter[tuple[str, str]] = Counter()
        self._watchers: dict[str, list[tuple[str, Controller]]] = {}
        self._begin(settings)

    def _begin(self, settings: PlaySettings) -> None:
        for controller in self._controllers.values():
            for kind in controller.watches:
                view = self.objects.view(kind)
                if view is not None:
                    collection = view.strategy.collection
                    self._watchers.setdefault(collection, []).append((kind, controller))
        self._cluster.store.on_change(self._changed)
        make_nodes(self.plane, settings.nodes)
        for kind in dict.fromkeys(kind for each in self._watchers.values() for kind, _ in each):
            self.objects.learn(kind)
        for watchers in self._watchers.values():
            for kind, controller in watchers:
                for value in self.objects.all(kind):
                    self._add_all(controller, controller.keys(kind, value, value))

    # ------------------------------------------------------------------------------- queue

    def _changed(self, collection: Collection, change: Change) -> None:
        watchers = self._watchers.get(collection.name)
        if not watchers:
            return
        before, after = self.objects.follow(watchers[0][0], change)
        for kind, controller in watchers:
            self._add_all(controller, controller.keys(kind, before, after))

    def _add_all(self, controller: Controller, keys: Iterable[str]) -> None:
        for each in keys:
            self.add(controller.name, each)

    def add(self, controller: str, key: str) -> None:
        """Have a controller look at an object as soon as possible."""
        if controller not in self._controllers:
            return
        self._queue[controller, key] = None
        if not self._is_planned and not self._is_working:
            self._plan()

    def _add_later(self, controller: str, key: str, seconds: float, is_alarm: bool) -> None:
        moment = self._cluster.clock.monotonic() + seconds
        planned = self._planned.get((controller, key, is_alarm))
        if planned is not None and planned[0] <= moment:
            return
        if planned is not None:
            planned[1]()
        work = partial(self._wake, controller, key, is_alarm)
        cancel = self._cluster.later(seconds, work, awaited=not is_alarm)
        self._planned[controller, key, is_alarm] = (moment, cancel)

    def _forget(self, controller: str, key: str) -> None:
        for is_alarm in (False, True):
            planned = self._planned.pop((controller, key, is_alarm), None)
            if planned is not None:
                planned[1]()

    def _wake(self, controller: str, key: str, is_alarm: bool) -> None:
        self._planned.pop((controller, key, is_alarm), None)
        self.add(controller, key)

    # ----------------------------------------------------------------------------- scripts

    def set_behaviour(self, rule: PodRule, behaviour: Behaviour) -> None:
        """Have pods behave in a way, those that are there as well as later ones."""
        rule.behaviour = behaviour
        if not any(each is rule for each in self.rules):
            self.rules.append(rule)
        for pod in self._meant(rule):
            for controller in (Scheduler.name, Kubelet.name):
                self.add(controller, pod)

    def clear_behaviours(self) -> None:
        """Have all pods behave as usual."""
        rules = self.rules.copy()
        self.rules.clear()
        for pod in {pod: None for rule in rules for pod in self._meant(rule)}:
            for controller in (Scheduler.name, Kubelet.name):
                self.add(controller, pod)

    def evict(self, rule: PodRule, message: str) -> None:
        """End the pods of a rule that are there, because their nodes need the room."""
        kubelet = self._controllers.get(Kubelet.name)
        if isinstance(kubelet, Kubelet):
            for pod in self._meant(rule):
                kubelet.evict(pod, message)

    def _meant(self, rule: PodRule) -> list[str]:
        if Kubelet.name not in self._controllers:
            return []
        return [key(pod) for pod in self.objects.all(PODS) if rule.fits(pod)]

    # -------------------------------------------------------------------------------- work

    def _plan(self) -> None:
        self._is_planned = True
        self._cluster.later(self._delay, self._work)

    def _work(self) -> None:
        self._is_planned = False
        self._is_working = True
        # With a delay, somebody waits in real time: requests come in between.
        at_once = _MAX_SYNCS_AT_ONCE if self._delay else len(self._queue)
        try:
            for _ in range(at_once):
                if self._queue:
                    name, key = next(iter(self._queue))
                    del self._queue[name, key]
                    self._sync(name, key)
        finally:
            self._is_working = False
            if self._queue:
                self._plan()

    def _sync(self, name: str, key: str) -> None:
        if self._is_too_often(name, key):
            return
        try:
            self._controllers[name].sync(key)
        except Failure as failure:
            level = logging.WARNING if failure.code == _INVALID else logging.DEBUG
            _log.log(level, "%s: %s was refused: %s", name, key, failure.message)
            self._retry(name, key)
        except Exception:  # noqa: BLE001 - it is logged, and tried again
            _log.exception("%s: %s failed", name, key)
            self._retry(name, key)
        else:
            self._failures.pop((name, key), None)

    def _retry(self, name: str, key: str) -> None:
        self._failures[name, key] += 1
        power = min(self._failures[name, key] - 1, 10)
        self._add_later(
            name, key, min(_MIN_RETRY_SECONDS * 2**power, _MAX_RETRY_SECONDS), is_alarm=True
        )

    def _is_too_often(self, name: str, key: str) -> bool:
        now = self._cluster.clock.monotonic()
        if now >= self._window + _WINDOW_SECONDS:
            self._window = now
            self._syncs.clear()
        self._syncs[name, key] += 1
        if self._syncs[name, key] <= MAX_SYNCS:
            return False
        if self._syncs[name, key] == MAX_SYNCS + 1:
            _log.warning("%s: %s was looked at %d times in a second", name, key, MAX_SYNCS)
        self._retry(name, key)
        return True
