"""The outcomes of reconciliations, for metrics and logs.

The outcomes and the rules are controller-runtime's (pkg/internal/controller and its metrics).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from ..errors import Conflict, LeadershipLost, TerminalError
from .json_logs import prefix_of, title_of
from .reconcile_loop import cluster_name

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from .reconcile_loop import Result

Outcome: TypeAlias = Literal["success", "error", "requeue", "requeue_after"]
RESULTS: Final[tuple[Outcome, ...]] = ("error", "requeue_after", "requeue", "success")


class ReconcileMetrics(Protocol):
    """The metrics of one controller."""

    def began(self) -> None:
        """Count a reconciliation that a worker has begun."""
        ...

    def ended(self, outcome: Outcome, seconds: float, error: BaseException | None, /) -> None:
        """Count a reconciliation that has ended."""
        ...

    def paused(self, is_paused: bool, /) -> None:
        """Note that the controller was paused, or goes on."""
        ...

    def source_failed(self) -> None:
        """Count an error of a poll, of a message or of a daemon."""
        ...


class ReconcileMetricsProvider(Protocol):
    """Creates the metrics of controllers."""

    def controller(self, name: str, workers: int, /) -> ReconcileMetrics:
        """Return the metrics of the controller with this name."""
        ...


def outcome_of(result: Result | None) -> Outcome:
    """Return the outcome of a reconciliation that succeeded."""
    if result is None:
        return "success"
    if result.requeue_after > 0:
        return "requeue_after"
    return "requeue" if result.requeue else "success"


def fields_of(controller: str, request: object, reconcile_id: str) -> dict[str, str]:
    """Return the attributes of log records of a reconciliation, for structured logs."""
    fields = {"controller": controller, "object": str(request), "reconcile_id": reconcile_id}
    cluster = cluster_name(request)
    return {**fields, "cluster": cluster} if cluster else fields


def log_failure(
    logger: logging.Logger, fields: dict[str, str], error: Exception, failures: int
) -> None:
    """Log why a reconciliation failed.

    Conflicts, the loss of leadership and terminal errors are logged without a traceback: the first
    two are part of normal work, and the message of a terminal error is sufficient.
    """
    name, obj = fields["controller"], title_of(fields)
    if isinstance(error, TerminalError):
        logger.error(
            "%s: reconciling %s failed, and will not be retried before a change: %s",
            name,
            obj,
            error,
            extra=fields,
        )
    elif isinstance(error, Conflict):
        logger.info(
            "%s: %s was changed meanwhile, retrying (%d): %s",
            name,
            obj,
            failures,
            error,
            extra=fields,
        )
    elif isinstance(error, LeadershipLost):
        logger.info("%s: reconciling %s was cancelled: %s", name, obj, error, extra=fields)
    else:
        logger.error(
            "%s: reconciling %s failed (%d)", name, obj, failures, exc_info=error, extra=fields
        )


class ContextLogger(logging.LoggerAdapter[logging.Logger]):
    """Adds controller, object and reconcile id to log records, in the text and as attributes.

    In a fleet, it adds the name of the cluster, too.
    """

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """Add the context to one record."""
        fields = dict(self.extra or {})
        kwargs["extra"] = {**fields, **(kwargs.get("extra") or {})}
        return f"{prefix_of(fields).replace('%', '%%')}: {msg}", kwargs
