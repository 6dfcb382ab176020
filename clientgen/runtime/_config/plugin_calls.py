"""Tells metrics about the runs of credential plugins, and about their certificates.

client-go: plugin/pkg/client/auth/exec/metrics.go.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from datetime import datetime

    from .._http.request_metrics import PluginStatus, RequestMetrics
    from .certificate_dates import Validity
    from .cluster_config import ClientCertificate

_lock = threading.Lock()
_metrics: list[RequestMetrics] = []
_expiries: WeakKeyDictionary[object, datetime] = WeakKeyDictionary()
"""When the certificates of the plugins expire."""


def add(metrics: RequestMetrics) -> None:
    """Tell metrics about all later runs. Metrics that are added twice are told once."""
    with _lock:
        _metrics.append(metrics)


def remove(metrics: RequestMetrics) -> None:
    """Undo one `add`, if there was one."""
    with _lock:
        if metrics in _metrics:
            _metrics.remove(metrics)


def plugin_called(exit_code: int, status: PluginStatus) -> None:
    """Tell all metrics about a run, and when the first certificate of the plugins expires."""
    with _lock:
        expires = min(_expiries.values(), default=None)
    for metrics in _told():
        metrics.plugin_called(exit_code, status, expires)


def certificate_received(
    plugin: object, old: ClientCertificate | None, new: ClientCertificate | None, now: datetime
) -> None:
    """Note the certificate of a plugin's new answer, and tell all metrics about a rotation.

    Args:
        plugin: the plugin.
        old: the certificate of the answer before, if there was one.
        new: the certificate of the new answer, if it has one.
        now: the current time.
    """
    if _pem_of(old) == _pem_of(new):
        return
    validity = None if new is None else _validity_of(new)
    with _lock:
        if validity is None:
            _expiries.pop(plugin, None)
        else:
            _expiries[plugin] = validity.ends
    before = None if old is None else _validity_of(old)
    if before is not None:
        for metrics in _told():
            metrics.certificate_rotated((now - before.begins).total_seconds())


def _pem_of(certificate: ClientCertificate | None) -> tuple[bytes, bytes] | None:
    return None if certificate is None else (certificate.certificate, certificate.key)


def _validity_of(certificate: ClientCertificate) -> Validity | None:
    from .certificate_dates import validity_of  # imported late: few plugins return certificates

    return validity_of(certificate.certificate)


def _told() -> list[RequestMetrics]:
    """Return the metrics, each once."""
    with _lock:
        told: list[RequestMetrics] = []
        for metrics in _metrics:
            if metrics not in told:
                told.append(metrics)
    return told
