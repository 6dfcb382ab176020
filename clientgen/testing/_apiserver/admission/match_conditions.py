"""Conditions on requests (`matchConditions`) of webhooks.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen import _apiextensions
from clientgen._apimachinery.failures import forbidden

from .request_expressions import activation_of, conditions_met, decider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .attributes import Attributes


def meets(
    conditions: Sequence[dict[str, Any]],
    request: dict[str, Any],
    attributes: Attributes,
    *,
    lenient: bool,
) -> bool:
    """Return whether a request meets all conditions.

    Args:
        conditions: the conditions.
        request: the request of the review.
        attributes: the request.
        lenient: whether a condition that cannot be decided is not met, else it is an error.

    Raises:
        Failure: 403, a condition cannot be decided.
    """
    texts = [str(each.get("expression") or "") for each in conditions]
    activation = activation_of(attributes, request, budget=_apiextensions.CostBudget())
    try:
        with _apiextensions.deciding_by(decider(attributes.cluster)):
            return conditions_met(texts, activation, ignores_failures=lenient)
    except _apiextensions.PolicyError as error:
        resource = attributes.resource
        raise forbidden(resource.group, resource.plural, attributes.name, str(error)) from None
