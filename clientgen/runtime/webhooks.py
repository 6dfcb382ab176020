"""What functions of admission webhooks receive and raise.

The servers are `AsyncWebhooks` of `clientgen.runtime.aio` and `Webhooks` of
`clientgen.runtime.sync`.
"""

from ._admission.admission_requests import AdmissionRequest, Denied, Operation, UserInfo
from ._admission.webhook_options import WebhookOptions

__all__ = ["AdmissionRequest", "Denied", "Operation", "UserInfo", "WebhookOptions"]
