"""Coordinated leader election: the API server chooses which candidate holds the lease.

Each candidate has a LeaseCandidate, with the versions of its program. The server asks the
candidates for a sign of life (`pingTime`), and writes the chosen one into the lease. To replace a
holder, it writes `preferredHolder`, and waits until the holder gives up the lease. (KEP-4355; the
rules of a candidate are those of client-go's `leasecandidate.go`.)

The election stays safe in the same way as without coordination: a candidate leads only while it
renews the lease, and each write of the lease has the resourceVersion that was read.

Nothing here waits or reads a clock.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from .._http.resource import Resource
from .._http.user_agent import unique_identity
from .._models.meta_v1 import ObjectMeta
from .._models.model import Literal, MicroTime, Model, auto, constant
from .._models.model_codec import deep_copy
from .election import Election, LeaseRequest
from .lease_fields import changed_moment

if TYPE_CHECKING:
    from datetime import datetime

    from .election import Timing
    from .lease_fields import Lease

LEASE_CANDIDATES: Final = Resource(
    "coordination.k8s.io", "v1beta1", "leasecandidates", "LeaseCandidate"
)
"""The resource of candidates."""

RENEWAL_SECONDS: Final = 300.0
"""A candidate renews its LeaseCandidate this often. The server deletes it after half an hour."""

_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
)
_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_MAX_NAME_CHARACTERS: Final = 253


class LeaseCandidateSpec(Model):
    """What the server has to know about a candidate."""

    lease_name: str
    binary_version: str
    emulation_version: str | None = None
    strategy: str
    ping_time: MicroTime | None = None
    """The time at which the server asked for a sign of life."""
    renew_time: MicroTime | None = None
    """The time of the last sign of life, by the clock of the candidate."""


class LeaseCandidate(Model):
    """A process that is ready to hold a lease."""

    api_version: Literal["coordination.k8s.io/v1beta1"] = constant(
        "coordination.k8s.io/v1beta1", name="apiVersion"
    )
    kind: Literal["LeaseCandidate"] = constant("LeaseCandidate")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LeaseCandidateSpec


class Coordination(Struct, frozen=True):
    """Lets the API server choose the leader: see `AsyncLeaderElector`.

    Raises:
        ValueError: A version is not a semantic version, or the versions contradict each other.
    """

    binary_version: str
    """The version of the program, such as `1.5.0`."""
    emulation_version: str | None = None
    """The version whose behaviour the program shows; None means `binary_version`."""
    strategy: str = "OldestEmulationVersion"
    """The strategy: the oldest emulation version leads, then the oldest binary version, then the
    candidate that came first. A name with a domain is a strategy of another controller."""

    def __post_init__(self) -> None:
        """Check the versions."""
        for name in ("binary_version", "emulation_version"):
            version: str | None = getattr(self, name)
            if version is not None and not _VERSION.fullmatch(version):
                raise ValueError(
                    f"{name} must be a semantic version such as 1.5.0, not {version!r}"
                )
        if _numbers(self.emulated) > _numbers(self.binary_version):
            raise ValueError(
                f"emulation_version {self.emulated} is later than binary_version"
                f" {self.binary_version}"
            )
        if not self.strategy:
            raise ValueError("strategy is empty: leave it out for OldestEmulationVersion")

    @property
    def emulated(self) -> str:
        """The version whose behaviour the program shows."""
        return self.binary_version if self.emulation_version is None else self.emulation_version


def new_candidate_name() -> str:
    """Return a unique identity that is the name of an object."""
    name = re.sub(r"[^a-z0-9]+", "-", unique_identity().lower()).strip("-")
    return name[-_MAX_NAME_CHARACTERS:].lstrip("-")


def check_candidate_name(identity: str) -> str:
    """Check the identity of a candidate: it is the name of its LeaseCandidate.

    Raises:
        ValueError: The identity is not the name of an object.
    """
    if not _NAME.fullmatch(identity) or len(identity) > _MAX_NAME_CHARACTERS:
        raise ValueError(
            f"identity {identity!r} is not valid with coordination: it is the name of a"
            " LeaseCandidate, so use a-z, 0-9, - and ."
        )
    return identity


class Candidacy:
    """The LeaseCandidate of one candidate.

    Args:
        namespace: The namespace of the lease.
        lease: The name of the lease.
        name: The identity of the candidate.
        coordination: The versions and the strategy.
    """

    def __init__(self, namespace: str, lease: str, name: str, coordination: Coordination) -> None:
        self.namespace = namespace
        self.name = check_candidate_name(name)
        self._lease = lease
        self._coordination = coordination
        self._renewed_at: float | None = None

    def write(
        self, candidate: LeaseCandidate | None, now: float, time: datetime
    ) -> LeaseCandidate | None:
        """Return what to write, given what the server has; None if there is nothing to write."""
        if candidate is None:
            return LeaseCandidate(
                metadata=ObjectMeta(name=self.name, namespace=self.namespace),
                spec=LeaseCandidateSpec(
                    lease_name=self._lease,
                    binary_version=self._coordination.binary_version,
                    emulation_version=self._coordination.emulated,
                    strategy=self._coordination.strategy,
                    renew_time=time,
                ),
            )
        if not self._is_asked(candidate) and self._is_recent(now):
            return None
        renewed = deep_copy(candidate)
        renewed.spec.renew_time = changed_moment(time, candidate.spec.renew_time)
        return renewed

    def on_written(self, now: float) -> None:
        """Note that the server has the new sign of life."""
        self._renewed_at = now

    def _is_asked(self, candidate: LeaseCandidate) -> bool:
        asked, answered = candidate.spec.ping_time, candidate.spec.renew_time
        return asked is not None and (answered is None or asked > answered)

    def _is_recent(self, now: float) -> bool:
        return self._renewed_at is not None and now < self._renewed_at + RENEWAL_SECONDS


class CoordinatedElection(Election):
    """An election whose holder the server chooses.

    The candidate acquires the lease only when the lease names it. A server without coordination
    names nobody: if the lease has had no strategy for twice its duration, the usual rules apply.

    Attributes:
        is_coordinated: Whether the server chooses. False if it does not serve LeaseCandidates.
    """

    def __init__(self, namespace: str, name: str, identity: str, timing: Timing) -> None:
        super().__init__(namespace, name, identity, timing)
        self.is_coordinated = True
        self._unmanaged_since: float | None = None

    @property
    def successor(self) -> str:
        """The candidate that the server prefers, if it asks this holder to step down."""
        lease = self.observed
        if lease is None or not self._is_mine(lease):
            return ""
        preferred = lease.spec.preferred_holder or ""
        return "" if preferred == self.identity else preferred

    def on_response(
        self, request: LeaseRequest, lease: Lease | None, now: float, time: datetime
    ) -> LeaseRequest | None:
        """Return the next request after a response; None while the server has to choose."""
        if not self._waits_for_server(lease, now):
            return super().on_response(request, lease, now, time)
        if lease is None:
            self._forget()
        else:
            self._observe(lease, now)
            self._leadership = None
        return None

    def _waits_for_server(self, lease: Lease | None, now: float) -> bool:
        if not self.is_coordinated:
            return False
        is_mine = lease is not None and self._is_mine(lease)
        if is_mine or (lease is not None and lease.spec.strategy):
            self._unmanaged_since = None
            return not is_mine
        if self._unmanaged_since is None:
            self._unmanaged_since = now
        return now < self._unmanaged_since + 2 * self.timing.lease_duration


def _numbers(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    assert match is not None
    return tuple(map(int, match.group(1, 2, 3)))
