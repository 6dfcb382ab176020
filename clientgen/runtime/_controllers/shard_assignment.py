"""Assigns keys and objects to replicas, without a coordinator.

The hashes are divided into 128 slots. Each replica holds and renews its own lease, and lists the
leases of all replicas. From the identities of the live replicas, each replica computes the same
assignment of slots. All replicas get the same number of slots, give or take one; when a replica
joins or leaves, few slots move between the others.

A replica may act on a slot only while it *owns* the slot, and no slot has two owners. Replicas
learn of a change at different times, so an assignment alone is not enough. Each replica also writes
into its lease which slots it *claims*, and owns a slot if all of the following hold:

- The list of leases shows the claim of this replica, and no claim of another live replica.
- The list shows the last lease that this replica has written, so it is not older.
- The slot is assigned to this replica, and every lease that it has sent since claims the slot.
- It has sent its last successful renewal, and its last list, at most `renew_deadline` ago.

Two replicas that claim a slot at once cannot both miss the claim of the other: the one whose list
is later sees both claims. A replica gives a slot up before it sends a lease without the claim. A
replica whose lease has not changed for `lease_duration` counts as dead, and its claims do not
count; by then, it owns nothing, under the assumption of `election`: while `lease_duration` passes
on the fastest clock, at least `renew_deadline` passes on the slowest.

So a slot that moves has no owner for a while: for about two retry periods after a replica has
joined or has called `stop`, and for `lease_duration` and about two retry periods after a replica
has died. docs/internals/sharding.md, 2 has the reasons.

Nothing here waits or reads a clock: monotonic times are arguments.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from .._http.shard_ranges import HASH_SPACE, ShardRanges, shard_hash
from .._models.model_codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .election import Election, Leadership
    from .lease_fields import Lease

CLAIMS: Final = "clientgen/claims"
"""The annotation of a lease with the slots that its holder claims, as a hexadecimal bit mask."""

SLOTS: Final = 128
"""The number of slots. More replicas than slots leave some without work."""

# A lease that has not changed for this many times its duration is deleted.
_STALE_DURATIONS: Final = 10.0
_SLOT_WIDTH: Final = HASH_SPACE // SLOTS
_ALL: Final = (1 << SLOTS) - 1


class ShardView(Struct, frozen=True):
    """The replicas that a replica knows, and the slots on which it may act."""

    members: tuple[str, ...] = ()
    """The identities of the live replicas, sorted; empty while they are unknown."""
    slots: int = 0
    """The owned slots, as a bit mask."""
    is_settled: bool = False
    """Whether this replica owns all slots that are assigned to it."""


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

    def is_live(self, now: float) -> bool:
        return bool(self.holder) and now < self.changed_at + self.duration


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
        # The slots that are assigned to this replica. The next lease claims them.
        self._assigned = 0
        # The claims of the last lease that was sent.
        self._sent_claims = 0
        # The slots that are claimed by each lease that is stored now or may be stored later.
        self._safe_claims = 0
        self._confirmed: Leadership | None = None
        self._owned = 0
        self._owned_in_term = 0
        election.annotate = self._annotate

    def update_leases(self, leases: Iterable[Lease], sent: float, now: float) -> list[Lease]:
        """Update the leases from a list that was requested at `sent`.

        Returns stale leases to delete.
        """
        by_name = {lease.metadata.name: lease for lease in leases}
        self._leases = {name: self._observe(name, lease, now) for name, lease in by_name.items()}
        identity = self._election.identity
        others = [lease for lease in self._leases.values() if lease.holder != identity]
        live = [lease for lease in others if lease.is_live(now)]
        self._members = tuple(sorted({identity, *(lease.holder for lease in live)}))
        self._list_sent = sent
        self._assigned = _share(identity, self._members)
        self._own(self._leases.get(self._election.name), live)
        return [
            lease.lease
            for lease in others
            if now >= lease.changed_at + _STALE_DURATIONS * max(1, lease.duration)
        ]

    @property
    def is_changing(self) -> bool:
        """Whether the next lease has other claims than the last: write it soon."""
        return self._assigned != self._sent_claims

    def needed_ranges(self, now: float) -> ShardRanges | None:
        """Return the hashes of the objects that this replica needs; None if they are unknown.

        These are the objects that are assigned to it, and those that it gets if the replicas that
        are silent have died. A replica is silent if its lease has not changed for
        `renew_deadline`: it owns nothing, but may come back. So its objects are read ahead.
        """
        if self._list_sent is None:
            return None
        identity, silence = self._election.identity, self._election.timing.renew_deadline
        heard = {
            lease.holder
            for lease in self._leases.values()
            if lease.is_live(now) and now < lease.changed_at + silence
        }
        return ranges_of(self._assigned | _share(identity, tuple(sorted({identity, *heard}))))

    def view(self, now: float) -> ShardView:
        """Return the members, and the slots that this replica owns now."""
        leadership, list_sent = self._election.leadership, self._list_sent
        if (
            leadership is None
            or list_sent is None
            or now >= min(leadership.until, self._fresh_until(list_sent))
        ):
            return ShardView()
        owned = self._owned if leadership.term == self._owned_in_term else 0
        return ShardView(self._members, owned, owned == self._assigned)

    def owner(self, key: str, now: float) -> str:
        """Return the replica that a key is assigned to; empty if the replicas are unknown."""
        members = self.view(now).members
        return assigned_member(slot_of_key(key), members) if members else ""

    def owns(self, key: str, now: float) -> bool:
        """Return whether this replica owns a key now."""
        return bool(self.view(now).slots >> slot_of_key(key) & 1)

    def owns_uid(self, uid: str, now: float) -> bool:
        """Return whether this replica owns the object with a uid now."""
        return bool(self.view(now).slots >> slot_of_uid(uid) & 1)

    def next_change(self, now: float) -> float | None:
        """Return the time at which the view changes next if no request is sent."""
        leadership, list_sent = self._election.leadership, self._list_sent
        if leadership is None or list_sent is None:
            return None
        moments = [leadership.until, self._fresh_until(list_sent)]
        return min((moment for moment in moments if moment > now), default=None)

    # ---- claims -------------------------------------------------------------------------------

    def _annotate(self) -> dict[str, str]:
        """Return the claims of a lease that is about to be sent, and give up all other slots."""
        self._note_confirmed()
        self._sent_claims = self._assigned
        self._safe_claims &= self._assigned
        self._owned &= self._assigned
        return {CLAIMS: f"{self._assigned:x}"}

    def _note_confirmed(self) -> None:
        """Note that a lease was stored: no lease that was sent before it can be stored later."""
        stored, leadership = self._election.observed, self._election.leadership
        if stored is None or leadership is None or leadership is self._confirmed:
            return
        self._confirmed = leadership
        self._safe_claims = _claims(stored)

    def _own(self, own: _ObservedLease | None, others: list[_ObservedLease]) -> None:
        """Compute the owned slots from a list. A list that is old only takes slots away."""
        self._note_confirmed()
        free = self._assigned
        for lease in others:
            free &= ~_claims(lease.lease)
        leadership, stored = self._election.leadership, self._election.observed
        term = 0 if leadership is None else leadership.term
        is_current = (
            own is not None
            and stored is not None
            and own.lease.metadata.uid == stored.metadata.uid
            and own.lease.metadata.resource_version == stored.metadata.resource_version
        )
        if own is not None and is_current:
            self._owned_in_term = term
            self._owned = free & _claims(own.lease) & self._safe_claims
        else:
            self._owned &= free

    def _fresh_until(self, list_sent: float) -> float:
        return list_sent + self._election.timing.renew_deadline

    def _observe(self, name: str, lease: Lease, now: float) -> _ObservedLease:
        before, record = self._leases.get(name), encode(lease.spec)
        changed_at = before.changed_at if before is not None and before.record == record else now
        return _ObservedLease(record, changed_at, lease)


def slot_of_key(key: str) -> int:
    """Return the slot of a key."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest()) // _SLOT_WIDTH


