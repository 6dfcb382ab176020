"""Ingress: how HTTP requests from outside reach Services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    label_problems,
    port_name_problems,
    subdomain_problems,
    wildcard_subdomain_problems,
)
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field, some_of
from ..metadata import MetadataChecks
from ..shared.common_checks import (
    matches,
    one_of,
    port_number,
    text,
)
from ..shared.default_class import default_class
from ..shared.ip_warnings import quoted
from ..shared.load_balancer import ingress_causes, ingress_text, ingress_warnings
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader

_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_INVALID_PARTS: Final = ("//", "/./", "/../", "%2f", "%2F")
_INVALID_ENDS: Final = ("/..", "/.")
_CLASS: Final = "kubernetes.io/ingress.class"
_SHOWN: Final = 3


def _hosts(view: View) -> str:
    """Show the hosts of the first rules; rules without a host are only counted."""
    rules = view.items("spec", "rules")
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _SHOWN
        if rule.get("host") and not more:
            shown.append(rule["host"])
    if not shown:
        return "*"
    return some_of(shown, len(rules) if more else len(shown))


_COLUMNS: Final = (
    NAME,
    Column("Class", "The IngressClass that serves it.", field("spec.ingressClassName", NONE)),
    Column("Hosts", "The hosts it is for.", _hosts),
    Column("Address", "Where it is reached.", ingress_text),
    Column(
        "Ports",
        "The ports it takes.",
        lambda view: "80, 443" if view.at("spec", "tls") else "80",
    ),
    AGE,
)


class IngressStrategy(Strategy):
    """The strategy for Ingresses."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    generation_fields = ("spec",)
    printer = Printer(_COLUMNS)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Choose the default class."""
        annotated = "kubernetes.io/ingress.class" in part(obj["metadata"], "annotations")
        if obj["spec"].get("ingressClassName") is not None or annotated:
            return
        classes = reader.list("networking.k8s.io", "ingressclasses")
        name = default_class(classes, "ingressclass.kubernetes.io/is-default-class")
        if name:
            obj["spec"]["ingressClassName"] = name

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check a new Ingress."""
        yield from _causes(obj)
        annotated = part(obj["metadata"], "annotations").get(_CLASS)
        named = obj["spec"].get("ingressClassName")
        if annotated is not None and named is not None and annotated != named:
            why = "must match `ingressClassName` when both are specified"
            yield invalid_value(f"annotations.{_CLASS}", annotated, why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the Ingress, apart from an annotation that only new ones may not have."""
        yield from _causes(new)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the addresses of the load balancer."""
        yield from ingress_causes(new)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of a deprecated annotation and of unusual addresses."""
        named = new["spec"].get("ingressClassName") is not None
        if old is None and not named and _CLASS in part(new["metadata"], "annotations"):
            yield (
                f"annotation {quoted(_CLASS)} is deprecated, please use 'spec.ingressClassName' "
                "instead"
            )

    def warnings_on_status_write(self, new: dict[str, Any]) -> Iterator[str]:
        """Warn of unusual addresses."""
        yield from ingress_warnings(new)


def _causes(ingress: dict[str, Any]) -> Iterator[Cause]:
    spec = ingress["spec"]
    if not spec.get("rules") and spec.get("defaultBackend") is None:
        why = "either `defaultBackend` or `rules` must be specified"
        yield invalid_value("spec", None, why)
    if spec.get("defaultBackend") is not None:
        yield from _backend(spec["defaultBackend"], "spec.defaultBackend")
    for index, rule in enumerate(parts(spec, "rules")):
        at = f"spec.rules[{index}]"
        yield from _host(rule.get("host") or "", f"{at}.host")
        if rule.get("http") is not None:
            yield from _paths(rule["http"], f"{at}.http.paths")
    for index, tls in enumerate(parts(spec, "tls")):
        yield from _tls(tls, f"spec.tls[{index}]")
    if spec.get("ingressClassName") is not None:
        yield from matches("spec.ingressClassName", spec["ingressClassName"], subdomain_problems)


def _host(host: str, path: str) -> Iterator[Cause]:
    if not host:
        return
    if not ip_problems(host):
        yield invalid_value(path, host, "must be a DNS name, not an IP address")
    elif "*" in host:
        yield from matches(path, host, wildcard_subdomain_problems)
    else:
        yield from matches(path, host, subdomain_problems)


def _path(path: str, kind: str, field: str) -> Iterator[Cause]:
    if kind == "ImplementationSpecific" and not path:
        return
    if kind in _PATH_TYPES and not path.startswith("/"):
        yield invalid_value(field, path, "must be an absolute path")
    if kind in ("Exact", "Prefix") and path.startswith("/"):
        for invalid in _INVALID_PARTS:
            if invalid in path:
                yield invalid_value(field, path, f"must not contain '{invalid}'")
        for end in _INVALID_ENDS:
            if path.endswith(end):
                yield invalid_value(field, path, f"cannot end with '{end}'")


def _backend(backend: dict[str, Any], path: str) -> Iterator[Cause]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        yield invalid_value(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        for member in ("kind", "name"):
            if not resource.get(member):
                yield required(f"{path}.resource.{member}")
    elif service is None:
        yield invalid_value(path, "", "resource or service backend is required")
    else:
        yield from _service_backend(service, path)


def _service_backend(service: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from text(f"{path}.service.name", service.get("name"), label_problems)
    port = part(service, "port")
    name, number = port.get("name"), port.get("number")
    if name and number:
        yield invalid_value(path, "", "cannot set both port name & port number")
    elif name:
        yield from matches(f"{path}.service.port.name", name, port_name_problems)
    elif number:
        yield from port_number(f"{path}.service.port.number", number)
    else:
        yield required(path, "port name or number is required")


def _tls(tls: dict[str, Any], path: str) -> Iterator[Cause]:
    for index, host in enumerate(texts(tls, "hosts")):
        rule = wildcard_subdomain_problems if "*" in host else subdomain_problems
        yield from matches(f"{path}.hosts[{index}]", host, rule)
    name = tls.get("secretName")
    yield from text(f"{path}.secretName", name, subdomain_problems, needed=False)


def _paths(http: dict[str, Any], field: str) -> Iterator[Cause]:
    paths = parts(http, "paths")
    if not paths:
        yield required(field)
    for index, path in enumerate(paths):
        at = f"{field}[{index}]"
        kind, text_ = path.get("pathType"), path.get("path") or ""
        if not kind:
            yield required(f"{at}.pathType", "pathType must be specified")
        else:
            yield from one_of(f"{at}.pathType", kind, _PATH_TYPES)
            yield from _path(text_, kind, f"{at}.path")
        yield from _backend(part(path, "backend"), f"{at}.backend")
