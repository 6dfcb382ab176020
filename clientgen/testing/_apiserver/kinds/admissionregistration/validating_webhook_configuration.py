"""ValidatingWebhookConfiguration: webhooks that may refuse requests."""

from __future__ import annotations

from ..defaults import TypeDefaults
from .webhook_rules import WEBHOOK_TYPES, WebhookStrategy, set_webhook_defaults


class ValidatingWebhookConfigurationStrategy(WebhookStrategy):
    """The strategy for ValidatingWebhookConfigurations."""

    types = {
        **WEBHOOK_TYPES,
        "admissionregistration.v1.ValidatingWebhook": TypeDefaults(fill=set_webhook_defaults),
    }