def slot_of_uid(uid: str) -> int:
    """Return the slot of an object, by the hash that API servers use."""
    return shard_hash(uid) // _SLOT_WIDTH


def ranges_of(slots: int) -> ShardRanges:
    """Return the ranges of hashes of a bit mask of slots."""
    return ShardRanges(
        (slot * _SLOT_WIDTH, (slot + 1) * _SLOT_WIDTH) for slot in range(SLOTS) if slots >> slot & 1
    )


def assigned_member(slot: int, members: Iterable[str]) -> str:
    """Return the replica that a slot is assigned to.

    Raises:
        ValueError: `members` is empty.
    """
    names = tuple(sorted(members))
    if not names:
        raise ValueError("there is no replica")
    return _assignment(names)[slot]


def _share(identity: str, members: tuple[str, ...]) -> int:
    assignment = _assignment(members)
    return sum(1 << slot for slot in range(SLOTS) if assignment[slot] == identity)


@lru_cache(maxsize=16)
def _assignment(members: tuple[str, ...]) -> tuple[str, ...]:
    """Return the replica of each slot: the one with the highest hash among those with room.

    This is rendezvous hashing with a limit for each replica (bounded loads).
    """
    room = dict.fromkeys(members, SLOTS // len(members))
    extra = SLOTS % len(members)
    chosen: list[str] = []
    for slot in range(SLOTS):
        candidates = [name for name in members if room[name] > (-1 if extra else 0)]
        name = max(candidates, key=lambda name: (_weight(name, slot), name))
        if not room[name]:
            extra -= 1
        room[name] -= 1
        chosen.append(name)
    return tuple(chosen)


def _weight(member: str, slot: int) -> bytes:
    return blake2b(
        slot.to_bytes(2), digest_size=8, key=blake2b(member.encode(), digest_size=32).digest()
    ).digest()


def _claims(lease: Lease) -> int:
    """Return the claims of a lease. A lease without readable claims claims everything."""
    text = lease.metadata.annotations.get(CLAIMS, "")
    try:
        return int(text, 16) & _ALL
    except ValueError:
        return _ALL
