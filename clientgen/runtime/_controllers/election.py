"""The rules of leader election: which candidate leads, what it writes, when leadership ends.

The rules are client-go's (tools/leaderelection), which allow clocks to disagree: times that other
candidates have written are never compared with the local clock. A candidate measures how long it
has seen a record *unchanged*; a leader counts from the time at which it *sent* its last successful
renewal. Two candidates never lead at once if, while `lease_duration` passes on the fastest clock,
at least `renew_deadline` passes on the slowest; with the defaults, a clock may be one and a half
times as fast as another. This holds even if requests and responses are late or lost, and if
processes are paused.

There are two differences from client-go. client-go counts the deadline from the beginning of the
next renewal, a retry period after the last response, so that two candidates can lead after a late
response. Here, they cannot. And a leader whose lease was deleted stops leading at once.

Nothing here waits or reads a clock: monotonic times and the times to write are arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from .._http.path_segments import check_segment
from .._models.meta_v1 import ObjectMeta
from .._models.model_codec import deep_copy, encode
from .lease_fields import Lease, changed_moment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Literal

JITTER_FACTOR: Final = 1.2
"""A candidate waits one retry period, and up to this many more retry periods, at random."""


class ElectionMetrics(Protocol):
    """A receiver of the metrics of elections, for example `PrometheusElectionMetrics`."""

    def leading(self, name: str, leads: bool, /) -> None:
        """Set whether an elector leads."""
        ...

    def slow_path(self, name: str, /) -> None:
        """Count a renewal that had to read the lease first."""
        ...


class Timing(Struct, frozen=True):
    """The durations of an election, in seconds.

    Raises:
        ValueError: The durations contradict each other.
    """

    lease_duration: int = 15
    """How long other candidates wait for a change of the lease before they take over the lease."""
    renew_deadline: float = 10.0
    """How long a leader leads after sending its last successful renewal."""
    retry_period: float = 2.0
    """The time between two attempts."""

    def __post_init__(self) -> None:
        """Check the durations."""
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
        if self.renew_deadline <= JITTER_FACTOR * self.retry_period:
            raise ValueError(
                f"renew_deadline must be greater than {JITTER_FACTOR} * retry_period: "
                f"{self.renew_deadline!r} s leave no time to retry every {self.retry_period!r} s"
            )

    def between_tries(self, random: float) -> float:
        """Return the pause between two attempts of a candidate, from a random number below 1."""
        return self.retry_period * (1.0 + JITTER_FACTOR * random)


class LeaseRequest(Struct, frozen=True):
    """A request for the lease, to be sent now."""

    verb: Literal["get", "create", "update"]
    lease: Lease | None
    """The lease to write."""
    sent: float
    """The time of sending. Leadership counts from this time."""
    is_fast: bool = False
    """Whether this is a renewal without reading the lease first. If it fails, the lease is read."""


class Leadership(Struct, frozen=True):
    """A term of leadership. Immutable, so that other threads may read it."""

    term: int
    """The number of the term."""
    since: float
    """The time of the response to the first renewal."""
    renewed: float
    """The time at which the last renewal was sent."""
    until: float
    """The time at which the term ends without another renewal."""


class Election:
    """The view of one candidate on a lease.

    An attempt consists of several requests: `attempt` returns the first request, and `on_response`
    and `on_failure` return the next request, or None at the end.

    Raises:
        ValueError: The identity is empty, or the name or namespace of the lease is not valid.

    Attributes:
        labels: The labels of a lease that the candidate creates.
        annotate: Returns annotations for the lease that is about to be written; None for none.
    """

    def __init__(self, namespace: str, name: str, identity: str, timing: Timing) -> None:
        if not identity:
            raise ValueError("identity is empty: give each elector a unique identity")
        self.name = check_segment("name", name)
        self.identity = identity
        self.timing = timing
        self.labels: dict[str, str] = {}
        self.annotate: Callable[[], Mapping[str, str]] | None = None
        self._namespace = check_segment("namespace", namespace)
        self._observed: Lease | None = None
        self._record = b""
        self._observed_at = 0.0
        self._leadership: Leadership | None = None
        self._terms = 0

    # ---- state --------------------------------------------------------------------------------

    @property
    def holder(self) -> str:
        """The last known holder of the lease; empty without a holder."""
        return (self._observed.spec.holder_identity or "") if self._observed else ""

    @property
    def observed(self) -> Lease | None:
        """The last state of the lease that was read."""
        return self._observed

    @property
    def leadership(self) -> Leadership | None:
        """The current or last term of leadership; None after a loss to another candidate."""
        return self._leadership

    def leads(self, now: float, term: int | None = None) -> bool:
        """Return whether this candidate leads; with `term`, whether that term continues."""
        leadership = self._leadership
        return leadership is not None and now < leadership.until and term in {None, leadership.term}

    # ---- attempts -----------------------------------------------------------------------------

    def attempt(self, now: float, time: datetime) -> LeaseRequest:
        """Return the first request of an attempt. A holder renews without reading the lease."""
        lease = self._observed
        if lease and self._is_mine(lease) and self._is_unexpired(now):
            return self._update(lease, now, time, is_fast=True)
        return LeaseRequest("get", None, now)

    def on_response(
        self, request: LeaseRequest, lease: Lease | None, now: float, time: datetime
    ) -> LeaseRequest | None:
        """Return the next request after a response. `lease` is None if the lease does not exist."""
        if lease is None:
            self._forget()
            return self._create(now, time)
        if request.verb != "get":
            self._observe(lease, now)
            self._start_or_extend_term(request.sent, now)
            return None
        self._observe(lease, now)
        if not self._is_mine(lease):
            self._leadership = None
            if self.holder and self._is_unexpired(now):
                return None
        return self._update(lease, now, time, is_fast=False)

    def on_failure(self, request: LeaseRequest, now: float) -> LeaseRequest | None:
        """Return the next request after an error or a lost response."""
        return LeaseRequest("get", None, now) if request.is_fast else None

    # ---- the end of leadership ----------------------------------------------------------------

    def resign(self) -> None:
        """Stop leading. Call this before the lease is released."""
        self._leadership = None

    def release(self, lease: Lease | None, now: float, time: datetime) -> LeaseRequest | None:
        """Return the request that releases a lease; None if another candidate holds it."""
        if lease is None or not self._is_mine(lease):
            return None
        released = deep_copy(lease)
        released.spec.holder_identity = ""
        released.spec.lease_duration_seconds = 1
        released.spec.renew_time = changed_moment(time, lease.spec.renew_time)
        released.spec.acquire_time = released.spec.renew_time
        return LeaseRequest("update", released, now)

    def is_healthy(self, now: float, tolerance: float) -> bool:
        """Return whether a leader still renews its lease.

        Candidates are always healthy. A leader is not healthy if its last renewal is older than the
        lease duration plus the tolerance, and the leader has not noticed.
        """
        leadership = self._leadership
        return (
            leadership is None or now - leadership.renewed <= self.timing.lease_duration + tolerance
        )

    # ---- rules --------------------------------------------------------------------------------

    def _observe(self, lease: Lease, now: float) -> None:
        """Remember a state of the lease.

        If the lease has changed, the time of observation starts again.
        """
        record = encode(lease.spec)
        if self._observed is None or record != self._record:
            self._record, self._observed_at = record, now
        self._observed = lease

    def _forget(self) -> None:
        self._observed, self._record, self._leadership = None, b"", None

    def _start_or_extend_term(self, sent: float, now: float) -> None:
        """Lead from the time of sending: other candidates may have seen the record that early."""
        until = sent + self.timing.renew_deadline
        before = self._leadership
        if now >= until:
            return  # the response came too late to count
        if before is not None and now < before.until:
            self._leadership = Leadership(before.term, before.since, sent, until)
        else:
            self._terms += 1
            self._leadership = Leadership(self._terms, now, sent, until)

    def _is_mine(self, lease: Lease) -> bool:
        return lease.spec.holder_identity == self.identity

    def _is_unexpired(self, now: float) -> bool:
        """Return whether the record has changed within its duration, by the local clock."""
        lease = self._observed
        seconds = lease.spec.lease_duration_seconds if lease else None
        if seconds is None:
            seconds = self.timing.lease_duration
        return now < self._observed_at + seconds

    def _create(self, now: float, time: datetime) -> LeaseRequest:
        metadata = ObjectMeta(name=self.name, namespace=self._namespace, labels=dict(self.labels))
        lease = Lease(metadata=metadata)
        return LeaseRequest("create", self._with_this_holder(lease, time, transitions=0), now)

    def _update(self, lease: Lease, now: float, time: datetime, *, is_fast: bool) -> LeaseRequest:
        """Renew or take over the lease, unless it has changed since it was read."""
        updated, before = deep_copy(lease), lease.spec.lease_transitions or 0
        if self._is_mine(lease):
            updated.spec.lease_duration_seconds = self.timing.lease_duration
            updated.spec.renew_time = changed_moment(time, lease.spec.renew_time)
            self._annotated(updated)
        else:
            self._with_this_holder(updated, time, transitions=before + 1)
        return LeaseRequest("update", updated, now, is_fast)

    def _with_this_holder(self, lease: Lease, time: datetime, transitions: int) -> Lease:
        spec = lease.spec
        spec.holder_identity = self.identity
        spec.lease_duration_seconds = self.timing.lease_duration
        spec.acquire_time = spec.renew_time = changed_moment(time, spec.renew_time)
        spec.lease_transitions = transitions
        return self._annotated(lease)

    def _annotated(self, lease: Lease) -> Lease:
        if self.annotate is not None:
            lease.metadata.annotations = {**lease.metadata.annotations, **self.annotate()}
        return lease
