"""The permit to write. Work that needs leadership loses the permit together with the lease.

The permit is a context variable. Tasks inherit it, and so do threads that the runtime starts. The
runtime's own writes of leases and events need no permit (`without_permit`).

A write is a `Flight`: it checks the permit when the chain is about to send it, when it has a
connection, and just before its bytes leave. When the permit ends, writes in flight are broken off.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from ..errors import LeadershipLost, RequestInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class Permit:
    """The permission of some work to write.

    Args:
        refusal: Returns why the work may not write any more; empty while it may. Any thread calls
            this.
        outer: Permits that must hold, too; None is no permit.
    """

    __slots__ = ("_flights", "_has_ended", "_outer", "_refusal")

    def __init__(self, refusal: Callable[[], str], *outer: Permit | None) -> None:
        self._refusal = refusal
        self._outer = [each for each in outer if each is not None]
        self._has_ended = False
        # By key, so that other threads may add and remove flights while `end` reads them.
        self._flights: dict[object, Callable[[], object]] = {}

    def refusal(self) -> str:
        """Return why the work may not write any more; empty while it may."""
        refusals = (each.refusal() for each in self._outer)
        return next(filter(None, refusals), "") or self._refusal()

    def includes(self, other: Permit) -> bool:
        """Return whether this permit holds only while the other one holds."""
        return self is other or any(each.includes(other) for each in self._outer)

    def end(self) -> None:
        """Break off the writes in flight. Call this when the permit has ended."""
        self._has_ended = True
        for break_off in [*self._flights.values()]:
            break_off()

    def on_end(self, break_off: Callable[[], object]) -> Callable[[], object]:
        """Call a function when the permit ends, or now if it has ended.

        Any thread may call the function, several times. Returns a function that forgets it.
        """
        key = object()
        forgets = [each.on_end(break_off) for each in self._outer]
        self._flights[key] = break_off
        if self._has_ended:  # `end` may have read the flights before
            break_off()

        def forget() -> None:
            self._flights.pop(key, None)
            for each in forgets:
                each()

        return forget


PERMIT: Final[ContextVar[Permit | None]] = ContextVar("permit", default=None)
"""The permit of the calling work; None if the work needs none."""

FLIGHT: Final[ContextVar[Flight | None]] = ContextVar("flight", default=None)
"""The request that the calling code is sending, if it needs a permit."""


class Flight:
    """A request that needs a permit, from the chain to its response."""

    __slots__ = ("_forgets", "_request", "permit")

    def __init__(self, permit: Permit, request: str) -> None:
        self.permit = permit
        self._request = request
        self._forgets: list[Callable[[], object]] = []

    def check(self) -> None:
        """Check the permit just before bytes of the request are sent.

        Raises:
            LeadershipLost: The work may not write any more.
        """
        if refusal := self.permit.refusal():
            raise LeadershipLost(f"{refusal}: {self._request} is not sent")

    def depart(self, break_off: Callable[[], object]) -> None:
        """Check the permit when there is a connection, which `break_off` breaks from any thread.

        Raises:
            LeadershipLost: The work may not write any more.
        """
        self.check()
        self._forgets.append(self.permit.on_end(break_off))

    def check_not_broken(self) -> None:
        """Check the permit after an error: the request may have been broken off.

        Raises:
            LeadershipLost: The work may not write any more.
        """
        if refusal := self.permit.refusal():
            raise LeadershipLost(
                f"{refusal}: {self._request} was broken off, and the server may have done it"
            )

    def land(self) -> None:
        """Forget the connection: the response is there, or the request has failed."""
        while self._forgets:
            self._forgets.pop()()


def permit_for(method: str, *, acts: bool = False) -> Permit | None:
    """Return the permit that a request of the calling work needs; None if it needs none."""
    return None if method in _READS and not acts else PERMIT.get()


def new_flight(method: str, target: str, *, acts: bool = False) -> Flight | None:
    """Return a flight for a request of the calling work; None if it needs no permit.

    Args:
        method: The method of the request.
        target: The path and query of the request.
        acts: Whether the request is a write although its method is GET, such as an exec.

    Raises:
        LeadershipLost: The request is a write, and the work has lost its permit.
    """
    permit = permit_for(method, acts=acts)
    if permit is None:
        return None
    flight = Flight(permit, str(RequestInfo(method, target.partition("?")[0])))
    flight.check()
    return flight


def depart(break_off: Callable[[], object]) -> None:
    """Call `Flight.depart` for the request that the calling code is sending.

    Raises:
        LeadershipLost: The work may not write any more.
    """
    flight = FLIGHT.get()
    if flight is not None:
        flight.depart(break_off)


def check_departure() -> None:
    """Call `Flight.check` for the request that the calling code is sending.

    Raises:
        LeadershipLost: The work may not write any more.
    """
    flight = FLIGHT.get()
    if flight is not None:
        flight.check()


@contextmanager
def in_flight(flight: Flight | None) -> Generator[None]:
    """Let transports see a flight in a `with` block, at whose end the request has landed.

    None is for a request that needs no permit, made while another one is in flight: a server in
    this process may call functions of the program.

    Raises:
        LeadershipLost: The block failed, and the work may not write any more.
    """
    token = FLIGHT.set(flight)
    try:
        yield
    except Exception as error:
        if flight is not None and not isinstance(error, LeadershipLost):
            try:
                flight.check_not_broken()
            except LeadershipLost as lost:
                raise lost from error
        raise
    finally:
        FLIGHT.reset(token)
        if flight is not None:
            flight.land()


@contextmanager
def without_permit() -> Generator[None]:
    """Allow all writes in a `with` block.

    The runtime's own writes do not depend on leadership: a recorder or sharding that was started in
    one term continues in the next, and the events and the release of the lease come after a term.
    """
    token = PERMIT.set(None)
    try:
        yield
    finally:
        PERMIT.reset(token)


@contextmanager
def with_permit(permit: Permit | None) -> Generator[None]:
    """Use a permit in a `with` block, as well as the one of the calling work.

    A permit of None changes nothing.
    """
    own = PERMIT.get()
    if permit is None or (own is not None and own.includes(permit)):
        yield
        return
    if own is not None and not permit.includes(own):
        permit = Permit(lambda: "", permit, own)
    token = PERMIT.set(permit)
    try:
        yield
    finally:
        PERMIT.reset(token)
