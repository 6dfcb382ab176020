"""The state of a server: served resources, stored objects, and the time."""

from __future__ import annotations

import heapq
import logging
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, Failure, forbidden, not_found

from ..access import Tokens
from ..feature_gates import DEFAULTS
from .container_logs import ContainerLogs
from .conversions import Conversions
from .registry import Registry
from .store import key_of
from .versioned_view import VersionedView

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from datetime import datetime
    from random import Random

    from clientgen._rbac.callers import Witness
    from clientgen.runtime._clock import Clock

    from ..served_resources import Resource
    from ..served_spec import Spec
    from ..webhook_calls import Attempt
    from .store import Record, Store

_log = logging.getLogger("clientgen.testing")

WEBHOOKS: Final = tuple(
    f"{kind}webhookconfigurations.admissionregistration.k8s.io"
    for kind in ("mutating", "validating")
)
"""The collections of configurations that send requests to webhooks."""

# A spec of the user may have no namespaces; then any name is accepted.
_NAMESPACE: Final = {"apiVersion": "v1", "kind": "Namespace"}


class ClusterState:
    """The state behind the handler; a `ObjectReader` for the rules of the kinds.

    Work after a request, such as emptying a namespace, is scheduled with `later` and done by
    `run_due`, which the driver of the server calls.

    Attributes:
        feature_gates: the features that are switched on or off; see `feature_gates`.
        tokens: issues and recognises the tokens of service accounts.
        witnesses: who takes down the requests of a user, by the user's name.
        logs: what containers have written.
        open_process: opens the process of a `verbs.connect.ProcessRequest`; None refuses them all.
        open_ports: does so for a `verbs.connect.PortRequest`.
        open_proxy: does so for a `verbs.proxy.ProxyRequest`.
        admission: what writes pass; an `admission.Chain`, see `admission.chain_of`.
        attempt: of the request that is being answered, if it may have to wait for webhooks.
    """

    def __init__(self, spec: Spec, clock: Clock, store: Store, random: Random) -> None:
        self.spec = spec
        self.clock = clock
        self.store = store
        self.random = random
        self.registry = Registry(spec, Conversions(clock, lambda: self.attempt))
        self.tokens = Tokens(random.randbytes(32))
        self.witnesses: dict[str, Witness] = {}
        self.logs = ContainerLogs()
        self.open_process: Callable[..., Any] | None = None
        self.open_ports: Callable[..., Any] | None = None
        self.open_proxy: Callable[..., Any] | None = None
        self.admission: object = None
        self.attempt: Attempt | None = None
        self.feature_gates: Mapping[str, bool] = {}
        self._webhooks = tuple(map(store.collection, WEBHOOKS))
        self._due: list[tuple[float, int, Callable[[], None], bool]] = []
        self._cancelled: set[int] = set()
        self._order = count()

    def has_gate(self, name: str) -> bool:
        """Tell whether a feature is on."""
        return self.feature_gates.get(name, DEFAULTS[name])

    # -------------------------------------------------------------------------- webhooks

    @property
    def has_webhooks(self) -> bool:
        """Whether requests may have to wait for webhooks at all."""
        mutating, validating = self._webhooks  # every request asks
        return bool(self.registry.asks_webhooks or mutating.records or validating.records)

    @contextmanager
    def attempting(self, attempt: Attempt) -> Generator[None]:
        """Answer a request, with the time and the random numbers that all its attempts have.

        Raises:
            Failure: 504, there were too many attempts.
        """
        random, self.random = self.random, attempt.begin()
        self.attempt = attempt
        try:
            yield
        finally:
            self.attempt = None
            self.random = random

    # ------------------------------------------------------------------------------ time

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return self.clock.now() if self.attempt is None else self.attempt.now

    def timestamp(self) -> str:
        """The time of day as it stands in metadata."""
        return self.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    def later(
        self, seconds: float, work: Callable[[], None], *, awaited: bool = True
    ) -> Callable[[], None]:
        """Do something after a while; `next_awaited` ignores what is not awaited.

        Returns:
            What cancels it, as long as it was not done.
        """
        moment, number = self.clock.monotonic() + seconds, next(self._order)
        heapq.heappush(self._due, (moment, number, work, awaited))
        return lambda: self._cancelled.add(number)

    @property
    def next_due(self) -> float | None:
        """When `run_due` has something to do, on the monotonic clock; None when it has nothing."""
        while self._due and self._due[0][1] in self._cancelled:
            self._cancelled.discard(heapq.heappop(self._due)[1])
        return self._due[0][0] if self._due else None

    @property
    def next_awaited(self) -> float | None:
        """Return when there is work that `settle` waits for; None if there is none."""
        awaited = (
            moment
            for moment, number, _, is_awaited in self._due
            if is_awaited and number not in self._cancelled
        )
        return min(awaited, default=None)

    def run_due(self) -> None:
        """Do the work that is due. Its failures do not concern the request."""
        while (due := self.next_due) is not None and due <= self.clock.monotonic():
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
        """Return whether the kind of an object is served."""
        group, _, version = value["apiVersion"].rpartition("/")
        return self.registry.of_kind(group, version, value["kind"]) is not None

    # ------------------------------------------------------------------------- admission

    def check_namespace(self, resource: Resource, namespace: str, metadata: dict[str, Any]) -> None:
        """Refuse to create an object in a namespace that does not exist or is being deleted.

        Raises:
            Failure: 404, or 403 with a NamespaceTerminating cause.
        """
        if not resource.namespaced or not self.serves(_NAMESPACE):
            return
        record = self.record("", "namespaces", "", namespace)
        if record is None:
            raise not_found("", "namespaces", namespace)
        if record.is_going:
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
