"""Leader election: one of several processes holds a lease. The rules are in `election`."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from .._clock import SYSTEM_CLOCK, lease_clock
from .._controllers.coordination import (
    Candidacy,
    CoordinatedElection,
    new_candidate_name,
)
from .._controllers.election import Election, Timing
from .._http.retry import default_random
from .._http.user_agent import unique_identity
from .._http.write_permit import PERMIT, Permit
from .._signals import on_stop_signal_outside_tests
from ..errors import AlreadyExists, ClientError, Conflict, LeadershipLost
from ._primitives import Event, Interruption, call, from_any_thread, spawn, wait_until
from .lease_candidate import AsyncCandidateKeeper
from .lease_client import AsyncLeaseClient, rest_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from .._clock import Clock
    from .._controllers.coordination import Coordination
    from .._controllers.election import ElectionMetrics, LeaseRequest
    from ._primitives import Task
    from .lease_client import AsyncClient

_JOIN_TIMEOUT_SECONDS = 1.0

logger = logging.getLogger("clientgen.runtime.leader_election")


class Recorder(Protocol):
    """The method of an event recorder that the elector uses."""

    def event(
        self,
        regarding: Any,
        type: Any,  # noqa: A002 - the API's word
        reason: str,
        note: str,
        /,
        *,
        action: str,
    ) -> None:
        """Record an event."""
        ...


class AsyncLeaderElector:
    """Leads while it holds a lease, which only one elector can hold at a time.

        elector = AsyncLeaderElector(k, "my-controller", "default", on_started_leading=lead)
        await elector.run()

    or, to run a block while leading::

        async with AsyncLeaderElector(k, "my-controller", "default"):
            ...

    The defaults are those of Kubernetes' own components. `election` documents the rules, and under
    which condition two electors never lead at once. Leadership is the permission to *begin* an
    action: a request that was sent before may reach a server after leadership has ended.

    The work is `on_started_leading`, or the body of the `async with`. When leadership is lost, the
    task of the work is cancelled. A thread cannot be cancelled: it has to check `is_leader`, or
    `on_stopped_leading` has to stop it. After the loss, writes of the work raise `LeadershipLost`
    and are not sent, whichever client the work uses; those in flight are broken off. The time that
    the machine was suspended counts. When the elector is stopped or cancelled, it
    renews the lease until the work has ended, and then releases the lease, so that the next leader
    need not wait.

    Args:
        client: A clientset, or its REST client.
        name: The name of the lease.
        namespace: The namespace of the lease; None means the namespace of the client's
            configuration.
        identity: The identity of this elector in the lease. It must be unique: two processes with
            the same identity both lead. None means a new identity, of the host name and random
            letters.
        lease_duration: The seconds without a renewal after which another elector may take the
            lease; an integer.
        renew_deadline: The seconds that the elector leads after it has sent a renewal.
        retry_period: The seconds between two attempts.
        release_on_cancel: Whether the lease is released at the end.
        on_started_leading: Called in its own task or thread when leadership begins; with asyncio, a
            coroutine function. Leadership continues when the function returns, and ends when the
            function raises.
        on_stopped_leading: Called when leadership is lost or the elector stops, even if it never
            led.
        on_new_leader: Called with the identity of each new leader, including this one.
        grace: The seconds that the work may continue after `stop` if `on_stopped_leading` is given.
            Without `on_stopped_leading`, a task is cancelled at once.
        recorder: Records the beginning and end of leadership, as events of the lease.
        metrics: Receives the beginning and end of leadership, for example
            `PrometheusElectionMetrics()`.
        coordination: Lets the API server choose the leader among the candidates, by the versions of
            their programs (`LeaseCandidate`, KEP-4355). The elector leads when the lease names it,
            and steps down when the server prefers another candidate: `run` then raises
            `LeadershipLost`, after the work has ended. If the server does not serve
            LeaseCandidates, the usual election takes place.
        clock: The clock for durations.
        random: Returns numbers from 0 to 1.

    Raises:
        ValueError: The durations are inconsistent, the identity is empty, or the API server would
            reject a name.
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
        release_on_cancel: bool = True,
        on_started_leading: Callable[[], object] | None = None,
        on_stopped_leading: Callable[[], object] | None = None,
        on_new_leader: Callable[[str], object] | None = None,
        grace: float = 30.0,
        recorder: Recorder | None = None,
        metrics: ElectionMetrics | None = None,
        coordination: Coordination | None = None,
        clock: Clock = SYSTEM_CLOCK,
        random: Callable[[], float] | None = None,
    ) -> None:
        rest, clock = rest_of(client), lease_clock(clock)
        namespace = rest.namespace if namespace is None else namespace
        self._timing = Timing(lease_duration, renew_deadline, retry_period)
        if identity is None:
            identity = unique_identity() if coordination is None else new_candidate_name()
        self._candidate: AsyncCandidateKeeper | None = None
        self._coordinated: CoordinatedElection | None = None
        if coordination is None:
            self._election = Election(namespace, name, identity, self._timing)
        else:
            candidacy = Candidacy(namespace, name, identity, coordination)
            self._candidate = AsyncCandidateKeeper(rest, candidacy, clock)
            self._coordinated = CoordinatedElection(namespace, name, identity, self._timing)
            self._election = self._coordinated
        self._leases = AsyncLeaseClient(rest, namespace, clock)
        self._releases = release_on_cancel
        self._on_started = on_started_leading
        self._on_stopped = on_stopped_leading
        self._on_new_leader = on_new_leader
        self._grace = grace
        self._recorder = recorder
        self._metrics = metrics
        self._clock = clock
        self._random = random or default_random()
        self._is_running = False
        self._reset_run()

    def __repr__(self) -> str:
        election = self._election
        return f"<{type(self).__name__} {election.name!r} as {election.identity!r}>"

    def _reset_run(self) -> None:
        self._term: int | None = None
        self._stopping = Event()
        self._settled = Event()  # the elector leads, or has ended without leading
        self._ending = Event()  # `stop` was called, or leadership is lost
        self._work_over = Event()
        self._renewing_ends = Event()
        self._work: Task | None = None
        self._body: Interruption | None = None
        self._previous_permit: Permit | None = None
        self._permit: Permit | None = None
        self._in_body = False
        self._is_cancelled = False
        self._announcing: Task | None = None
        self._announced = ""
        self._last_attempt_at = 0.0
        self._failure: BaseException | None = None

    # ---- state --------------------------------------------------------------------------------

    @property
    def identity(self) -> str:
        """The identity of this elector."""
        return self._election.identity

    @property
    def is_leader(self) -> bool:
        """Whether this elector leads.

        This checks the clock, so it is correct even after the program was paused.
        """
        return not self._ending.is_set() and self._holds_lease()

    @property
    def leader(self) -> str:
        """The leader when the lease was last read or written; empty without a leader."""
        return self._election.holder

    def healthy(self, tolerance: float = 20.0) -> bool:
        """For liveness probes: False if this elector leads but does not renew the lease in time.

        The last renewal is then older than the lease duration and `tolerance` seconds, and the
        elector has not noticed, because the program hangs.
        """
        return self._election.is_healthy(self._clock.monotonic(), tolerance)

    # ---- running ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Try to lead, lead, and return after `stop`.

        In the main thread, SIGTERM and SIGINT call `stop`. On cancellation, the work is cancelled
        and the lease is released. `run` may be called again afterwards.

        Raises:
            LeadershipLost: This elector led, and could not renew the lease in time. Programs
                usually exit then.
            RuntimeError: This elector is already running.
            BaseException: The exception that `on_started_leading` raised.
        """
        forget = on_stop_signal_outside_tests(self._clock, from_any_thread(self.stop))
        try:
            await self._run_once()
        finally:
            forget()

    async def _run_once(self) -> None:
        """Run without handling signals."""
        self._start_run()
        try:
            await self._run()
        finally:
            self._is_running = False
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Stop leading or trying to lead, and release the lease."""
        self._stopping.set()
        self._ending.set()

    async def __aenter__(self) -> Self:
        if self._on_started is not None:
            raise TypeError(
                "on_started_leading is for run() only; with `async with`, the body is the work"
            )
        self._start_run()
        self._in_body = True
        running = self._running = spawn(self._run, f"{self._election.name}-elector")
        try:
            await self._settled.wait()
        except BaseException:
            await self._stop_and_join(running)
            raise
        if self._term is None:
            await self._stop_and_join(running)
            raise self._failure or LeadershipLost(f"{self!r} was stopped before it led")
        self._body = Interruption()
        self._previous_permit = self._permit_writes()
        if self._work_is_unwanted:
            self._body.fire()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        assert self._body is not None
        try:
            interrupted = await self._body.caused(error)
        finally:
            self._body = None  # a later loss of leadership must not cancel the caller
            PERMIT.set(self._previous_permit)
            self._work_over.set()
            await self._stop_and_join(self._running)
        if self._failure is not None and (error is None or interrupted):
            raise self._failure from error
        return interrupted

    def _start_run(self) -> None:
        if self._is_running:
            raise RuntimeError(f"{self!r} is already running")
        self._reset_run()
        self._is_running = True
        if self._metrics is not None:
            self._metrics.leading(self._election.name, False)

    async def _stop_and_join(self, running: Task) -> None:
        self.stop()
        await running.join()
        self._is_running = False

    async def _run(self) -> None:
        try:
            if await self._acquire():
                await self._lead()
        except Exception as error:  # noqa: BLE001 - `run` and `__aenter__` raise it
            self._failure = self._failure or error
        finally:
            if self._term is None:
                self._settled.set()
                await self._call_on_stopped()
                await self._release()
            if self._announcing is not None:
                await self._announcing.join(_JOIN_TIMEOUT_SECONDS)

    # ---- leading ------------------------------------------------------------------------------

    async def _acquire(self) -> bool:
        """Try to get the lease until this elector leads or is stopped. Returns whether it leads."""
        clock, election = self._clock, self._election
        while not self._stopping.is_set():
            self._last_attempt_at = clock.monotonic()
            await self._attempt(None)
            if election.leadership is not None and election.leads(clock.monotonic()):
                self._term = election.leadership.term
                return True
            await wait_until(self._stopping, clock, clock.monotonic() + self._pause())
        return False

    def _pause(self) -> float:
        """Return the pause between two attempts. The server waits 5 s for a sign of life."""
        if self._coordinated is not None and self._coordinated.is_coordinated:
            return self._timing.retry_period
        return self._timing.between_tries(self._random())

    async def _attempt(self, until: float | None) -> None:
        timeout = (
            self._timing.renew_deadline / 2
        )  # as in controller-runtime, which leaves time for two requests
        await self._leases.attempt(self._election, timeout, until, self._log_failed_request)
        leader = self._election.holder
        if leader and leader != self._announced:
            self._announced = leader
            self._announce(leader)
        if self._coordinated is not None and self._coordinated.is_coordinated:
            await self._keep_candidate(self._coordinated)

    async def _keep_candidate(self, election: CoordinatedElection) -> None:
        """Keep the LeaseCandidate. A failure does not concern the lease."""
        assert self._candidate is not None
        try:
            election.is_coordinated = await self._candidate.keep(self._timing.retry_period)
        except (ClientError, OSError) as error:
            level = logging.DEBUG if isinstance(error, Conflict) else logging.WARNING
            logger.log(level, "%r: the LeaseCandidate is not renewed: %s", self, error)
            return
        if not election.is_coordinated:
            logger.warning("%r: the server has no LeaseCandidates: it chooses no leader", self)

    def _step_down_if_asked(self) -> None:
        successor = "" if self._coordinated is None else self._coordinated.successor
        if successor:
            why = f"{self!r} steps down: the server prefers {successor!r}"
            self._failure = self._failure or LeadershipLost(why)
            self.stop()

    def _log_failed_request(self, request: LeaseRequest, error: Exception) -> None:
        is_race = isinstance(error, (AlreadyExists, Conflict))  # another candidate was faster
        logger.log(logging.DEBUG if is_race else logging.WARNING, "%r: %s", self, error)
        if request.is_fast and self._metrics is not None:
            self._metrics.slow_path(self._election.name)

    async def _lead(self) -> None:
        """Start the work, and end it when leadership ends."""
        logger.info("%r leads", self)
        self._publish(leads=True)
        self._settled.set()
        if self._on_started is not None:
            self._work = spawn(self._run_work, f"{self._election.name}-leading")
        elif not self._in_body:
            self._work_over.set()
        renewing = spawn(self._renew_until_lost, f"{self._election.name}-renewing")
        try:
            await self._wait_while_leading(self._ending, None)
        except BaseException:
            self._stopping.set()
            self._is_cancelled = True
            raise
        finally:
            try:
                await self._wind_down(renewing)
            finally:  # `_wind_down` may be cancelled, too
                renewing.cancel()
                self._election.resign()
                self._end_permit()

    async def _wait_while_leading(self, event: Event, until: float | None) -> None:
        """Wait for an event until leadership ends, or until a time of the clock."""
        while not event.is_set() and self._holds_lease():
            leadership = self._election.leadership
            moments = [until, leadership.until if leadership else None]
            upcoming = [moment for moment in moments if moment is not None]
            await wait_until(event, self._clock, min(upcoming, default=None))
            if until is not None and self._clock.monotonic() >= until:
                return

    def _holds_lease(self) -> bool:
        """Return whether this elector has held the lease since its term began."""
        return self._term is not None and self._election.leads(self._clock.monotonic(), self._term)

    async def _renew_until_lost(self) -> None:
        clock, leadership = self._clock, self._election.leadership
        while leadership is not None and self._holds_lease():
            until = max(leadership.renewed, self._last_attempt_at) + self._timing.retry_period
            if await wait_until(self._renewing_ends, clock, until):
                break
            self._last_attempt_at = clock.monotonic()
            try:
                await self._attempt(leadership.until)
            except Exception as error:  # noqa: BLE001 - `run` and `__aexit__` raise it
                self._failure = self._failure or error
                break
            self._step_down_if_asked()
            leadership = self._election.leadership
        self._ending.set()

    # ---- stopping -----------------------------------------------------------------------------

    @property
    def _work_is_unwanted(self) -> bool:
        return self._ending.is_set() and (self._on_stopped is None or not self._holds_lease())

    async def _wind_down(self, renewing: Task) -> None:
        """End the work, then the renewals, and then release the lease."""
        self._ending.set()
        wanted = self._stopping.is_set() and self._holds_lease()
        if not wanted:
            self._failure = self._failure or LeadershipLost(f"{self!r} does not lead any more")
            self._cancel_work()  # before `on_stopped_leading`, which may take time
            self._end_permit()
        self._publish(leads=False)
        await self._call_on_stopped()
        await self._end_work(wanted=wanted)
        self._renewing_ends.set()
        renewing.cancel()
        await renewing.join(self._timing.renew_deadline if wanted else _JOIN_TIMEOUT_SECONDS)
        if self._work_over.is_set() and self._holds_lease():
            await self._release()
        logger.info("%r does not lead any more", self)

    async def _end_work(self, *, wanted: bool) -> None:
        """Wait for the end of the work. The lease is renewed meanwhile, unless it is lost."""
        over = self._work_over
        until = self._clock.monotonic() + (0.0 if self._is_cancelled else self._grace)
        if wanted and self._on_stopped is not None:
            await self._wait_while_leading(over, until)
        if not over.is_set():
            self._cancel_work()
        if wanted:
            await self._wait_while_leading(over, until)
        # After the renew deadline, the lease still keeps others from leading for this time.
        spare = self._timing.lease_duration - self._timing.renew_deadline
        if not await wait_until(over, self._clock, self._clock.monotonic() + spare):
            logger.error("%r: the work still runs after the end of leadership", self)

    def _cancel_work(self) -> None:
        if self._work is not None:
            self._work.cancel()
        if self._body is not None:
            self._body.fire()

    async def _release(self) -> None:
        """Release the lease if this elector may hold it, even without a confirmed renewal."""
        self._election.resign()
        self._end_permit()  # before another candidate leads
        if not self._releases:
            return
        await self._withdraw()
        if self._election.observed is None:
            return
        try:
            await self._leases.release(self._election, self._timing.renew_deadline)
        except Exception as error:  # noqa: BLE001 - other candidates only wait longer
            logger.warning("%r: the lease was not released: %s", self, error)

    async def _withdraw(self) -> None:
        """Delete the LeaseCandidate, if there is one."""
        if self._candidate is None or not (self._coordinated and self._coordinated.is_coordinated):
            return
        try:
            await self._candidate.withdraw(self._timing.retry_period)
        except (ClientError, OSError) as error:  # the server only asks it in vain
            logger.warning("%r: the LeaseCandidate was not deleted: %s", self, error)

    # ---- callbacks ----------------------------------------------------------------------------

    async def _run_work(self) -> None:
        assert self._on_started is not None
        self._permit_writes()
        try:
            await call(self._on_started)
        except BaseException as error:  # noqa: BLE001 - `run` raises it
            if self._ending.is_set():
                logger.info("%r: the work ended with %r", self, error)
            else:
                self._failure = error
                self.stop()
        finally:
            self._work_over.set()

    def _permit_writes(self) -> Permit | None:
        """Permit writes of the work only while this elector leads.

        The permit checks the clock just before each request is sent, so that no request begins
        after the lease is lost, even in a thread that has not noticed it. Returns the previous
        permit, which still applies.
        """
        before, term = PERMIT.get(), self._term

        def refusal() -> str:
            leads = self._election.leads(self._clock.monotonic(), term)
            return "" if leads else f"{self!r} does not lead any more"

        self._permit = Permit(refusal, before)
        PERMIT.set(self._permit)
        return before

    def _end_permit(self) -> None:
        """Break off the writes of the work that are in flight."""
        if self._permit is not None:
            self._permit.end()

    async def _call_on_stopped(self) -> None:
        if self._on_stopped is not None:
            await self._call_logged(self._on_stopped)

    def _announce(self, leader: str) -> None:
        """Call `on_new_leader` in a task or thread, after earlier calls have ended."""
        if self._on_new_leader is not None:
            work = partial(self._announce_after, self._announcing, leader)
            self._announcing = spawn(work, f"{self._election.name}-new-leader")

    async def _announce_after(self, before: Task | None, leader: str) -> None:
        assert self._on_new_leader is not None
        if before is not None:
            await before.join()
        await self._call_logged(self._on_new_leader, leader)

    async def _call_logged(self, function: Callable[..., object], *args: object) -> None:
        try:
            await call(function, *args)
        except Exception:
            logger.exception("%r: %r failed", self, function)

    def _publish(self, *, leads: bool) -> None:
        if self._metrics is not None:
            self._metrics.leading(self._election.name, leads)
        if self._recorder is not None and self._election.observed is not None:
            what = "became leader" if leads else "stopped leading"
            self._recorder.event(
                self._election.observed,
                "Normal",
                "LeaderElection",
                f"{self.identity} {what}",
                action="BecomeLeader" if leads else "StopLeading",
            )
