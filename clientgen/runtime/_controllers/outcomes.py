"""How a reconciliation ended: what is counted, what is logged, and whether it is tried again.

The words and the rules are controller-runtime's (pkg/internal/controller, its metrics).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from ..errors import Conflict, LeadershipLost, TerminalError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from .reconcile_loop import Request, Result

__all__ = [
    "RESULTS",
    "ContextLogger",
    "Outcome",
    "ReconcileMetrics",
    "ReconcileMetricsProvider",
    "fields_of",
    "log_failure",
    "outcome_of",
]

Outcome: TypeAlias = Literal["success", "error", "requeue", "requeue_after"]
RESULTS: Final[tuple[Outcome, ...]] = ("error", "requeue_after", "requeue", "success")


class ReconcileMetrics(Protocol):
    """The metrics of one controller."""

    def began(self) -> None:
        """A worker has begun to reconcile an object."""
        ...

    def ended(self, outcome: Outcome, seconds: float, error: BaseException | None, /) -> None:
        """It has ended."""
        ...


class ReconcileMetricsProvider(Protocol):
    """A receiver of the metrics of controllers."""

    def controller(self, name: str, workers: int, /) -> ReconcileMetrics:
        """Return the metrics of a controller of that name."""
        ...


def outcome_of(result: Result | None) -> Outcome:
    """The outcome of a reconciliation that raised nothing."""
    if result is None:
        return "success"
    if result.requeue_after > 0:
        return "requeue_after"
    return "requeue" if result.requeue else "success"


def fields_of(controller: str, request: Request, reconcile_id: str) -> dict[str, str]:
    """The attributes of log records about a reconciliation, for structured logs."""
    return {"controller": controller, "object": str(request), "reconcile_id": reconcile_id}


def log_failure(
    logger: logging.Logger, fields: dict[str, str], error: Exception, failures: int
) -> None:
    """Log why a reconciliation failed.

    A conflict and the end of leadership belong to normal work, and a terminal error says by itself
    what is wrong: none has a traceback.
    """
    name, obj = fields["controller"], fields["object"]
    if isinstance(error, TerminalError):
        logger.error(
            "%s: reconciling %s failed, and is not tried again before a change: %s",
            name,
            obj,
            error,
            extra=fields,
        )
    elif isinstance(error, Conflict):
        logger.info(
            "%s: %s was changed meanwhile, trying again (%d): %s",
            name,
            obj,
            failures,
            error,
            extra=fields,
        )
    elif isinstance(error, LeadershipLost):
        logger.info("%s: reconciling %s was given up: %s", name, obj, error, extra=fields)
    else:
        logger.error(
            "%s: reconciling %s failed (%d)", name, obj, failures, exc_info=error, extra=fields
        )


class ContextLogger(logging.LoggerAdapter[logging.Logger]):
    """Adds controller, object and reconcile id to records: to their text and as attributes."""

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Add them to one record."""
        fields = dict(self.extra or {})
        prefix = f"{fields['controller']} {fields['object']} {fields['reconcile_id']}"
        kwargs["extra"] = {**fields, **(kwargs.get("extra") or {})}
        return f"{prefix.replace('%', '%%')}: {msg}", kwargs
