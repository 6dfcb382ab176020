"""Types for functions of admission webhooks: the request, the exception that refuses it, rules.

The servers are `AsyncWebhooks` in `clientgen.runtime.aio` and `Webhooks` in
`clientgen.runtime.sync`.
"""

from ._admission.admission_requests import AdmissionRequest, Denied, Operation, UserInfo
from ._admission.rules import Rule, RuleFunction, RuleReason, rule
from ._admission.self_signed import SelfSigned
from ._admission.webhook_options import WebhookOptions

__all__ = [
    "AdmissionRequest",
    "Denied",
    "Operation",
    "Rule",
    "RuleFunction",
    "RuleReason",
    "SelfSigned",
    "UserInfo",
    "WebhookOptions",
    "rule",
]
