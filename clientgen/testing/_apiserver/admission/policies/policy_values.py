"""The objects that the expressions of a policy look at, in the version that it matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import not_found
from clientgen._json import part

from ..request_expressions import activation_of
from ..request_matching import converted, kind_in
from ..webhook_reviews import review

if TYPE_CHECKING:
    from clientgen._apiextensions import Activation, CostBudget

    from ...served_resources import Resource
    from ..attributes import Attributes
    from .hooks import Policy

_NAMESPACES: Final = "namespaces"
_SHOWN: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
)
"""The members of a namespace's metadata that expressions see."""


@dataclass(frozen=True, slots=True)
class Values:
    """What the expressions of a policy see of one request.

    Attributes:
        request: the request of an AdmissionReview.
        namespace: the object of the request's namespace, if it is in one.
    """

    attributes: Attributes
    request: dict[str, Any]
    namespace: dict[str, Any] | None

    @classmethod
    def of(cls, attributes: Attributes, match: Resource) -> Values:
        """Make them of a request that a policy knows as one for another resource.

        Raises:
            Failure: 404, its namespace is not there.
        """
        own = attributes.resource
        new = converted(attributes, attributes.object, own, match)
        old = converted(attributes, attributes.old_object, own, match)
        request = review(attributes, match, kind_in(attributes, match), new, old)
        return cls(attributes, request, _namespace(attributes))

    def activation(
        self,
        policy: Policy,
        param: dict[str, Any] | None,
        budget: CostBudget,
        *,
        has_namespace: bool = True,
    ) -> Activation:
        """Return the values in the form that expressions take, for one parameter."""
        return activation_of(
            self.attributes,
            self.request,
            budget=budget,
            variables=policy.variables,
            param=param,
            namespace=self.namespace if has_namespace else None,
        )


def _namespace(attributes: Attributes) -> dict[str, Any] | None:
    if not attributes.namespace or attributes.resource.group_resource == _NAMESPACES:
        return None
    value = attributes.namespace_object()
    if value is None:
        raise not_found("", _NAMESPACES, attributes.namespace)
    metadata = part(value, "metadata")
    return {
        "metadata": {name: metadata[name] for name in _SHOWN if name in metadata},
        "spec": part(value, "spec"),
        "status": part(value, "status"),
    }
