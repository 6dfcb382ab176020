"""Tells metrics about the runs of credential plugins."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from .._http.request_metrics import PluginStatus, RequestMetrics

_lock = threading.Lock()
_metrics: list[RequestMetrics] = []


def add(metrics: RequestMetrics) -> None:
    """Tell metrics about all later runs. Metrics that are added twice are told once."""
    with _lock:
        _metrics.append(metrics)


def remove(metrics: RequestMetrics) -> None:
    """Undo one `add`, if there was one."""
    with _lock:
        if metrics in _metrics:
            _metrics.remove(metrics)


def plugin_called(exit_code: int, status: PluginStatus, expires: datetime | None = None) -> None:
    """Tell all metrics about a run."""
    with _lock:
        told: list[RequestMetrics] = []
        for metrics in _metrics:
            if metrics not in told:
                told.append(metrics)
    for metrics in told:
        metrics.plugin_called(exit_code, status, expires)
