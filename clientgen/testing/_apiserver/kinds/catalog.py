"""The strategies of all kinds, by group and kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import (
    admissionregistration,
    apiextensions,
    apiregistration,
    apps,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    events,
    flowcontrol,
    internal,
    networking,
    node,
    policy,
    rbac,
    resource,
    scheduling,
    storage,
    storagemigration,
)
from .defaults import declare
from .shared import pod_defaults
from .strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..served_resources import Resource

_GROUPS: Final[Mapping[str, Mapping[str, type[Strategy]]]] = {
    "": core.STRATEGIES,
    "admissionregistration.k8s.io": admissionregistration.STRATEGIES,
    "apiextensions.k8s.io": apiextensions.STRATEGIES,
    "apiregistration.k8s.io": apiregistration.STRATEGIES,
    "apps": apps.STRATEGIES,
    "autoscaling": autoscaling.STRATEGIES,
    "batch": batch.STRATEGIES,
    "certificates.k8s.io": certificates.STRATEGIES,
    "coordination.k8s.io": coordination.STRATEGIES,
    "discovery.k8s.io": discovery.STRATEGIES,
    "events.k8s.io": events.STRATEGIES,
    "flowcontrol.apiserver.k8s.io": flowcontrol.STRATEGIES,
    "internal.apiserver.k8s.io": internal.STRATEGIES,
    "networking.k8s.io": networking.STRATEGIES,
    "node.k8s.io": node.STRATEGIES,
    "policy": policy.STRATEGIES,
    "rbac.authorization.k8s.io": rbac.STRATEGIES,
    "resource.k8s.io": resource.STRATEGIES,
    "scheduling.k8s.io": scheduling.STRATEGIES,
    "storage.k8s.io": storage.STRATEGIES,
    "storagemigration.k8s.io": storagemigration.STRATEGIES,
}

declare(pod_defaults.TYPES)
for _strategies in _GROUPS.values():
    for _strategy in _strategies.values():
        declare(_strategy.types)


def strategy_of(resource: Resource) -> Strategy:
    """Make the strategy of a built-in resource, or of the kind of a subresource's body."""
    group = _GROUPS.get(resource.group, {})
    return group.get(resource.kind, Strategy)(resource)
