"""Rules of APIServices and StorageVersions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    range_problems,
    service_label_problems,
    subdomain_problems,
)
from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.shared.checks import (
    matches,
    text,
)
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []


@checks("apiregistration.k8s.io", "apiservices")
def _api_service(api: dict[str, Any]) -> Iterator[Cause]:
    spec, name = api["spec"], api["metadata"].get("name") or ""
    group, version = spec.get("group") or "", spec.get("version") or ""
    needed = f"{version}.{group}"
    if name != needed and not path_segment_problems(name):
        said = f'must be `spec.version+"."+spec.group`: "{needed}"'
        yield invalid_value("metadata.name", name, said)
    yield from text("spec.group", group, subdomain_problems, needed=False)
    if not group and version != "v1":
        said = "only v1 may have an empty group and it better be legacy kube"
        yield required("spec.group", said)
    yield from matches("spec.version", version, service_label_problems)
    for field, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        value = spec.get(field) or 0
        if not 0 < value <= limit:
            said = f"must be positive and less than {limit}"
            yield invalid_value(f"spec.{field}", value, said)
    yield from _api_server(spec)


def _api_server(spec: dict[str, Any]) -> Iterator[Cause]:
    """Where an API is served: here, or by a service."""
    service, bundle = spec.get("service"), spec.get("caBundle")
    insecure = spec.get("insecureSkipTLSVerify")
    if service is None:
        if bundle:
            yield invalid_value(
                "spec.caBundle", "1 bytes", "local APIServices may not have a caBundle"
            )
        if insecure:
            said = "local APIServices may not have insecureSkipTLSVerify"
            yield invalid_value("spec.insecureSkipTLSVerify", insecure, said)
        return
    for member in ("namespace", "name"):
        if not service.get(member):
            yield required(f"spec.service.{member}")
    port = service.get("port")
    for problem in () if port is None else range_problems(port, 1, 65535):
        yield invalid_value("spec.service.port", port, f"port is not valid: {problem}")
    if insecure and bundle:
        said = "may not be true if caBundle is present"
        yield invalid_value("spec.insecureSkipTLSVerify", insecure, said)


@checks_change("apiregistration.k8s.io", "apiservices", part="status")
def _api_status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    for index, condition in enumerate(parts(part(new, "status"), "conditions")):
        if condition.get("status") not in ("True", "False", "Unknown"):
            known = ("False", "True", "Unknown")
            at = f"status.conditions[{index}].status"
            yield not_supported(at, condition.get("status") or "", known)


@checks("internal.apiserver.k8s.io", "storageversions", again=False)
def _storage_version(stored: dict[str, Any]) -> Iterator[Cause]:
    name = stored["metadata"].get("name") or ""
    group, dot, resource = name.rpartition(".")
    if not dot:
        said = "name must be in the form of <group>.<resource>"
        yield invalid_value("metadata.name", name, said)
    else:
        yield from matches("metadata.name", resource, service_label_problems)
        yield from matches("metadata.name", group, subdomain_problems)
