"""Events that components write: equal ones are counted, and old ones go."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part

from .objects import CONTROLLER_MANAGER, KUBELET, SCHEDULER, key
from .played_kinds import EVENTS
from .status_conditions import MICRO_TIME, TIME

if TYPE_CHECKING:
    from ...storage.cluster_state import ClusterState
    from .objects import Objects

_EVENT_LIFETIME: Final = timedelta(hours=1)
_MAX_EVENTS: Final = 10_000
_MAX_MESSAGE_CHARS: Final = 1024
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MANAGERS: Final = {"kubelet": KUBELET, "default-scheduler": SCHEDULER}


class Recorder:
    """Writes events. They are removed after an hour, or if there are more than 10,000."""

    def __init__(self, cluster: ClusterState, objects: Objects) -> None:
        self._cluster = cluster
        self._objects = objects
        self._known: OrderedDict[tuple[str, ...], tuple[str, datetime]] = OrderedDict()
        self._number = 0

    def record(
        self,
        about: dict[str, Any],
        component: str,
        reason: str,
        message: str,
        *,
        warning: bool = False,
        field: str = "",
        host: str = "",
        action: str = "",
    ) -> None:
        """Write that something happened to an object; an equal event is counted instead.

        Components of today say which action they took, as the scheduler does; their events have
        one time, and a series if they are repeated.
        """
        if self._objects.view(EVENTS) is None:
            return
        now = self._cluster.now()
        self._forget(now)
        kind = "Warning" if warning else "Normal"
        same = (component, about["metadata"].get("uid", ""), kind, reason, message, field)
        known = self._known.pop(same, None)
        try:
            name = self._counted(known[0], now) if known else ""
            if not name:
                event: dict[str, Any] = {
                    "reason": reason,
                    "message": message[:_MAX_MESSAGE_CHARS],
                    "type": kind,
                }
                event["involvedObject"] = _involved(about, field)
                name = self._created(about, event, component, host, action)
        except Failure:  # a namespace that is going, for example
            return
        self._known[same] = (name, now)

    def _counted(self, name: str, now: datetime) -> str:
        event = self._objects.copy(EVENTS, name)
        if event is None:
            return ""
        if event.get("action"):
            count = part(event, "series").get("count", 1) + 1
            event["series"] = {"count": count, "lastObservedTime": now.strftime(MICRO_TIME)}
        else:
            event["count"] = event.get("count", 1) + 1
            event["lastTimestamp"] = now.strftime(TIME)
        self._objects.update(EVENTS, event, _manager(event))
        return name

    def _created(
        self, about: dict[str, Any], event: dict[str, Any], component: str, host: str, action: str
    ) -> str:
        metadata, now = about["metadata"], self._cluster.now()
        self._number += 1
        nanoseconds = int((now - _EPOCH).total_seconds()) * 10**9 + self._number
        name = f"{metadata['name']}.{nanoseconds:x}"
        value = {
            "metadata": {"name": name, "namespace": metadata.get("namespace") or "default"},
            **event,
            **(_acted(action, component, now) if action else _seen(component, host, now)),
            "reportingComponent": component,
        }
        return key(self._objects.create(EVENTS, value, _manager(value)))

    def _forget(self, now: datetime) -> None:
        """Remove the events that are too old, or too many."""
        while self._known:
            same, (name, last) = next(iter(self._known.items()))
            if len(self._known) < _MAX_EVENTS and now - last < _EVENT_LIFETIME:
                return
            del self._known[same]
            event = self._objects.get(EVENTS, name)
            if event is not None:
                self._objects.delete(EVENTS, event)


def _seen(component: str, host: str, now: datetime) -> dict[str, Any]:
    """The times and the source of an event of the older API."""
    return {
        "source": _filled({"component": component, "host": host}),
        "firstTimestamp": now.strftime(TIME),
        "lastTimestamp": now.strftime(TIME),
        "count": 1,
        "eventTime": None,
        "reportingInstance": host,
    }


def _acted(action: str, component: str, now: datetime) -> dict[str, Any]:
    """The time and the source of an event of events.k8s.io."""
    return {
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": now.strftime(MICRO_TIME),
        "action": action,
        "reportingInstance": f"{component}-0",
    }


def _filled(values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


def _manager(event: dict[str, Any]) -> str:
    return _MANAGERS.get(event["reportingComponent"], CONTROLLER_MANAGER)


def _involved(about: dict[str, Any], field: str) -> dict[str, str]:
    metadata = about["metadata"]
    return _filled(
        {
            "kind": about["kind"],
            "namespace": metadata.get("namespace", ""),
            "name": metadata["name"],
            "uid": metadata.get("uid", ""),
            "apiVersion": about["apiVersion"],
            "resourceVersion": metadata.get("resourceVersion", ""),
            "fieldPath": field,
        }
    )
