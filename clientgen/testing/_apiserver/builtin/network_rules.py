"""What network policies and ingresses may say."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
    ip_problems,
    label_problems,
    port_name_problems,
    subdomain_problems,
    wildcard_subdomain_problems,
)
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import (
    immutable,
    matches,
    one_of,
    port_number,
    port_reference,
    selector_causes,
    text,
)
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_DIRECTIONS: Final = ("Ingress", "Egress")
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_INVALID_PARTS: Final = ("//", "/./", "/../", "%2f", "%2F")
_INVALID_ENDS: Final = ("/..", "/.")
_LONGEST_CONTROLLER: Final = 250
_CLASS: Final = "kubernetes.io/ingress.class"


# ------------------------------------------------------------------------ network policies


@checks("networking.k8s.io", "networkpolicies")
def _policy(policy: dict[str, Any]) -> Iterator[Cause]:
    spec = policy["spec"]
    yield from selector_causes(spec.get("podSelector"), "spec.podSelector")
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(parts(spec, direction)):
            at = f"spec.{direction}[{index}]"
            for number, port in enumerate(parts(rule, "ports")):
                yield from _policy_port(port, f"{at}.ports[{number}]")
            for number, peer in enumerate(parts(rule, peers)):
                yield from _peer(peer, f"{at}.{peers}[{number}]")
    types = texts(spec, "policyTypes")
    if len(types) > len(_DIRECTIONS):
        yield invalid_value("spec.policyTypes", types, "may not specify more than two policyTypes")
        return
    for index, kind in enumerate(types):
        yield from one_of(f"spec.policyTypes[{index}]", kind, _DIRECTIONS)


def _policy_port(port: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from one_of(f"{field}.protocol", port.get("protocol"), ("TCP", "UDP", "SCTP"))
    number, end = port.get("port"), port.get("endPort")
    if number is not None:
        yield from port_reference(f"{field}.port", number)
    if end is None:
        return
    if number is None:
        said = "may not be specified when `port` is not specified"
        yield invalid_value(f"{field}.endPort", end, said)
    elif isinstance(number, str):
        said = "may not be specified when `port` is non-numeric"
        yield invalid_value(f"{field}.endPort", end, said)
    elif end < number:
        yield invalid_value(f"{field}.endPort", number, "must be greater than or equal to `port`")
    else:
        yield from port_number(f"{field}.endPort", end)


def _peer(peer: dict[str, Any], field: str) -> Iterator[Cause]:
    chosen = [
        name
        for name in ("podSelector", "namespaceSelector", "ipBlock")
        if peer.get(name) is not None
    ]
    for name in ("podSelector", "namespaceSelector"):
        yield from selector_causes(peer.get(name), f"{field}.{name}")
    if "ipBlock" in chosen:
        yield from _block(peer["ipBlock"], f"{field}.ipBlock")
    if not chosen:
        yield required(field, "must specify a peer")
    elif "ipBlock" in chosen and len(chosen) > 1:
        yield forbidden_value(field, "may not specify both ipBlock and another peer")


def _block(block: dict[str, Any], field: str) -> Iterator[Cause]:
    network = block.get("cidr") or ""
    if not network:
        yield required(f"{field}.cidr")
        return
    problems = cidr_problems(network)
    for problem in problems:
        yield invalid_value(f"{field}.cidr", network, problem)
    for index, inner in enumerate(texts(block, "except")):
        at = f"{field}.except[{index}]"
        yield from matches(at, inner, cidr_problems)
        if not problems and not cidr_problems(inner) and not _is_within(inner, network):
            yield invalid_value(at, inner, "must be a strict subset of `cidr`")


def _is_within(text_: str, network: str) -> bool:
    inner, outer = ip_network(text_, strict=False), ip_network(network, strict=False)
    same = inner.version == outer.version and inner.prefixlen > outer.prefixlen
    return same and inner.network_address in outer


# -------------------------------------------------------------------------------- ingresses


@checks("networking.k8s.io", "ingresses")
def _ingress(ingress: dict[str, Any]) -> Iterator[Cause]:
    spec = ingress["spec"]
    if not spec.get("rules") and spec.get("defaultBackend") is None:
        said = "either `defaultBackend` or `rules` must be specified"
        yield invalid_value("spec", None, said)
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


@checks("networking.k8s.io", "ingresses", again=False)
def _same_class(ingress: dict[str, Any]) -> Iterator[Cause]:
    annotated = part(ingress["metadata"], "annotations").get(_CLASS)
    named = ingress["spec"].get("ingressClassName")
    if annotated is not None and named is not None and annotated != named:
        said = "must match `ingressClassName` when both are specified"
        yield invalid_value(f"annotations.{_CLASS}", annotated, said)


@checks("networking.k8s.io", "ingressclasses")
def _ingress_class(kind: dict[str, Any]) -> Iterator[Cause]:
    controller = kind["spec"].get("controller") or ""
    if not controller:
        yield required("spec.controller")
    elif "/" not in controller:
        said = 'must be a domain-prefixed path (such as "acme.io/foo")'
        yield invalid_value("spec.controller", controller, said)
    elif len(controller.encode()) > _LONGEST_CONTROLLER:
        yield too_long("spec.controller", f"may not be more than {_LONGEST_CONTROLLER} bytes")
    if kind["spec"].get("parameters") is not None:
        yield from _parameters(kind["spec"]["parameters"], "spec.parameters")


def _parameters(parameters: dict[str, Any], field: str) -> Iterator[Cause]:
    group, space, at = parameters.get("apiGroup"), parameters.get("namespace"), f"{field}.namespace"
    if group is not None:
        yield from matches(f"{field}.apiGroup", group, subdomain_problems)
    for member in ("kind", "name"):
        if not parameters.get(member):
            yield required(f"{field}.{member}")
    scope = parameters.get("scope")
    yield from one_of(f"{field}.scope", scope, ("Cluster", "Namespace"))
    if scope == "Namespace" and space is None:
        yield required(at, "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from matches(at, space or "", label_problems)
    elif scope == "Cluster" and space is not None:
        yield forbidden_value(at, "`parameters.scope` is set to 'Cluster'")


@checks_change("networking.k8s.io", "ingressclasses")
def _class_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"].get("controller"), old["spec"].get("controller")
    yield from immutable("spec.controller", after, before)


def _host(host: str, field: str) -> Iterator[Cause]:
    if not host:
        return
    if not ip_problems(host):
        yield invalid_value(field, host, "must be a DNS name, not an IP address")
    elif "*" in host:
        yield from matches(field, host, wildcard_subdomain_problems)
    else:
        yield from matches(field, host, subdomain_problems)


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


def _path(path: str, kind: str, field: str) -> Iterator[Cause]:
    if kind == "ImplementationSpecific" and not path:
        return
    if kind in _PATH_TYPES and not path.startswith("/"):
        yield invalid_value(field, path, "must be an absolute path")
    if kind in ("Exact", "Prefix") and path.startswith("/"):
        for found in _INVALID_PARTS:
            if found in path:
                yield invalid_value(field, path, f"must not contain '{found}'")
        for end in _INVALID_ENDS:
            if path.endswith(end):
                yield invalid_value(field, path, f"cannot end with '{end}'")


def _backend(backend: dict[str, Any], field: str) -> Iterator[Cause]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        yield invalid_value(field, "", "cannot set both resource and service backends")
    elif resource is not None:
        for member in ("kind", "name"):
            if not resource.get(member):
                yield required(f"{field}.resource.{member}")
    elif service is None:
        yield invalid_value(field, "", "resource or service backend is required")
    else:
        yield from _service_backend(service, field)


def _service_backend(service: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from text(f"{field}.service.name", service.get("name"), label_problems)
    port = part(service, "port")
    name, number = port.get("name"), port.get("number")
    if name and number:
        yield invalid_value(field, "", "cannot set both port name & port number")
    elif name:
        yield from matches(f"{field}.service.port.name", name, port_name_problems)
    elif number:
        yield from port_number(f"{field}.service.port.number", number)
    else:
        yield required(field, "port name or number is required")


def _tls(tls: dict[str, Any], field: str) -> Iterator[Cause]:
    for index, host in enumerate(texts(tls, "hosts")):
        rule = wildcard_subdomain_problems if "*" in host else subdomain_problems
        yield from matches(f"{field}.hosts[{index}]", host, rule)
    name = tls.get("secretName")
    yield from text(f"{field}.secretName", name, subdomain_problems, needed=False)
