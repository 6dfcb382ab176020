"""CertificateSigningRequest: a request that one client approves and another one signs.

https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/: the verdict
is written to `approval`, the certificate to `status`, and neither is taken back.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import signer_problems
from clientgen._json import part, parts, texts
from clientgen.runtime._printing import human_durations

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field
from .. import selector_fields
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...object_reader import ObjectReader

_LEGACY: Final = "kubernetes.io/legacy-unknown"
_VERDICTS: Final = ("Approved", "Denied")
_LASTING: Final = (*_VERDICTS, "Failed")
_CONDITIONS: Final = "status.conditions"
_MIN_SECONDS: Final = 600
_PEM: Final = r"-----BEGIN {0}-----\r?\n([A-Za-z0-9+/=\s]+)-----END {0}-----"
_USAGES: Final = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign"),
    *("data encipherment", "decipher only", "digital signature", "email protection"),
    *("encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement"),
    *("key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)


def _request_condition(view: View) -> str:
    types = {condition.get("type") for condition in view.items("status", "conditions")}
    decided = [kind for kind in ("Denied", "Approved") if kind in types] or ["Pending"]
    failed = ["Failed"] if "Failed" in types else []
    issued = ["Issued"] if view.text("status", "certificate") else []
    return ",".join(decided[:1] + failed + issued)


def _duration(view: View) -> str:
    seconds = view.at("spec", "expirationSeconds")
    return NONE if seconds is None else human_durations.human_duration(seconds)


_COLUMNS: Final = (
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


class CertificateSigningRequestStrategy(Strategy):
    """The strategy for CertificateSigningRequests."""

    subresources_with_status = ("approval",)
    selectable_fields = {"spec.signerName": selector_fields.text("spec.signerName")}
    printer = Printer(_COLUMNS)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Keep the spec."""
        new["spec"] = old["spec"]

    def prepare_for_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Take the verdict only; the certificate is written to the status."""
        new["spec"] = old["spec"]
        conditions = parts(part(new, "status"), "conditions")
        new["status"] = {k: v for k, v in part(old, "status").items() if k != "conditions"}
        if conditions:
            new["status"]["conditions"] = conditions
        _stamp(new, old, reader)

    def prepare_for_status_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Fill in times."""
        _stamp(new, old, reader)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check a new request."""
        spec = part(obj, "spec")
        if not _is_pem(spec.get("request"), "CERTIFICATE REQUEST"):
            why = "PEM block type must be CERTIFICATE REQUEST"
            yield invalid_value("spec.request", spec.get("request") or None, why)
        yield from _usage_causes(texts(spec, "usages"))
        signer: str = spec.get("signerName") or ""
        if not signer:
            yield required("spec.signerName")
        else:
            problems = signer_problems(signer)
            yield from (invalid_value("spec.signerName", signer, each) for each in problems)
        if signer == _LEGACY:
            yield invalid_value(
                "spec.signerName",
                signer,
                "the legacy signerName is not allowed via this API version",
            )
        seconds = spec.get("expirationSeconds")
        if seconds is not None and seconds < _MIN_SECONDS:
            why = f"may not specify a duration less than {_MIN_SECONDS} seconds (10 minutes)"
            yield invalid_value("spec.expirationSeconds", seconds, why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterable[Cause]:
        """Allow every change: the spec is restored before."""
        return ()

    def validate_subresource_update(
        self, subresource: str, new: dict[str, Any], old: dict[str, Any]
    ) -> Iterator[Cause]:
        """Check the verdict."""
        yield from _condition_causes(new)
        yield from _removal_causes(new, old)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the certificate and the conditions."""
        yield from _condition_causes(new)
        certificate, before = (part(each, "status").get("certificate") for each in (new, old))
        if certificate and not _is_pem(certificate, "CERTIFICATE"):
            why = "must contain at least one CERTIFICATE PEM block"
            yield invalid_value("status.certificate", "<certificate data>", why)
        yield from _removal_causes(new, old)
        for kind in _VERDICTS:
            if kind in _types(new) and kind not in _types(old):
                why = f'updates may not add a condition of type "{kind}"'
                yield forbidden_value(_CONDITIONS, why)
        if before and certificate != before:
            why = "updates may not modify existing certificate content"
            yield forbidden_value("status.certificate", why)


def _stamp(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    """Fill in the times that conditions leave out."""
    now = reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    before = {
        (each.get("type"), each.get("status")): each.get("lastTransitionTime")
        for each in parts(part(old, "status"), "conditions")
    }
    for each in parts(part(new, "status"), "conditions"):
        each["lastUpdateTime"] = each.get("lastUpdateTime") or now
        since = before.get((each.get("type"), each.get("status"))) or now
        each["lastTransitionTime"] = each.get("lastTransitionTime") or since


def _is_pem(encoded: str | None, label: str) -> bool:
    try:
        text = b64decode(encoded or "").decode("ascii")
    except (Base64Error, UnicodeDecodeError):
        return False
    return re.search(_PEM.format(label), text) is not None


def _usage_causes(usages: list[str]) -> Iterator[Cause]:
    if not usages:
        yield required("spec.usages")
    for index, usage in enumerate(usages):
        if usage not in _USAGES:
            yield not_supported(f"spec.usages[{index}]", usage, _USAGES)
        elif usage in usages[:index]:
            yield duplicate(f"spec.usages[{index}]", usage)


def _types(request: Mapping[str, Any]) -> list[str]:
    return [each.get("type", "") for each in parts(part(request, "status"), "conditions")]


def _removal_causes(new: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[Cause]:
    for kind in _LASTING:
        if kind in _types(old) and kind not in _types(new):
            why = f'updates may not remove a condition of type "{kind}"'
            yield forbidden_value(_CONDITIONS, why)


def _condition_causes(request: Mapping[str, Any]) -> Iterator[Cause]:
    seen: list[str] = []
    for index, condition in enumerate(parts(part(request, "status"), "conditions")):
        path, kind = f"{_CONDITIONS}[{index}]", condition.get("type") or ""
        status = condition.get("status") or ""
        if not kind:
            yield required(f"{path}.type")
        if not status:
            yield required(f"{path}.status")
        elif kind in _LASTING and status != "True":
            yield not_supported(f"{path}.status", status, ["True"])
        if kind in seen:
            yield duplicate(f"{path}.type", kind)
        elif kind in _VERDICTS and any(each in _VERDICTS for each in seen):
            why = "Approved and Denied conditions are mutually exclusive"
            yield invalid_value(_CONDITIONS, kind, why)
        seen.append(kind)
