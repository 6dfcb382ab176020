"""Metrics of controllers for Prometheus, with controller-runtime's names.

Needs `clientgen[metrics]`. The label `controller` is the controller's name. (controller-runtime:
pkg/internal/controller/metrics.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

try:
    from prometheus_client import REGISTRY, Counter, Gauge, Histogram
except ImportError as error:
    raise ImportError("metrics need prometheus-client: pip install prometheus-client") from error

from .._cache.metrics_registry import PerRegistry
from ..errors import ReconcileTimeout, TerminalError
from .outcomes import RESULTS

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from .outcomes import Outcome, ReconcileMetrics

# fmt: off
BUCKETS: Final = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50,
    60,
)
# fmt: on


class PrometheusControllerMetrics:
    """Publishes the metrics of controllers. Several instances may share a registry.

    Args:
        registry: The registry to publish in; None for prometheus-client's default registry.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._families = _families.get_or_create(registry or REGISTRY)

    def controller(self, name: str, workers: int, /) -> ReconcileMetrics:
        """Return the metrics of the controller with this name."""
        return _Series(self._families, name, workers)


class _Families:
    """The metrics of one registry. A registry accepts each name only once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, about: str, *labels: str) -> Counter:
            full = f"controller_runtime_{name}"
            return Counter(full, about, ["controller", *labels], registry=registry)

        def gauge(name: str, about: str) -> Gauge:
            return Gauge(f"controller_runtime_{name}", about, ["controller"], registry=registry)

        self.total = counter("reconcile_total", "Reconciliations, by result.", "result")
        self.errors = counter("reconcile_errors_total", "Reconciliations that raised.")
        self.terminal = counter(
            "terminal_reconcile_errors_total", "Reconciliations that raised TerminalError."
        )
        self.timeouts = counter(
            "reconcile_timeouts_total", "Reconciliations that did not end within the timeout."
        )
        self.panics = counter(
            "reconcile_panics_total",
            "Reconciliations that ended the controller, by SystemExit for example.",
        )
        self.source_errors = Counter(
            "clientgen_source_errors_total",
            "Errors of polls, messages and daemons of a controller.",
            ["controller"],
            registry=registry,
        )
        self.seconds = Histogram(
            "controller_runtime_reconcile_time_seconds",
            "Duration of a reconciliation.",
            ["controller"],
            registry=registry,
            buckets=BUCKETS,
        )
        self.max_concurrent = gauge(
            "max_concurrent_reconciles", "How many objects are reconciled at once."
        )
        self.active = gauge("active_workers", "How many workers are reconciling now.")
        self.paused = Gauge(  # controller-runtime has no pauses
            "controller_paused",
            "Whether the controller is paused.",
            ["controller"],
            registry=registry,
        )


_families = PerRegistry(_Families)


class _Series:
    """The time series of one controller.

    They all exist from the start, so that rates are correct.
    """

    def __init__(self, families: _Families, name: str, workers: int) -> None:
        self._totals = {result: families.total.labels(name, result) for result in RESULTS}
        self._errors = families.errors.labels(name)
        self._terminal = families.terminal.labels(name)
        self._timeouts = families.timeouts.labels(name)
        self._panics = families.panics.labels(name)
        self._source_errors = families.source_errors.labels(name)
        self._seconds = families.seconds.labels(name)
        self._active = families.active.labels(name)
        self._paused = families.paused.labels(name)
        self._paused.set(0)
        families.max_concurrent.labels(name).set(workers)

    def paused(self, is_paused: bool, /) -> None:
        self._paused.set(is_paused)

    def began(self) -> None:
        self._active.inc()

    def ended(self, outcome: Outcome, seconds: float, error: BaseException | None, /) -> None:
        self._active.dec()
        self._seconds.observe(seconds)
        self._totals[outcome].inc()
        if error is not None:
            self._errors.inc()
        if isinstance(error, TerminalError):
            self._terminal.inc()
            error = error.__cause__  # the error of the last attempt
        if isinstance(error, ReconcileTimeout):
            self._timeouts.inc()
        if not isinstance(error, (Exception, type(None))):
            self._panics.inc()

    def source_failed(self) -> None:
        self._source_errors.inc()
