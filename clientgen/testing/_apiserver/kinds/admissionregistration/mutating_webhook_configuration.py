"""MutatingWebhookConfiguration: webhooks that may change requests."""

from __future__ import annotations

from typing import Any

from clientgen._json import parts

from ..defaults import TypeDefaults, set_missing
from .webhook_rules import WEBHOOK_TYPES, WebhookStrategy, set_webhook_defaults


def _set_defaults(configuration: dict[str, Any]) -> None:
    for webhook in parts(configuration, "webhooks"):
        set_missing(webhook, reinvocationPolicy="Never")


class MutatingWebhookConfigurationStrategy(WebhookStrategy):
    """The strategy for MutatingWebhookConfigurations."""

    types = {
        **WEBHOOK_TYPES,
        "admissionregistration.v1.MutatingWebhook": TypeDefaults(fill=set_webhook_defaults),
        "admissionregistration.v1.MutatingWebhookConfiguration": TypeDefaults(fill=_set_defaults),
    }
