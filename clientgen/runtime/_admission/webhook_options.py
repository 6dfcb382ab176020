"""What a webhook configuration says of a webhook besides where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._models.model import Literal

__all__ = ["WebhookOptions"]


class WebhookOptions(TypedDict, total=False):
    """Options of a webhook in its configuration.

    (admissionregistration.k8s.io/v1, ValidatingWebhook and MutatingWebhook)
    """

    failure_policy: Literal["Fail", "Ignore"]
    """What becomes of requests if the webhook does not answer. The default is Fail."""

    side_effects: Literal["None", "NoneOnDryRun"]
    """Whether calls change something outside of the object. The default is None."""

    timeout_seconds: int
    """After how many seconds the API server gives up: 1 to 30. The default is 10."""

    match_policy: Literal["Equivalent", "Exact"]
    """Whether requests for other versions of the resource count too. The default is Equivalent."""

    match_conditions: Sequence[Mapping[str, str]]
    """CEL conditions for calls: `{"name": ..., "expression": ...}`; all have to be true."""

    namespace_selector: Mapping[str, Any]
    """A label selector for the namespaces of objects, as JSON."""

    object_selector: Mapping[str, Any]
    """A label selector for objects, as JSON."""

    reinvocation_policy: Literal["Never", "IfNeeded"]
    """Whether a defaulting webhook is called again after others changed the object."""

    rules: Sequence[Mapping[str, Any]]
    """Which requests the webhook is called for, as JSON, instead of the operations on the kind."""
