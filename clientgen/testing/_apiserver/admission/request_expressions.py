"""Runs of expressions on requests: their variables, and who decides for the `authorizer`.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen import _apiextensions
from clientgen._rbac.authorizer import decide

from ..access import Access, Caller

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..storage.cluster_state import ClusterState
    from .attributes import Attributes


def activation_of(
    attributes: Attributes,
    request: Mapping[str, Any],
    *,
    budget: _apiextensions.CostBudget,
    variables: Mapping[str, str] | None = None,
    param: dict[str, Any] | None = None,
    namespace: dict[str, Any] | None = None,
) -> _apiextensions.Activation:
    """Return the values that the expressions of a policy or webhook see.

    Args:
        attributes: the request.
        request: the request of an AdmissionReview, with the objects in the version that is matched.
        budget: what the expressions may cost.
        variables: the expressions of the policy's variables.
        param: the parameter of the policy.
        namespace: the Namespace of the request.
    """
    resource = attributes.resource
    target = {
        "group": resource.group,
        "resource": resource.plural,
        "subresource": attributes.subresource,
        "namespace": attributes.namespace,
        "name": attributes.name,
    }
    values = {
        "object": request["object"],
        "oldObject": request["oldObject"],
        "request": {"uid": "", **request, "object": None, "oldObject": None},
        "params": param,
        "namespaceObject": namespace,
        "authorizer": _apiextensions.authorizer_of(attributes.caller.user_info(), target),
    }
    return _apiextensions.Activation(values, variables or {}, budget)


def decider(cluster: ClusterState) -> _apiextensions.Decide:
    """Return what decides for the `authorizer`: the roles of a server."""

    def decides(user: Mapping[str, Any], target: Mapping[str, str], verb: str) -> tuple[bool, str]:
        caller = Caller(user["username"], user.get("uid") or "", tuple(user.get("groups") or ()))
        wanted = Access(
            verb,
            target.get("resource", ""),
            target.get("group", ""),
            target.get("subresource", ""),
            target.get("namespace", ""),
            target.get("name", ""),
            target.get("path", ""),
        )
        decision = decide(caller, wanted, cluster)
        return decision.allowed, decision.reason

    return decides


def conditions_met(
    conditions: Sequence[str], activation: _apiextensions.Activation, *, ignores_failures: bool
) -> bool:
    """Return whether the `matchConditions` of a policy hold.

    Raises:
        PolicyError: one has no value, none is false, and failures count.
    """
    errors: list[str] = []
    for text in conditions:
        try:
            if activation.evaluate(text) is False:
                return False
        except _apiextensions.OutOfBudget as error:
            if ignores_failures:
                return False
            raise _apiextensions.PolicyError(str(error)) from None
        except _apiextensions.PolicyError as error:
            errors.append(str(error))
    if not errors:
        return True
    if ignores_failures:
        return False
    listed = dict.fromkeys(errors)
    text = errors[0] if len(listed) == 1 else f"[{', '.join(listed)}]"
    raise _apiextensions.PolicyError(text)
