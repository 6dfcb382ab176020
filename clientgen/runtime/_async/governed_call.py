"""Calls of `reconcile` and `on_error`, with a time limit."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from .._controllers.reconcile_loop import checked_result
from .._http.work_deadline import WORK_DEADLINE, WorkDeadline
from ..errors import LeadershipLost, TerminalError
from ._primitives import Interruption, awaited, can_cancel, check_callback, uncancelled
from .standstill_alarm import alarm_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock
    from .._controllers.attempts import Attempt
    from .._controllers.reconcile_loop import Result
    from ._primitives import Function

A = TypeVar("A")
T = TypeVar("T")

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncGovernedCalls(Generic[A]):
    """Calls the functions of a controller.

    Args:
        name: The name of the controller, for errors.
        reconcile: Gets the argument of the reconciliation: a request or a context.
        on_error: Gets the argument and the error of a failed attempt.
        clock: The clock of the timeout.
        timeout: The seconds that each function may take; None for no limit.
    """

    def __init__(
        self,
        name: str,
        reconcile: Function[[A], Result | None],
        on_error: Function[[A, Exception], Result | None] | None,
        clock: Clock,
        timeout: float | None,
    ) -> None:
        check_callback("reconcile", reconcile)
        if on_error is not None:
            check_callback("on_error", on_error)
        self.name = name
        self.reconcile = reconcile
        self._on_error = on_error
        self._clock = clock
        self._timeout = timeout

    async def call(self, argument: A, attempt: Attempt) -> Result | None:
        """Call `reconcile`, and after an error `on_error`, whose result the attempt keeps.

        Raises:
            ReconcileTimeout: `reconcile` did not end in time.
            Exception: The error of `reconcile`.
        """
        try:
            if self._timeout is None:  # the usual case costs nothing
                return checked_result(
                    await uncancelled(awaited("reconcile", self.reconcile(argument)))
                )
            return await self._limited("reconcile", partial(self.reconcile, argument), attempt)
        except LeadershipLost:
            raise  # `on_error` could not write
        except Exception as error:
            if self._on_error is not None:
                attempt.answer = await self._answer_to(error, argument, attempt)
            raise

    async def _answer_to(self, error: Exception, argument: A, attempt: Attempt) -> Result | None:
        """Return what `on_error` returns; None if it fails."""
        assert self._on_error is not None
        try:
            return await self._limited(
                "on_error", partial(self._on_error, argument, error), attempt
            )
        except Exception:
            logger.exception("%s: on_error failed for %r", self.name, argument)
            return None

    async def _limited(
        self, what: str, work: Function[[], Result | None], attempt: Attempt
    ) -> Result | None:
        """Call a function of the program for at most `timeout` seconds."""
        if self._timeout is None:
            return checked_result(await uncancelled(awaited(what, work())), what)
        title = f"{self.name}: {what} did not end within {self._timeout:g} s"
        deadline = attempt.deadline = WorkDeadline(self._clock, self._timeout, title)
        return checked_result(await limited(what, work, deadline, self._clock), what)


async def limited(what: str, work: Function[[], T], deadline: WorkDeadline, clock: Clock) -> T:
    """Call a function, and interrupt it at a deadline.

    Raises:
        ReconcileTimeout: The function did not end before the deadline.
        BaseException: The error of the function.
    """
    error: BaseException | None = None
    result: T | None = None
    token = WORK_DEADLINE.set(deadline)
    interruption = Interruption()
    cancel_alarm = _alarm(clock, deadline.moment, interruption.fire)
    try:
        result = await uncancelled(awaited(what, work()))
    except BaseException as raised:  # noqa: BLE001 - raised below
        error = raised
    finally:
        cancel_alarm()
        deadline.end()
        WORK_DEADLINE.reset(token)
    was_interrupted = await interruption.caused(error)
    is_verdict = isinstance(error, (TerminalError, LeadershipLost))
    is_failure = error is None or (isinstance(error, Exception) and not is_verdict)
    if was_interrupted or (is_failure and deadline.has_passed):
        raise deadline.error() from error
    if error is not None:
        raise error
    return cast("T", result)


def _alarm(clock: Clock, moment: float, alarm: Callable[[], object]) -> Callable[[], object]:
    """Call `alarm` at a time, if tasks can be cancelled. Returns a function that cancels this."""
    return alarm_at(clock, moment, alarm) if can_cancel() else lambda: None
