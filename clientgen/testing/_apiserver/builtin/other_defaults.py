"""Defaults of kinds other than pods and workloads (API reference, "Defaults to ...")."""

from __future__ import annotations

from typing import Any, Final

from ..kinds.defaults import defaults

__all__: list[str] = []

_RBAC: Final = "rbac.authorization.k8s.io"


def _preset(node: dict[str, Any], **presets: Any) -> None:
    for field, preset in presets.items():
        if node.get(field) is None or node[field] == "":
            node[field] = preset


def _unset(node: dict[str, Any], **presets: Any) -> None:
    """Fill in members that the server's types can tell from empty ones."""
    for field, preset in presets.items():
        if node.get(field) is None:
            node[field] = preset


@defaults("apiregistration.v1.ServiceReference")
def _service_port(reference: dict[str, Any]) -> None:
    _preset(reference, port=443)


@defaults("flowcontrol.v1.FlowSchemaSpec")
def _flow_schema(spec: dict[str, Any]) -> None:
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or 1000


@defaults("flowcontrol.v1.LimitedPriorityLevelConfiguration")
def _limited(limited: dict[str, Any]) -> None:
    _preset(limited, nominalConcurrencyShares=30, lendablePercent=0)


@defaults("flowcontrol.v1.ExemptPriorityLevelConfiguration")
def _exempt(exempt: dict[str, Any]) -> None:
    _preset(exempt, nominalConcurrencyShares=0, lendablePercent=0)


@defaults("flowcontrol.v1.QueuingConfiguration")
def _queuing(queuing: dict[str, Any]) -> None:
    for field, preset in (("queues", 64), ("handSize", 8), ("queueLengthLimit", 50)):
        queuing[field] = queuing.get(field) or preset
