"""Distributes objects and keys among replicas. `shard_assignment` has rules and guarantees."""

# Sharding and its informers call each other's private methods.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109 - `clock` measures the timeout

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from .._clock import SYSTEM_CLOCK, lease_clock
from .._controllers.election import Election, Timing
from .._controllers.lease_fields import is_label_value, short_digest
from .._controllers.shard_assignment import SLOTS, Shards, ShardView
from .._http.path_segments import is_name
from .._http.user_agent import unique_identity
from .._http.write_permit import with_permit
from ..errors import ApiError, ClientError
from ._primitives import Event, call, short_lock, spawn, wait_until
from .lease_client import AsyncLeaseClient, rest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable
    from types import TracebackType
    from typing import Self

    from .._cache.informer_options import ShardReader
    from .._clock import Clock
    from .._controllers.election import LeaseRequest
    from .._controllers.lease_fields import Lease
    from .._http.shard_ranges import ShardRanges
    from .._http.write_permit import Permit
    from .._models.meta_v1 import ObjectMeta
    from ._primitives import Task
    from .lease_client import AsyncClient

_LABEL = "clientgen/sharding"
_MAX_NAME_CHARACTERS = 46

logger = logging.getLogger("clientgen.runtime._controllers.shard_assignment")


class HasMetadata(Protocol):
    """An object of Kubernetes."""

    @property
    def metadata(self) -> ObjectMeta:
        """The metadata of the object."""
        ...


