"""Assigns keys to replicas, without a coordinator.

Each replica holds and renews its own lease, and lists the leases of all replicas. A key belongs to
the live replica with the highest hash of key and replica (rendezvous hashing): when a replica joins
or leaves, only its own keys move, one in n.

Two replicas never own a key at the same moment, under the assumption of `election`: while
`lease_duration` passes on the fastest clock, at least `renew_deadline` passes on the slowest. Three
rules ensure this:

- A replica owns no key if it sent its last successful renewal, or its last list, more than
  `renew_deadline` ago.
- A new replica owns no key until it has held its lease for the longest `lease_duration` of all
  leases. By then, the other replicas have listed this lease, or own no keys.
- A replica does not own the keys of a replica whose lease has changed within its duration, by the
  local clock.

So a key may have no owner for a while. After a replica has died, its keys have no owner for about
`lease_duration` and a retry period. After a replica has joined, the keys that it gets have no owner
for `lease_duration`. After a replica has called `stop`, its keys have no owner for a retry period.

Nothing here waits or reads a clock: monotonic times are arguments.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from .._models.model_codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .election import Election
    from .lease_fields import Lease

# A lease that has not changed for this many times its duration is deleted.
_STALE_DURATIONS: Final = 10.0


class ShardView(Struct, frozen=True):
    """The replicas that a replica knows, and whether it may act on its keys."""

    members: tuple[str, ...] = ()
    """The identities of the live replicas, sorted; empty while they are unknown."""
    owns: bool = False
    """Whether this replica owns its share of the keys."""


class _ObservedLease(Struct):
    record: bytes
    changed_at: float
    lease: Lease

    @property
    def duration(self) -> float:
        return float(self.lease.spec.lease_duration_seconds or 0)

    @property
    def holder(self) -> str:
        return self.lease.spec.holder_identity or ""


class Shards:
    """The view of one replica on all replicas.

    Args:
        election: The election of the replica's own lease, in which it is the only candidate.
    """

    def __init__(self, election: Election) -> None:
        self._election = election
        self._leases: dict[str, _ObservedLease] = {}
        self._members: tuple[str, ...] = ()
        self._list_sent: float | None = None
        self._longest_duration = float(election.timing.lease_duration)

    def update_leases(self, leases: Iterable[Lease], sent: float, now: float) -> list[Lease]:
        """Update the leases from a list that was requested at `sent`.

        Returns stale leases to delete.
        """
        by_name = {lease.metadata.name: lease for lease in leases}
        self._leases = {name: self._observe(name, lease, now) for name, lease in by_name.items()}
        other_leases = [
            lease for lease in self._leases.values() if lease.holder != self._election.identity
        ]
        live = [
            lease
            for lease in other_leases
            if lease.holder and now < lease.changed_at + lease.duration
        ]
        own = float(self._election.timing.lease_duration)
        self._longest_duration = max([own, *(lease.duration for lease in live)])
        self._members = tuple(sorted({self._election.identity, *(lease.holder for lease in live)}))
        self._list_sent = sent
        return [
            lease.lease
            for lease in other_leases
            if now >= lease.changed_at + _STALE_DURATIONS * max(1, lease.duration)
        ]

    def view(self, now: float) -> ShardView:
        """Return the members, and whether this replica owns its keys now."""
        leadership, list_sent = self._election.leadership, self._list_sent
        if (
            leadership is None
            or list_sent is None
            or now >= min(leadership.until, self._fresh_until(list_sent))
        ):
            return ShardView()
        return ShardView(self._members, now >= leadership.since + self._longest_duration)

    def owner(self, key: str, now: float) -> str:
        """Return the replica that a key is assigned to; empty if the replicas are unknown."""
        members = self.view(now).members
        return assigned_member(key, members) if members else ""

    def owns(self, key: str, now: float) -> bool:
        """Return whether this replica owns a key now."""
        view = self.view(now)
        return view.owns and assigned_member(key, view.members) == self._election.identity

    def next_change(self, now: float) -> float | None:
        """Return the time at which the view changes next if no request is sent."""
        leadership, list_sent = self._election.leadership, self._list_sent
        if leadership is None or list_sent is None:
            return None
        moments = [
            leadership.until,
            self._fresh_until(list_sent),
            leadership.since + self._longest_duration,
        ]
        return min((moment for moment in moments if moment > now), default=None)

    def _fresh_until(self, list_sent: float) -> float:
        return list_sent + self._election.timing.renew_deadline

    def _observe(self, name: str, lease: Lease, now: float) -> _ObservedLease:
        before, record = self._leases.get(name), encode(lease.spec)
        changed_at = before.changed_at if before is not None and before.record == record else now
        return _ObservedLease(record, changed_at, lease)


def assigned_member(key: str, members: Iterable[str]) -> str:
    """Return the replica that a key is assigned to.

    Raises:
        ValueError: `members` is empty.
    """
    data = key.encode()
    return max(members, key=lambda member: (_weight(member, data), member))


def _weight(member: str, key: bytes) -> bytes:
    return blake2b(
        key, digest_size=8, key=blake2b(member.encode(), digest_size=32).digest()
    ).digest()
