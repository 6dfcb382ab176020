"""Which names objects of a kind may have.

Most names are DNS subdomains; the exceptions stand in a table (Kubernetes documentation, "Object
Names and IDs", and the kinds' own pages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import (
    Rule,
    ip_problems,
    label_problems,
    path_segment_problems,
    subdomain_problems,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..resources import Resource

__all__ = ["name_causes", "name_rule"]

_RULES: Final[Mapping[tuple[str, str], Rule]] = {
    ("", "namespaces"): label_problems,
    ("", "services"): label_problems,
    ("apps", "statefulsets"): label_problems,
    ("", "events"): path_segment_problems,
    ("policy", "poddisruptionbudgets"): path_segment_problems,
    ("rbac.authorization.k8s.io", "roles"): path_segment_problems,
    ("rbac.authorization.k8s.io", "rolebindings"): path_segment_problems,
    ("rbac.authorization.k8s.io", "clusterroles"): path_segment_problems,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): path_segment_problems,
    ("internal.apiserver.k8s.io", "storageversions"): path_segment_problems,
    ("apiregistration.k8s.io", "apiservices"): path_segment_problems,
    ("networking.k8s.io", "ipaddresses"): ip_problems,
}
_FREE_PREFIX: Final = frozenset(
    {("", "replicationcontrollers"), ("resource.k8s.io", "deviceclasses")}
)
"""Kinds that look at the name only after it was generated."""
_LONGEST: Final[Mapping[tuple[str, str], int]] = {("batch", "cronjobs"): 52}


def name_rule(resource: Resource) -> Rule:
    """The syntax of the kind's names."""
    return _RULES.get((resource.group, resource.plural), subdomain_problems)


def name_causes(resource: Resource, name: str, *, prefix: bool) -> list[Cause]:
    """What is wrong with a name, or, with `prefix`, with what names are generated from."""
    key = (resource.group, resource.plural)
    if prefix and key in _FREE_PREFIX:
        return []
    field = "metadata.generateName" if prefix else "metadata.name"
    looked_at = _unmasked(name) if prefix else name
    causes = [invalid_value(field, name, problem) for problem in name_rule(resource)(looked_at)]
    longest = _LONGEST.get(key)
    if longest is not None and not prefix and len(name) > longest:
        causes.append(invalid_value(field, name, f"must be no more than {longest} characters"))
    return causes


def _unmasked(prefix: str) -> str:
    """A dash at the end of a prefix is not at the end of the name."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
