"""A Grafana dashboard of the metrics of a manager."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA_VERSION: Final = 39  # Grafana 11 and later read it
_PANELS_IN_A_ROW: Final = 4
_PANEL_WIDTH: Final = 24 // _PANELS_IN_A_ROW
_PANEL_HEIGHT: Final = 7
_SELECTED: Final = 'namespace="$namespace"'
_DATASOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}


class _Query(NamedTuple):
    expression: str
    legend: str


class _Panel(NamedTuple):
    title: str
    about: str
    unit: str
    queries: tuple[_Query, ...]


def dashboard(name: str, namespace: str) -> dict[str, Any]:
    """Return the dashboard of an operator in the JSON model of Grafana.

    Args:
        name: The name of the operator.
        namespace: The namespace of its Pods: the first value of the dashboard's variable.
    """
    return {
        "title": f"{name} (operator)",
        "uid": f"operator-{name}"[:40],  # Grafana allows no more characters
        "tags": ["kubernetes", "operator"],
        "schemaVersion": _SCHEMA_VERSION,
        "editable": True,
        "graphTooltip": 1,  # one crosshair in all panels
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": _variables(namespace)},
        "panels": list(_panels()),
    }


def _variables(namespace: str) -> list[dict[str, Any]]:
    return [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
        {
            "name": "namespace",
            "label": "Namespace",
            "type": "query",
            "datasource": _DATASOURCE,
            "query": "label_values(workqueue_depth, namespace)",
            "refresh": 2,  # when the time range changes
            "current": {"text": namespace, "value": namespace},
        },
    ]


def _panels() -> Iterator[dict[str, Any]]:
    """Yield the headings and panels, placed from the top to the bottom."""
    identity, top = count(1), 0
    for heading, panels in _ROWS.items():
        place = {"x": 0, "y": top, "w": 24, "h": 1}
        yield {"id": next(identity), "type": "row", "title": heading, "gridPos": place}
        top += 1
        for number, panel in enumerate(panels):
            place = {"x": number * _PANEL_WIDTH, "y": top, "w": _PANEL_WIDTH, "h": _PANEL_HEIGHT}
            yield {"id": next(identity), "gridPos": place, **_timeseries(panel)}
        top += _PANEL_HEIGHT


def _timeseries(panel: _Panel) -> dict[str, Any]:
    return {
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": _DATASOURCE,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + n), "expr": query.expression, "legendFormat": query.legend}
            for n, query in enumerate(panel.queries)
        ],
    }


def _rate(metric: str, *labels: str) -> _Query:
    """Return the query of a counter: how much it grows per second, by these labels."""
    rate = f"rate({metric}{{{_SELECTED}}}[$__rate_interval])"
    return _Query(f"sum by ({', '.join(labels)}) ({rate})", _legend(labels))


def _quantile(share: float, metric: str, label: str) -> _Query:
    """Return the query of a histogram: the value that this share of the observations is below."""
    rate = f"rate({metric}_bucket{{{_SELECTED}}}[$__rate_interval])"
    by_label = f"sum by (le, {label}) ({rate})"
    return _Query(
        f"histogram_quantile({share}, {by_label})", f"{_legend((label,))} p{share:.0%}"[:-1]
    )


def _most(metric: str, *labels: str) -> _Query:
    """Return the query of a gauge: the largest value of all Pods, by these labels."""
    return _Query(f"max by ({', '.join(labels)}) ({metric}{{{_SELECTED}}})", _legend(labels))


def _legend(labels: tuple[str, ...]) -> str:
    return " ".join(f"{{{{{label}}}}}" for label in labels)


_ROWS: Final = {
    "Controllers": (
        _Panel(
            "Reconciliations",
            "How many reconciliations end per second, by their result.",
            "ops",
            (_rate("controller_runtime_reconcile_total", "controller", "result"),),
        ),
        _Panel(
            "Errors",
            "Reconciliations that raised. A terminal error is not tried again before a change.",
            "ops",
            (
                _rate("controller_runtime_reconcile_errors_total", "controller"),
                _rate("controller_runtime_terminal_reconcile_errors_total", "controller")._replace(
                    legend="{{controller}} terminal"
                ),
            ),
        ),
        _Panel(
            "Duration",
            "How long a reconciliation takes.",
            "s",
            (
                _quantile(0.5, "controller_runtime_reconcile_time_seconds", "controller"),
                _quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
            ),
        ),
        _Panel(
            "Busy workers",
            "Workers that reconcile now. At the limit, objects wait.",
            "short",
            (
                _most("controller_runtime_active_workers", "controller"),
                _most("controller_runtime_max_concurrent_reconciles", "controller")._replace(
                    legend="{{controller}} limit"
                ),
            ),
        ),
    ),
    "Queues": (
        _Panel(
            "Waiting objects",
            "How many objects wait for a worker.",
            "short",
            (_most("workqueue_depth", "name"),),
        ),
        _Panel(
            "Time in the queue",
            "How long an object waits for a worker.",
            "s",
            (
                _quantile(0.5, "workqueue_queue_duration_seconds", "name"),
                _quantile(0.99, "workqueue_queue_duration_seconds", "name"),
            ),
        ),
        _Panel(
            "Longest running",
            "For how long the oldest reconciliation has run. If it only grows, it hangs.",
            "s",
            (_most("workqueue_longest_running_processor_seconds", "name"),),
        ),
        _Panel(
            "Retries",
            "Objects that were queued with a delay, for example after an error.",
            "ops",
            (_rate("workqueue_retries_total", "name"),),
        ),
    ),
    "Caches": (
        _Panel(
            "Objects",
            "How many objects the caches hold.",
            "short",
            (_most("informer_objects", "group", "resource"),),
        ),
        _Panel(
            "Time without a watch",
            "For how long a cache has had no open watch, and has got no changes.",
            "s",
            (_most("informer_disconnected_seconds", "group", "resource"),),
        ),
        _Panel(
            "Watch errors",
            "Watches that ended with an error.",
            "ops",
            (_rate("informer_watch_errors_total", "group", "resource"),),
        ),
        _Panel(
            "Handlers",
            "Changes that wait for handlers, and handlers that raised.",
            "short",
            (
                _most("informer_queued_items", "group", "resource"),
                _rate("informer_handler_errors_total", "group", "resource")._replace(
                    legend="{{group}} {{resource}} errors per second"
                ),
            ),
        ),
    ),
    "Requests": (
        _Panel(
            "Requests",
            "How many requests are sent per second, by the status code of the answer.",
            "reqps",
            (_rate("rest_client_requests_total", "method", "code"),),
        ),
        _Panel(
            "Duration",
            "How long the API server takes to answer.",
            "s",
            (_quantile(0.99, "rest_client_request_duration_seconds", "verb"),),
        ),
        _Panel(
            "Retries",
            "Requests that were sent again.",
            "reqps",
            (_rate("rest_client_request_retries_total", "verb", "code"),),
        ),
        _Panel(
            "Delay by the client's limit",
            "How long requests wait for the rate limit of the client.",
            "s",
            (_quantile(0.99, "rest_client_rate_limiter_duration_seconds", "verb"),),
        ),
    ),
    "Program": (
        _Panel(
            "Leader",
            "1 for the Pod that leads.",
            "short",
            (_most("leader_election_master_status", "pod"),),
        ),
        _Panel(
            "Webhooks",
            "How many requests the webhooks answer per second, by status code.",
            "reqps",
            (_rate("controller_runtime_webhook_requests_total", "webhook", "code"),),
        ),
        _Panel(
            "Duration of webhooks",
            "How long a webhook takes to answer.",
            "s",
            (_quantile(0.99, "controller_runtime_webhook_latency_seconds", "webhook"),),
        ),
        _Panel(
            "Memory",
            "Resident memory of each Pod.",
            "bytes",
            (_most("process_resident_memory_bytes", "pod"),),
        ),
    ),
}
