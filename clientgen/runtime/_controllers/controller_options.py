"""Options of controllers that govern when and how often an object is reconciled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from .._models.arguments import type_of, unexpected_option

if TYPE_CHECKING:
    from collections.abc import Mapping


class ControllerOptions(TypedDict, total=False):
    """Options of a controller. `AsyncManager(k, controllers={...})` sets them for all of a manager.

    Times are seconds of the controller's clock.
    """

    workers: int
    """How many objects are reconciled at once; in a fleet, of each cluster. 1 by default."""
    timeout: float | None
    """The seconds that a reconciliation may take; None, the default, is no limit.

    After this time, the coroutine function is cancelled. A thread cannot be cancelled:
    `context.is_stopping` becomes true, running requests and streams of the reconciliation end with
    an error, and further requests are not sent. The attempt has failed with `ReconcileTimeout`,
    also if the function returns later. (controller-runtime: ReconciliationTimeout.)
    """
    max_attempts: int | None
    """The number of attempts after which an object is not retried; None, the default, is no limit.

    The last failure then counts as a `TerminalError`. After a change of the object, the attempts
    are counted anew.
    """
    debounce: float
    """The seconds from the first of several changes to the reconciliation; 0 by default.

    Further changes within this time are reconciled together with the first one, and do not move
    the reconciliation. Objects that are only listed are not delayed.
    """
    per_object_rate: float | None
    """How often per second an object is reconciled at most; None, the default, is no limit.

    It applies to retries, too: the next reconciliation of an object begins `1 / per_object_rate`
    seconds after the beginning of the previous one, or later. Other objects do not wait.
    """
    own_writes_wake: bool
    """Whether a write of a reconciliation leads to another one of the same object; true by default.

    If it is false, an event is dropped that tells the reconciliation nothing but values that it has
    sent itself. This is decided by comparing the object of the event with the response to the
    write, and the old object with the request, so that no change of others is lost. Defaults of the
    server, and transforms of an informer, make an event count as a change of others.
    """


class ControllerSettings(NamedTuple):
    """The options of a controller, with their defaults."""

    workers: int = 1
    timeout: float | None = None
    max_attempts: int | None = None
    debounce: float = 0.0
    per_object_rate: float | None = None
    own_writes_wake: bool = True

    @property
    def interval(self) -> float:
        """The seconds between two reconciliations of the same object, at least."""
        return 1.0 / self.per_object_rate if self.per_object_rate else 0.0


def checked_options(options: ControllerOptions | None) -> ControllerOptions:
    """Check options that are for several controllers, and return them; empty for None.

    Raises:
        TypeError: An option does not exist, or has a wrong type.
        ValueError: An option is not in its range.
    """
    settings_of(options or {})
    return options or {}


def settings_of(options: Mapping[str, Any]) -> ControllerSettings:
    """Check the options of a controller.

    Raises:
        TypeError: An option does not exist, or has a wrong type.
        ValueError: An option is not in its range.
    """
    for name in options.keys() - set(ControllerSettings._fields):
        raise unexpected_option(name, ControllerSettings._fields)
    settings = ControllerSettings(**options)
    _check_count("workers", settings.workers)
    if settings.workers < 1:
        raise ValueError("a controller needs at least one worker")
    if settings.max_attempts is not None:
        _check_count("max_attempts", settings.max_attempts)
        if settings.max_attempts < 1:
            raise ValueError("max_attempts must be 1 or more, or None for no limit")
    _check_number("debounce", settings.debounce)
    if not isinstance(cast("object", settings.own_writes_wake), bool):
        raise TypeError(f"own_writes_wake is a bool, not {type_of(settings.own_writes_wake)}")
    for name in ("timeout", "per_object_rate"):
        value: object = getattr(settings, name)
        if value is not None:
            _check_number(name, value)
            if value == 0:
                raise ValueError(f"{name}=0: it must be more than 0, or None for no limit")
    return settings


def _check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {type_of(value)}")


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {type_of(value)}")
    if not 0 <= value < math.inf:
        raise ValueError(f"{name}={value}: it must be 0 or more, and finite")
