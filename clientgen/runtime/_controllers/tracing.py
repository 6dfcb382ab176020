"""An OpenTelemetry span around each reconciliation, if opentelemetry-api is installed."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

from .reconcile_loop import Request, cluster_name

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


def reconcile_span(
    controller: str, request: object, reconcile_id: str
) -> AbstractContextManager[object]:
    """Return the span of a reconciliation, which records exceptions; or an empty context."""
    tracer = _tracer()
    if tracer is None:
        return nullcontext()
    attributes = {"controller": controller, "reconcile_id": reconcile_id}
    if isinstance(request, Request):
        attributes |= {"k8s.namespace.name": request.namespace, "k8s.object.name": request.name}
    else:
        attributes["request"] = str(request)
    if cluster := cluster_name(request):
        attributes["k8s.cluster.name"] = cluster
    return tracer.start_as_current_span(f"reconcile {controller}", attributes=attributes)


@cache
def _tracer() -> Tracer | None:
    try:
        from opentelemetry import trace  # an optional dependency
    except ImportError:
        return None
    return trace.get_tracer("clientgen")
