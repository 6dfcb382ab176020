"""Decisions of leader election: who leads, what to write, and when leadership ends.

The rules are client-go's (tools/leaderelection), which are made for clocks that disagree: times
that others wrote are never compared with the local clock. Who does not lead measures for how long a
record has *not changed since it was seen*; who leads counts from when the last renewal that
succeeded was *sent*. Two never lead at once if, while `lease_duration` passes for the one whose
clock is fastest, at least `renew_deadline` passes for the one whose clock is slowest; with the
defaults a clock may be one and a half times as fast as another. That holds for requests and
answers that are late or lost, and for processes that stand still.

client-go counts the deadline from when it begins to renew again, one retry period after an answer
came; a late answer can make two of them lead. Here it cannot. The other difference is that whoever
sees that its record has gone stops leading at once.

No waiting, no clock: monotonic time comes in as numbers, the time of day to write as datetimes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from .._http.path_segments import check_segment
from .._models.meta_v1 import ObjectMeta
from .._models.model_codec import deep_copy, encode
from .lease_fields import Lease, changed_moment

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

__all__ = ["Ask", "Election", "ElectionMetrics", "Timing"]

JITTER: Final = 1.2
"""An elector that does not lead waits up to this many retry periods more than one."""


class ElectionMetrics(Protocol):
    """A receiver of the metrics of elections, for example `PrometheusElectionMetrics`."""

    def leading(self, name: str, leads: bool, /) -> None:
        """An elector leads now, or does not any more."""
        ...

    def slow_path(self, name: str, /) -> None:
        """A renewal had to read the lease first."""
        ...


class Timing(Struct, frozen=True):
    """The durations of an election, in seconds.

    Raises:
        ValueError: These do not go together.
    """

    lease_duration: int = 15
    """For how long others leave a lease alone whose record does not change."""
    renew_deadline: float = 10.0
    """For how long a renewal counts, from when it was sent."""
    retry_period: float = 2.0
    """From one try to the next."""

    def __post_init__(self) -> None:
        """Hold them against each other."""
        if min(self.lease_duration, self.renew_deadline, self.retry_period) <= 0:
            raise ValueError(
                "lease_duration, renew_deadline and retry_period must be greater than 0"
            )
        if self.lease_duration != int(self.lease_duration):
            raise ValueError(
                f"lease_duration must be a whole number of seconds, not {self.lease_duration!r}"
            )
        if self.lease_duration <= self.renew_deadline:
            raise ValueError(
                "lease_duration must be greater than renew_deadline: others may lead after "
                f"{self.lease_duration!r} s, but the leader leads for {self.renew_deadline!r} s"
            )
        if self.renew_deadline <= JITTER * self.retry_period:
            raise ValueError(
                f"renew_deadline must be greater than {JITTER} * retry_period: a deadline of "
                f"{self.renew_deadline!r} s leaves no time to retry every {self.retry_period!r} s"
            )

    def between_tries(self, random: float) -> float:
        """Return the random pause between the tries of an elector that does not lead."""
        return self.retry_period * (1.0 + JITTER * random)


class Ask(Struct, frozen=True):
    """A request that is to be sent, now."""

    verb: Literal["get", "create", "update"]
    lease: Lease | None
    """The lease to write."""
    sent: float
    """When; what it wins counts from here."""
    is_fast: bool = False
    """Whether nothing was read before: when it fails, something may be."""


class Hold(Struct, frozen=True):
    """A term of leadership; replaced as a whole, so that other threads may read it."""

    term: int
    """The number of the term."""
    since: float
    """When its first renewal was answered."""
    renewed: float
    """When its last renewal was sent."""
    until: float
    """When it is over, unless there is another renewal."""


class Election:
    """One candidate's view of one lease.

    A try is some requests: `attempt` gives the first one; `answered` and `failed`, which are told
    how a request went, give the next one or None.

    Raises:
        ValueError: The identity is empty, or the lease's name or namespace is no name.
    """

    def __init__(self, namespace: str, name: str, identity: str, timing: Timing) -> None:
        if not identity:
            raise ValueError("an elector needs an identity that no other elector has")
        self.name = check_segment("name", name)
        self.identity = identity
        self.timing = timing
        self.labels: dict[str, str] = {}
        self._namespace = check_segment("namespace", namespace)
        self._observed: Lease | None = None
        self._record = b""
        self._observed_at = 0.0
        self._hold: Hold | None = None
        self._terms = 0

    # ---- how it stands ------------------------------------------------------------------------

    @property
    def holder(self) -> str:
        """The holder of the lease, as far as is known; empty for none."""
        return (self._observed.spec.holder_identity or "") if self._observed else ""

    @property
    def observed(self) -> Lease | None:
        """The lease as it was seen last."""
        return self._observed

    @property
    def hold(self) -> Hold | None:
        """The time that this one leads, or has led until its deadline passed."""
        return self._hold

    def leads(self, now: float, term: int | None = None) -> bool:
        """Tell whether it leads, and has since that term began."""
        hold = self._hold
        return hold is not None and now < hold.until and term in {None, hold.term}

    # ---- a try --------------------------------------------------------------------------------

    def attempt(self, now: float, time: datetime) -> Ask:
        """Begin a try. Who holds the lease need not read it."""
        lease = self._observed
        if lease and self._is_mine(lease) and self._is_unexpired(now):
            return self._update(lease, now, time, is_fast=True)
        return Ask("get", None, now)

    def answered(self, ask: Ask, lease: Lease | None, now: float, time: datetime) -> Ask | None:
        """Go on after an answer; `lease` is None if none was there to be read."""
        if lease is None:
            self._forget()
            return self._create(now, time)
        if ask.verb != "get":
            self._observe(lease, now)
            self._win(ask.sent, now)
            return None
        self._observe(lease, now)
        if not self._is_mine(lease):
            self._hold = None
            if self.holder and self._is_unexpired(now):
                return None
        return self._update(lease, now, time, is_fast=False)

    def failed(self, ask: Ask, now: float) -> Ask | None:
        """Go on after a refusal, or without an answer."""
        return Ask("get", None, now) if ask.is_fast else None

    # ---- its end ------------------------------------------------------------------------------

    def resign(self) -> None:
        """Stop leading, before the lease is released."""
        self._hold = None

    def release(self, lease: Lease | None, now: float, time: datetime) -> Ask | None:
        """Return the request that frees a lease for others; None if it belongs to another."""
        if lease is None or not self._is_mine(lease):
            return None
        freed = deep_copy(lease)
        freed.spec.holder_identity = ""
        freed.spec.lease_duration_seconds = 1
        freed.spec.renew_time = changed_moment(time, lease.spec.renew_time)
        freed.spec.acquire_time = freed.spec.renew_time
        return Ask("update", freed, now)

    def is_healthy(self, now: float, tolerance: float) -> bool:
        """Tell whether it does not lead, or still looks after that.

        Not healthy is who has not renewed for longer than the lease's duration and a tolerance, and
        has not even noticed.
        """
        hold = self._hold
        return hold is None or now - hold.renewed <= self.timing.lease_duration + tolerance

    # ---- rules --------------------------------------------------------------------------------

    def _observe(self, lease: Lease, now: float) -> None:
        """Note what is known now; time runs anew only if the record is another one."""
        record = encode(lease.spec)
        if self._observed is None or record != self._record:
            self._record, self._observed_at = record, now
        self._observed = lease

    def _forget(self) -> None:
        self._observed, self._record, self._hold = None, b"", None

    def _win(self, sent: float, now: float) -> None:
        """Lead from when it was sent: others may have seen the record as early as then."""
        until = sent + self.timing.renew_deadline
        before = self._hold
        if now >= until:
            return  # the answer came too late to count
        if before is not None and now < before.until:
            self._hold = Hold(before.term, before.since, sent, until)
        else:
            self._terms += 1
            self._hold = Hold(self._terms, now, sent, until)

    def _is_mine(self, lease: Lease) -> bool:
        return lease.spec.holder_identity == self.identity

    def _is_unexpired(self, now: float) -> bool:
        """Tell whether the record has changed within its own duration, by the local clock alone."""
        lease = self._observed
        seconds = lease.spec.lease_duration_seconds if lease else None
        if seconds is None:
            seconds = self.timing.lease_duration
        return now < self._observed_at + seconds

    def _create(self, now: float, time: datetime) -> Ask:
        metadata = ObjectMeta(name=self.name, namespace=self._namespace, labels=dict(self.labels))
        lease = Lease(metadata=metadata)
        return Ask("create", self._taken(lease, time, transitions=0), now)

    def _update(self, lease: Lease, now: float, time: datetime, *, is_fast: bool) -> Ask:
        """Replace the very version that was seen: with any other one the server refuses."""
        updated, before = deep_copy(lease), lease.spec.lease_transitions or 0
        if self._is_mine(lease):
            updated.spec.lease_duration_seconds = self.timing.lease_duration
            updated.spec.renew_time = changed_moment(time, lease.spec.renew_time)
        else:
            self._taken(updated, time, transitions=before + 1)
        return Ask("update", updated, now, is_fast)

    def _taken(self, lease: Lease, time: datetime, transitions: int) -> Lease:
        spec = lease.spec
        spec.holder_identity = self.identity
        spec.lease_duration_seconds = self.timing.lease_duration
        spec.acquire_time = spec.renew_time = changed_moment(time, spec.renew_time)
        spec.lease_transitions = transitions
        return lease