class AsyncSharding:
    """Assigns objects to replicas, so that several replicas share the objects of a kind.

        async with AsyncSharding(k, "my-controller", "default") as sharding:
            manager = AsyncManager(k, sharding=sharding)
            manager.controller("crontabs", reconcile).for_(CronTab).owns(Job)
            await manager.run()

    An informer with `shard_selector=sharding` reads the objects that this replica needs; a manager
    does so for the kinds of `for_`, and reconciles only objects that this replica owns.

    No object has two owners at the same moment; `shard_assignment` states the conditions. In code
    of your own, call `owns_object` before each piece of work, and look at all objects again on
    `on_change`, because this replica may own more of them. `owns` does the same for keys of your
    own. Work that began while this replica owned an object may end later: if the network fails,
    this work has `lease_duration` minus `renew_deadline` seconds to end, and usually more.

    Each replica sends two requests per retry period: it renews its lease, and lists all leases.

    Args:
        client: A clientset, or its REST client.
        name: The prefix of the names of the leases.
        namespace: The namespace of the leases; None means the namespace of the client's
            configuration.
        identity: The identity of this replica, which must be unique. None means a new identity.
        lease_duration: The seconds without a renewal after which a replica counts as dead; an
            integer. All replicas should have the same durations.
        renew_deadline: The seconds that this replica may own keys after it has sent a renewal and a
            list.
        retry_period: The seconds between two renewals.
        on_change: Called with the identities of the live replicas when ownership may have changed;
            with an empty tuple when this replica no longer owns any keys.
        clock: The clock for durations.

    Raises:
        ValueError: The durations are inconsistent, or a name cannot be used.
    """

    def __init__(
        self,
        client: AsyncClient,
        name: str,
        namespace: str | None = None,
        identity: str | None = None,
        *,
        lease_duration: int = 15,
        renew_deadline: float = 10.0,
        retry_period: float = 2.0,
        on_change: Callable[[tuple[str, ...]], object] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        if not is_name(name) or not is_label_value(name) or len(name) > _MAX_NAME_CHARACTERS:
            raise ValueError(
                f"{name!r} is not valid as the name of a lease: use at most {_MAX_NAME_CHARACTERS}"
                " of a-z, 0-9 and -"
            )
        rest, clock = rest_of(client), lease_clock(clock)
        namespace = rest.namespace if namespace is None else namespace
        identity = unique_identity() if identity is None else identity
        self._timing = Timing(lease_duration, renew_deadline, retry_period)
        lease = f"{name}-{short_digest(identity)}"
        self._election = Election(namespace, lease, identity, self._timing)
        self._election.labels[_LABEL] = name
        self._shards = Shards(self._election)
        self._leases = AsyncLeaseClient(rest, namespace, clock)
        self._selector = f"{_LABEL}={name}"
        self._on_change = on_change
        self._clock = clock
        self._announced = ShardView()
        self._view_changed = Event()
        self._stopping = Event()
        self._settled = Event()
        self._tasks: list[Task] = []
        self._needed: ShardRanges | None = None
        self._readers: list[ShardReader] = []
        self._permits: set[Permit] = set()
        self._lock = short_lock()
        self._held: dict[Hashable, tuple[str, Callable[[], object]]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._selector!r} as {self.identity!r}>"

    @property
    def identity(self) -> str:
        """The identity of this replica."""
        return self._election.identity

    @property
    def members(self) -> tuple[str, ...]:
        """The identities of all live replicas, sorted; empty while they are unknown."""
        return () if self._stopping.is_set() else self._shards.view(self._clock.monotonic()).members

    def owns(self, key: str) -> bool:
        """Return whether a key belongs to this replica at this moment.

        Keys may be any texts. Use either this method or `owns_object` for a kind: an object and its
        key may belong to different replicas.
        """
        return not self._stopping.is_set() and self._shards.owns(key, self._clock.monotonic())

    def owns_object(self, obj: HasMetadata) -> bool:
        """Return whether an object belongs to this replica at this moment.

        The hash of its uid decides, as for the server's `shardSelector`.
        """
        return self.owns_uid(obj.metadata.uid)

    def owns_uid(self, uid: str) -> bool:
        """Return whether the object with this uid belongs to this replica at this moment."""
        return not self._stopping.is_set() and self._shards.owns_uid(uid, self._clock.monotonic())

    def owner(self, key: str) -> str:
        """Return the replica that a key is assigned to; empty if the replicas are unknown."""
        return self._shards.owner(key, self._clock.monotonic())

    @property
    def shard_selector(self) -> str:
        """The shard selector of the objects that this replica needs; empty if it is unknown."""
        ranges = self._needed
        return "" if ranges is None else ranges.text

    # ---- informers and controllers --------------------------------------------------------------

    def _join(self, reader: ShardReader) -> None:
        """Tell an informer now and from now on which objects it has to read."""
        with self._lock:
            self._readers.append(reader)
            reader._read_shard(self._needed)

    def _leave(self, reader: ShardReader) -> None:
        with self._lock:
            self._readers = [each for each in self._readers if each is not reader]

    def _read_needed(self, ranges: ShardRanges | None) -> None:
        with self._lock:
            if ranges is None or ranges == self._needed:
                return
            self._needed = ranges
            self._held = {
                key: held for key, held in self._held.items() if ranges.has_value(held[0])
            }
            for reader in self._readers:
                reader._read_shard(ranges)

    def _admits(self, uid: str, key: Hashable, again: Callable[[], object]) -> bool:
        """Return whether a controller may reconcile the object with this uid now.

        If not, the caller drops the request, and `again` is called once for each key when this
        replica owns the object.
        """
        with self._lock:
            if self.owns_uid(uid):
                return True
            if not self._stopping.is_set():
                self._held[key] = (uid, again)
            return False

    def _release(self) -> None:
        """Let controllers look again at requests for objects that this replica owns now."""
        with self._lock:
            owned = [key for key, (uid, _) in self._held.items() if self.owns_uid(uid)]
            released = [self._held.pop(key) for key in owned]
        for _, again in released:
            again()

    @contextmanager
    def _permitted(self, permit: Permit) -> Generator[None]:
        """Use a permit in a `with` block, and end it when this replica loses what it is for."""
        self._permits.add(permit)
        try:
            with with_permit(permit):
                yield
        finally:
            self._permits.discard(permit)

    def _end_permits(self) -> None:
        for permit in [*self._permits]:
            if permit.refusal():
                permit.end()

    # ---- running ------------------------------------------------------------------------------

    def start(self) -> None:
        """Join the replicas, in background tasks or threads.

        Raises:
            RuntimeError: `start` was called before.
        """
        if self._tasks or self._stopping.is_set():
            raise RuntimeError(f"{self!r} was already started; create a new one")
        self._tasks = [
            spawn(self._renew_until_stopped, f"{self._election.name}-living"),
            spawn(self._announce_until_stopped, f"{self._election.name}-looking"),
        ]

    async def wait_until_settled(self, timeout: float | None = None) -> bool:
        """Wait until this replica owns its share of the keys. Returns False at the timeout."""
        until = None if timeout is None else self._clock.monotonic() + timeout
        return await wait_until(self._settled, self._clock, until)

    async def stop(self) -> None:
        """Give up all keys, call `on_change`, and delete the lease, so that others need not wait.

        End the work on owned keys before you call this.
        """
        self._stopping.set()
        self._view_changed.set()
        for task in self._tasks:
            await task.join(self._timing.renew_deadline)
            task.cancel()
        lease = self._election.observed
        if self._tasks and lease is not None:
            await self._delete_lease(lease)

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    # ---- the background tasks -----------------------------------------------------------------

    async def _renew_until_stopped(self) -> None:
        """Renew the lease and list all leases in each retry period."""
        while not self._stopping.is_set():
            began = self._clock.monotonic()
            try:
                await self._round()
            except Exception:
                logger.exception("%r: this replica owns nothing for now", self)
            self._view_changed.set()
            await wait_until(self._stopping, self._clock, began + self._timing.retry_period)

    async def _round(self) -> None:
        """Renew the lease and list all leases; twice if others wait for the new claims."""
        if await self._renew_and_list() and self._shards.is_changing:
            await self._renew_and_list()

    async def _renew_and_list(self) -> bool:
        """Renew the lease and list all leases. Returns False if the list failed."""
        timeout, clock = self._timing.renew_deadline / 2, self._clock
        await self._leases.attempt(self._election, timeout, None, self._log_failed_request)
        sent = clock.monotonic()
        try:
            leases = await self._leases.list(self._selector, timeout)
        except (ClientError, OSError) as error:
            logger.warning("%r: %s", self, error)
            return False
        for lease in self._shards.update_leases(leases, sent, clock.monotonic()):
            await self._delete_lease(lease)
        return True

    def _log_failed_request(self, _: LeaseRequest, error: Exception) -> None:
        logger.warning("%r: %s", self, error)

    async def _delete_lease(self, lease: Lease) -> None:
        """Delete a lease, unless it was changed since it was read."""
        try:
            await self._leases.delete(lease, self._timing.renew_deadline / 2)
        except ApiError as error:
            logger.debug("%r: %s", self, error)
        except (ClientError, OSError) as error:
            logger.warning("%r: %s", self, error)

    async def _announce_until_stopped(self) -> None:
        """Call `on_change` whenever the ownership of keys may have changed.

        Ownership also changes when time passes.
        """
        while not self._stopping.is_set():
            self._view_changed.clear()
            now = self._clock.monotonic()
            self._end_permits()
            self._read_needed(self._shards.needed_ranges(now))
            self._release()
            await self._announce(self._shards.view(now))
            if not self._stopping.is_set():
                await wait_until(self._view_changed, self._clock, self._shards.next_change(now))
        self._end_permits()
        await self._announce(ShardView())

    async def _announce(self, view: ShardView) -> None:
        if view.is_settled:
            self._settled.set()
        if not view.slots:
            view = ShardView()
        if (view.members, view.slots) == (self._announced.members, self._announced.slots):
            return
        self._announced = view
        logger.info(
            "%r: %d replicas; this one owns %d of %d slots",
            self,
            len(view.members),
            view.slots.bit_count(),
            SLOTS,
        )
        if self._on_change is not None:
            try:
                await call(self._on_change, view.members)
            except Exception:
                logger.exception("%r: on_change failed", self)
