"""Tables of what governs the cluster: roles, admission, priorities of requests, API services."""

from __future__ import annotations

from typing import Any, Final

from .columns import AGE, NAME, NONE, UNSET, Column, Printer, View, field, members, some_of

__all__ = ["PRINTERS"]

# ------------------------------------------------------------------ roles


# ------------------------------------------------------------------ priorities of requests


def _dangling(view: View) -> str:
    for condition in view.items("status", "conditions"):
        if condition.get("type") == "Dangling":
            return str(condition.get("status", ""))
    return "?"


def _precedence(flow_schema: dict[str, Any]) -> tuple[int, str]:
    """In the order in which they are tried."""
    precedence = members(flow_schema, "spec").get("matchingPrecedence") or 0
    return precedence, flow_schema["metadata"].get("name", "")


_FLOW_SCHEMA: Final = (
    NAME,
    Column(
        "PriorityLevel",
        "The priority requests get.",
        field("spec.priorityLevelConfiguration.name"),
        doc="spec.priorityLevelConfiguration.name",
    ),
    Column(
        "MatchingPrecedence",
        "When it is tried, low numbers first.",
        field("spec.matchingPrecedence", 0),
        doc="spec.matchingPrecedence",
    ),
    Column(
        "DistinguisherMethod",
        "What tells flows apart.",
        field("spec.distinguisherMethod.type", NONE),
        doc="spec.distinguisherMethod",
    ),
    AGE,
    Column("MissingPL", "Whether the priority is not there.", _dangling),
)


def _queuing(name: str, about: str, member: str) -> Column:
    path = f"spec.limited.limitResponse.queuing.{member}"
    return Column(name, about, field(path, NONE), doc=path)


_PRIORITY_LEVEL: Final = (
    NAME,
    Column("Type", "Whether requests are limited.", field("spec.type"), doc="spec.type"),
    Column(
        "NominalConcurrencyShares",
        "Its share of the requests at a time.",
        field("spec.limited.nominalConcurrencyShares", NONE),
        doc="spec.limited.nominalConcurrencyShares",
    ),
    _queuing("Queues", "How many queues there are.", "queues"),
    _queuing("HandSize", "How many of them a flow may use.", "handSize"),
    _queuing("QueueLengthLimit", "How many requests may wait in each.", "queueLengthLimit"),
    AGE,
)

# ------------------------------------------------------------------ the API itself


def _service(view: View) -> str:
    service = view.at("spec", "service")
    return "Local" if service is None else f"{service['namespace']}/{service['name']}"


def _available(view: View) -> str:
    for condition in view.items("status", "conditions"):
        if condition.get("type") == "Available":
            status = str(condition.get("status", ""))
            return status if status == "True" else f"{status} ({condition.get('reason', '')})"
    return "Unknown"


_API_SERVICE: Final = (
    NAME,
    Column("Service", "What serves it.", _service),
    Column("Available", "Whether it is served.", _available),
    AGE,
)


def _storage_versions(view: View) -> str:
    found = [
        f"{each.get('apiServerID', '')}={each.get('encodingVersion', '')}"
        for each in view.items("status", "storageVersions")
    ]
    return some_of(found, len(found), missing=UNSET)


_STORAGE_VERSION: Final = (
    NAME,
    Column(
        "CommonEncodingVersion",
        "The version all servers write.",
        field("status.commonEncodingVersion", UNSET),
        doc="status.commonEncodingVersion",
    ),
    Column(
        "StorageVersions",
        "The version each server writes.",
        _storage_versions,
        doc="status.storageVersions",
    ),
    AGE,
)

_FLOW: Final = "flowcontrol.apiserver.k8s.io"

PRINTERS: Final = {
    (_FLOW, "FlowSchema"): Printer(_FLOW_SCHEMA, order=_precedence),
    (_FLOW, "PriorityLevelConfiguration"): Printer(_PRIORITY_LEVEL),
    ("apiregistration.k8s.io", "APIService"): Printer(_API_SERVICE),
    ("internal.apiserver.k8s.io", "StorageVersion"): Printer(_STORAGE_VERSION),
}
