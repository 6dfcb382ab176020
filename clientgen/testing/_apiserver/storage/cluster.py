"""Everything one server holds: what is served, what is stored, what time it is."""

from __future__ import annotations

import heapq
import logging
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, Failure, forbidden, not_found

from ..access import Tokens
from .registry import Registry
from .store import key_of
from .versioned_view import VersionedView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from random import Random

    from clientgen.runtime._clock import Clock

    from ..resources import Resource
    from ..spec import Spec
    from .store import Record, Store

__all__ = ["Cluster"]

_log = logging.getLogger("clientgen.testing")

# A spec of somebody's own may have none; then any namespace will do.
_NAMESPACE: Final = {"apiVersion": "v1", "kind": "Namespace"}


class Cluster:
    """The state behind the handler; a `ObjectReader` for the rules of the kinds.

    Work that comes after a request (emptying a namespace, say) is put off with `later` and done by
    `run_due`, which whoever drives the server calls.

    Attributes:
        tokens: issues and recognises the tokens of service accounts.
        log_text: what containers have written; a `verbs.logs.LogText`, or None for a fixed text.
    """

    def __init__(self, spec: Spec, clock: Clock, store: Store, random: Random) -> None:
        self.spec = spec
        self.clock = clock
        self.store = store
        self.random = random
        self.registry = Registry(spec)
        self.tokens = Tokens(random.randbytes(32))
        self.log_text: Callable[..., str] | None = None
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    # ------------------------------------------------------------------------------ time

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return self.clock.now()

    def timestamp(self) -> str:
        """The time of day as it stands in metadata."""
        return self.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def later(self, seconds: float, work: Callable[[], None]) -> None:
        """Do something after a while."""
        moment = self.clock.monotonic() + seconds
        heapq.heappush(self._due, (moment, next(self._order), work))

    @property
    def next_due(self) -> float | None:
        """When `run_due` has something to do, on the monotonic clock; None when it has nothing."""
        return self._due[0][0] if self._due else None

    def run_due(self) -> None:
        """Do what is due; what cannot be done (or not any more) is none of a request's business."""
        while self._due and self._due[0][0] <= self.clock.monotonic():
            work = heapq.heappop(self._due)[2]
            try:
                work()
            except Failure as failure:
                _log.debug("work in the background was refused: %s", failure.message)
            except Exception:  # noqa: BLE001 - it is logged, and the rest is due as well
                _log.exception("work in the background failed")

    # --------------------------------------------------------------------------- objects

    def record(self, group: str, plural: str, namespace: str, name: str) -> Record | None:
        """One stored object."""
        resource = self.registry.any_version(group, plural)
        if resource is None:
            return None
        return self._records(resource).get(key_of(namespace, name))

    def _records(self, resource: Resource) -> dict[str, Record]:
        return self.store.collection(self.registry.storage_of(resource)).records

    def existing(self, resource: Resource, namespace: str, name: str) -> Record:
        """One stored object that has to be there.

        Raises:
            Failure: 404.
        """
        record = self._records(resource).get(key_of(namespace, name))
        if record is None:
            raise not_found(resource.group, resource.plural, name)
        return record

    def resource_of(self, collection: str) -> Resource | None:
        """A resource whose objects are in the collection of that name."""
        plural, _, group = collection.partition(".")
        return self.registry.any_version(group, plural)

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """One object, in the first version its kind is served in."""
        record = self.record(group, plural, namespace, name)
        resource = self.registry.any_version(group, plural)
        if record is None or resource is None:
            return None
        return VersionedView.of(resource, self.registry).value(record)

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        """All objects of a kind, or those of a namespace."""
        resource = self.registry.any_version(group, plural)
        if resource is None:
            return []
        view = VersionedView.of(resource, self.registry)
        collection = self.store.collection(self.registry.storage_of(resource))
        return [view.value(record) for record in collection.now(namespace)]

    def serves(self, value: Mapping[str, Any]) -> bool:
        """Tell whether the kind of an object is served."""
        group, _, version = value["apiVersion"].rpartition("/")
        return self.registry.of_kind(group, version, value["kind"]) is not None

    # ------------------------------------------------------------------------- admission

    def check_namespace(self, resource: Resource, namespace: str, metadata: dict[str, Any]) -> None:
        """Refuse to create something in a namespace that is not there, or going.

        Raises:
            Failure: 404, or 403 with a NamespaceTerminating cause.
        """
        if not resource.namespaced or not self.serves(_NAMESPACE):
            return
        record = self.record("", "namespaces", "", namespace)
        if record is None:
            raise not_found("", "namespaces", namespace)
        if record.value()["metadata"].get("deletionTimestamp"):
            cause = Cause(
                "NamespaceTerminating",
                f"namespace {namespace} is being terminated",
                "metadata.namespace",
            )
            name = metadata.get("name", "")
            why = (
                f"unable to create new content in namespace {namespace} because it is being "
                "terminated"
            )
            raise forbidden(resource.group, resource.plural, name, why, causes=[cause])
