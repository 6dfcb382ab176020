"""Which requests a policy or a binding is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._json import parts

from ..request_matching import matching_resource, selects_namespace, selects_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...served_resources import Resource
    from ..attributes import Attributes


def match_of(constraints: Mapping[str, Any], attributes: Attributes) -> Resource | None:
    """Return the resource as which `matchConstraints` or `matchResources` know a request.

    None if they are not about it.

    Raises:
        Failure: 404, the namespace of the request is not there.
    """
    if not selects_object(constraints.get("objectSelector"), attributes):
        return None
    policy = str(constraints.get("matchPolicy") or "Exact")
    excluded = parts(constraints, "excludeResourceRules")
    if matching_resource(excluded, policy, attributes) is not None:
        return None
    rules = parts(constraints, "resourceRules")
    match = matching_resource(rules, policy, attributes) if rules else attributes.resource
    if match is None or not selects_namespace(constraints.get("namespaceSelector"), attributes):
        return None
    return match
