"""Assignment of keys to replicas, without a coordinator.

Each replica holds a lease of its own, renews it and lists those of the others. A key belongs to
the live replica whose hash with the key is highest (rendezvous hashing), so that a replica that
comes or goes moves its own keys only: one in n.

No two own a key at the same moment, under the assumption of `election`: while `lease_duration`
passes by the fastest clock, at least `renew_deadline` passes by the slowest. A replica owns nothing

- once its last renewal, or its last list, was sent longer than `renew_deadline` ago;
- until it has held its lease for `lease_duration`, the longest one that it sees: whoever does not
  know it yet has listed anew by then, or owns nothing;
- that belongs to a replica whose record has changed within its duration, by the local clock.

So a key has no owner for a while instead of two: after a replica has died for about
`lease_duration` and a retry period, after one has come for `lease_duration` (the keys that it
gets), after one has left in good order for a retry period.

No waiting, no clock: monotonic time comes in as numbers.
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

__all__ = ["Shards", "View", "winner"]

# A record that has not changed for so many of its durations is thrown away.
_GARBAGE: Final = 10.0


class View(Struct, frozen=True):
    """The knowledge of a replica about the owners of keys, and whether it may act on that."""

    members: tuple[str, ...] = ()
    """The identities of the replicas that live, sorted; none while it is not known."""
    owns: bool = False
    """Whether this one owns its share."""


class _ObservedLease(Struct):
    record: bytes
    at: float
    lease: Lease

    @property
    def duration(self) -> float:
        return float(self.lease.spec.lease_duration_seconds or 0)

    @property
    def holder(self) -> str:
        return self.lease.spec.holder_identity or ""


class Shards:
    """One replica's view of all of them.

    Args:
        election: Its candidacy for its own lease, for which nobody else runs.
    """

    def __init__(self, election: Election) -> None:
        self._election = election
        self._leases: dict[str, _ObservedLease] = {}
        self._members: tuple[str, ...] = ()
        self._listed: float | None = None
        self._longest = float(election.timing.lease_duration)

    def listed(self, leases: Iterable[Lease], sent: float, now: float) -> list[Lease]:
        """Note all leases, by a list that was sent and answered then; gives what is garbage."""
        by_name = {lease.metadata.name: lease for lease in leases}
        self._leases = {name: self._look(name, lease, now) for name, lease in by_name.items()}
        other_leases = [
            lease for lease in self._leases.values() if lease.holder != self._election.identity
        ]
        live = [lease for lease in other_leases if lease.holder and now < lease.at + lease.duration]
        own = float(self._election.timing.lease_duration)
        self._longest = max([own, *(lease.duration for lease in live)])
        self._members = tuple(sorted({self._election.identity, *(lease.holder for lease in live)}))
        self._listed = sent
        return [
            lease.lease
            for lease in other_leases
            if now >= lease.at + _GARBAGE * max(1, lease.duration)
        ]

    def view(self, now: float) -> View:
        """Return the view at a moment."""
        hold, listed = self._election.hold, self._listed
        if hold is None or listed is None or now >= min(hold.until, self._fresh_until(listed)):
            return View()
        return View(self._members, now >= hold.since + self._longest)

    def owner(self, key: str, now: float) -> str:
        """Return the owner of a key, settled or not; empty if it is not known."""
        members = self.view(now).members
        return winner(key, members) if members else ""

    def owns(self, key: str, now: float) -> bool:
        """Tell whether a key is this replica's, now."""
        view = self.view(now)
        return view.owns and winner(key, view.members) == self._election.identity

    def next_change(self, now: float) -> float | None:
        """Return the time when the view changes next if nothing else happens."""
        hold, listed = self._election.hold, self._listed
        if hold is None or listed is None:
            return None
        moments = [hold.until, self._fresh_until(listed), hold.since + self._longest]
        return min((moment for moment in moments if moment > now), default=None)

    def _fresh_until(self, listed: float) -> float:
        return listed + self._election.timing.renew_deadline

    def _look(self, name: str, lease: Lease, now: float) -> _ObservedLease:
        before, record = self._leases.get(name), encode(lease.spec)
        at = before.at if before is not None and before.record == record else now
        return _ObservedLease(record, at, lease)


def winner(key: str, members: Iterable[str]) -> str:
    """The one of some replicas whose a key is.

    Raises:
        ValueError: There are none.
    """
    data = key.encode()
    return max(members, key=lambda member: (_weight(member, data), member))


def _weight(member: str, key: bytes) -> bytes:
    return blake2b(
        key, digest_size=8, key=blake2b(member.encode(), digest_size=32).digest()
    ).digest()
