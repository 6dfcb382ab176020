"""Approval and denial of CertificateSigningRequests, by kubectl's rules.

kubectl: pkg/cmd/certificates/certificates.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._conditions.json_fields import Json, conditions, part, text
from .._http.resource import Resource
from ..errors import OperationRefused

if TYPE_CHECKING:
    from datetime import datetime

CERTIFICATE_REQUESTS: Final = {
    ("certificates.k8s.io/v1", "CertificateSigningRequest"): Resource(
        "certificates.k8s.io",
        "v1",
        "certificatesigningrequests",
        "CertificateSigningRequest",
        namespaced=False,
    )
}
CERTIFICATE_MESSAGE: Final = "only a CertificateSigningRequest of certificates.k8s.io/v1 is decided"
MAX_CONFLICTS: Final = 10

APPROVED: Final = "Approved"
DENIED: Final = "Denied"


def decided(
    request: Json, verdict: str, reason: str, message: str, now: datetime, *, force: bool
) -> Json | None:
    """Return the request with a verdict; None if it has the verdict already.

    Args:
        request: The request as the server has it.
        verdict: `Approved` or `Denied`.
        reason: The reason of the condition.
        message: The message of the condition.
        now: The time of the condition.
        force: Return the request for an update, even if it has the verdict already.

    Raises:
        OperationRefused: The request has the other verdict.
    """
    types = {text(each, "type") for each in conditions(request)}
    other = DENIED if verdict == APPROVED else APPROVED
    if other in types:
        name = text(request, "metadata", "name")
        raise OperationRefused(f"CertificateSigningRequest {name} is already {other}")
    if verdict in types:
        return request if force else None
    added = {
        "type": verdict,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastUpdateTime": now.isoformat(timespec="seconds").replace("+00:00", "Z"),
    }
    status = {**part(request, "status"), "conditions": [*conditions(request), added]}
    return {**request, "status": status}
