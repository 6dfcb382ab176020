"""The options of a webhook in its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._models.model import Literal


class WebhookOptions(TypedDict, total=False):
    """Options of a webhook in its configuration.

    (admissionregistration.k8s.io/v1, ValidatingWebhook and MutatingWebhook)
    """

    failure_policy: Literal["Fail", "Ignore"]
    """Whether requests fail if the webhook does not answer. The default is Fail."""

    side_effects: Literal["None", "NoneOnDryRun"]
    """Whether the function changes anything outside of the object. The default is None."""

    timeout_seconds: int
    """The seconds that the API server waits for the webhook: 1 to 30. The default is 10."""

    match_policy: Literal["Equivalent", "Exact"]
    """Whether requests for other versions of the resource match, too. The default is Equivalent."""

    match_conditions: Sequence[Mapping[str, str]]
    """CEL conditions, `{"name": ..., "expression": ...}`: the webhook is called if all are true."""

    namespace_selector: Mapping[str, Any]
    """A label selector for the namespaces of objects, as JSON."""

    object_selector: Mapping[str, Any]
    """A label selector for objects, as JSON."""

    reinvocation_policy: Literal["Never", "IfNeeded"]
    """Whether a defaulting webhook is called again after other webhooks have changed the object."""

    rules: Sequence[Mapping[str, Any]]
    """The rules of the configuration, as JSON; by default the operations on the kind."""
