"""APIService: where a version of a group is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    range_problems,
    service_label_problems,
    subdomain_problems,
)
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Column, Printer, View
from ..defaults import TypeDefaults, set_empty
from ..shared.common_checks import matches, text
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


def _service(view: View) -> str:
    service = view.at("spec", "service")
    return "Local" if service is None else f"{service['namespace']}/{service['name']}"


def _available(view: View) -> str:
    for condition in view.items("status", "conditions"):
        if condition.get("type") == "Available":
            status = str(condition.get("status", ""))
            return status if status == "True" else f"{status} ({condition.get('reason', '')})"
    return "Unknown"


class APIServiceStrategy(Strategy):
    """The strategy for APIServices."""

    types = {
        "apiregistration.v1.ServiceReference": TypeDefaults(
            fill=lambda reference: set_empty(reference, port=443)
        )
    }
    allow_unconditional_update = False
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    printer = Printer(
        (
            NAME,
            Column("Service", "What serves it.", _service),
            Column("Available", "Whether it is served.", _available),
            AGE,
        )
    )

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the name, the priorities and the service."""
        spec, name = obj["spec"], obj["metadata"].get("name") or ""
        group, version = spec.get("group") or "", spec.get("version") or ""
        needed = f"{version}.{group}"
        if name != needed and not path_segment_problems(name):
            why = f'must be `spec.version+"."+spec.group`: "{needed}"'
            yield invalid_value("metadata.name", name, why)
        yield from text("spec.group", group, subdomain_problems, needed=False)
        if not group and version != "v1":
            why = "only v1 may have an empty group and it better be legacy kube"
            yield required("spec.group", why)
        yield from matches("spec.version", version, service_label_problems)
        for member, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
            value = spec.get(member) or 0
            if not 0 < value <= limit:
                why = f"must be positive and less than {limit}"
                yield invalid_value(f"spec.{member}", value, why)
        yield from _api_server(spec)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the conditions."""
        for index, condition in enumerate(parts(part(new, "status"), "conditions")):
            if condition.get("status") not in ("True", "False", "Unknown"):
                known = ("False", "True", "Unknown")
                at = f"status.conditions[{index}].status"
                yield not_supported(at, condition.get("status") or "", known)


def _api_server(spec: dict[str, Any]) -> Iterator[Cause]:
    """Check where an API is served: here, or by a service."""
    service, bundle = spec.get("service"), spec.get("caBundle")
    insecure = spec.get("insecureSkipTLSVerify")
    if service is None:
        if bundle:
            yield invalid_value(
                "spec.caBundle", "1 bytes", "local APIServices may not have a caBundle"
            )
        if insecure:
            why = "local APIServices may not have insecureSkipTLSVerify"
            yield invalid_value("spec.insecureSkipTLSVerify", insecure, why)
        return
    for member in ("namespace", "name"):
        if not service.get(member):
            yield required(f"spec.service.{member}")
    port = service.get("port")
    for problem in () if port is None else range_problems(port, 1, 65535):
        yield invalid_value("spec.service.port", port, f"port is not valid: {problem}")
    if insecure and bundle:
        why = "may not be true if caBundle is present"
        yield invalid_value("spec.insecureSkipTLSVerify", insecure, why)
