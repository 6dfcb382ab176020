"""The table of requests for certificates."""

from __future__ import annotations

from typing import Final

from . import durations
from .columns import AGE, NAME, NONE, Column, Printer, View, field

__all__ = ["PRINTERS"]


# ------------------------------------------------------------------ certificates


def _request_condition(view: View) -> str:
    types = {condition.get("type") for condition in view.items("status", "conditions")}
    decided = [kind for kind in ("Denied", "Approved") if kind in types] or ["Pending"]
    failed = ["Failed"] if "Failed" in types else []
    issued = ["Issued"] if view.text("status", "certificate") else []
    return ",".join(decided[:1] + failed + issued)


def _duration(view: View) -> str:
    seconds = view.at("spec", "expirationSeconds")
    return NONE if seconds is None else durations.human_duration(seconds)


_SIGNING_REQUEST: Final = (
    NAME,
    AGE,
    Column("SignerName", "Who should sign.", field("spec.signerName", NONE), doc="spec.signerName"),
    Column("Requestor", "Who asks for it.", field("spec.username")),
    Column(
        "RequestedDuration",
        "How long it should last.",
        _duration,
        doc="spec.expirationSeconds",
    ),
    Column("Condition", "What became of it.", _request_condition),
)


PRINTERS: Final = {
    ("certificates.k8s.io", "CertificateSigningRequest"): Printer(_SIGNING_REQUEST),
}
